"""The public half of a residue deal in motion. Every proof is checked here, so every lie is named
at once.

What the rules ask for is a queue of work: shuffles, each by seats in turn, and tellings, each by
all who have something to tell. It is done in order; what is asked for in one entry is told
together, as far as no shuffle is in between.
"""

from collections.abc import Callable, Iterable
from typing import Any

from protocol.codes import Code
from protocol.crypto.residue.cards import open_card, piece_bits
from protocol.crypto.residue.key_proof import check_apart, check_key
from protocol.crypto.residue.bit_proof import check_bits
from protocol.dealing import CHUNK, Context, Loss, Result
from protocol.dealing.residue.chunks import (Incoming, begun)
from protocol.dealing.residue.loose_cards import (given_by, hidden_anew, looked, looks)
from protocol.dealing.residue.options import bits_of
from protocol.dealing.residue.stages import OPEN_PART, TOLD, Stage
from protocol.dealing.residue.state import Looking, Residue, Shuffling, Telling, Work
from protocol.errors import Broken, Refused, RemoteError
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
)
from protocol.limits import CHUNKS_A_STEP

NOBODY_READS: frozenset[int] = frozenset()


def begin(context: Context, at: int) -> Residue:
    """A new deal: keys first, then every pile that is not loose is shuffled, and the first hands
    are dealt.
    """
    state = Residue(context, at)
    piles = [
        tuple(context.pile(number)) for number, pile in enumerate(context.piles) if not pile.loose
    ]
    hands = tuple((card, frozenset({seat})) for card, seat in state.first_hands().items())
    shuffles = tuple(Shuffling(cards, context.present) for cards in piles)
    return replace(state, work=(*shuffles, Telling(hands)) if piles else ())


def apply(state: Residue, author: int, kind: str, body: list[Any], at: int) -> Residue:
    """The state after an entry of one of `stages.KINDS`, posted by one whose duty it is; raises
    `Broken`.
    """
    try:
        return HANDLERS[kind](state, author, body, at)
    except RemoteError as error:
        raise Broken(error.code) from error


def operate(state: Residue, seat: int, operation: Operation, part: list[Any], at: int) -> Residue:
    """The state after an operation. Raises: Refused, Broken.

    Only who shows a piece of its hand has something to say: which card it is. Its bits, which it
    owes at once, show it.
    """
    if part and not isinstance(operation, Reveal):
        raise Refused(Code.BAD_ENTRY)
    match operation:
        case Look(count, receiver, pile):
            return _look(state, count, receiver, pile, at)
        case Reveal(piece):
            return _reveal(state, seat, piece, part, at)
        case PutAway(slots):
            return state.put_away_from(seat, slots)
        case Shuffle(pile):
            return _reshuffle(state, pile, at)
        case ShuffleCards(cards, by):
            return _hide(state, _loose(state, cards), _shufflers(state, by), at)
        case LookAt(cards, seats):
            return _add(state, Looking(_loose(state, cards), frozenset(seats)), at)
        case RevealCards(cards):
            return _add(state, _to_all(_loose(state, cards)), at)
        case OpenCard(card, piece):
            return _open_card(state, seat, _loose(state, (card,)), piece, at)
    raise Refused(Code.NOT_NOW)


def close(state: Residue, show: tuple[int, ...] | None, at: int) -> Residue:
    """The hand is over: whoever has to, shows the cards it has left. All else stays hidden for
    ever.
    """
    showing = state.present if show is None else show
    cards = [card for seat in showing for card in state.hidden_of(seat)]
    return _add(replace(state, ending=True), _to_all(cards), at)


def leave(state: Residue, seat: int, at: int) -> Loss:
    """A seat has left: its key went with it. The other one of two needs no cards any more, and
    plays alone to the end, or who is about to lose could void the match by leaving, or by a lie; of
    more, none goes on."""
    return Loss.DROPPED if len(state.present) == 2 else Loss.VOID


def _loose(state: Residue, cards: tuple[int, ...]) -> tuple[int, ...]:
    """These cards, if all are loose. Raises: Refused(NOT_NOW)."""
    if not state.context.loose.issuperset(cards):
        raise Refused(Code.NOT_NOW)
    return cards


def _look(state: Residue, count: int, receiver: int, pile: int, at: int) -> Residue:
    """The next cards of a stock go to a seat, or to everybody; the others owe their bits of
    them.
    """
    cards = state.stock_of(pile)[:count]
    if len(cards) < count:
        raise Refused(Code.NOT_IN_STOCK)
    readers = NOBODY_READS if receiver == EVERYBODY else frozenset({receiver})
    return _add(state.give(cards, receiver), Telling(tuple((card, readers) for card in cards)), at)


def _reveal(state: Residue, seat: int, piece: Piece, part: list[Any], at: int) -> Residue:
    """The holder says which card the piece is that it shows: its own bits are the only ones
    missing.
    """
    if not OPEN_PART(part):
        raise Refused(Code.BAD_ENTRY)
    (card,) = part
    if card not in state.hidden_of(seat) or state.missing(card) != {seat}:
        raise Broken(Code.NOT_HELD)
    return _add(state, Telling(((card, NOBODY_READS),), ((card, piece),)), at)


def _open_card(state: Residue, seat: int, cards: tuple[int, ...], piece: Piece, at: int) -> Residue:
    """The seat that looked at a loose card last says what it is. Raises: Refused, Broken."""
    (card,) = cards
    # there is nothing to prove; who says otherwise may not have seen it yet
    if card in state.faces:
        if state.faces[card] != piece:
            raise Refused(Code.STALE)
        return state
    if state.holders.get(card) != seat or state.missing(card) != {seat} or card in state.said:
        # it may have been hidden anew since its author looked: that is no lie
        raise Refused(Code.NOT_HELD)
    return _add(state, Telling(((card, NOBODY_READS),), ((card, piece),)), at)


def _reshuffle(state: Residue, pile: int, at: int) -> Residue:
    """What was put away of a pile, and its stock, go back into its stock."""
    cards = frozenset(
        card for card in (*state.put_away, *state.stock) if card in state.context.pile(pile)
    )
    holders = {card: seat for card, seat in state.holders.items() if card not in cards}
    drawn = tuple(card for card in state.drawn if card not in cards)
    back = replace(_forgotten(state, cards), holders=holders, drawn=drawn)
    return _add(back, Shuffling(tuple(sorted(cards)), state.present), at) if cards else state


def _shufflers(state: Residue, by: tuple[int, ...] | None) -> tuple[int, ...]:
    """Who shuffles, ascending: all, where none of those who are to is here."""
    return tuple(seat for seat in state.present if by is None or seat in by) or state.present


def _hide(state: Residue, cards: tuple[int, ...], seats: tuple[int, ...], at: int) -> Residue:
    """Loose cards are hidden anew by these seats; one card alone lies where it lay."""
    hidden, alone = tuple(sorted(set(cards))), () if seats == state.present else seats
    return _add(state, Shuffling(hidden, seats, alone), at) if len(hidden) > 1 else state


def _forgotten(state: Residue, cards: frozenset[int]) -> Residue:
    """What was told of these cards says nothing of what lies there from now on."""
    return replace(
        state,
        told={card: told for card, told in state.told.items() if card not in cards},
        shown={card: piece for card, piece in state.shown.items() if card not in cards},
    )


def _to_all(cards: Iterable[int]) -> Telling:
    return Telling(tuple((card, NOBODY_READS) for card in cards))


def _add(state: Residue, work: Work, at: int) -> Residue:
    """This is to be done too: after what is under way, together with it if the same entry has just
    asked for that.
    """
    under_way = state.work
    state = replace(state, work=(*under_way, work))
    if not under_way:
        return _go_on(state, at)
    return _gathered(state) if state.stage is Stage.TELL and state.began == at else state


def _gathered(state: Residue) -> Residue:
    """What is wanted next is told together with what is to be told first, as far as it is about
    other cards.
    """
    telling, *later = state.work
    assert isinstance(telling, Telling)
    while (
        later
        and not isinstance(later[0], Shuffling)
        and not telling.cards.intersection(later[0].cards)
    ):
        if isinstance(later[0], Looking):
            later = [*looks(state, *later[0]), *later[1:]]
        else:
            telling, *later = telling.and_also(later[0]), *later[1:]
    return replace(state, work=(telling, *later))


def _go_on(state: Residue, at: int) -> Residue:
    """Begin what is to be done next, or be done. A loop, for rules may ask a thousand times for
    what is there.
    """
    while state.work:
        match state.work:
            case (Looking(cards, seats), *rest):
                state = replace(state, work=(*looks(state, cards, seats), *rest))
            case (Shuffling(_, ()), *rest):
                state = replace(state, work=tuple(rest))
            case (Shuffling(), *_):
                return state.go(Stage.SHUFFLE, at, incoming=None)
            case _:
                state = _begun_to_tell(state, at)
                if state.duties():
                    return state
                state = replace(looked(state), work=state.work[1:])
    return _closed(state, at) if state.ending else state.go(Stage.READY, at, dealt=True, arrived=0)


def _begun_to_tell(state: Residue, at: int) -> Residue:
    if not state.dealt:
        state = replace(state, holders=state.first_hands())
    return _gathered(state).go(Stage.TELL, at, tellings=state.tellings + 1)


def _closed(state: Residue, at: int) -> Residue:
    closed = state.go(Stage.CLOSED, at)
    return replace(
        closed, result=Result(_pieces(closed, drawn=False), _pieces(closed, drawn=True), ())
    )


def _pieces(state: Residue, drawn: bool) -> tuple[tuple[Piece, ...], ...]:
    """By seat: what it was dealt, ascending, or what it drew, in order, as far as it was shown; no
    loose cards.
    """
    held = state.holders.keys() - set(state.drawn) - state.context.loose
    cards = state.drawn if drawn else sorted(held)
    hands = [
        [state.shown[card] for card in cards if state.holders[card] == seat and card in state.shown]
        for seat in range(state.context.seats)
    ]
    return tuple(tuple(hand if drawn else sorted(hand)) for hand in hands)


def _key(state: Residue, author: int, body: list[Any], at: int) -> Residue:
    m, proof = int.from_bytes(body[0], "little"), body[1]
    bits = bits_of(state.context.options)
    if len(body[0]) != bits // 8:
        raise RemoteError(Code.BAD_MODULUS)
    check_key(m, proof, state.place(author, "key"), bits)
    check_apart(m, state.keys.values())
    state = replace(state, keys={**state.keys, author: m})
    if state.duties():
        return state
    pieces = state.context.pieces
    deck = tuple(open_card(piece, piece_bits(pieces), state.moduli) for piece in range(pieces))
    return _go_on(replace(state, deck=deck), at)


def _chunk(state: Residue, author: int, body: list[Any], at: int) -> Residue:
    incoming = state.incoming
    if incoming is None:
        place = state.place(author, "shuffle", state.shuffles)
        incoming = begun(state.before, state.moduli, place, body[0])
    incoming = incoming.take(*body)
    if incoming.after is not None:
        return _shuffled(state, incoming, at)
    began = at if incoming.number % CHUNKS_A_STEP == 0 else state.began
    return replace(state, incoming=incoming, began=began)


def _shuffled(state: Residue, incoming: Incoming, at: int) -> Residue:
    """A seat's shuffle is here, and right: the new cards take the old ones' places."""
    assert incoming.after is not None
    shuffling = state.shuffling
    new = dict(zip(shuffling.cards, incoming.after, strict=True))
    deck = tuple(new.get(card, old) for card, old in enumerate(state.deck))
    rest = shuffling._replace(seats=shuffling.seats[1:])
    state = _forgotten(state, frozenset(shuffling.cards))
    state = replace(state, deck=deck, hidden=state.hidden.union(new), incoming=None)
    state = replace(state, shuffles=state.shuffles + 1, arrived=state.arrived + incoming.size)
    return _go_on(replace(hidden_anew(state, shuffling), work=(rest, *state.work[1:])), at)


def _told(state: Residue, author: int, body: list[Any], at: int) -> Residue:
    cards, raw, proof = state.owed(author), body[0], body[1]
    width = piece_bits(state.context.pieces)
    told = [
        int.from_bytes(raw[place : place + TOLD], "little") for place in range(0, len(raw), TOLD)
    ]
    if len(raw) != TOLD * len(cards) or any(bits >> width for bits in told):
        raise RemoteError(Code.BAD_PROOF)
    numbers = [number for card in cards for number in state.numbers(author, card)]
    bits = [each >> place & 1 for each in told for place in range(width)]
    check_bits(
        state.keys[author], numbers, bits, proof, state.place(author, "tell", state.tellings)
    )
    now = {
        card: {**state.told.get(card, {}), author: each}
        for card, each in zip(cards, told, strict=True)
    }
    state = _shown(given_by(replace(state, told={**state.told, **now}), author, cards), cards)
    return state if state.duties() else _go_on(replace(looked(state), work=state.work[1:]), at)


def _shown(state: Residue, cards: tuple[int, ...]) -> Residue:
    """Those of these cards lie open of which all bits are told. Raises:
    RemoteError(BAD_OPENING).
    """
    opened = {card: state.piece_of(card) for card in cards if not state.missing(card)}
    if any(state.said.get(card, piece) != piece for card, piece in opened.items()):
        raise RemoteError(Code.BAD_OPENING)
    return replace(state, shown={**state.shown, **opened})


HANDLERS: dict[str, Callable[[Residue, int, list[Any], int], Residue]] = {
    "key": _key,
    CHUNK: _chunk,
    "tell": _told,
}
