"""State transitions of the public half of a residue deal.

Every proof is checked here, so every lie is named at once.

Requests of the rules form a queue of work: shuffles, each by seats in turn, and tellings. In a
telling, all seats that owe bits post them. The queue is processed in order. Tellings that one entry
requests are merged, unless a shuffle lies between them.
"""

from collections.abc import Callable, Iterable

from protocol.codes import Code
from protocol.crypto.residue.bit_proof import check_bits
from protocol.crypto.residue.cards import clear_card, piece_bits
from protocol.crypto.residue.key_proof import check_coprime, check_key
from protocol.dealing import CHUNK_KIND, DealContext, DealLoss, DealResult
from protocol.dealing.residue.chunks import PartialShuffle, new_partial_shuffle
from protocol.dealing.residue.loose_cards import (
    NOBODY_READS,
    look_work,
    record_bits,
    record_readers,
    reset_readers,
)
from protocol.dealing.residue.options import modulus_bits
from protocol.dealing.residue.stages import BITS_SIZE, OPEN_PART, ResidueStage
from protocol.dealing.residue.state import BitWork, LookWork, ResidueState, ShuffleWork, Work
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
)
from protocol.limits import CHUNKS_A_STEP
from protocol.schema import Fields


def begin(context: DealContext, at: int) -> ResidueState:
    """Start a deal: after the keys, every pile that is not loose is shuffled and the first hands
    are dealt.
    """
    state = ResidueState(context, at)
    piles = [
        tuple(context.pile_cards(number))
        for number, pile in enumerate(context.piles)
        if not pile.loose
    ]
    hands = tuple((card, frozenset({seat})) for card, seat in state.first_hands().items())
    shuffles = tuple(ShuffleWork(cards, context.present) for cards in piles)
    return replace(state, pending_work=(*shuffles, BitWork(hands)) if piles else ())


def apply(
    state: ResidueState, author: int, kind: str, body: Fields, at: int, *, proven: bool = False
) -> ResidueState:
    """Return the state after an entry of one of `stages.ENTRY_SHAPES`, whose author had that duty.

    `proven`: the entry was accepted in this state before, so its proofs are not checked again.
    Raises: ProtocolViolation.
    """
    try:
        return ENTRY_HANDLERS[kind](state, author, body, at, proven)
    except RemoteError as error:
        raise ProtocolViolation(error.code) from error


def apply_operation(
    state: ResidueState, seat: int, operation: Operation, part: Fields, at: int
) -> ResidueState:
    """Return the state after an operation. Raises: Refused, ProtocolViolation.

    Only an action that shows a piece of a hand has a part: the card. The seat's bits, which it owes
    at once, prove the piece.
    """
    if part and not isinstance(operation, Reveal):
        raise Refused(Code.BAD_ENTRY)
    match operation:
        case Look(count, receiver, pile):
            return _look_at_stock(state, count, receiver, pile, at)
        case Reveal(piece):
            return _reveal(state, seat, piece, part, at)
        case PutAway(slots):
            return state.put_away_from(seat, slots)
        case Shuffle(pile):
            return _reshuffle(state, pile, at)
        case ShuffleCards(cards, by):
            return _hide_cards(state, _check_loose(state, cards), _shufflers(state, by), at)
        case LookAt(cards, seats):
            return _add_work(state, LookWork(_check_loose(state, cards), frozenset(seats)), at)
        case RevealCards(cards):
            return _add_work(state, _bits_for_all(_check_loose(state, cards)), at)
        case OpenCard(card, piece):
            return _open_card(state, seat, _check_loose(state, (card,)), piece, at)
    raise Refused(Code.NOT_NOW)


def close(state: ResidueState, show: tuple[int, ...] | None, at: int) -> ResidueState:
    """Close the deal: the seats in `show` must show their remaining cards; None: all seats must.

    All other cards stay hidden for ever.
    """
    showing = state.present if show is None else show
    cards = [card for seat in showing for card in state.hidden_of(seat)]
    return _add_work(replace(state, ending=True), _bits_for_all(cards), at)


def leave(state: ResidueState, seat: int, at: int) -> DealLoss:
    """Drop or void the deal, because the key of the seat that left is lost.

    With two seats, the deal is dropped: the other seat needs no more cards and plays alone to the
    end. Otherwise a loser could void the match by leaving or by a lie. With more seats, the match
    is void.
    """
    return DealLoss.DROPPED if len(state.present) == 2 else DealLoss.VOID


def _check_loose(state: ResidueState, cards: tuple[int, ...]) -> tuple[int, ...]:
    """Return these cards if all are loose. Raises: Refused(NOT_NOW) if one is not."""
    if not state.context.loose_cards.issuperset(cards):
        raise Refused(Code.NOT_NOW)
    return cards


def _look_at_stock(
    state: ResidueState, count: int, receiver: int, pile: int, at: int
) -> ResidueState:
    """Give the next cards of a stock to a seat or to everybody; the other seats then owe their
    bits.
    """
    cards = state.stock_of(pile)[:count]
    if len(cards) < count:
        raise Refused(Code.NOT_IN_STOCK)
    readers = NOBODY_READS if receiver == EVERYBODY else frozenset({receiver})
    return _add_work(
        state.assign_cards(cards, receiver), BitWork(tuple((card, readers) for card in cards)), at
    )


def _reveal(state: ResidueState, seat: int, piece: Piece, part: Fields, at: int) -> ResidueState:
    """Show a card whose holder claims `piece`; only the holder's own bits are missing."""
    if not OPEN_PART(part):
        raise Refused(Code.BAD_ENTRY)
    (card,) = part
    if card not in state.hidden_of(seat) or state.missing_seats(card) != {seat}:
        raise ProtocolViolation(Code.NOT_HELD)
    return _add_work(state, BitWork(((card, NOBODY_READS),), ((card, piece),)), at)


def _open_card(
    state: ResidueState, seat: int, cards: tuple[int, ...], piece: Piece, at: int
) -> ResidueState:
    """Open a loose card. The seat that looked at it last claims `piece`, and its bits must follow.

    Raises: Refused, ProtocolViolation.
    """
    (card,) = cards
    # The card is public, so no proof is needed. An author who claims another piece may not have
    # seen the opening yet.
    if card in state.public_faces:
        if state.public_faces[card] != piece:
            raise Refused(Code.STALE)
        return state
    if (
        state.holders.get(card) != seat
        or state.missing_seats(card) != {seat}
        or card in state.claimed_pieces
    ):
        # The card may have been hidden again after its author had looked at it, which is no lie.
        raise Refused(Code.NOT_HELD)
    return _add_work(state, BitWork(((card, NOBODY_READS),), ((card, piece),)), at)


def _reshuffle(state: ResidueState, pile: int, at: int) -> ResidueState:
    """Shuffle the stock of a pile again, together with all cards of the pile that were put away."""
    cards = frozenset(
        card for card in (*state.put_away, *state.stock) if card in state.context.pile_cards(pile)
    )
    holders = {card: seat for card, seat in state.holders.items() if card not in cards}
    drawn = tuple(card for card in state.drawn if card not in cards)
    back = replace(_forget_cards(state, cards), holders=holders, drawn=drawn)
    return _add_work(back, ShuffleWork(tuple(sorted(cards)), state.present), at) if cards else state


def _shufflers(state: ResidueState, by: tuple[int, ...] | None) -> tuple[int, ...]:
    """Return the seats that shuffle, ascending; all present seats if none of `by` is present."""
    return tuple(seat for seat in state.present if by is None or seat in by) or state.present


def _hide_cards(
    state: ResidueState, cards: tuple[int, ...], seats: tuple[int, ...], at: int
) -> ResidueState:
    """Let these seats shuffle loose cards; a single card needs no shuffle, because its place is
    public.
    """
    hidden, alone = tuple(sorted(set(cards))), () if seats == state.present else seats
    return _add_work(state, ShuffleWork(hidden, seats, alone), at) if len(hidden) > 1 else state


def _forget_cards(state: ResidueState, cards: frozenset[int]) -> ResidueState:
    """Drop all bits and pieces of these cards, because other cards lie in their places now."""
    return replace(
        state,
        bits={card: told for card, told in state.bits.items() if card not in cards},
        shown={card: piece for card, piece in state.shown.items() if card not in cards},
    )


def _bits_for_all(cards: Iterable[int]) -> BitWork:
    return BitWork(tuple((card, NOBODY_READS) for card in cards))


def _add_work(state: ResidueState, work: Work, at: int) -> ResidueState:
    """Append work to the queue.

    A telling joins the telling under way if the same entry has requested both.
    """
    under_way = state.pending_work
    state = replace(state, pending_work=(*under_way, work))
    if not under_way:
        return _start_work(state, at)
    return (
        _merge_tellings(state)
        if state.stage is ResidueStage.TELL and state.duties_since == at
        else state
    )


def _merge_tellings(state: ResidueState) -> ResidueState:
    """Merge the next tellings of the queue into the first one, as far as they concern other
    cards.
    """
    telling, *later = state.pending_work
    assert isinstance(telling, BitWork)
    while (
        later
        and not isinstance(later[0], ShuffleWork)
        and not telling.cards.intersection(later[0].cards)
    ):
        if isinstance(later[0], LookWork):
            later = [*look_work(state, *later[0]), *later[1:]]
        else:
            telling, *later = telling.merge(later[0]), *later[1:]
    return replace(state, pending_work=(telling, *later))


def _start_work(state: ResidueState, at: int) -> ResidueState:
    """Start the next work, and skip work that is complete already.

    A loop instead of recursion, because rules may request a thousand times what is already done.
    """
    while state.pending_work:
        match state.pending_work:
            case (LookWork(cards, seats), *rest):
                state = replace(state, pending_work=(*look_work(state, cards, seats), *rest))
            case (ShuffleWork(_, ()), *rest):
                state = replace(state, pending_work=tuple(rest))
            case (ShuffleWork(), *_):
                return replace(state, partial_shuffle=None).enter_stage(ResidueStage.SHUFFLE, at)
            case _:
                state = _start_telling(state, at)
                if state.duties():
                    return state
                state = replace(record_readers(state), pending_work=state.pending_work[1:])
    return (
        _finish_close(state, at)
        if state.ending
        else replace(state, dealt=True, arrived=0).enter_stage(ResidueStage.READY, at)
    )


def _start_telling(state: ResidueState, at: int) -> ResidueState:
    if not state.dealt:
        state = replace(state, holders=state.first_hands())
    return replace(_merge_tellings(state), tellings=state.tellings + 1).enter_stage(
        ResidueStage.TELL, at
    )


def _finish_close(state: ResidueState, at: int) -> ResidueState:
    closed = state.enter_stage(ResidueStage.CLOSED, at)
    return replace(
        closed,
        result=DealResult(_shown_hands(closed, drawn=False), _shown_hands(closed, drawn=True), ()),
    )


def _shown_hands(state: ResidueState, drawn: bool) -> tuple[tuple[Piece, ...], ...]:
    """Return, by seat, the shown pieces that it was dealt (ascending) or that it drew (in order).

    Loose cards are absent.
    """
    held = state.holders.keys() - set(state.drawn) - state.context.loose_cards
    cards = state.drawn if drawn else sorted(held)
    hands = [
        [state.shown[card] for card in cards if state.holders[card] == seat and card in state.shown]
        for seat in range(state.context.seat_count)
    ]
    return tuple(tuple(hand if drawn else sorted(hand)) for hand in hands)


def _apply_key(
    state: ResidueState, author: int, body: Fields, at: int, proven: bool
) -> ResidueState:
    m, proof = int.from_bytes(body[0], "little"), body[1]
    bits = modulus_bits(state.context.options)
    if len(body[0]) != bits // 8:
        raise RemoteError(Code.BAD_MODULUS)
    if not proven:
        check_key(m, proof, state.proof_place(author, "key"), bits)
        check_coprime(m, state.keys.values())
    state = replace(state, keys={**state.keys, author: m})
    if state.duties():
        return state
    pieces = state.context.piece_count
    deck = tuple(clear_card(piece, piece_bits(pieces), state.moduli) for piece in range(pieces))
    return _start_work(replace(state, deck=deck), at)


def _apply_chunk(
    state: ResidueState, author: int, body: Fields, at: int, proven: bool
) -> ResidueState:
    incoming = state.partial_shuffle
    if incoming is None:
        place = state.proof_place(author, "shuffle", state.shuffles)
        incoming = new_partial_shuffle(state.shuffle_input, state.moduli, place, body[0])
    incoming = incoming.add_chunk(*body, proven=proven)
    if incoming.after is not None:
        return _apply_shuffle(state, incoming, at)
    began = at if incoming.number % CHUNKS_A_STEP == 0 else state.duties_since
    return replace(state, partial_shuffle=incoming, duties_since=began)


def _apply_shuffle(state: ResidueState, incoming: PartialShuffle, at: int) -> ResidueState:
    """Put the new cards of a complete and proved shuffle into the places of the old ones."""
    assert incoming.after is not None
    shuffling = state.current_shuffle
    new = dict(zip(shuffling.cards, incoming.after, strict=True))
    deck = tuple(new.get(card, old) for card, old in enumerate(state.deck))
    rest = shuffling._replace(seats=shuffling.seats[1:])
    state = _forget_cards(state, frozenset(shuffling.cards))
    state = replace(state, deck=deck, hidden=state.hidden.union(new), partial_shuffle=None)
    state = replace(state, shuffles=state.shuffles + 1, arrived=state.arrived + incoming.size)
    return _start_work(
        replace(reset_readers(state, shuffling), pending_work=(rest, *state.pending_work[1:])), at
    )


def _apply_tell(
    state: ResidueState, author: int, body: Fields, at: int, proven: bool
) -> ResidueState:
    cards, raw, proof = state.owed(author), body[0], body[1]
    width = piece_bits(state.context.piece_count)
    told = [
        int.from_bytes(raw[place : place + BITS_SIZE], "little")
        for place in range(0, len(raw), BITS_SIZE)
    ]
    if len(raw) != BITS_SIZE * len(cards) or any(bits >> width for bits in told):
        raise RemoteError(Code.BAD_PROOF)
    numbers = [number for card in cards for number in state.numbers(author, card)]
    bits = [each >> place & 1 for each in told for place in range(width)]
    if not proven:
        place = state.proof_place(author, "tell", state.tellings)
        check_bits(state.keys[author], numbers, bits, proof, place)
    now = {
        card: {**state.bits.get(card, {}), author: each}
        for card, each in zip(cards, told, strict=True)
    }
    state = _open_complete_cards(
        record_bits(replace(state, bits={**state.bits, **now}), author, cards), cards
    )
    return (
        state
        if state.duties()
        else _start_work(replace(record_readers(state), pending_work=state.pending_work[1:]), at)
    )


def _open_complete_cards(state: ResidueState, cards: tuple[int, ...]) -> ResidueState:
    """Open those of these cards whose bits are complete. Raises: RemoteError(BAD_OPENING)."""
    opened = {card: state.piece_of(card) for card in cards if not state.missing_seats(card)}
    if any(state.claimed_pieces.get(card, piece) != piece for card, piece in opened.items()):
        raise RemoteError(Code.BAD_OPENING)
    return replace(state, shown={**state.shown, **opened})


ENTRY_HANDLERS: dict[str, Callable[[ResidueState, int, Fields, int, bool], ResidueState]] = {
    "key": _apply_key,
    CHUNK_KIND: _apply_chunk,
    "tell": _apply_tell,
}
