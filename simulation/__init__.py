"""Rounds of Ligretto without cards on a table or people at it: models of them, and who runs these
for others.
"""
