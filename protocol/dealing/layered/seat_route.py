"""Stages 2 to 6 from the side of a seat: add a layer, take pieces from the travelling list, and
fill slots.

Two options set the odds that a seat takes a piece when the list arrives, or swaps one. Higher odds
to take mean fewer hops. They also let the table in league with seats infer more about the holders
of pieces. docs/decisions has the figures behind the defaults.
"""

from typing import NamedTuple

from protocol.crypto.envelopes import check_public, new_key, seal
from protocol.dealing import Post
from protocol.dealing.layered.blame import EMPTY_SLOT, hop_padding, read_hop, split_array
from protocol.dealing.layered.primitives import from_bitmap, hand_commitment, layer, to_bitmap
from protocol.dealing.layered.seat_secrets import SeatSecrets
from protocol.dealing.layered.stages import ROUTE_ENDS, LayeredStage
from protocol.dealing.layered.state import Hop, LayeredState
from protocol.errors import RemoteError
from protocol.options import Option, Values, fill_defaults

OPTIONS = (
    Option(name="take", help_key="option.take", default=75, least=1, most=100),
    Option(name="swap", help_key="option.swap", default=25, least=0, most=100),
)


class Odds(NamedTuple):
    """Probabilities between 0 and 1."""

    take: float
    swap: float


def selection_odds(options: Values) -> Odds:
    """Return the odds that these options set."""
    values = fill_defaults(OPTIONS, options, 0)
    return Odds(int(values["take"]) / 100, int(values["swap"]) / 100)


def layer_post(own: SeatSecrets, deal: LayeredState) -> Post:
    """Stage 2: encrypt every element of the input under a key of its own, in a random order."""
    before = deal.input_of(own.seat)
    pairs = zip(own.order, own.layer_keys, strict=True)
    return Post(
        "layer", [[layer(deal.deal_id, own.seat, key, before[place]) for place, key in pairs]]
    )


def commit_post(own: SeatSecrets, deal: LayeredState) -> Post:
    """Stage 4: commit to the elements taken."""
    commitment = hand_commitment(
        deal.deal_id, own.seat, own.r1, own.r2, tuple(sorted(own.taken_elements))
    )
    return Post("commit", [own.r1, commitment])


def strip_post(own: SeatSecrets, deal: LayeredState) -> Post:
    """Stage 5: reveal this seat's keys of all elements that any seat took."""
    return Post("strip", [[own.own_layer_key(deal, element) for element in deal.stripped]])


def wrong_hop_entry(own: SeatSecrets, deal: LayeredState) -> int | None:
    """Return the log number of the newest hop if no honest seat can have sent it, or None."""
    route = deal.route(deal.stage)
    if not route:
        return None
    right = (
        received_list(own, deal) if deal.stage is LayeredStage.SELECT else received_array(own, deal)
    )
    return None if right is not None else route[-1].at


def is_hand_full(own: SeatSecrets, deal: LayeredState) -> bool:
    """Check that the seat took a whole hand, and that none of its elements is in the published
    stock.
    """
    return len(own.taken_elements) == own.context.dealt_per_seat and deal.stock.isdisjoint(
        own.taken_elements
    )


def are_slots_right(own: SeatSecrets, deal: LayeredState, array: list[bytes]) -> bool:
    """Check that this seat's own slots are as it left them, filled or empty.

    The seat cannot check other slots, because it does not know their owners.
    """
    return all(
        array[index] == (own.slot_keys[index].public if index in own.slot_keys else EMPTY_SLOT)
        for index in own.own_slots(deal)
    )


def received_list(own: SeatSecrets, deal: LayeredState) -> frozenset[int] | None:
    """Return the elements left in the list that has arrived; None if no honest seat can have sent
    it.
    """
    route = deal.route(LayeredStage.SELECT)
    if not route:
        return frozenset(range(own.context.piece_count))
    raw = _read_hop(own, deal, route[-1], len(route) - 1)
    left = from_bitmap(raw, own.context.piece_count) if raw is not None else None
    if left is None or not left.isdisjoint(own.taken_elements):
        return None
    lacks = own.context.dealt_per_seat - len(own.taken_elements)
    least = max(deal.stock_size + lacks, _min_remaining(own, len(route)))
    return left if len(left) >= least else None


def _min_remaining(own: SeatSecrets, hops: int) -> int:
    """Return the least number of elements left, if every hop since this seat's last has taken
    one.
    """
    number, left = own.sent or (-1, own.context.piece_count)
    return left - (hops - number - 1)


def _read_hop(own: SeatSecrets, deal: LayeredState, hop: Hop, number: int) -> bytes | None:
    try:
        return read_hop(deal, hop, number, own.pair_key(hop.sender, hop.receiver))
    except RemoteError:
        return None


def select_post(own: SeatSecrets, deal: LayeredState) -> Post:
    left = received_list(own, deal)
    assert left is not None
    number = len(deal.route(LayeredStage.SELECT))
    odds = selection_odds(own.context.options)
    lacks = len(own.taken_elements) < own.context.dealt_per_seat
    if lacks and (deal.must_take(number) or own.rng.random() < odds.take):
        left -= {_take_element(own, left)}
    elif left and own.taken_elements and own.rng.random() < odds.swap:
        left = _swap_element(own, left)
    bitmap = to_bitmap(left, own.context.piece_count)
    if len(left) == deal.stock_size and own.seat == ROUTE_ENDS["stock"]:
        return Post("stock", [bitmap])
    own.sent = (number, len(left))
    return Post("hop", [_seal_hop(own, deal, number, bitmap)])


def _take_element(own: SeatSecrets, left: frozenset[int]) -> int:
    element = own.rng.choice(sorted(left))
    own.taken_elements.add(element)
    return element


def _swap_element(own: SeatSecrets, left: frozenset[int]) -> frozenset[int]:
    back = own.rng.choice(sorted(own.taken_elements))
    element = _take_element(own, left)
    own.taken_elements.remove(back)
    return (left - {element}) | {back}


def _seal_hop(own: SeatSecrets, deal: LayeredState, number: int, plaintext: bytes) -> bytes:
    receiver = (own.seat + 1) % own.context.seat_count
    key = own.pair_key(own.seat, receiver)
    padded = hop_padding(deal, deal.stage)
    return seal(
        key, own.rng, plaintext, "hop", deal.deal_id, str(deal.stage), number, padded_to=padded
    )


def received_array(own: SeatSecrets, deal: LayeredState) -> list[bytes] | None:
    route = deal.route(LayeredStage.PREPARE)
    if not route:
        return [EMPTY_SLOT] * len(deal.taken)
    raw = _read_hop(own, deal, route[-1], len(route) - 1)
    array = split_array(raw, len(deal.taken)) if raw is not None else None
    if array is None or not are_slots_right(own, deal, array):
        return None
    filled = [slot for slot in array if slot != EMPTY_SLOT]
    try:
        for slot in filled:
            check_public(slot)
    except RemoteError:
        return None
    return array if len(frozenset(filled)) == len(filled) else None


def prepare_post(own: SeatSecrets, deal: LayeredState) -> Post:
    array = received_array(own, deal)
    assert array is not None
    number = len(deal.route(LayeredStage.PREPARE))
    empty = [index for index in own.own_slots(deal) if index not in own.slot_keys]
    odds = selection_odds(own.context.options)
    if empty and (deal.must_take(number) or own.rng.random() < odds.take):
        index = own.rng.choice(empty)
        own.slot_keys[index] = new_key(own.rng)
        array[index] = own.slot_keys[index].public
    if EMPTY_SLOT not in array and own.seat == ROUTE_ENDS["slots"]:
        return Post("slots", [array])
    return Post("slot_hop", [_seal_hop(own, deal, number, b"".join(array))])
