"""The way from what rules ask of hidden pieces to the dealing protocol that does it."""

from collections.abc import Sequence
from typing import Any

from protocol.codes import Code
from protocol.dealing import Dealing, DealState
from protocol.errors import Refused
from protocol.games import Game
from protocol.games.operations import Operation


def can_deal(dealing: Dealing, game: Game) -> bool:
    """Whether a dealing protocol offers all that a game says it needs."""
    return all(dealing.offers(operation) for operation in game.needs)


def perform(
    dealing: Dealing, deal: Any, seat: int, operations: Sequence[Operation], parts: list[list[Any]], at: int
) -> DealState:
    """The deal after these operations of one entry; `seat` and `parts` as for `Dealing.operate`, a part for each.

    Raises: Refused, Broken.
    """
    if len(parts) != len(operations):
        raise Refused(Code.BAD_ENTRY)
    for operation, part in zip(operations, parts, strict=True):
        if not dealing.offers(operation):
            raise Refused(Code.NOT_NOW)
        deal = dealing.operate(deal, seat, operation, part, at)
    return deal  # type: ignore[no-any-return]
