"""The public half of a verified deal in motion. Every proof is checked here, so every lie is named at once."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from protocol.codes import Code
from protocol.crypto.dlog import PROOF_SIZE, check_knowledge
from protocol.crypto.elgamal import check_share, decode_ciphertexts, joint_key
from protocol.crypto.group import SIZE, Point, decode_point, decode_points
from protocol.crypto.shuffle import check_shuffle
from protocol.dealing import Loss, Result
from protocol.dealing.verified.leavers import (
    accuse,
    answer,
    in_question,
    missing,
    read_sharing,
    stand_in,
    stand_in_key,
    stood_in,
)
from protocol.dealing.verified.stages import NOT_SHARED, OPEN_PART, Stage
from protocol.dealing.verified.state import Verified
from protocol.errors import Broken, Refused, RemoteError
from protocol.games import Piece
from protocol.games.operations import EVERYBODY, Look, Operation, PutAway, Reveal, Shuffle


def apply(state: Verified, author: int, kind: str, body: list[Any], at: int) -> Verified:
    """The state after an entry of one of `stages.KINDS`, posted by one whose duty it is; raises `Broken`."""
    try:
        return HANDLERS[kind](state, author, body, at)
    except RemoteError as error:
        raise Broken(error.code) from error


def operate(state: Verified, seat: int, operation: Operation, part: list[Any], at: int) -> Verified:
    """The state after an operation; only who shows a piece has to say something. Raises: Refused, Broken."""
    if part and not isinstance(operation, Reveal):
        raise Refused(Code.BAD_ENTRY)
    match operation:
        case Reveal(piece):
            return _reveal(state, seat, piece, part)
        case Look(count, receiver, pile):
            return _look(state, count, receiver, pile, at)
        case PutAway(slots):
            return state.put_away_from(seat, slots)
        case Shuffle(pile):
            cards = state.context.pile(pile)
            return reshuffle(state, [card for card in (*state.put_away, *state.stock) if card in cards], at)


def _reveal(state: Verified, seat: int, piece: Piece, part: list[Any]) -> Verified:
    """The holder shows a card: its own share, which was the only one missing, and the proof for it."""
    if not OPEN_PART(part):
        raise Refused(Code.BAD_ENTRY)
    card, share, proof = part
    if card not in state.hidden_of(seat):
        raise Broken(Code.NOT_HELD)
    try:
        shown = _show(state, seat, card, decode_point(share), proof)
    except RemoteError as error:
        raise Broken(error.code) from error
    if shown != piece:
        raise Broken(Code.BAD_OPENING)
    return replace(state, shown={**state.shown, card: piece})


def _look(state: Verified, count: int, receiver: int, pile: int, at: int) -> Verified:
    """The next cards of a stock go to a seat, or to everybody; the others owe their shares of them."""
    cards = state.stock_of(pile)[:count]
    if len(cards) < count:
        raise Refused(Code.NOT_IN_STOCK)
    return _ask(state.give(cards, receiver), cards, at)


def close(state: Verified, show: tuple[int, ...] | None, at: int) -> Verified:
    """The hand is over: whoever has to, shows the cards it has left. All else stays hidden for ever."""
    showing = frozenset(state.context.present if show is None else show)
    return _close_when_shown(state.go(Stage.SHOW, at, showing=showing), at)


def reshuffle(state: Verified, cards: Iterable[int], at: int) -> Verified:
    """These cards, shown or not, go back into the stock, hidden anew by every seat in turn."""
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
    begun = (state.pile, *state.later_piles) if state.stage is Stage.SHUFFLE else ()
    return _shuffle_piles(state, (*begun, tuple(sorted(gone))), at)


def _shuffle_piles(state: Verified, piles: tuple[tuple[int, ...], ...], at: int) -> Verified:
    """Every seat in turn shuffles the first of these, then the next."""
    return state.go(Stage.SHUFFLE, at, turn=state.present[0], pile=piles[0], later_piles=piles[1:])


def _ask(state: Verified, cards: Iterable[int], at: int) -> Verified:
    """Whoever does not hold these cards owes its share of them, when what is being shuffled is shuffled."""
    new: dict[int, dict[int, Point]] = {card: {} for card in cards}
    asking = replace(state, asked=tuple(sorted({*state.asked, *new})), shares={**state.shares, **new})
    return asking if state.stage is Stage.SHUFFLE else _give(asking, at)


def _give(state: Verified, at: int) -> Verified:
    return state.go(Stage.SHARES, at)


def _key(state: Verified, author: int, body: list[Any], at: int) -> Verified:
    X, proof = decode_point(body[0]), body[1]
    check_knowledge(proof, X, state.place(author, "key"))
    state = replace(state, keys={**state.keys, author: X}, posted=state.posted | {author})
    state = replace(state, sharings={**state.sharings, author: read_sharing(state, author, body[2], body[3])})
    if state.duties():
        return state
    return state.go(Stage.CONFIRM, at) if state.quorum else _first_shuffle(state, at)


def _confirm(state: Verified, author: int, body: list[Any], at: int) -> Verified:
    state = replace(accuse(state, author, body[0]), posted=state.posted | {author})
    if state.duties():
        return state
    answering = state.go(Stage.ANSWER, at)
    return answering if answering.duties() else _first_shuffle(state, at)


def _answer(state: Verified, author: int, body: list[Any], at: int) -> Verified:
    state = replace(answer(state, author, body[0]), posted=state.posted | {author})
    return state if state.duties() else _first_shuffle(state, at)


def _first_shuffle(state: Verified, at: int) -> Verified:
    state = replace(state, key=joint_key(state.keys.values()), deck=state.first_deck())
    piles = tuple(tuple(state.context.pile(number)) for number in range(len(state.context.piles)))
    return _shuffle_piles(state, piles, at)


def _shuffle(state: Verified, author: int, body: list[Any], at: int) -> Verified:
    assert state.key is not None
    before = tuple(state.deck[card] for card in state.pile)
    after = decode_ciphertexts(body[0], len(before))
    check_shuffle(body[1], before, after, state.key, state.place(author, "shuffle", state.shuffles))
    new = dict(zip(state.pile, after, strict=True))
    deck = tuple(new.get(card, old) for card, old in enumerate(state.deck))
    return _next_shuffle(replace(state, deck=deck, shuffles=state.shuffles + 1), author, at)


def _next_shuffle(state: Verified, last: int, at: int) -> Verified:
    """The next seat shuffles, or the next pile is shuffled; after the last one, cards go to whom they are for."""
    following = [seat for seat in state.present if seat > last]
    if following:
        return state.go(Stage.SHUFFLE, at, turn=following[0])
    if state.later_piles:
        return _shuffle_piles(state, state.later_piles, at)
    if not state.dealt:
        hands = state.first_hands()
        state = _ask(replace(state, holders=hands), hands, at)
    return _give(state, at) if state.asked else state.go(Stage.READY, at, dealt=True)


def _shares(state: Verified, author: int, body: list[Any], at: int) -> Verified:
    shares = dict(state.shares)
    for card, share, proof in _each(body, state.owed(author)):
        _check(state, author, card, share, proof)
        shares[card] = {**shares[card], author: share}
    return _arrived(replace(state, shares=shares, posted=state.posted | {author}), at)


def _arrived(state: Verified, at: int) -> Verified:
    """Go on once all who are here have given their shares."""
    return state if state.duties() else _replace_next(state, at)


def _all_arrived(state: Verified, at: int) -> Verified:
    opened = {card: _face_of(state, card) for card in state.asked if state.holders[card] == EVERYBODY}
    return state.go(Stage.READY, at, asked=(), dealt=True, shown={**state.shown, **opened})


def _face_of(state: Verified, card: int) -> Piece:
    """The piece that a card turns out to be once every seat has given its share."""
    piece = state.piece_of(card)
    assert piece is not None, "the proofs make every card one of the deck's"
    return piece


def _show_rest(state: Verified, author: int, body: list[Any], at: int) -> Verified:
    shown = dict(state.shown)
    for card, share, proof in _each(body, state.hidden_of(author)):
        piece = _show(state, author, card, share, proof)
        if piece is None:
            raise Broken(Code.BAD_OPENING)
        shown[card] = piece
    return _close_when_shown(replace(state, shown=shown, posted=state.posted | {author}), at)


def _close_when_shown(state: Verified, at: int) -> Verified:
    """Go on once all who are here have shown what they must."""
    return state if state.duties() else _replace_next(state, at)


def _closed(state: Verified, at: int) -> Verified:
    closed = state.go(Stage.CLOSED, at)
    return replace(closed, result=Result(_pieces(closed, drawn=False), _pieces(closed, drawn=True), ()))


def _pieces(state: Verified, drawn: bool) -> tuple[tuple[Piece, ...], ...]:
    """By seat: what it was dealt, ascending, or what it drew, in order, as far as it was shown."""
    cards = state.drawn if drawn else sorted(state.holders.keys() - set(state.drawn))
    hands = [
        [state.shown[card] for card in cards if state.holders[card] == seat and card in state.shown]
        for seat in range(state.seats)
    ]
    return tuple(tuple(hand if drawn else sorted(hand)) for hand in hands)


def _each(body: list[bytes], cards: tuple[int, ...]) -> list[tuple[int, Point, bytes]]:
    """Card, share and proof, one for each of these cards. Raises: RemoteError for another number or a bad point."""
    shares, proofs = body
    if len(shares) != SIZE * len(cards) or len(proofs) != PROOF_SIZE * len(cards):
        raise RemoteError(Code.BAD_PROOF)
    split = (proofs[start : start + PROOF_SIZE] for start in range(0, len(proofs), PROOF_SIZE))
    return list(zip(cards, decode_points(shares), split, strict=True))


def _check(state: Verified, seat: int, card: int, share: Point, proof: bytes) -> None:
    check_share(proof, state.keys[seat], state.deck[card], share, state.place(seat, "share", card))


def _show(state: Verified, seat: int, card: int, share: Point, proof: bytes) -> Piece | None:
    """The piece that a holder's proven share opens its card as."""
    _check(state, seat, card, share, proof)
    return state.piece_of(card, share)


def leave(state: Verified, seat: int, at: int) -> Verified | Loss:
    """A seat has left. Once keys are shared, the others stand in for it, if they can: who disliked what it was dealt,
    or told a friend in time, gets no other cards. Before that nobody can know any, and they are dealt again.
    Once hands are dealt, too few who are left go on as long as they need nothing that only the quorum can open."""
    left = replace(state, gone=state.gone | {seat}, began=at)
    if state.context.options.get("leavers") != "threshold":
        return Loss.VOID
    if state.stage in NOT_SHARED or state.stage is Stage.CLOSED or len(left.present) == 1:
        return Loss.DROPPED
    if len(left.present) < state.quorum and not state.dealt:
        return Loss.DROPPED
    match state.stage:
        case Stage.SHUFFLE if state.turn == seat:
            return _next_shuffle(left, seat, at)
        case Stage.SHARES:
            return _arrived(left, at)
        case Stage.STAND_IN:
            return _replace_next(left, at)
        case Stage.SHOW:
            return _close_when_shown(left, at)
    return left


def _stand_in(state: Verified, author: int, body: list[Any], at: int) -> Verified:
    key, parts = stand_in_key(state, state.replaced, author), dict[int, Point]()
    for card, part, proof in _each(body, in_question(state)):
        check_share(proof, key, state.deck[card], part, state.place(author, "stand in", card))
        parts[card] = part
    state = stand_in(state, author, parts)
    return state if state.duties() else _replace_next(stood_in(state), at)


def _replace_next(state: Verified, at: int) -> Verified:
    """The others give what is missing of the next seat that has left, or all is there."""
    rest = missing(state)
    if rest:
        return state.go(Stage.STAND_IN, at, replaced=rest[0][0], stand_ins={})
    return _all_arrived(state, at) if state.asked else _closed(state, at)


HANDLERS: dict[str, Callable[[Verified, int, list[Any], int], Verified]] = {
    "key": _key,
    "confirm": _confirm,
    "answer": _answer,
    "shuffle": _shuffle,
    "shares": _shares,
    "stand_in": _stand_in,
    "show": _show_rest,
}
