"""Ledger of cards that people own, without a server: signed records, and the owners that follow
from a set of records (docs/protocol, 24).
"""

SUFFIX = ".cards"  # suffix of a file of records
