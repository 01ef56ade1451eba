"""Owned cards on disk: records, images, trust marks, decks, and the journal of signatures
(docs/protocol, 26.6).
"""

FILE = "ledger.sqlite"  # in a data folder
