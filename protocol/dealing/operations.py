"""Matching of a game's operations on hidden pieces to the dealing protocol that performs them."""

from collections.abc import Sequence
from typing import Any

from protocol.codes import Code
from protocol.dealing import Dealing, DealState
from protocol.errors import Refused
from protocol.games import AnyGame, Hand, Want
from protocol.games.operations import Lay, Operation, Pile, RevealCards, Turn

DEFAULT_LAY = Lay(
    (Pile(2, hand_size=1),)
)  # layout of a game with pieces whose rules name no `Lay`: hands and one stock


def can_deal(dealing: Dealing, game: AnyGame) -> bool:
    """Check that a dealing protocol offers every operation that a game requires."""
    laid = any(isinstance(need, Lay) for need in game.required_operations)
    needs = (
        game.required_operations
        if laid or not game.pieces
        else (DEFAULT_LAY, *game.required_operations)
    )
    return all(dealing.supports(operation) for operation in needs)


def has_own_decks(game: AnyGame) -> bool:
    """Check that a seat may have an own deck in this game."""
    return any(
        pile.is_own_deck
        for need in game.required_operations
        if isinstance(need, Lay)
        for pile in need.piles
    )


def turned_pieces_of(dealing: Dealing, deal: Any, operations: Sequence[Operation]) -> Hand:
    """Return the pieces that completed operations have turned up from own decks, in order."""
    return tuple(
        piece
        for each in operations
        if isinstance(each, Turn)
        for piece in dealing.turned_pieces(deal, each)
    )


def public_pieces(deal: DealState, wanted: Want) -> Hand:
    """Return the open pieces that `Game.dealt` receives after the deal has done what `wanted`
    asks.
    """
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
    """Return the deal after the operations of one entry.

    `seat` is as in `Dealing.apply_operation`; `parts` has one part for each operation. Raises:
    Refused, ProtocolViolation.
    """
    if len(parts) != len(operations):
        raise Refused(Code.BAD_ENTRY)
    for operation, part in zip(operations, parts, strict=True):
        if not dealing.supports(operation):
            raise Refused(Code.NOT_NOW)
        deal = dealing.apply_operation(deal, seat, operation, part, at)
    return deal  # type: ignore[no-any-return]
