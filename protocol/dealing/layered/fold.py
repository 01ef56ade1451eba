"""State transitions of the public half of a layered deal: one function for each operation and each
kind of entry.

Each function returns the next state. It raises `ProtocolViolation` if the entry proves that its
author lied. `stages.STAGES` determines who may post which kind.
"""

from collections.abc import Callable

from protocol.codes import Code
from protocol.crypto.envelopes import check_public, envelope_size
from protocol.crypto.group import decode_point
from protocol.dealing.layered.blame import hop_padding
from protocol.dealing.layered.opening_audit import audit_openings
from protocol.dealing.layered.primitives import from_bitmap, layer, pseudonym
from protocol.dealing.layered.stages import DRAW_PART, OPEN_PART, LayeredStage
from protocol.dealing.layered.state import (
    Draw,
    DrawShare,
    Hop,
    LayeredProtest,
    LayeredState,
    SeatOpening,
    ShownPiece,
    TableOpening,
)
from protocol.errors import ProtocolViolation, Refused, RemoteError
from protocol.fast_replace import replace
from protocol.games import Piece
from protocol.games.operations import Operation, Reveal
from protocol.schema import Fields


def apply(state: LayeredState, author: int, kind: str, body: Fields, at: int) -> LayeredState:
    """Return the state after an entry of one of `stages.ENTRY_SHAPES`, whose author had that duty.

    Raises: ProtocolViolation.
    """
    return ENTRY_HANDLERS[kind](state, author, body, at)


def apply_operation(
    state: LayeredState, seat: int, operation: Operation, part: Fields, at: int
) -> LayeredState:
    """Return the state after a seat shows a piece or requests a piece of the stock.

    Raises: Refused, ProtocolViolation.
    """
    if isinstance(operation, Reveal):
        return _reveal(state, seat, operation.piece, part, at)
    return _start_draw(state, seat, part, at)


def _reveal(state: LayeredState, seat: int, piece: Piece, part: Fields, at: int) -> LayeredState:
    """Show a piece by its opening: position, key, and for a drawn piece the layer keys of all
    seats.
    """
    if not OPEN_PART(part):
        raise Refused(Code.BAD_ENTRY)
    position, key, layer_keys = part
    if (
        position >= state.context.piece_count
        or pseudonym(state.deal_id, position, key, piece) != state.element_lists[0][position]
    ):
        raise ProtocolViolation(Code.BAD_OPENING)
    if any(opened.position == position for opened in state.shown_pieces):
        raise ProtocolViolation(Code.BAD_OPENING)
    if position in state.taken_positions:
        if layer_keys:
            raise Refused(Code.BAD_ENTRY)
        element: int | None = state.taken[state.taken_positions.index(position)]
    else:
        element = _drawn_element(state, seat, position, layer_keys)
    if element is None:
        raise ProtocolViolation(Code.BAD_OPENING)
    return replace(
        state, shown_pieces=(*state.shown_pieces, ShownPiece(seat, piece, position, element, at))
    )


def _drawn_element(
    state: LayeredState, seat: int, position: int, layer_keys: list[bytes]
) -> int | None:
    """Return the element that the seat drew and that `layer_keys` map to this position's pseudonym.

    None if no drawn element fits.
    """
    elements = [drawing.element for drawing in state.draws if drawing.seat == seat]
    led = (
        each
        for each in elements
        if _strip_all(state, each, layer_keys) == state.element_lists[0][position]
    )
    return next(led, None)


def _strip_all(state: LayeredState, element: int, layer_keys: list[bytes]) -> bytes | None:
    """Remove all layers from an element of the final list; seat 0's key, the outermost, comes
    first.

    None if the number of keys is wrong.
    """
    if len(layer_keys) != state.seat_count:
        return None
    value = state.output_of(0)[element]
    for seat, key in enumerate(layer_keys):
        value = layer(state.deal_id, seat, key, value)
    return value


def _start_draw(state: LayeredState, seat: int, part: Fields, at: int) -> LayeredState:
    """Start a draw of an element that the seat names in its part."""
    if not DRAW_PART(part):
        raise Refused(Code.BAD_ENTRY)
    if not state.ready:  # draws are made one after the other
        raise Refused(Code.NOT_NOW)
    element = part[0]
    if element not in state.stock or any(drawing.element == element for drawing in state.draws):
        raise Refused(Code.NOT_IN_STOCK)
    drawing = Draw(len(state.draws), seat, element)
    return replace(state, turn=0, draws=(*state.draws, drawing)).enter_stage(
        LayeredStage.DRAW_KEYS, at
    )


def close(state: LayeredState, show: tuple[int, ...] | None, at: int) -> LayeredState:
    """Close the deal: all seats open their secrets, then the table does. `show` has no effect."""
    return replace(state, openings=(None,) * state.seat_count).enter_stage(
        LayeredStage.OPEN_SEATS, at
    )


def protest(state: LayeredState, seat: int, at: int) -> LayeredState:
    """Close the deal at once, because a seat protests against an entry.

    A deal allows one protest, and only before the protesting seat has opened its secrets.
    """
    # A protest is allowed during the close too: the deal may close before the victim had a turn.
    late = state.stage is LayeredStage.OPEN_SEATS and seat in state.posted
    if state.protest or late or state.stage in (LayeredStage.OPEN_TABLE, LayeredStage.CLOSED):
        raise Refused(Code.NOT_NOW)
    return replace(close(state, None, at), protest=LayeredProtest(seat, at))


def _check_distinct(elements: list[bytes], size: int) -> bool:
    return len(elements) == size and len(frozenset(elements)) == size


def _apply_pseudonyms(state: LayeredState, author: int, body: Fields, at: int) -> LayeredState:
    names, point = body
    if not _check_distinct(names, state.context.piece_count):
        raise ProtocolViolation(Code.BAD_LIST)
    try:
        decode_point(point)
    except RemoteError as error:
        raise ProtocolViolation(error.code) from error
    return replace(
        state,
        turn=state.seat_count - 1,
        element_lists=(tuple(names),),
        list_entries=(at,),
        transfer_point=point,
    ).enter_stage(LayeredStage.RANDOMISE, at)


def _apply_layer(state: LayeredState, author: int, body: Fields, at: int) -> LayeredState:
    (elements,) = body
    if not _check_distinct(elements, state.context.piece_count):
        raise ProtocolViolation(Code.BAD_LIST)
    lists = (*state.element_lists, tuple(elements))
    entries = (*state.list_entries, at)
    if author > 0:
        return replace(
            state, turn=author - 1, duties_since=at, element_lists=lists, list_entries=entries
        )
    return replace(state, turn=0, element_lists=lists, list_entries=entries).enter_stage(
        LayeredStage.SELECT, at
    )


def _apply_hop(state: LayeredState, author: int, body: Fields, at: int) -> LayeredState:
    receiver = (author + 1) % state.seat_count
    if len(body[0]) != envelope_size(hop_padding(state, state.stage)):
        raise ProtocolViolation(Code.BAD_HOP)
    hops = (*state.hops, Hop(state.stage, author, receiver, body[0], at))
    moved = replace(state, turn=receiver, duties_since=at, hops=hops)
    if len(moved.route(state.stage)) > state.last_hop:
        return replace(close(moved, None, at), protest=LayeredProtest(None, at))
    return moved


def _apply_stock(state: LayeredState, author: int, body: Fields, at: int) -> LayeredState:
    stock = from_bitmap(body[0], state.context.piece_count)
    if stock is None:
        raise Refused(Code.BAD_ENTRY)
    if len(stock) != state.stock_size:
        raise ProtocolViolation(Code.BAD_STOCK)
    return replace(
        state, stock=stock, stock_at=at, stock_author=author, commitments=(None,) * state.seat_count
    ).enter_stage(LayeredStage.COMMIT, at)


def _apply_commit(state: LayeredState, author: int, body: Fields, at: int) -> LayeredState:
    # A copied commitment is not refused, because a table and a seat in league could log the copy
    # before the original. The author of the copy cannot open it, and the audit finds that.
    r1, commitment = body
    commitments = tuple(
        (r1, commitment, at) if seat == author else other
        for seat, other in enumerate(state.commitments)
    )
    if None in commitments:
        return replace(state, commitments=commitments, posted=state.posted | {author})
    stripped = tuple(state.output_of(0)[element] for element in state.taken)
    return replace(state, turn=0, commitments=commitments, stripped=stripped).enter_stage(
        LayeredStage.REVEAL, at
    )


def _apply_strip(state: LayeredState, author: int, body: Fields, at: int) -> LayeredState:
    (keys,) = body
    if len(keys) != len(state.stripped):
        raise ProtocolViolation(Code.BAD_LIST)
    before = frozenset(state.input_of(author))
    stripped = tuple(
        layer(state.deal_id, author, key, element)
        for key, element in zip(keys, state.stripped, strict=True)
    )
    if not before.issuperset(stripped) or len(frozenset(stripped)) != len(stripped):
        raise ProtocolViolation(Code.BAD_LAYER_KEY)
    if author + 1 < state.seat_count:
        return replace(state, turn=author + 1, duties_since=at, stripped=stripped)
    return replace(state, turn=0, stripped=stripped).enter_stage(LayeredStage.PREPARE, at)


def _apply_slots(state: LayeredState, author: int, body: Fields, at: int) -> LayeredState:
    (slots,) = body
    if not _check_distinct(slots, len(state.taken)):
        raise ProtocolViolation(Code.BAD_SLOTS)
    try:
        for slot in slots:
            check_public(slot)
    except RemoteError as error:
        raise ProtocolViolation(Code.BAD_SLOTS) from error
    return replace(state, slots=tuple(slots), slots_at=at, slots_author=author).enter_stage(
        LayeredStage.ASSIGN, at
    )


def _apply_assign(state: LayeredState, author: int, body: Fields, at: int) -> LayeredState:
    ephemeral, pieces = body
    if len(pieces) != len(state.slots):
        raise ProtocolViolation(Code.BAD_ASSIGNMENT)
    return replace(state, ephemeral=ephemeral, assigned=tuple(pieces), assigned_at=at).enter_stage(
        LayeredStage.READY, at
    )


def draw_receivers(seats: int, sender: int, drawer: int) -> tuple[bool, bool]:
    """Return two flags for the `draw_key` of `sender`: the drawer needs its key; the next seat
    needs its chain of keys.
    """
    following = sender + 1
    return sender != drawer, following < seats and following != drawer


def _apply_draw_key(state: LayeredState, author: int, body: Fields, at: int) -> LayeredState:
    drawing = state.draws[-1]
    needed = draw_receivers(state.seat_count, author, drawing.seat)
    if tuple(bool(envelope) for envelope in body) != needed:
        raise Refused(Code.BAD_ENTRY)
    keys = (*drawing.keys, DrawShare(author, body[0], body[1], at))
    drawings = (*state.draws[:-1], replace(drawing, keys=keys))
    following = author + 1
    if following < state.seat_count and any(
        draw_receivers(state.seat_count, following, drawing.seat)
    ):
        return replace(state, turn=following, duties_since=at, draws=drawings)
    return replace(state, turn=drawing.seat, draws=drawings).enter_stage(
        LayeredStage.DRAW_QUERY, at
    )


def _apply_draw_query(state: LayeredState, author: int, body: Fields, at: int) -> LayeredState:
    try:
        decode_point(body[0])
    except RemoteError as error:
        raise ProtocolViolation(Code.BAD_DRAW_QUERY) from error
    drawing = replace(state.draws[-1], query=body[0], query_at=at)
    return replace(state, draws=(*state.draws[:-1], drawing)).enter_stage(
        LayeredStage.DRAW_REPLY, at
    )


def _apply_draw_reply(state: LayeredState, author: int, body: Fields, at: int) -> LayeredState:
    (reply,) = body
    if len(reply) != state.stock_size:
        raise ProtocolViolation(Code.BAD_TRANSFER)
    drawing = replace(state.draws[-1], reply=tuple(reply), reply_at=at)
    return replace(state, draws=(*state.draws[:-1], drawing)).enter_stage(LayeredStage.READY, at)


def _apply_open_seat(state: LayeredState, author: int, body: Fields, at: int) -> LayeredState:
    layer_keys, hand, r2, slot_keys, choices, match_key = body
    opening = SeatOpening(
        tuple(layer_keys),
        tuple(hand),
        r2,
        tuple(slot_keys),
        tuple((c, x) for c, x in choices),
        match_key,
        at,
    )
    openings = tuple(
        opening if seat == author else other for seat, other in enumerate(state.openings)
    )
    if None in openings:
        return replace(state, openings=openings, posted=state.posted | {author})
    return replace(state, openings=openings).enter_stage(LayeredStage.OPEN_TABLE, at)


def _apply_open_table(state: LayeredState, author: int, body: Fields, at: int) -> LayeredState:
    deck, transfer_secret, ephemeral_secret = body
    opening = TableOpening(
        tuple((piece, key) for piece, key in deck), transfer_secret, ephemeral_secret, at
    )
    closed = replace(state, table_opening=opening).enter_stage(LayeredStage.CLOSED, at)
    return replace(closed, result=audit_openings(closed))


ENTRY_HANDLERS: dict[str, Callable[[LayeredState, int, Fields, int], LayeredState]] = {
    "pseudonyms": _apply_pseudonyms,
    "layer": _apply_layer,
    "hop": _apply_hop,
    "stock": _apply_stock,
    "commit": _apply_commit,
    "strip": _apply_strip,
    "slot_hop": _apply_hop,
    "slots": _apply_slots,
    "assign": _apply_assign,
    "draw_key": _apply_draw_key,
    "draw_query": _apply_draw_query,
    "draw_reply": _apply_draw_reply,
    "open_seat": _apply_open_seat,
    "open_table": _apply_open_table,
}
