"""Facts of a layered deal.

Places are indices into the newest list, and finally into the final list, where they are called
elements. Until the hands are opened, the log does not show which seat took which element. Therefore
the holder of a dealt element is `SOMEBODY`, and each seat can read an unknown selection of `count`
elements.
"""

from collections.abc import Iterable, Iterator, Mapping

from protocol.codes import Code
from protocol.crypto.envelopes import key_from_private, open_from_slot
from protocol.crypto.group import decode_point, decode_scalar
from protocol.crypto.oblivious_transfer import DrawContext, receive
from protocol.dealing import TABLE, Post
from protocol.dealing.facts import (
    DECK_PHRASE,
    HAND_PHRASE,
    SOMEBODY,
    STOCK,
    Commitment,
    Fact,
    Locks,
    Reading,
    Transfer,
    sealing_facts,
    unlock_facts,
)
from protocol.dealing.layered.opening_audit import permutation_of, positions_of
from protocol.dealing.layered.primitives import decode_piece, pseudonym
from protocol.dealing.layered.state import Draw, LayeredState, SeatOpening
from protocol.errors import RemoteError
from protocol.games import Piece


def entry_facts(
    before: LayeredState, author: int, post: Post, after: LayeredState
) -> tuple[Fact, ...]:
    """Return the facts that an accepted entry has brought about."""
    turned: Iterable[Fact] = ()
    if _changes_locks(before, after):
        seen = public_pieces(after)
        turned = unlock_facts(
            place_locks(before, public_pieces(before)), place_locks(after, seen), seen.get
        )
    return (
        *_kind_facts(author, post, after),
        *_draw_facts(before, after),
        *_holder_facts(before, after),
        *turned,
    )


def _changes_locks(before: LayeredState, after: LayeredState) -> bool:
    """Check that a value has changed on which locks or public pieces depend.

    Most entries are hops, and hops change none of these values.
    """
    names = ("element_lists", "stripped", "shown_pieces", "openings", "table_opening")
    return any(getattr(before, name) is not getattr(after, name) for name in names)


def _kind_facts(author: int, post: Post, after: LayeredState) -> Iterator[Fact]:
    """Yield the facts that follow from the kind of an entry alone."""
    everything = tuple(range(after.context.piece_count))
    match post.kind:
        case "pseudonyms":
            yield Commitment(author, DECK_PHRASE)
            yield from sealing_facts(author, everything, place_locks(after, {}))
        case "layer":
            yield from sealing_facts(author, everything, place_locks(after, {}))
        case "hop" | "slot_hop":
            yield Transfer((), author, (author + 1) % after.seat_count)
        case "stock":
            yield Transfer(after.taken, STOCK, SOMEBODY)
        case "commit":
            yield Commitment(author, HAND_PHRASE)
        case "assign":
            yield from (
                Reading(seat, after.taken, count=after.context.dealt_per_seat)
                for seat in range(after.seat_count)
            )
        case "draw_key":
            receivers = after.draws[-1].seat, author + 1
            yield from (
                Transfer((), author, to)
                for to, envelope in zip(receivers, post.body, strict=True)
                if envelope
            )
        case "open_seat":
            shown = {opened.element for opened in after.shown_pieces}
            held = tuple(
                after.taken[slot]
                for slot in _opened_slots(after, author)
                if after.taken[slot] not in shown
            )
            if held:
                yield Transfer(held, SOMEBODY, author)


def _draw_facts(before: LayeredState, after: LayeredState) -> Iterator[Fact]:
    """Yield the facts about pieces of the stock that were requested or delivered."""
    for drawing in after.draws[len(before.draws) :]:
        yield Transfer((drawing.element,), STOCK, drawing.seat)
    for old, new in zip(before.draws, after.draws, strict=False):
        if new.reply and not old.reply:
            yield Reading(new.seat, (new.element,))


def _holder_facts(before: LayeredState, after: LayeredState) -> Iterator[Fact]:
    """Yield transfers for dealt pieces whose holder has become public by showing them."""
    for shown in after.shown_pieces[len(before.shown_pieces) :]:
        if shown.element in after.taken:
            yield Transfer((shown.element,), SOMEBODY, shown.seat)


def place_locks(state: LayeredState, seen: Mapping[int, Piece]) -> Locks:
    """Return the locks of each place: seats whose layers are still on it, and the table.

    The table counts until the piece in the place is public. `seen` holds the public pieces, by
    place.
    """
    if not state.element_lists:
        return (None,) * state.context.piece_count
    opened = frozenset(seat for seat in range(state.seat_count) if _opened_permutation(state, seat))
    whole, stripped = (
        _layers_on(state, number) - opened
        for number in (len(state.element_lists) - 1, _stripped_list(state))
    )
    taken = frozenset(state.taken) if state.stripped else frozenset[int]()
    return tuple(
        frozenset() if place in seen else (stripped if place in taken else whole) | {TABLE}
        for place in range(state.context.piece_count)
    )


def _layers_on(state: LayeredState, number: int) -> frozenset[int]:
    """Return the seats whose layers are on `element_lists[number]`; the last seat adds its layer
    first.
    """
    return frozenset(range(state.seat_count - number, state.seat_count))


def _stripped_list(state: LayeredState) -> int:
    """Return the index in `element_lists` of the list to which the taken elements belong.

    Each revealed layer moves the taken elements one list back.
    """
    return next(
        (number for number, each in enumerate(state.element_lists) if {*state.stripped} <= {*each}),
        0,
    )


def _opened_seat(state: LayeredState, seat: int) -> SeatOpening | None:
    return state.openings[seat] if state.openings else None


def _opened_permutation(state: LayeredState, seat: int) -> list[int] | None:
    """Return the places in a seat's input of the elements of its output.

    None: the seat has not opened its layer keys.
    """
    opening = _opened_seat(state, seat)
    layered = state.seat_count - seat < len(state.element_lists)
    return (
        permutation_of(state, seat, opening.layer_keys) if opening is not None and layered else None
    )


def public_pieces(state: LayeredState) -> dict[int, Piece]:
    """Return the pieces that everybody can read, by place.

    A piece that contradicts the table's commitments is absent.
    """
    seen = {shown.element: shown.piece for shown in state.shown_pieces}
    if not state.openings:
        return seen
    for seat in range(state.seat_count):
        seen |= {state.taken[slot]: piece for slot, piece in _opened_slots(state, seat).items()}
    permutations = [_opened_permutation(state, seat) for seat in range(state.seat_count)]
    if None not in permutations:
        positions = positions_of(state, [each for each in permutations if each is not None])
        faces = _opened_positions(state)
        seen |= {
            place: faces[position] for place, position in enumerate(positions) if position in faces
        }
    return seen


def _opened_slots(state: LayeredState, seat: int) -> dict[int, Piece]:
    """Return, by slot, the dealt pieces of a seat that has opened its slot keys."""
    opening = _opened_seat(state, seat)
    if opening is None or not state.assigned:
        return {}
    own = [slot for slot, element in enumerate(state.taken) if element in opening.hand]
    found: dict[int, Piece] = {}
    for slot, private in zip(own, opening.slot_keys, strict=False):
        try:
            key = key_from_private(private, state.slots[slot], Code.HAND_NOT_HELD)
            told = open_from_slot(
                key, state.ephemeral, state.assigned[slot], "piece", state.deal_id, slot
            )
        except RemoteError:
            continue
        if _fits_pseudonym(state, state.taken_positions[slot], told):
            found[slot] = decode_piece(told)[0]
    return found


def _opened_positions(state: LayeredState) -> dict[int, Piece]:
    """Return public pieces by position in the table's order.

    They come from the table's opening, or before that from the openings of seats that have drawn.
    """
    if state.table_opening is not None:
        deck = enumerate(state.table_opening.deck)
        names = ((i, piece, pseudonym(state.deal_id, i, key, piece)) for i, (piece, key) in deck)
        return {
            i: piece
            for i, piece, name in names
            if i < len(state.element_lists[0]) and name == state.element_lists[0][i]
        }
    found: dict[int, Piece] = {}
    for seat in range(state.seat_count):
        opening = _opened_seat(state, seat)
        drawings = [drawing for drawing in state.draws if drawing.seat == seat and drawing.reply]
        for drawing, choice in zip(drawings, opening.choices if opening else (), strict=False):
            found |= _opened_drawing(state, drawing, *choice)
    return found


def _opened_drawing(
    state: LayeredState, drawing: Draw, choice: int, secret: bytes
) -> dict[int, Piece]:
    """Return the position requested by a draw, with the piece that the table sent for it.

    Empty if the piece cannot be decrypted, or contradicts its pseudonym.
    """
    context = DrawContext(state.deal_id, drawing.seat, drawing.number)
    try:
        x, S, R = (
            decode_scalar(secret),
            decode_point(state.transfer_point),
            decode_point(drawing.query),
        )
        told = receive(x, S, R, choice, list(drawing.reply), context)
    except RemoteError:
        return {}
    position = state.stock_positions[choice]
    return {position: decode_piece(told)[0]} if _fits_pseudonym(state, position, told) else {}


def _fits_pseudonym(state: LayeredState, position: int, told: bytes) -> bool:
    piece, key = decode_piece(told)
    return pseudonym(state.deal_id, position, key, piece) == state.element_lists[0][position]
