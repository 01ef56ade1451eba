"""What the entries of a layered deal do to who knows what.

Places are those of the newest list, in the end the elements of the final one. Who took which of
them nobody can tell until the hands are opened: the holders of what was dealt are `SOMEBODY`, and
each seat learns so many of them.
"""

from collections.abc import Iterable, Iterator, Mapping

from protocol.codes import Code
from protocol.crypto.group import decode_point, decode_scalar
from protocol.crypto.oblivious_transfer import (DrawContext, receive)
from protocol.crypto.envelopes import (open_from, opened_key)
from protocol.dealing import TABLE, Post
from protocol.dealing.facts import (
    DECK,
    HAND,
    SOMEBODY,
    STOCK,
    Committed,
    Fact,
    Learnt,
    Locks,
    Moved,
    sealed,
    unlocked,
)
from protocol.dealing.layered.primitives import decode_piece, pseudonym
from protocol.dealing.layered.opening_audit import (permutation_of, positions_of)
from protocol.dealing.layered.state import Drawing, Layered, SeatOpening
from protocol.errors import RemoteError
from protocol.games import Piece


def facts(before: Layered, author: int, post: Post, after: Layered) -> tuple[Fact, ...]:
    """What an entry that stands has brought about."""
    turned: Iterable[Fact] = ()
    if _turned(before, after):
        seen = pieces_seen(after)
        turned = unlocked(locks(before, pieces_seen(before)), locks(after, seen), seen.get)
    return (*_posted(author, post, after), *_drawn(before, after), *_shown(before, after), *turned)


def _turned(before: Layered, after: Layered) -> bool:
    """Whether anything has changed that a lock or a face depends on; most entries are hops, which
    change nothing.
    """
    names = ("lists", "stripped", "opened", "openings", "table_opening")
    return any(getattr(before, name) is not getattr(after, name) for name in names)


def _posted(author: int, post: Post, after: Layered) -> Iterator[Fact]:
    """What follows from an entry of this kind alone."""
    everything = tuple(range(after.context.pieces))
    match post.kind:
        case "pseudonyms":
            yield Committed(author, DECK)
            yield from sealed(author, everything, locks(after, {}))
        case "layer":
            yield from sealed(author, everything, locks(after, {}))
        case "hop" | "slot_hop":
            yield Moved((), author, (author + 1) % after.seats)
        case "stock":
            yield Moved(after.taken, STOCK, SOMEBODY)
        case "commit":
            yield Committed(author, HAND)
        case "assign":
            yield from (
                Learnt(seat, after.taken, count=after.context.each) for seat in range(after.seats)
            )
        case "draw_key":
            receivers = after.drawings[-1].seat, author + 1
            yield from (
                Moved((), author, to)
                for to, envelope in zip(receivers, post.body, strict=True)
                if envelope
            )
        case "open_seat":
            shown = {opened.element for opened in after.opened}
            held = tuple(
                after.taken[slot]
                for slot in _slots_opened(after, author)
                if after.taken[slot] not in shown
            )
            if held:
                yield Moved(held, SOMEBODY, author)


def _drawn(before: Layered, after: Layered) -> Iterator[Fact]:
    """Pieces of the stock that are asked for, or have come."""
    for drawing in after.drawings[len(before.drawings) :]:
        yield Moved((drawing.element,), STOCK, drawing.seat)
    for old, new in zip(before.drawings, after.drawings, strict=False):
        if new.reply and not old.reply:
            yield Learnt(new.seat, (new.element,))


def _shown(before: Layered, after: Layered) -> Iterator[Fact]:
    """Pieces dealt at the start of which it is seen now who held them."""
    for shown in after.opened[len(before.opened) :]:
        if shown.element in after.taken:
            yield Moved((shown.element,), SOMEBODY, shown.seat)


def locks(state: Layered, seen: Mapping[int, Piece]) -> Locks:
    """By place: the seats whose layers are still on it, and the table until everybody can see what
    lies there.
    """
    if not state.lists:
        return (None,) * state.context.pieces
    opened = frozenset(seat for seat in range(state.seats) if _permutation(state, seat))
    whole, stripped = (
        _layers(state, number) - opened for number in (len(state.lists) - 1, _stripped_to(state))
    )
    taken = frozenset(state.taken) if state.stripped else frozenset[int]()
    return tuple(
        frozenset() if place in seen else (stripped if place in taken else whole) | {TABLE}
        for place in range(state.context.pieces)
    )


def _layers(state: Layered, number: int) -> frozenset[int]:
    """The seats whose layers are on so many of the lists: the last seat puts its own on first."""
    return frozenset(range(state.seats - number, state.seats))


def _stripped_to(state: Layered) -> int:
    """Of which list the taken elements are, with the layers off that have been revealed."""
    return next(
        (number for number, each in enumerate(state.lists) if {*state.stripped} <= {*each}), 0
    )


def _opening(state: Layered, seat: int) -> SeatOpening | None:
    return state.openings[seat] if state.openings else None


def _permutation(state: Layered, seat: int) -> list[int] | None:
    """Where each element of a seat's list stood in the one before, if it has opened that."""
    opening = _opening(state, seat)
    layered = state.seats - seat < len(state.lists)
    return (
        permutation_of(state, seat, opening.layer_keys) if opening is not None and layered else None
    )


def pieces_seen(state: Layered) -> dict[int, Piece]:
    """By place: the pieces that everybody can read, as far as they are what the table has committed
    to.
    """
    seen = {shown.element: shown.piece for shown in state.opened}
    if not state.openings:
        return seen
    for seat in range(state.seats):
        seen |= {state.taken[slot]: piece for slot, piece in _slots_opened(state, seat).items()}
    permutations = [_permutation(state, seat) for seat in range(state.seats)]
    if None not in permutations:
        positions = positions_of(state, [each for each in permutations if each is not None])
        faces = _positions_opened(state)
        seen |= {
            place: faces[position] for place, position in enumerate(positions) if position in faces
        }
    return seen


def _slots_opened(state: Layered, seat: int) -> dict[int, Piece]:
    """By slot: the pieces that a seat was dealt and has opened the slots of."""
    opening = _opening(state, seat)
    if opening is None or not state.assigned:
        return {}
    own = [slot for slot, element in enumerate(state.taken) if element in opening.hand]
    found: dict[int, Piece] = {}
    for slot, private in zip(own, opening.slot_keys, strict=False):
        try:
            key = opened_key(private, state.slots[slot], Code.HAND_NOT_HELD)
            told = open_from(
                key, state.ephemeral, state.assigned[slot], "piece", state.deal_id, slot
            )
        except RemoteError:
            continue
        if _is_true(state, state.taken_positions[slot], told):
            found[slot] = decode_piece(told)[0]
    return found


def _positions_opened(state: Layered) -> dict[int, Piece]:
    """By position of the table's order: what the table has opened, or before that who drew from
    it.
    """
    if state.table_opening is not None:
        deck = enumerate(state.table_opening.deck)
        names = ((i, piece, pseudonym(state.deal_id, i, key, piece)) for i, (piece, key) in deck)
        return {
            i: piece
            for i, piece, name in names
            if i < len(state.lists[0]) and name == state.lists[0][i]
        }
    found: dict[int, Piece] = {}
    for seat in range(state.seats):
        opening = _opening(state, seat)
        drawings = [drawing for drawing in state.drawings if drawing.seat == seat and drawing.reply]
        for drawing, choice in zip(drawings, opening.choices if opening else (), strict=False):
            found |= _drawing_opened(state, drawing, *choice)
    return found


def _drawing_opened(
    state: Layered, drawing: Drawing, choice: int, secret: bytes
) -> dict[int, Piece]:
    """The position that was asked for, and the piece that was told of it."""
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
    return {position: decode_piece(told)[0]} if _is_true(state, position, told) else {}


def _is_true(state: Layered, position: int, told: bytes) -> bool:
    piece, key = decode_piece(told)
    return pseudonym(state.deal_id, position, key, piece) == state.lists[0][position]
