"""Search for blame after a protest: open every envelope, replay the route, and find the first bad
step (docs/protocol, 8.13).

Every seat has opened its private match key, and the keys of all envelopes follow from these. An
envelope proves what its sender wrote: its entry is signed, and its key follows from two keys that
were posted before.
"""

from collections.abc import Iterator

from protocol.codes import Code
from protocol.crypto.envelopes import MatchKey, check_public, key_from_private, unseal
from protocol.dealing import Fault
from protocol.dealing.layered.primitives import KEY_SIZE, from_bitmap, layer
from protocol.dealing.layered.stages import ROUTE_ENDS, LayeredStage
from protocol.dealing.layered.state import Draw, Hop, LayeredState
from protocol.errors import RemoteError

EMPTY_SLOT = bytes(KEY_SIZE)  # content of an empty slot


def find_culprits(state: LayeredState) -> list[Fault]:
    """Return every fault that the opened envelopes prove.

    If seats failed to open their match keys, only these seats are returned.
    """
    keys: list[MatchKey] = []
    faults: list[Fault] = []
    for seat, opening in enumerate(state.openings):
        assert opening is not None
        try:
            keys.append(
                key_from_private(
                    opening.match_key, state.context.match_keys[seat], Code.BAD_MATCH_KEY_OPENING
                )
            )
        except RemoteError as error:
            faults.append(Fault(seat, opening.at, error.code))
    if faults:
        return faults
    faults += _selection_faults(state, keys)
    if not faults:
        faults += _preparation_faults(state, keys)
    for drawing in state.draws:
        faults += _draw_key_faults(state, keys, drawing)
    return faults


def hop_padding(state: LayeredState, stage: LayeredStage) -> int:
    """Return the padded length in bytes of the envelopes in a stage; equal lengths reveal
    nothing.
    """
    return (
        (state.context.piece_count + 7) // 8
        if stage is LayeredStage.SELECT
        else KEY_SIZE * len(state.taken)
    )


def read_hop(state: LayeredState, hop: Hop, number: int, key: bytes) -> bytes:
    """Return the plaintext of a hop. Raises: RemoteError(BAD_ENVELOPE)."""
    return unseal(
        key,
        hop.envelope,
        "hop",
        state.deal_id,
        str(hop.stage),
        number,
        padded_to=hop_padding(state, hop.stage),
    )


def _selection_faults(state: LayeredState, keys: list[MatchKey]) -> Iterator[Fault]:
    """Replay the lists of the selection and yield the first fault.

    A fault is a step in which several elements vanish, an element returns that its sender did not
    have, or a required take is missing.
    """
    listed = frozenset(range(state.context.piece_count))
    held: list[frozenset[int]] = [frozenset() for _ in keys]
    steps: list[tuple[int, int, frozenset[int] | None]] = []
    for number, hop in enumerate(state.route(LayeredStage.SELECT)):
        steps.append((hop.sender, hop.at, _read_bitmap(state, hop, number, keys)))
    published = bool(state.stock_at)
    if published:
        steps.append((state.stock_author, state.stock_at, state.stock))
    for number, (sender, at, after) in enumerate(steps):
        if after is None:
            yield Fault(sender, at, Code.BAD_HOP)
            return
        gone, back = listed - after, after - listed
        own_back = back <= held[sender]
        held[sender] = (held[sender] | gone) - back
        code = (
            _step_fault(state, number, gone, back, held[sender], after)
            if own_back
            else Code.BAD_HOP
        )
        last = published and number == len(steps) - 1
        if (
            code is None
            and len(after) == state.stock_size
            and sender == ROUTE_ENDS["stock"]
            and not last
        ):
            code = Code.TOOK_NONE  # the list was complete, so its holder had to publish it
        if code is not None:
            yield Fault(sender, at, code)
            return
        listed = after
    if published:
        yield from _commitment_faults(state, held)


def _step_fault(
    state: LayeredState,
    number: int,
    gone: frozenset[int],
    back: frozenset[int],
    held: frozenset[int],
    after: frozenset[int],
) -> Code | None:
    """Return the code of a fault in one step of the selection, or None.

    `gone` and `back` are the elements that left and re-entered the list. `held` is the sender's
    hand after the step.
    """
    if len(back) > 1 or (back and len(gone) != 1) or len(after) < state.stock_size:
        return Code.BAD_HOP
    if len(gone) > 1 or len(held) > state.context.dealt_per_seat:
        return Code.TOOK_TOO_MANY
    took = len(gone) > len(back)
    if state.must_take(number) and not took and len(held) < state.context.dealt_per_seat:
        return Code.TOOK_NONE
    return None


def _read_bitmap(
    state: LayeredState, hop: Hop, number: int, keys: list[MatchKey]
) -> frozenset[int] | None:
    try:
        raw = read_hop(
            state, hop, number, state.context.pair_key(keys[hop.receiver], hop.sender, hop.receiver)
        )
    except RemoteError:
        return None
    return from_bitmap(raw, state.context.piece_count)


def _commitment_faults(state: LayeredState, held: list[frozenset[int]]) -> Iterator[Fault]:
    for seat, opening in enumerate(state.openings):
        assert opening is not None
        if frozenset(opening.hand) != held[seat]:
            yield Fault(seat, opening.at, Code.BAD_HAND_OPENING)


def _preparation_faults(state: LayeredState, keys: list[MatchKey]) -> Iterator[Fault]:
    """Replay the arrays of slots and yield the first fault.

    A fault is a step that changes a filled slot, fills a slot of another seat, or lacks a required
    fill.
    """
    array: list[bytes] = [EMPTY_SLOT] * len(state.taken)
    steps: list[tuple[int, int, list[bytes] | None]] = []
    for number, hop in enumerate(state.route(LayeredStage.PREPARE)):
        steps.append((hop.sender, hop.at, _read_array(state, hop, number, keys)))
    published = bool(state.slots_at)
    if published:
        steps.append((state.slots_author, state.slots_at, list(state.slots)))
    for number, (sender, at, after) in enumerate(steps):
        if after is None:
            yield Fault(sender, at, Code.BAD_HOP)
            return
        last = published and number == len(steps) - 1
        code = _array_fault(state, number, sender, array, after)
        if code is None and EMPTY_SLOT not in after and sender == ROUTE_ENDS["slots"] and not last:
            code = Code.TOOK_NONE
        if code is not None:
            yield Fault(sender, at, code)
            return
        array = after


def _array_fault(
    state: LayeredState, number: int, sender: int, before: list[bytes], after: list[bytes]
) -> Code | None:
    opening = state.openings[sender]
    assert opening is not None
    own = [index for index, element in enumerate(state.taken) if element in opening.hand]
    changed = [
        index for index, (old, new) in enumerate(zip(before, after, strict=True)) if old != new
    ]
    if any(before[index] != EMPTY_SLOT or index not in own for index in changed):
        return Code.SLOT_OVERWRITTEN
    if len(changed) > 1:
        return Code.TOOK_TOO_MANY
    if any(after[index] in before for index in changed):
        return Code.BAD_SLOTS
    try:
        for index in changed:
            check_public(after[index])
    except RemoteError:
        return Code.BAD_SLOTS
    if state.must_take(number) and not changed and any(after[index] == EMPTY_SLOT for index in own):
        return Code.TOOK_NONE
    return None


def _read_array(
    state: LayeredState, hop: Hop, number: int, keys: list[MatchKey]
) -> list[bytes] | None:
    try:
        raw = read_hop(
            state, hop, number, state.context.pair_key(keys[hop.receiver], hop.sender, hop.receiver)
        )
    except RemoteError:
        return None
    return split_array(raw, len(state.taken))


def split_array(raw: bytes, size: int) -> list[bytes] | None:
    """Return the slots of a packed array; None if the length is wrong."""
    if len(raw) != KEY_SIZE * size:
        return None
    return [raw[start : start + KEY_SIZE] for start in range(0, len(raw), KEY_SIZE)]


def _draw_key_faults(state: LayeredState, keys: list[MatchKey], drawing: Draw) -> Iterator[Fault]:
    """Check the layer keys that each seat sent for a draw, to the drawer and to the next seat.

    Each key must remove the seat's layer from the drawn element. Yields a fault for the first seat
    whose envelope holds anything else.
    """
    element = state.output_of(0)[drawing.element]
    chain: list[bytes] = []
    for seat in range(state.seat_count):
        opening = state.openings[seat]
        assert opening is not None
        place = state.output_of(seat).index(element)
        if place >= len(opening.layer_keys):
            return  # the opened layer keys are already a fault
        chain.append(opening.layer_keys[place])
        element = layer(state.deal_id, seat, chain[-1], element)
        if element not in state.input_of(seat):
            return
        share = next((share for share in drawing.keys if share.sender == seat), None)
        if share is None:
            continue
        wanted = [(share.to_drawer, drawing.seat, "draw key", chain[-1])]
        wanted.append((share.to_next, seat + 1, "draw chain", b"".join(chain)))
        for envelope, receiver, purpose, expected in wanted:
            if (
                envelope
                and _open_envelope(state, keys, (seat, receiver), envelope, purpose, drawing.number)
                != expected
            ):
                yield Fault(seat, share.at, Code.BAD_DRAW_KEY)
                return


def _open_envelope(
    state: LayeredState,
    keys: list[MatchKey],
    way: tuple[int, int],
    envelope: bytes,
    purpose: str,
    number: int,
) -> bytes | None:
    """Return the content of an envelope between two seats (sender, receiver); None if it does not
    open.
    """
    sender, receiver = way
    try:
        key = state.context.pair_key(keys[receiver], sender, receiver)
        return unseal(key, envelope, purpose, state.deal_id, number)
    except RemoteError:
        return None
