"""What an action of a game does with hidden pieces, in words that every dealing protocol has."""

from typing import Any

from protocol.codes import Code
from protocol.dealing import Dealing, DealState
from protocol.errors import Refused
from protocol.games import Draw, Exchange, Open, Operation, Show


def operate(dealing: Dealing, deal: Any, seat: int, operation: Operation, part: list[Any], at: int) -> DealState:
    """The deal after a seat's action that needs this operation; `part` is what convinces the others, unchecked.

    Raises: Refused, Broken.
    """
    match operation:
        case Open(piece):
            return dealing.open(deal, seat, piece, part, at)
        case Show(pieces):
            if len(part) != len(pieces):
                raise Refused(Code.BAD_ENTRY)
            for piece, one in zip(pieces, part, strict=True):
                deal = dealing.open(deal, seat, piece, one, at)
        case Draw():
            return dealing.draw(deal, seat, part, at)
        case Exchange(slots):
            return dealing.exchange(deal, seat, slots, part, at)
        case _ if part:
            raise Refused(Code.BAD_ENTRY)
    return deal  # type: ignore[no-any-return]
