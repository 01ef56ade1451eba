"""State transitions of the public half of a verified deal.

Every proof is checked here, so every lie is named at once.
"""

from collections.abc import Callable, Iterable

from protocol.codes import Code
from protocol.crypto.dlog_proofs import check_knowledge
from protocol.crypto.elgamal import check_share, decode_ciphertexts, joint_key
from protocol.crypto.group import Point, decode_point
from protocol.crypto.shuffle import check_shuffle
from protocol.dealing import DealLoss, DealResult
from protocol.dealing.verified.key_sharing import (
    combine_stand_ins,
    missing_parts,
    read_sharing,
    record_accusation,
    record_answer,
    record_stand_in,
    replaced_cards,
    stand_in_key,
)
from protocol.dealing.verified.loose_cards import (
    open_card,
    request_operation,
    reset_readers,
    reset_shown,
    start_next_step,
)
from protocol.dealing.verified.own_decks import drop_dead_decks, turn_up_own_cards
from protocol.dealing.verified.proven_shares import (
    check_share_of,
    open_cards,
    piece_from_share,
    split_shares,
)
from protocol.dealing.verified.stages import KEY_STAGES, OPEN_PART, VerifiedStage
from protocol.dealing.verified.state import VerifiedState
from protocol.errors import ProtocolViolation, Refused, RemoteError
from protocol.fast_replace import replace
from protocol.games import Piece
from protocol.games.operations import (
    EVERYBODY,
    Look,
    LookAt,
    OpenCard,
    Operation,
    PutAway,
    Reveal,
    RevealCards,
    Shuffle,
    ShuffleCards,
    Turn,
)
from protocol.schema import Fields


def apply(
    state: VerifiedState, author: int, kind: str, body: Fields, at: int, *, proven: bool = False
) -> VerifiedState:
    """Return the state after an entry of one of `stages.ENTRY_SHAPES`, whose author had that duty.

    `proven`: the entry was accepted in this state before, so its proofs are not checked again.
    Raises: ProtocolViolation.
    """
    try:
        return ENTRY_HANDLERS[kind](state, author, body, at, proven)
    except RemoteError as error:
        raise ProtocolViolation(error.code) from error


def apply_operation(
    state: VerifiedState,
    seat: int,
    operation: Operation,
    part: Fields,
    at: int,
    *,
    proven: bool = False,
) -> VerifiedState:
    """Return the state after an operation; only an action that shows or turns up cards has a part.

    `proven`: as for `apply`. Raises: Refused, ProtocolViolation.
    """
    if part and not isinstance(operation, Reveal | Turn | OpenCard):
        raise Refused(Code.BAD_ENTRY)
    match operation:
        case Reveal(piece):
            return _reveal(state, seat, piece, part, proven)
        case Look(count, receiver, pile):
            return _look_at_stock(state, count, receiver, pile, at)
        case PutAway(slots):
            return state.put_away_from(seat, slots)
        case Shuffle(pile):
            return reshuffle_cards(state, _cards_to_reshuffle(state, pile), at)
        case Turn():
            return turn_up_own_cards(state, seat, operation, part, proven)
        case OpenCard():
            return open_card(state, seat, operation, part, proven)
        case ShuffleCards() | LookAt() | RevealCards():
            return _start_loose_steps(request_operation(state, operation), at)


def _reveal(
    state: VerifiedState, seat: int, piece: Piece, part: Fields, proven: bool
) -> VerifiedState:
    """Show a card by its holder's own share, the only missing share, with its proof."""
    if not OPEN_PART(part):
        raise Refused(Code.BAD_ENTRY)
    card, share, proof = part
    if card not in state.hidden_of(seat):
        raise ProtocolViolation(Code.NOT_HELD)
    try:
        shown = piece_from_share(state, seat, card, decode_point(share), proof, proven)
    except RemoteError as error:
        raise ProtocolViolation(error.code) from error
    if shown != piece:
        raise ProtocolViolation(Code.BAD_OPENING)
    return replace(state, shown={**state.shown, card: piece})


def _look_at_stock(
    state: VerifiedState, count: int, receiver: int, pile: int, at: int
) -> VerifiedState:
    """Give the next cards of a stock to a seat or to everybody; the other seats then owe their
    shares.
    """
    cards = state.stock_of(pile)[:count]
    if len(cards) < count:
        raise Refused(Code.NOT_IN_STOCK)
    return _request_cards(state.assign_cards(cards, receiver), cards, at)


def close(state: VerifiedState, show: tuple[int, ...] | None, at: int) -> VerifiedState:
    """Close the deal: the seats in `show` must show their remaining cards; None: all seats must.

    All other cards stay hidden for ever.
    """
    showing = frozenset(state.context.present if show is None else show)
    return _finish_if_complete(
        replace(state, showing_seats=showing).enter_stage(VerifiedStage.SHOW, at), at
    )


def reshuffle_cards(state: VerifiedState, cards: Iterable[int], at: int) -> VerifiedState:
    """Return cards, shown or not, to the stock, and let every seat in turn shuffle them."""
    gone = frozenset(cards)
    if not gone:
        return state
    state = replace(
        state,
        holders={card: seat for card, seat in state.holders.items() if card not in gone},
        shares={card: shares for card, shares in state.shares.items() if card not in gone},
        shown={card: piece for card, piece in state.shown.items() if card not in gone},
        drawn=tuple(card for card in state.drawn if card not in gone),
    )
    begun = (state.pile, *state.pending_piles) if state.stage is VerifiedStage.SHUFFLE else ()
    return _shuffle_piles(state, (*begun, tuple(sorted(gone))), at)


def _cards_to_reshuffle(state: VerifiedState, number: int) -> list[int]:
    """Return the cards of a pile that are shuffled again.

    In a common pile these are the stock and all cards put away. An own deck is shuffled as a whole,
    unless its owner has left.
    """
    owner, cards = state.context.piles[number].owner, state.context.pile_cards(number)
    if owner is None:
        return [card for card in (*state.discarded, *state.stock) if card in cards]
    return list(cards) if owner in state.present else []


def _start_loose_steps(state: VerifiedState, at: int) -> VerifiedState:
    """Start pending steps of loose cards, unless they must wait.

    Steps that one entry requests go together.
    """
    asking = state.stage is VerifiedStage.SHARES and state.duties_since == at and not state.posted
    return _next_loose_step(state, at) if state.ready or asking else state


def _next_loose_step(state: VerifiedState, at: int) -> VerifiedState:
    """Do the next pending step of loose cards; if no step is pending, the game goes on."""
    state, hide = start_next_step(state)
    if hide is not None:
        return _shuffle_piles(replace(state, lone_shufflers=hide.by), (hide.cards,), at)
    return (
        _enter_shares(state, at)
        if state.requested
        else replace(state, dealt=True).enter_stage(VerifiedStage.READY, at)
    )


def _shuffle_piles(
    state: VerifiedState, piles: tuple[tuple[int, ...], ...], at: int
) -> VerifiedState:
    """Let the shufflers shuffle the first pile in turn, then the other piles.

    The shufflers are all seats, or the seats in `lone_shufflers`.
    """
    return replace(
        state, turn=state.shufflers[0], pile=piles[0], pending_piles=piles[1:]
    ).enter_stage(VerifiedStage.SHUFFLE, at)


def _request_cards(state: VerifiedState, cards: Iterable[int], at: int) -> VerifiedState:
    """Request cards: all seats but the holder owe their shares, after any shuffle under way."""
    new: dict[int, dict[int, Point]] = {card: {} for card in cards}
    asking = replace(
        state, requested=tuple(sorted({*state.requested, *new})), shares={**state.shares, **new}
    )
    return asking if state.stage is VerifiedStage.SHUFFLE else _enter_shares(asking, at)


def _enter_shares(state: VerifiedState, at: int) -> VerifiedState:
    """Let seats post their shares of the requested cards; a seat that is alone owes none."""
    return _finish_if_complete(state.enter_stage(VerifiedStage.SHARES, at), at)


def _apply_key(
    state: VerifiedState, author: int, body: Fields, at: int, proven: bool
) -> VerifiedState:
    X, proof = decode_point(body[0]), body[1]
    if not proven:
        check_knowledge(proof, X, state.proof_place(author, "key"))
    state = replace(state, keys={**state.keys, author: X}, posted=state.posted | {author})
    state = replace(
        state, sharings={**state.sharings, author: read_sharing(state, author, body[2], body[3])}
    )
    if state.duties():
        return state
    return (
        state.enter_stage(VerifiedStage.CONFIRM, at) if state.quorum else _first_shuffle(state, at)
    )


def _apply_confirm(
    state: VerifiedState, author: int, body: Fields, at: int, proven: bool
) -> VerifiedState:
    state = replace(record_accusation(state, author, body[0]), posted=state.posted | {author})
    if state.duties():
        return state
    answering = state.enter_stage(VerifiedStage.ANSWER, at)
    return answering if answering.duties() else _first_shuffle(state, at)


def _apply_answer(
    state: VerifiedState, author: int, body: Fields, at: int, proven: bool
) -> VerifiedState:
    state = replace(record_answer(state, author, body[0]), posted=state.posted | {author})
    return state if state.duties() else _first_shuffle(state, at)


def _first_shuffle(state: VerifiedState, at: int) -> VerifiedState:
    known = {card: card for card in sorted(state.context.loose_cards)}
    state = replace(state, key=joint_key(state.keys.values()), deck=state.first_deck(), shown=known)
    return _next_pile(replace(state, pending_piles=state.first_piles()), at)


def _apply_shuffle(
    state: VerifiedState, author: int, body: Fields, at: int, proven: bool
) -> VerifiedState:
    assert state.key is not None
    before = tuple(state.deck[card] for card in state.pile)
    after = decode_ciphertexts(body[0], len(before))
    if not proven:
        place = state.proof_place(author, "shuffle", state.shuffles)
        check_shuffle(body[1], before, after, state.key, place)
    new = dict(zip(state.pile, after, strict=True))
    deck = tuple(new.get(card, old) for card, old in enumerate(state.deck))
    return _next_shuffle(
        reset_shown(replace(state, deck=deck, shuffles=state.shuffles + 1)), author, at
    )


def _next_shuffle(state: VerifiedState, last: int, at: int) -> VerifiedState:
    """Pass the turn to shuffle to the next seat, or to the next pile after the last seat."""
    following = [seat for seat in state.shufflers if seat > last]
    return (
        replace(state, turn=following[0]).enter_stage(VerifiedStage.SHUFFLE, at)
        if following
        else _next_pile(reset_readers(state), at)
    )


def _next_pile(state: VerifiedState, at: int) -> VerifiedState:
    state = replace(state, lone_shufflers=())  # `lone_shufflers` applied to the finished pile only
    if state.pending_piles:
        return _shuffle_piles(state, state.pending_piles, at)
    if not state.dealt:
        hands = state.first_hands()
        state = _request_cards(replace(state, holders=hands), hands, at)
    state = _deal_decks(state, at)
    return _enter_shares(state, at) if state.requested else _next_loose_step(state, at)


def _deal_decks(state: VerifiedState, at: int) -> VerifiedState:
    """Give shuffled own decks to their owners, and request the shares of all other seats.

    Decks of owners who have left need no shares.
    """
    decks = {
        card: owner for card, owner in state.context.owners.items() if card not in state.holders
    }
    dealt = replace(state, holders={**state.holders, **decks})
    return _request_cards(dealt, [card for card in decks if not state.is_dead(card)], at)


def _apply_shares(
    state: VerifiedState, author: int, body: Fields, at: int, proven: bool
) -> VerifiedState:
    shares = dict(state.shares)
    for card, share, proof in split_shares(body, state.owed(author)):
        if not proven:
            check_share_of(state, author, card, share, proof)
        shares[card] = {**shares[card], author: share}
    return _finish_if_complete(replace(state, shares=shares, posted=state.posted | {author}), at)


def _finish_if_complete(state: VerifiedState, at: int) -> VerifiedState:
    """Go on once all present seats have given their shares, or shown their cards."""
    return state if state.duties() else _next_replacement(state, at)


def _distribute_cards(state: VerifiedState, at: int) -> VerifiedState:
    turned_up = {
        card: _piece_of(state, card) for card in state.requested if state.holders[card] == EVERYBODY
    }
    arrived = replace(
        state, requested=(), dealt=True, shown={**state.shown, **turned_up}
    ).enter_stage(VerifiedStage.TURN_UP, at)
    return _ready_when_turned_up(arrived, at)


def _apply_turn_up(
    state: VerifiedState, author: int, body: Fields, at: int, proven: bool
) -> VerifiedState:
    """Turn up the head of the author's own deck."""
    turned_up = open_cards(
        state, author, split_shares(body, state.cards_to_turn_up(author)), proven
    )
    return _ready_when_turned_up(replace(turned_up, posted=state.posted | {author}), at)


def _ready_when_turned_up(state: VerifiedState, at: int) -> VerifiedState:
    return state if state.duties() else _next_loose_step(state, at)


def _piece_of(state: VerifiedState, card: int) -> Piece:
    """Return the piece of a card for which every seat has given its share."""
    piece = state.piece_of(card)
    assert piece is not None, "the proofs make every card one of the deck's"
    return piece


def _apply_show(
    state: VerifiedState, author: int, body: Fields, at: int, proven: bool
) -> VerifiedState:
    shown = open_cards(state, author, split_shares(body, state.hidden_of(author)), proven)
    return _finish_if_complete(replace(shown, posted=state.posted | {author}), at)


def _finish_close(state: VerifiedState, at: int) -> VerifiedState:
    closed = state.enter_stage(VerifiedStage.CLOSED, at)
    return replace(
        closed,
        result=DealResult(_shown_hands(closed, drawn=False), _shown_hands(closed, drawn=True), ()),
    )


def _shown_hands(state: VerifiedState, drawn: bool) -> tuple[tuple[Piece, ...], ...]:
    """Return, by seat, the shown pieces that it was dealt (ascending) or that it drew (in order).

    Own decks and loose cards are absent.
    """
    aside = {*state.drawn, *state.context.owners, *state.context.loose_cards}
    cards = state.drawn if drawn else sorted(state.holders.keys() - aside)
    hands = [
        [state.shown[card] for card in cards if state.holders[card] == seat and card in state.shown]
        for seat in range(state.seat_count)
    ]
    return tuple(tuple(hand if drawn else sorted(hand)) for hand in hands)


def leave(state: VerifiedState, seat: int, at: int) -> VerifiedState | DealLoss:
    """Let the others go on without a seat, or drop or void the deal.

    Without `leavers=threshold` the deal is void. Before keys are shared nobody can read a card, so
    the deal is dropped. Later the others stand in for the seat. A seat that dislikes its hand, or
    has told a friend about it, thus gets no new cards by leaving. Once hands are dealt, fewer seats
    than a quorum go on as long as they need no share of a departed seat.
    """
    left = replace(state, departed=state.departed | {seat}, duties_since=at)
    if state.context.options.get("leavers") != "threshold":
        return DealLoss.VOID
    if state.stage in KEY_STAGES or state.stage is VerifiedStage.CLOSED or len(left.present) == 1:
        return DealLoss.DROPPED
    if len(left.present) < state.quorum and not state.dealt:
        return DealLoss.DROPPED
    return _continue_without(drop_dead_decks(left), seat, at)


def _continue_without(left: VerifiedState, seat: int, at: int) -> VerifiedState:
    match left.stage:
        case VerifiedStage.SHUFFLE if left.is_dead(left.pile[0]):
            return _next_pile(left, at)
        case VerifiedStage.SHUFFLE if left.turn == seat:
            return _shuffle_without(left, seat, at)
        case VerifiedStage.SHARES:
            return _finish_if_complete(left, at)
        case VerifiedStage.TURN_UP:
            return _ready_when_turned_up(left, at)
        case VerifiedStage.STAND_IN:
            return _next_replacement(left, at)
        case VerifiedStage.SHOW:
            return _finish_if_complete(left, at)
    return left


def _shuffle_without(left: VerifiedState, seat: int, at: int) -> VerifiedState:
    """Pass the turn to shuffle on, because the seat whose turn it was has left.

    If all `lone_shufflers` have left, all seats shuffle instead. A single card was only hidden for
    a seat that was to look at it, so its shuffle is skipped.
    """
    if not left.lone_shufflers or set(left.lone_shufflers) & set(left.present):
        return _next_shuffle(left, seat, at)
    if len(left.pile) == 1:
        return _next_pile(left, at)
    return _shuffle_piles(replace(left, lone_shufflers=()), (left.pile, *left.pending_piles), at)


def stand_in_for(state: VerifiedState, seat: int) -> VerifiedState | None:
    """Let the others open the hand of a silent seat when the deal is closed.

    None: they are fewer than the quorum.
    """
    others = len(set(state.present) - {seat})
    return (
        replace(state, silent_seats=state.silent_seats | {seat})
        if 0 < state.quorum <= others
        else None
    )


def _apply_stand_in(
    state: VerifiedState, author: int, body: Fields, at: int, proven: bool
) -> VerifiedState:
    key, parts = stand_in_key(state, state.replaced_seat, author), dict[int, Point]()
    for card, part, proof in split_shares(body, replaced_cards(state)):
        if not proven:
            place = state.proof_place(author, "stand in", card)
            check_share(proof, key, state.deck[card], part, place)
        parts[card] = part
    state = record_stand_in(state, author, parts)
    return state if state.duties() else _next_replacement(combine_stand_ins(state), at)


def _next_replacement(state: VerifiedState, at: int) -> VerifiedState:
    """Let the others stand in for the next departed seat with missing parts.

    If no parts are missing, the requested cards are distributed or the close is finished.
    """
    rest = missing_parts(state)
    if rest:
        return replace(state, replaced_seat=rest[0][0], stand_ins={}).enter_stage(
            VerifiedStage.STAND_IN, at
        )
    return _distribute_cards(state, at) if state.showing_seats is None else _finish_close(state, at)


ENTRY_HANDLERS: dict[str, Callable[[VerifiedState, int, Fields, int, bool], VerifiedState]] = {
    "key": _apply_key,
    "confirm": _apply_confirm,
    "answer": _apply_answer,
    "shuffle": _apply_shuffle,
    "shares": _apply_shares,
    "stand_in": _apply_stand_in,
    "turn_up": _apply_turn_up,
    "show": _apply_show,
}
