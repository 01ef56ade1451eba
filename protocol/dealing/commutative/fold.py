"""State transitions of the public half of a commutative deal.

Faults that are visible at once are raised here. `opening_audit` finds all others when the keys are
open.
"""

from collections.abc import Callable, Iterable

from protocol.codes import Code
from protocol.crypto.group import ELEMENT_BYTES, Point, decode_points, decode_scalar
from protocol.crypto.hashing import constant_time_equal
from protocol.dealing.commutative.opening_audit import audit_openings
from protocol.dealing.commutative.stages import LOOK_PART, OPEN_PART, CommutativeStage
from protocol.dealing.commutative.state import (
    CommutativeState,
    Pack,
    Protest,
    ShownCard,
    Unwrapping,
    key_commitment,
)
from protocol.errors import ProtocolViolation, Refused, RemoteError
from protocol.fast_replace import replace
from protocol.games import Piece
from protocol.games.operations import EVERYBODY, Look, Operation, PutAway, Reveal
from protocol.schema import Fields


def apply(
    state: CommutativeState, author: int, kind: str, body: Fields, at: int
) -> CommutativeState:
    """Return the state after an entry of one of `stages.ENTRY_SHAPES`, whose author had that duty.

    Raises: ProtocolViolation.
    """
    try:
        return ENTRY_HANDLERS[kind](state, author, body, at)
    except RemoteError as error:
        raise ProtocolViolation(error.code) from error


def apply_operation(
    state: CommutativeState, seat: int, operation: Operation, part: Fields, at: int
) -> CommutativeState:
    """Return the state after an operation. Raises: Refused, ProtocolViolation."""
    # An earlier operation of the same entry has revealed a lie and closed the deal.
    if state.stage is CommutativeStage.OPEN:
        return state
    if isinstance(operation, Reveal):
        return _reveal(state, seat, operation.piece, part, at)
    if isinstance(operation, Look):
        cards = _stock_cards(state, seat, operation, part)
        return _request_cards(state.assign_cards(cards, operation.seat), cards, at)
    assert isinstance(operation, PutAway), "nothing else is offered"
    if part:
        raise Refused(Code.BAD_ENTRY)
    return state.put_away_from(seat, operation.slots)


def _reveal(
    state: CommutativeState, seat: int, piece: Piece, part: Fields, at: int
) -> CommutativeState:
    """Record the piece that a holder claims for a card of its hand.

    Raises: Refused, ProtocolViolation.
    """
    if not OPEN_PART(part):
        raise Refused(Code.BAD_ENTRY)
    (card,) = part
    if card not in state.hidden_of(seat):
        raise ProtocolViolation(Code.NOT_HELD)
    state = replace(state, shown={**state.shown, card: ShownCard(seat, at, piece)})
    return close(state, None, at) if state.contradicts_itself else state


def _stock_cards(state: CommutativeState, seat: int, wanted: Look, part: Fields) -> tuple[int, ...]:
    """Return the cards that a seat has chosen from a stock.

    With `EVERYBODY` no seat chooses, and the lowest cards are taken. Raises: Refused.
    """
    stock = state.stock_of(wanted.pile)
    if seat == EVERYBODY:
        part = list(stock[: wanted.count])
    elif not LOOK_PART(part) or len(part) != wanted.count:
        raise Refused(Code.BAD_ENTRY)
    if len(set(part)) != wanted.count or not set(part) <= set(stock):
        raise Refused(Code.NOT_IN_STOCK)
    return tuple(part)


def protest(state: CommutativeState, seat: int, at: int) -> CommutativeState:
    """Close the deal early, so that the opened keys show who lied. Raises: Refused."""
    if not state.packs or state.stage in (CommutativeStage.OPEN, CommutativeStage.CLOSED):
        raise Refused(Code.NOT_NOW)
    return replace(close(state, None, at), protest=Protest(seat, at))


def close(state: CommutativeState, show: tuple[int, ...] | None, at: int) -> CommutativeState:
    """Close the deal: every seat must open its key, and thereby every card."""
    return state.enter_stage(CommutativeStage.OPEN, at)


def _apply_commit(state: CommutativeState, author: int, body: Fields, at: int) -> CommutativeState:
    state = replace(
        state, commitments={**state.commitments, author: body[0]}, posted=state.posted | {author}
    )
    return (
        state
        if state.duties()
        else replace(state, turn=state.present[0]).enter_stage(CommutativeStage.PACK, at)
    )


def _apply_pack(state: CommutativeState, author: int, body: Fields, at: int) -> CommutativeState:
    deck = tuple(decode_points(body[0]))
    if (
        len(deck) != state.context.piece_count
        or len(set(deck)) != len(deck)
        or set(deck) == set(state.deck)
    ):
        raise ProtocolViolation(Code.BAD_LIST)
    packed = replace(state, packs=(*state.packs, Pack(author, at, deck)))
    if author == state.present[-1]:
        return packed.enter_stage(CommutativeStage.CHOOSE, at)
    return replace(packed, turn=state.present[len(packed.packs)]).enter_stage(
        CommutativeStage.PACK, at
    )


def _apply_choose(state: CommutativeState, author: int, body: Fields, at: int) -> CommutativeState:
    (choices,) = body
    chosen = [card for cards in choices for card in cards]
    right = len(choices) == len(state.present) and all(map(state.is_hand, choices))
    if not right or len(set(chosen)) != len(chosen) or not set(chosen) <= set(state.stock):
        raise ProtocolViolation(Code.NOT_IN_STOCK)
    holders = {
        card: seat for seat, cards in zip(state.present, choices, strict=True) for card in cards
    }
    return _request_cards(replace(state, holders=holders), chosen, at)


def _request_cards(state: CommutativeState, cards: Iterable[int], at: int) -> CommutativeState:
    """Request cards: all seats but the holders remove their envelopes, the last to pack first."""
    new = {card: state.deck[card] for card in cards}
    asking = replace(
        state, requested=tuple(sorted({*state.requested, *new})), points={**state.points, **new}
    )
    return _next_unwrap(asking, state.present[::-1], at)


def _next_unwrap(state: CommutativeState, seats: tuple[int, ...], at: int) -> CommutativeState:
    for seat in seats:
        if state.owed(seat):
            return replace(state, turn=seat).enter_stage(CommutativeStage.UNWRAP, at)
    if state.contradicts_itself:
        return close(replace(state, requested=()), None, at)
    return replace(state, requested=()).enter_stage(CommutativeStage.READY, at)


def _apply_unwrap(state: CommutativeState, author: int, body: Fields, at: int) -> CommutativeState:
    owed = state.owed(author)
    if len(body[0]) != ELEMENT_BYTES * len(owed):
        raise ProtocolViolation(Code.BAD_LIST)
    points: list[Point] = decode_points(body[0])
    taken = [
        Unwrapping(author, at, card, state.points[card], point)
        for card, point in zip(owed, points, strict=True)
    ]
    wrapped = {**state.points, **dict(zip(owed, points, strict=True))}
    state = replace(state, points=wrapped, unwrappings=(*state.unwrappings, *taken))
    return _next_unwrap(state, state.present[: state.present.index(author)][::-1], at)


def _apply_open_key(
    state: CommutativeState, author: int, body: Fields, at: int
) -> CommutativeState:
    key, salt = decode_scalar(body[0]), body[1]
    commitment = key_commitment(state.context.deal_id, author, key, salt)
    if key.is_zero or not constant_time_equal(commitment, state.commitments[author]):
        raise ProtocolViolation(Code.BAD_KEY_OPENING)
    state = replace(state, keys={**state.keys, author: key}, posted=state.posted | {author})
    return (
        state
        if state.duties()
        else replace(state, result=audit_openings(state)).enter_stage(CommutativeStage.CLOSED, at)
    )


ENTRY_HANDLERS: dict[str, Callable[[CommutativeState, int, Fields, int], CommutativeState]] = {
    "commit": _apply_commit,
    "pack": _apply_pack,
    "choose": _apply_choose,
    "unwrap": _apply_unwrap,
    "open_key": _apply_open_key,
}
