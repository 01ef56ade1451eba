"""Matches in which everything meets everything: lies, leaving, silence, slow seats, restarts,
leagues, lying tables.
"""
