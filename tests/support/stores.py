"""Stores of cards that a test leaves open, like a killed program. They are closed after the
test.
"""

from player.cards.storage.ledger_store import LedgerStore

_OPEN: list[LedgerStore] = []


def left_open(store: LedgerStore) -> LedgerStore:
    """Register a store that `close_all` closes unless it is closed by then."""
    _OPEN.append(store)
    return store


def close_all() -> None:
    """Close all registered stores."""
    while _OPEN:
        _OPEN.pop().close()
