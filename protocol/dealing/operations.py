"""The way from what rules ask of hidden pieces to the dealing protocol that does it."""

from collections.abc import Sequence
from typing import Any

from protocol.codes import Code
from protocol.dealing import Dealing, DealState
from protocol.errors import Refused
from protocol.games import Game, Hand, Want
from protocol.games.operations import Lay, Operation, Pile, RevealCards, Turn

DEFAULT_LAY = Lay(
    (Pile(2, hand_size=1),)
)  # what a game with pieces asks for that names no `Lay` of its own: hands and one stock


def can_deal(dealing: Dealing, game: Game) -> bool:
    """Whether a dealing protocol offers all that a game says it needs."""
    laid = any(isinstance(need, Lay) for need in game.required_operations)
    needs = (
        game.required_operations
        if laid or not game.pieces
        else (DEFAULT_LAY, *game.required_operations)
    )
    return all(dealing.supports(operation) for operation in needs)


def has_own_decks(game: Game) -> bool:
    """Whether seats have decks of their own in it."""
    return any(
        pile.is_own_deck
        for need in game.required_operations
        if isinstance(need, Lay)
        for pile in need.piles
    )


def turned_pieces_of(dealing: Dealing, deal: Any, operations: Sequence[Operation]) -> Hand:
    """The pieces that these operations, which are done, have turned up of an own deck, in their
    order.
    """
    return tuple(
        piece
        for each in operations
        if isinstance(each, Turn)
        for piece in dealing.turned_pieces(deal, each)
    )


def public_pieces(deal: DealState, wanted: Want) -> Hand:
    """What lies open, for `Game.dealt`, when a deal is done with this."""
    asked = (
        [each for each in wanted if isinstance(each, RevealCards)]
        if isinstance(wanted, tuple)
        else []
    )
    loose = (card for each in asked for card in each.cards)
    return (
        *deal.turned_up,
        *(deal.public_faces[card] for card in loose if card in deal.public_faces),
    )


def apply_operations(
    dealing: Dealing,
    deal: Any,
    seat: int,
    operations: Sequence[Operation],
    parts: list[list[Any]],
    at: int,
) -> DealState:
    """The deal after these operations of one entry; `seat` and `parts` as for `Dealing.operate`, a
    part for each.

    Raises: Refused, Broken.
    """
    if len(parts) != len(operations):
        raise Refused(Code.BAD_ENTRY)
    for operation, part in zip(operations, parts, strict=True):
        if not dealing.supports(operation):
            raise Refused(Code.NOT_NOW)
        deal = dealing.apply_operation(deal, seat, operation, part, at)
    return deal  # type: ignore[no-any-return]
