"""Fuzz targets: sales of packs, openings of runs, heads and map proofs of witnesses, and messages
about lines.
"""

from hashlib import sha256
from ipaddress import ip_address

from protocol import wire
from protocol.ledger.proofs.proof_shapes import HEAD
from protocol.ledger.proofs.signed_heads import read_head, sign_head
from protocol.ledger.proofs.slot_map import SlotMap, trade_at
from protocol.ledger.runs.messages import OF_BUYER, OF_CREATOR, decode_message, encode_message
from protocol.ledger.runs.run_opening import read_opening, write_opening
from protocol.ledger.runs.sale_terms import SaleTerms, read_receipt, sign_terms
from protocol.ledger.runs.sealed_run import SALT, Pack
from protocol.ledger.witness.answer_checks import read_map_proof
from protocol.messages.lines import (
    AliveMessage,
    DataMessage,
    Endpoint,
    HeardMessage,
    WaysMessage,
    decode_line,
    encode_line,
)
from protocol.schema import exactly, fields, many
from tests.support.ledger import ANN, MAKER

SLOTS = [sha256(bytes([number])).digest() for number in range(20)]
MAP_PROOF = fields(many(exactly(32), 0, 256), many(exactly(32), 0, 2))


def opening(data: bytes) -> None:
    """Check that an accepted opening is written again as the same file."""
    run_id, packs = read_opening(data)
    assert write_opening(run_id, packs) == data


def opening_seeds() -> list[bytes]:
    """Return a run of three packs."""
    return [
        write_opening(
            bytes(32), [Pack(number, bytes(SALT), tuple(SLOTS[:2])) for number in range(3)]
        )
    ]


def receipt(data: bytes) -> None:
    """Check that an accepted receipt was signed exactly as read."""
    assert read_receipt(data).raw() == data


def receipt_seeds() -> list[bytes]:
    """Return terms with the price of nothing, and of a card."""
    paid = ((), ((SLOTS[0], 0, None, None),))
    return [
        sign_terms(
            MAKER,
            SaleTerms(MAKER.public, ANN.public, bytes(32), 0, b"\7", bytes(32), bytes(32), one),
        ).raw()
        for one in paid
    ]


def message(data: bytes) -> None:
    """Check that an accepted message of a sale is written again as the same message."""
    for rows in (OF_BUYER, OF_CREATOR):
        name, values = decode_message(rows, data)
        assert encode_message(rows, name, *values) == data


def message_seeds() -> list[bytes]:
    """Return a message that both sides may send, and some of either."""
    return [
        encode_message(OF_BUYER, "merge", 1, b"m"),
        encode_message(OF_BUYER, "buy", bytes(32), bytes(32), [[SLOTS[0], 0, None, None]], []),
        encode_message(OF_CREATOR, "shelf", [[bytes(32), 3, 0]]),
        encode_message(OF_CREATOR, "pack", 1, bytes(SALT), SLOTS[:2], SLOTS[2:4]),
    ]


def head(data: bytes) -> None:
    """Check that an accepted head states what its witness has signed."""
    values = wire.decode(data)
    if HEAD(values):
        assert read_head(MAKER.public, values).values() == values


def head_seeds() -> list[bytes]:
    """Return the head of an empty log, and of a longer one."""
    return [wire.encode(sign_head(MAKER, size, bytes(32), bytes(32)).values()) for size in (0, 7)]


def map_proof(data: bytes) -> None:
    """Check that a proof under the root of the map states the map's own value."""
    spent = _spent()
    values = wire.decode(data)
    if MAP_PROOF(values) and len(values[1]) != 1:
        found = trade_at(SLOTS[3], read_map_proof(values[0], values[1] or None), spent.root)
        assert found == spent.get(SLOTS[3])


def map_proof_seeds() -> list[bytes]:
    """Return the valid proof."""
    proof = _spent().proof(SLOTS[3])
    return [wire.encode([list(proof.siblings), list(proof.found or ())])]


def _spent() -> SlotMap:
    made = SlotMap()
    for slot in SLOTS[:10]:
        made.put(slot, bytes(32))
    return made


def line(data: bytes) -> None:
    """Check that an accepted message about lines is written again as the same message."""
    found = decode_line(data)
    assert found is None or encode_line(found) == data


def line_seeds() -> list[bytes]:
    """Return one of each."""
    ways = tuple(Endpoint(str(ip_address(one)), 7501) for one in ("192.0.2.1", "2001:db8::1"))
    said = (
        WaysMessage(bytes(32), bytes(16), ways),
        AliveMessage(),
        DataMessage(1, 0, False, b"part"),
        HeardMessage(3),
    )
    return list(map(encode_line, said))
