"""The cards of a data folder: what it knows of everybody's, what screens show of them, and trades
with others.
"""
