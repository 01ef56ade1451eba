"""Trades between two people, over connections or letters."""
