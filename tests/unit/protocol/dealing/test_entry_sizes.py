"""The largest entries that grow with the seats, made from their shapes at the most seats: each fits
an entry, and an entry fits a message.
"""

import pytest

from protocol import wire
from protocol.crypto.dlog_proofs import PROOF_SIZE
from protocol.crypto.elgamal import CIPHERTEXT_SIZE
from protocol.crypto.envelopes import envelope_size
from protocol.crypto.group import ELEMENT_BYTES
from protocol.crypto.shuffle import proof_size
from protocol.dealing.commutative import stages as commutative
from protocol.dealing.layered import stages as layered
from protocol.dealing.verified import stages as verified
from protocol.limits import (
    MAX_ENTRY,
    MAX_ENVELOPE,
    MAX_INT,
    MAX_MESSAGE,
    MAX_NAME,
    MAX_OPTIONS,
    MAX_PIECES,
    MAX_PILE,
    MAX_RULES,
    MAX_SEATS,
    MAX_VALUE,
)
from protocol.match.log import MATCH_ENTRY_SHAPES
from protocol.match.setup import SETUP_SHAPE

WIDE = "\U0001f3b2" * MAX_NAME  # a name of four bytes a character
OTHERS = MAX_SEATS - 1
KEY = bytes(32)
OVERHEAD = 300  # bytes of an entry's other fields and its signature
SELECTED = [WIDE, [[WIDE, "\U0001f3b2" * MAX_VALUE]] * MAX_OPTIONS]
SETUP = [
    2,
    [KEY, WIDE, WIDE],
    KEY,
    MAX_INT,
    [SELECTED, "x" * MAX_RULES, SELECTED, SELECTED[1], MAX_SEATS],
    [[WIDE, KEY]] * MAX_SEATS,
]
# (most bytes expected, shape, body)
LARGEST = {
    "entry 0": (27_500, SETUP_SHAPE, SETUP),
    "receipt": (110, MATCH_ENTRY_SHAPES["receipt"], [[[MAX_INT]] * MAX_SEATS]),
    "verified key": (
        1_200,
        verified.ENTRY_SHAPES["key"],
        [KEY, bytes(PROOF_SIZE), [KEY] * OTHERS, [bytes(verified.SEALED_SHARE_SIZE)] * OTHERS],
    ),
    "verified answer": (320, verified.ENTRY_SHAPES["answer"], [[KEY] * OTHERS]),
    "verified shuffle": (
        40_200,
        verified.ENTRY_SHAPES["shuffle"],
        [bytes(CIPHERTEXT_SIZE * MAX_PILE), bytes(proof_size(MAX_PILE))],
    ),
    "verified shares": (
        34_600,
        verified.ENTRY_SHAPES["shares"],
        [bytes(ELEMENT_BYTES * MAX_PIECES), bytes(PROOF_SIZE * MAX_PIECES)],
    ),
    "commutative choose": (
        750,
        commutative.ENTRY_SHAPES["choose"],
        [[list(range(seat, MAX_PIECES, MAX_SEATS)) for seat in range(MAX_SEATS)]],
    ),
    "layered draw key": (
        500,
        layered.ENTRY_SHAPES["draw_key"],
        [bytes(envelope_size(32)), bytes(envelope_size(32 * MAX_SEATS))],
    ),
    "layered part that shows": (400, layered.OPEN_PART, [MAX_PILE - 1, KEY, [KEY] * MAX_SEATS]),
}


@pytest.mark.parametrize("name", LARGEST)
def test_largest_entry_at_the_most_seats_fits_an_entry(name: str) -> None:
    most, shape, body = LARGEST[name]
    assert shape(body)
    size = len(wire.encode(body))
    assert size <= most and size + OVERHEAD <= MAX_ENTRY


def test_largest_entry_fits_a_message_with_its_head() -> None:
    assert MAX_ENTRY + OVERHEAD <= MAX_MESSAGE


@pytest.mark.parametrize("name", ["entry 0", "receipt", "layered part that shows"])
def test_one_seat_more_than_a_table_has_is_no_shape(name: str) -> None:
    _, shape, body = LARGEST[name]
    *rest, per_seat = body
    assert shape([*rest, per_seat]) and not shape([*rest, [*per_seat, per_seat[0]]])


def test_envelope_of_all_slots_does_not_grow_with_seats() -> None:
    """Slots are of pieces, and no more pieces are shuffled than MAX_PILE, whoever takes them."""
    assert envelope_size(len(wire.encode([KEY] * MAX_PILE))) <= MAX_ENVELOPE
