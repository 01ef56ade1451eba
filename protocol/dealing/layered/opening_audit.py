"""Audit of a layered deal: from all openings, compute the hands and find every fault
(docs/protocol, 8.12).

The audit runs in the fold after the table has opened its secrets, which it does last. After a
protest the seats have opened their match keys as well. Then `find_culprits` also reads the sealed
route. A protest always names somebody: the liar, or the author of a false protest.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from protocol.codes import Code
from protocol.crypto.envelopes import key_from_private, seal_to_slot
from protocol.crypto.group import decode_point, decode_scalar, times_base
from protocol.crypto.oblivious_transfer import DrawContext, check_choice, check_transfer
from protocol.dealing import TABLE, DealResult, Fault
from protocol.dealing.layered.blame import find_culprits
from protocol.dealing.layered.primitives import encode_piece, hand_commitment, layer, pseudonym
from protocol.dealing.layered.stages import LayeredStage
from protocol.dealing.layered.state import LayeredState
from protocol.dealing.visibility import RevealedHand, RevealedHands
from protocol.errors import RemoteError
from protocol.games import Hand, Piece


def audit_openings(state: LayeredState) -> DealResult:
    """Return the result of a deal in which every seat and the table have opened their secrets."""
    permutations, faults = _layer_permutations(state)
    faults += _deck_faults(state)
    if state.protest:
        faults += find_culprits(state)
    if not faults and all(permutations):
        positions = positions_of(state, permutations)
        faults += _holding_faults(state, positions)
        if not faults and not state.protest:
            return DealResult(_dealt_hands(state, positions), _drawn_hands(state, positions), ())
    if not faults and state.protest and state.protest.seat is not None:
        faults = [Fault(state.protest.seat, state.protest.at, Code.FALSE_PROTEST)]
    return DealResult((), (), tuple(faults))


def _layer_permutations(state: LayeredState) -> tuple[list[list[int]], list[Fault]]:
    """Return the permutation of each seat's layer, and the faults of seats that opened wrong keys.

    A permutation lists, for each element of the seat's output, its place in the input. The list of
    a seat without a layer is empty.
    """
    permutations: list[list[int]] = []
    faults: list[Fault] = []
    for seat, opening in enumerate(state.openings):
        if state.seat_count - seat >= len(state.element_lists):  # this seat had not added its layer
            permutations.append([])
            continue
        assert opening is not None
        permutation = permutation_of(state, seat, opening.layer_keys)
        if permutation is None:
            faults.append(
                Fault(seat, state.list_entries[state.seat_count - seat], Code.BAD_LAYER_KEY)
            )
        permutations.append(permutation or [])
    return permutations, faults


def permutation_of(state: LayeredState, seat: int, keys: tuple[bytes, ...]) -> list[int] | None:
    before = {element: place for place, element in enumerate(state.input_of(seat))}
    if len(keys) != len(before):
        return None
    places = [
        before.get(layer(state.deal_id, seat, key, element), -1)
        for key, element in zip(keys, state.output_of(seat), strict=True)
    ]
    return places if frozenset(places) == frozenset(before.values()) else None


def positions_of(state: LayeredState, permutations: list[list[int]]) -> tuple[int, ...]:
    """Return the position in the table's order of each element of the final list."""
    positions = list(range(state.context.piece_count))
    for permutation in permutations:
        positions = [permutation[place] for place in positions]
    return tuple(positions)


def _deck_faults(state: LayeredState) -> list[Fault]:
    """Check that the table dealt every piece once and sent true pieces to all seats."""
    opening = state.table_opening
    assert opening is not None
    if not state.element_lists:
        return []
    deck = opening.deck
    names = tuple(pseudonym(state.deal_id, i, key, piece) for i, (piece, key) in enumerate(deck))
    if names != state.element_lists[0]:
        return [Fault(TABLE, opening.at, Code.BAD_PSEUDONYM)]
    if sorted(piece for piece, _ in deck) != list(range(state.context.piece_count)):
        return [Fault(TABLE, state.list_entries[0], Code.BAD_DECK)]
    return [*_assignment_faults(state), *_transfer_faults(state)]


def _assignment_faults(state: LayeredState) -> Iterator[Fault]:
    """Seal each piece to its slot again with the table's ephemeral secret, and compare the
    bytes.
    """
    opening = state.table_opening
    assert opening is not None
    if not state.assigned:
        return
    try:
        ephemeral = key_from_private(opening.ephemeral_secret, state.ephemeral, Code.BAD_ASSIGNMENT)
    except RemoteError:
        yield Fault(TABLE, opening.at, Code.BAD_ASSIGNMENT)
        return
    sealed = tuple(
        seal_to_slot(
            slot, ephemeral, encode_piece(*opening.deck[position]), "piece", state.deal_id, index
        )
        for index, (slot, position) in enumerate(
            zip(state.slots, state.taken_positions, strict=True)
        )
    )
    if sealed != state.assigned:
        yield Fault(TABLE, state.assigned_at, Code.BAD_ASSIGNMENT)


def _transfer_faults(state: LayeredState) -> Iterator[Fault]:
    """Check every message of every oblivious transfer, not only the one that was chosen."""
    opening = state.table_opening
    assert opening is not None
    try:
        secret, point = decode_scalar(opening.transfer_secret), decode_point(state.transfer_point)
    except RemoteError:
        yield Fault(TABLE, opening.at, Code.BAD_TRANSFER)
        return
    if times_base(secret) != point:
        yield Fault(TABLE, opening.at, Code.BAD_TRANSFER)
        return
    for drawing in state.draws:
        if not drawing.reply:
            continue
        messages = [encode_piece(*opening.deck[position]) for position in state.stock_positions]
        context = DrawContext(state.deal_id, drawing.seat, drawing.number)
        query = decode_point(drawing.query)
        if not check_transfer(secret, point, query, list(drawing.reply), messages, context):
            yield Fault(TABLE, drawing.reply_at, Code.BAD_TRANSFER)


def _holding_faults(state: LayeredState, positions: tuple[int, ...]) -> list[Fault]:
    """Check that each seat opened the hand it took, showed only its own pieces, and requested the
    pieces it drew.
    """
    faults: list[Fault] = []
    for seat in range(state.seat_count):
        faults += _hand_faults(state, seat)
        faults += _choice_faults(state, seat, positions)
    if not faults:
        faults += _duplicate_claim_faults(state)
    if not faults:
        faults += _shown_faults(state, positions)
    return faults


def _hand_faults(state: LayeredState, seat: int) -> Iterator[Fault]:
    opening = state.openings[seat]
    assert opening is not None
    committed = state.commitments[seat] if state.commitments else None
    if committed is None:
        return
    r1, commitment, at = committed
    if hand_commitment(state.deal_id, seat, r1, opening.r2, opening.hand) != commitment:
        copied = any(
            other is not None and other[1] == commitment and other[2] != at
            for other in state.commitments
        )
        yield Fault(seat, opening.at, Code.COPIED_COMMITMENT if copied else Code.BAD_HAND_OPENING)
        return
    if not _is_well_formed(state, opening.hand):
        yield Fault(seat, at, Code.BAD_HAND_OPENING)
        return
    if state.protest or not state.slots:
        return  # after a protest, `find_culprits` has checked the slots by the route
    own = [
        slot
        for element, slot in zip(state.taken, state.slots, strict=True)
        if element in opening.hand
    ]
    try:
        for private, slot in zip(opening.slot_keys, own, strict=True):
            key_from_private(private, slot)
    except (RemoteError, ValueError):
        yield Fault(seat, opening.at, Code.HAND_NOT_HELD)


def _is_well_formed(state: LayeredState, hand: tuple[int, ...]) -> bool:
    ascending = all(left < right for left, right in pairwise(hand))
    return (
        ascending
        and len(hand) == state.context.dealt_per_seat
        and frozenset(hand) <= frozenset(state.taken)
    )


def _duplicate_claim_faults(state: LayeredState) -> Iterator[Fault]:
    """Yield a fault for each seat that claims an element which another seat has opened before.

    The later seat copied the private key of the slot from the earlier opening.
    """
    claimed: set[int] = set()
    if state.protest:
        return
    for seat, opening in sorted(
        enumerate(state.openings), key=lambda item: item[1].at if item[1] else 0
    ):
        assert opening is not None
        if not claimed.isdisjoint(opening.hand):
            yield Fault(seat, opening.at, Code.HAND_NOT_HELD)
        claimed.update(opening.hand)


def _choice_faults(state: LayeredState, seat: int, positions: tuple[int, ...]) -> Iterator[Fault]:
    opening = state.openings[seat]
    assert opening is not None
    asked = [drawing for drawing in state.draws if drawing.seat == seat and drawing.query]
    if len(opening.choices) != len(asked):
        yield Fault(seat, opening.at, Code.PEEKED)
        return
    point = decode_point(state.transfer_point)
    for drawing, (choice, secret) in zip(asked, opening.choices, strict=True):
        right = state.stock_positions.index(positions[drawing.element])
        try:
            x, query = decode_scalar(secret), decode_point(drawing.query)
        except RemoteError:
            yield Fault(seat, opening.at, Code.PEEKED)
            return
        if choice != right or not check_choice(x, point, query, choice, state.stock_size):
            yield Fault(seat, drawing.query_at, Code.PEEKED)


def _shown_faults(state: LayeredState, positions: tuple[int, ...]) -> Iterator[Fault]:
    """Check that dealt pieces were shown only by the seats that held them.

    Drawn pieces need no check here, because their openings were checked at once.
    """
    for shown in state.shown_pieces:
        if shown.position in state.stock_positions:
            continue
        opening = state.openings[shown.seat]
        assert opening is not None
        if shown.position not in {positions[element] for element in opening.hand}:
            yield Fault(shown.seat, shown.at, Code.NOT_HELD)


def _dealt_hands(state: LayeredState, positions: tuple[int, ...]) -> tuple[Hand, ...]:
    assert state.table_opening is not None
    deck = state.table_opening.deck
    hands = (opening.hand for opening in state.openings if opening)
    return tuple(tuple(sorted(deck[positions[element]][0] for element in hand)) for hand in hands)


def _drawn_hands(state: LayeredState, positions: tuple[int, ...]) -> tuple[Hand, ...]:
    assert state.table_opening is not None
    deck = state.table_opening.deck
    return tuple(
        tuple(
            deck[positions[drawing.element]][0] for drawing in state.draws if drawing.seat == seat
        )
        for seat in range(state.seat_count)
    )


def revealed_hands(states: Sequence[LayeredState]) -> RevealedHands[LayeredState]:
    """Return the hand of each seat in any state of the deal.

    A clean close reveals every piece. After any other end only pieces that were shown are
    available.
    """
    last = states[-1]

    def hand(state: LayeredState, seat: int) -> RevealedHand | None:
        closing = (
            state.stage is LayeredStage.OPEN_SEATS
            and not state.protest
            and seat not in state.posted
        )
        if not (state.ready or closing):
            return None
        shown = {opened.piece for opened in state.shown_pieces if opened.seat == seat}
        got = sum(1 for drawing in state.draws if drawing.seat == seat and drawing.reply)
        if last.result is not None and last.result.dealt:
            return tuple(sorted({*last.result.dealt[seat], *last.result.drawn[seat][:got]} - shown))
        known = sorted(_shown_pieces(last, seat, got) - shown)
        return (*known, *(None,) * (state.context.dealt_per_seat + got - len(shown) - len(known)))

    return hand


def _shown_pieces(last: LayeredState, seat: int, got: int) -> set[Piece]:
    """Return the pieces that a seat has shown and already held when it had received `got` draws.

    Drawn pieces are absent if the seat drew again later, because the moment of each draw is then
    unclear.
    """
    drew_no_more = sum(1 for drawing in last.draws if drawing.seat == seat) == got
    return {
        opened.piece
        for opened in last.shown_pieces
        if opened.seat == seat and (drew_no_more or opened.position in last.taken_positions)
    }
