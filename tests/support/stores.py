"""Stores of cards that a test leaves open, as a program does that is killed: they are closed when
the test is over.
"""

from player.cards.storage.ledger_store import LedgerStore

_OPEN: list[LedgerStore] = []


def left_open(store: LedgerStore) -> LedgerStore:
    """This store; `close_all` closes it, if nobody has by then."""
    _OPEN.append(store)
    return store


def close_all() -> None:
    """All of them."""
    while _OPEN:
        _OPEN.pop().close()
