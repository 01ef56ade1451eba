"""`python -P -m protocol ledger verify`: judge a file of cards without other data (docs/protocol,
24).
"""
