"""State transitions of the public half of a seeded deal.

Faults that are visible at once are raised here. `opening_audit` finds all others when the seeds are
open.
"""

from collections.abc import Callable, Iterable

from protocol.codes import Code
from protocol.crypto.hashing import constant_time_equal
from protocol.dealing import DealLoss
from protocol.dealing.seeded.deck import seed_commitment
from protocol.dealing.seeded.opening_audit import audit_openings
from protocol.dealing.seeded.stages import OPEN_PART, SeededStage
from protocol.dealing.seeded.state import (
    Claim,
    DrawStep,
    GiveRound,
    HideStep,
    SeededState,
    ShowStep,
)
from protocol.errors import ProtocolViolation, Refused
from protocol.fast_replace import replace
from protocol.games import Piece
from protocol.games.operations import Card, LookAt, OpenCard, Operation, RevealCards, ShuffleCards
from protocol.limits import MAX_SEEDED_STEPS
from protocol.schema import Fields


def apply(state: SeededState, author: int, kind: str, body: Fields, at: int) -> SeededState:
    """Return the state after an entry of one of `stages.ENTRY_SHAPES`, whose author had that duty.

    Raises: ProtocolViolation.
    """
    return ENTRY_HANDLERS[kind](state, author, body, at)


def apply_operation(
    state: SeededState, seat: int, operation: Operation, part: Fields, at: int
) -> SeededState:
    """Return the state after an operation; only `OpenCard` may have a part.

    Raises: Refused, ProtocolViolation.
    """
    if part and not isinstance(operation, OpenCard):
        raise Refused(Code.BAD_ENTRY)
    state = _dispatch_operation(state, seat, operation, part, at)
    if len(state.steps) > MAX_SEEDED_STEPS:
        raise Refused(Code.TOO_MANY)
    return _enter_next_stage(state, at)


def _dispatch_operation(
    state: SeededState, seat: int, operation: Operation, part: Fields, at: int
) -> SeededState:
    match operation:
        case ShuffleCards(cards, by):
            return _hide_cards(state, tuple(sorted(set(cards))), by)
        case LookAt(cards, seats):
            return _look_at_cards(state, cards, set(seats), at)
        case RevealCards(cards):
            return _reveal(state, cards, at)
        case OpenCard():
            return _open_card(state, seat, operation, part, at)
    raise Refused(Code.NOT_NOW)


def _owners(state: SeededState, cards: Iterable[Card]) -> set[int]:
    """Return the owners of these cards. Raises: Refused(NOT_HELD) if a card has no owner."""
    try:
        return {state.owners[card] for card in cards}
    except KeyError:
        raise Refused(Code.NOT_HELD) from None


def _hide_cards(
    state: SeededState, cards: tuple[Card, ...], by: tuple[int, ...] | None
) -> SeededState:
    """Record that cards of one owner are hidden.

    No entries are needed, because the draw later decides which card is which piece.
    """
    owners = _owners(state, cards)
    if len(owners) > 1:
        raise Refused(Code.NOT_NOW)
    for owner in owners:
        epoch = state.epochs.get(owner, 0)
        alone = by == (owner,) and not state.hidden.intersection(cards)
        state = replace(
            state,
            steps=(*state.steps, HideStep(owner, cards, epoch, alone)),
            epochs={**state.epochs, owner: epoch + 1},
            hidden=state.hidden if alone else state.hidden.union(cards),
            sealed={**state.sealed, **dict.fromkeys(cards, epoch)},
            shown={card: place for card, place in state.shown.items() if card not in cards},
        )
    return state


def _look_at_cards(
    state: SeededState, cards: tuple[Card, ...], seats: set[int], at: int
) -> SeededState:
    """Draw cards for their owner.

    Public cards need no draw. Raises: Refused(NOT_NOW) if anybody but the owner looks at other
    cards.
    """
    secret = [card for card in cards if card not in state.public_faces]
    if len(seats) != 1 or not _owners(state, secret) <= seats:
        raise Refused(Code.NOT_NOW)
    return _draw_cards(state, cards, at)


def _draw_cards(state: SeededState, cards: tuple[Card, ...], at: int) -> SeededState:
    """Draw the hidden cards among `cards`, in this order, except cards of seats that have left."""
    drawn = [
        card
        for card in dict.fromkeys(cards)
        if card in state.hidden and state.owners[card] in state.present
    ]
    if not drawn:
        return state
    owners = [state.owners[card] for card in drawn]
    gives = _add_drawers(state, frozenset(owners), at)
    places = enumerate(zip(owners, drawn, strict=True), state.draws)
    steps = (
        DrawStep(owner, card, number, state.epochs[owner], len(gives) - 1)
        for number, (owner, card) in places
    )
    hidden, draws = state.hidden.difference(drawn), state.draws + len(drawn)
    return replace(state, steps=(*state.steps, *steps), gives=gives, draws=draws, hidden=hidden)


def _add_drawers(state: SeededState, owners: frozenset[int], at: int) -> tuple[GiveRound, ...]:
    """Add owners to the round of gives; all draws that one entry requests use the same gives."""
    if not state.gives or state.gives[-1].at != at:
        return (*state.gives, GiveRound(at, state.draws, owners, {}))
    last = state.gives[-1]
    return (*state.gives[:-1], last._replace(drawers=last.drawers | owners))


def _reveal(state: SeededState, cards: tuple[Card, ...], at: int) -> SeededState:
    """Draw cards if necessary, and oblige their owners to show them.

    A seat that has left shows nothing, so a card of that seat leaves the deal stuck.
    """
    _owners(state, cards)
    state = _draw_cards(state, cards, at)
    for card in cards:
        if card not in state.public_faces and card not in state.shown:
            state = _add_show_step(state, card)
    gone = any(
        card not in state.public_faces and state.owners[card] not in state.present for card in cards
    )
    return replace(state, is_stuck=state.is_stuck or gone)


def _add_show_step(state: SeededState, card: Card) -> SeededState:
    place = len(state.steps)
    return replace(
        state,
        steps=(*state.steps, ShowStep(state.owners[card], card)),
        shown={**state.shown, card: place},
    )


def _open_card(
    state: SeededState, seat: int, operation: OpenCard, part: Fields, at: int
) -> SeededState:
    """Show a card of the seat's own.

    An author who had not yet seen that the card was hidden again, or shown, is refused and commits
    no fault. Raises: Refused, ProtocolViolation.
    """
    card, piece = operation.card, operation.piece
    owners = _owners(state, [card])
    if card in state.public_faces:
        if part or state.public_faces[card] != piece:
            raise Refused(Code.STALE)
        return state
    if not OPEN_PART(part):
        raise Refused(Code.BAD_ENTRY)
    if part[0] <= state.sealed[card] or card in state.shown:
        raise Refused(Code.STALE)
    if owners != {seat} or card in state.hidden:
        raise Refused(Code.NOT_HELD)
    return _add_claims(_add_show_step(state, card), seat, [(len(state.steps), piece)], at)


def _add_claims(
    state: SeededState, seat: int, claims: Iterable[tuple[int, Piece]], at: int
) -> SeededState:
    """Record pieces that a seat claims for cards of its own.

    Raises: ProtocolViolation if the claim is visibly false.
    """
    for place, piece in claims:
        if state.owners.get(piece) != seat or piece in state.public_faces.values():
            raise ProtocolViolation(Code.BAD_OPENING)
        state = replace(state, claims={**state.claims, place: Claim(piece, at)})
    return state


def _enter_next_stage(state: SeededState, at: int) -> SeededState:
    """Enter the next stage with open duties: first gives, then shows."""
    for stage in (SeededStage.GIVE, SeededStage.SHOW):
        there = state.enter_stage(stage, at)
        if there.duties():
            return there
    return state if state.ready else state.enter_stage(SeededStage.READY, at)


def close(state: SeededState, show: tuple[int, ...] | None, at: int) -> SeededState:
    """Close the deal: every seat must open its seed, and thereby all its draws."""
    return state.enter_stage(SeededStage.OPEN, at)


def leave(state: SeededState, seat: int, at: int) -> SeededState | DealLoss:
    """Let the others go on without a seat, which draws and gives no more."""
    if state.stage in (SeededStage.COMMIT, SeededStage.CLOSED):
        return DealLoss.DROPPED
    late = {card for _, card in state.claims_due_from(seat)}
    state = replace(state, departed=state.departed | {seat})
    lost = bool(late) and len(state.present) > 1
    return _skip_finished_stage(
        replace(
            state,
            is_stuck=lost,
            shown={card: at for card, at in state.shown.items() if card not in late},
        ),
        at,
    )


def _skip_finished_stage(state: SeededState, at: int) -> SeededState:
    """Enter the next stage if a post or a departure has ended the last duty of the present
    stage.
    """
    if state.duties() or state.ready:
        return state
    if state.stage is SeededStage.OPEN:
        return replace(state, result=audit_openings(state)).enter_stage(SeededStage.CLOSED, at)
    return _enter_next_stage(state, at)


def _apply_commit(state: SeededState, author: int, body: Fields, at: int) -> SeededState:
    return _record_post(
        replace(state, commitments={**state.commitments, author: body[0]}), author, at
    )


def _record_post(state: SeededState, author: int, at: int) -> SeededState:
    return _skip_finished_stage(replace(state, posted=state.posted | {author}), at)


def _apply_give(state: SeededState, author: int, body: Fields, at: int) -> SeededState:
    last = state.gives[-1]
    last = last._replace(given={**last.given, author: (body[0], at)})
    return _record_post(replace(state, gives=(*state.gives[:-1], last)), author, at)


def _apply_show(state: SeededState, author: int, body: Fields, at: int) -> SeededState:
    due = state.claims_due_from(author)
    if len(body[0]) != len(due):
        raise ProtocolViolation(Code.BAD_LIST)
    return _record_post(
        _add_claims(
            state,
            author,
            [(place, piece) for (place, _), piece in zip(due, body[0], strict=True)],
            at,
        ),
        author,
        at,
    )


def _apply_open_seed(state: SeededState, author: int, body: Fields, at: int) -> SeededState:
    seed, salt = body
    if not constant_time_equal(
        seed_commitment(state.context.deal_id, author, seed, salt), state.commitments[author]
    ):
        raise ProtocolViolation(Code.BAD_SEED)
    return _record_post(replace(state, seeds={**state.seeds, author: seed}), author, at)


ENTRY_HANDLERS: dict[str, Callable[[SeededState, int, Fields, int], SeededState]] = {
    "commit": _apply_commit,
    "give": _apply_give,
    "show": _apply_show,
    "open_seed": _apply_open_seed,
}
