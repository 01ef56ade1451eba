"""Dealing for games without pieces: no piece is hidden, so there is no deal.

| promise | answer |
| --- | --- |
| trust | no trust in anybody is needed |
| the table learns | everything, as everybody does |
| a cheat | is refused at once, because the rules see all that matters |
| cost | none |
"""

from typing import Any

from protocol.dealing import Dealing, no_facts
from protocol.dealing.secrecy import Secrecy, leaving_phrase
from protocol.view.phrase import phrase


def _never(*arguments: Any) -> Any:
    """Raise an error: setup has made sure that the game asks for no deal."""
    raise NotImplementedError


NONE = Dealing(
    name="none",
    entry_shapes={},
    entry_meanings={},
    secrecy=lambda options, seats, own_decks: Secrecy(
        None, phrase("terms.hand.none"), leaving_phrase(seats)
    ),
    supports=lambda operation: False,
    begin=_never,
    apply=_never,
    apply_operation=_never,
    close=_never,
    protest=_never,
    leave=_never,
    revealed_hands=_never,
    facts=no_facts,
    seat_half=_never,
    table_half=_never,
)
