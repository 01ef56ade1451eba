"""`python -P -m protocol ledger verify`: what a file of cards says, for anybody (docs/protocol,
24).
"""
