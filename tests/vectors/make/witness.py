"""Vectors of chapter 27: the log, the map, heads, and proofs that a witness lied."""

from typing import Any

from protocol.codes import Code
from protocol.identity.keys import Identity
from protocol.ledger.proofs.fraud_proofs import (
    head_statement,
    leaf_statement,
    seen_statement,
    slot_statement,
)
from protocol.ledger.proofs.merkle_log import MerkleLog, check_consistency, leaf_hash, root_with
from protocol.ledger.proofs.signed_heads import read_head, sign_head
from protocol.ledger.proofs.slot_map import MapProof, SlotMap, trade_at
from protocol.ledger.record_codec import content_bytes
from protocol.ledger.record_contents import Attestation, FraudProof
from protocol.ledger.records import read_record, record_of, sign_record
from protocol.wire import encode
from tests.vectors.make.forms import Bad, Vector, random_for

WITNESS, OTHER = Identity(b"\7" * 32), Identity(b"\x08" * 32)
# slots and trades
BOUNDS = tuple((bytes([slot]) * 32, bytes([slot + 50]) * 32) for slot in (1, 2, 130, 131, 200))
FREE = bytes([3]) * 32


def log_of(leaves: list[bytes]) -> dict[str, Any]:
    """Operation of 27.1.1: return the roots of the log for all sizes."""
    log = MerkleLog(leaves)
    return {"roots": [log.root(size) for size in range(len(leaves) + 1)]}


def included(leaf: bytes, index: int, size: int, path: list[bytes]) -> dict[str, Any]:
    """Operation of 27.1.1: return the root of a log of this size that has the leaf at the index."""
    return {"root": root_with(leaf_hash(leaf), index, size, path)}


def consistent(old: list[Any], new: list[Any], path: list[bytes]) -> dict[str, Any]:
    """Operation of 27.1.1: check that a log (size and root) is continued by another."""
    check_consistency((old[0], old[1]), (new[0], new[1]), path)
    return {}


def map_of(bounds: list[list[bytes]], slot: bytes) -> dict[str, Any]:
    """Operation of 27.1.2: return the root of a map, and its proof for a slot."""
    spent = _map(bounds)
    proof = spent.proof(slot)
    return {
        "root": spent.root,
        "siblings": list(proof.siblings),
        "found": proof.found and list(proof.found),
    }


def look_up(
    slot: bytes, siblings: list[bytes], found: list[bytes] | None, root: bytes
) -> dict[str, Any]:
    """Operation of 27.1.2: return the trade that has a slot in the map with this root, or nil for a
    free slot.
    """
    return {
        "trade": trade_at(slot, MapProof(tuple(siblings), found and (found[0], found[1])), root)
    }  # type: ignore[arg-type]


def make_head(seed: bytes, size: int, log_root: bytes, map_root: bytes) -> dict[str, Any]:
    """Operation of 27.1.3: sign a head."""
    return {"signature": sign_head(Identity(seed), size, log_root, map_root).signature}


def take_head(witness: bytes, head: list[Any]) -> dict[str, Any]:
    """Operation of 27.1.3: check a head."""
    return {"size": read_head(witness, head).size}


def take_lie(record: bytes) -> dict[str, Any]:
    """Operation of 27.5.4: return the witness that a record of a lie names."""
    return {"witness": read_record(record).content.creator}  # type: ignore[union-attr]


OPERATIONS = {
    "roots of a log": log_of,
    "root with a leaf": included,
    "check consistency": consistent,
    "map of slots": map_of,
    "look up slot": look_up,
    "make head of witness": make_head,
    "take head of witness": take_head,
    "take lie": take_lie,
}


def vectors() -> list[Vector]:
    """Return all vectors of this module."""
    return [*_logs(), *_maps(), *_heads(), *_lies()]


def _map(bounds: Any) -> SlotMap:
    spent = SlotMap()
    for slot, trade in bounds:
        spent.put(slot, trade)
    return spent


def _logs() -> list[Vector]:
    leaves = [random_for(f"leaf {number}").randbytes(number) for number in range(5)]
    log = MerkleLog(leaves)
    made = [Vector("27.1", "leaves of 0 to 4 bytes", "roots of a log", {"leaves": leaves})]
    for index, size in ((2, 5),):
        given = {
            "leaf": leaves[index],
            "index": index,
            "size": size,
            "path": list(log.inclusion(index, size)),
        }
        bad = (
            Bad("beyond the log", {"index": size}, Code.BAD_MERKLE_PROOF),
            Bad(
                "one hash too many",
                {"path": [*log.inclusion(index, size), bytes(32)]},
                Code.BAD_MERKLE_PROOF,
            ),
        )
        made.append(Vector("27.1", f"leaf {index} of {size}", "root with a leaf", given, bad))
    for old, new in ((3, 5),):
        path = list(log.consistency(old, new))
        given = {"old": [old, log.root(old)], "new": [new, log.root(new)], "path": path}
        bad = (
            Bad("another old root", {"old": [old, bytes(32)]}, Code.BAD_MERKLE_PROOF),
            Bad("another new root", {"new": [new, bytes(32)]}, Code.BAD_MERKLE_PROOF),
            Bad("of a log without leaves", {"old": [0, log.root(0)]}, Code.BAD_MERKLE_PROOF),
        )
        made.append(Vector("27.1", f"from {old} to {new}", "check consistency", given, bad))
    return made


def _maps() -> list[Vector]:
    pairs = [list(bound) for bound in BOUNDS]
    spent = _map(BOUNDS)
    made = [
        Vector("27.1", "nothing is spent", "map of slots", {"bounds": [], "slot": FREE}),
        Vector(
            "27.1",
            "two whose first bits are the same",
            "map of slots",
            {"bounds": pairs[2:4], "slot": pairs[2][0]},
        ),
    ]
    for what, slot in (("a slot that is spent", BOUNDS[3][0]), ("one that is free", FREE)):
        proof = spent.proof(slot)
        found = proof.found and list(proof.found)
        given = {"slot": slot, "siblings": list(proof.siblings), "found": found, "root": spent.root}
        bad = (
            Bad("another root", {"root": bytes(32)}, Code.BAD_MERKLE_PROOF),
            Bad(
                "a slot from elsewhere",
                {"found": list(BOUNDS[4 if slot == FREE else 0])},
                Code.BAD_MERKLE_PROOF,
            ),
            Bad("a hash too few", {"siblings": list(proof.siblings[:-1])}, Code.BAD_MERKLE_PROOF),
        )
        made += [
            Vector("27.1", what, "look up slot", given, bad),
        ]
    return made


def _heads() -> list[Vector]:
    log_root, map_root = bytes([1]) * 32, bytes([2]) * 32
    given = {"seed": b"\7" * 32, "size": 9, "log_root": log_root, "map_root": map_root}
    head = sign_head(WITNESS, 9, log_root, map_root)
    taken = {"witness": WITNESS.public, "head": head.values()}
    bad = (
        Bad("another size", {"head/0": 8}, Code.BAD_SIGNATURE),
        Bad("the roots swapped", {"head/1": map_root, "head/2": log_root}, Code.BAD_SIGNATURE),
        Bad("another witness", {"witness": OTHER.public}, Code.BAD_SIGNATURE),
    )
    return [
        Vector("27.1", "a head", "make head of witness", given),
        Vector("27.1", "the same", "take head of witness", taken, bad),
    ]


def _said(bounds: Any) -> tuple[list[bytes], bytes, bytes, bytes]:
    """Return a witness's data after it has signed these: leaves, head, second leaf, trade of the
    second slot.
    """
    seens = [
        Attestation(WITNESS.public, slot, trade, number)
        for number, (slot, trade) in enumerate(bounds)
    ]
    log, spent = MerkleLog(map(content_bytes, seens)), _map(bounds)
    head = sign_head(WITNESS, len(seens), log.root(), spent.root)
    words = [seen_statement(sign_record(seen, WITNESS).raw) for seen in seens]
    leaf = leaf_statement(head, 1, content_bytes(seens[1]), log.inclusion(1, len(seens)))
    slot = BOUNDS[1][0]
    return words, head_statement(head), leaf, slot_statement(head, slot, spent.proof(slot))


def _lies() -> list[Vector]:
    words, head, _, slot = _said(BOUNDS[:2])
    _, other_head, other_leaf, other_slot = _said(((BOUNDS[0][0], BOUNDS[4][1]), BOUNDS[2]))
    pairs = {
        "two heads of one size": (head, other_head),
        "two leaves at one position": (words[1], other_leaf),
        "a word, and a head without its slot": (words[1], other_slot),
    }
    given = {
        what: {"record": record_of(FraudProof(WITNESS.public, *sorted(pair))).raw}
        for what, pair in pairs.items()
    }
    bad = (
        Bad("both may be true", {"record": _lie(words[0], slot)}, Code.NO_LIE),
        Bad(
            "of another witness",
            {"record": _lie(head, other_head, key=OTHER.public)},
            Code.BAD_SIGNATURE,
        ),
        Bad("the larger first", {"record": _lie(head, other_head, swapped=True)}, Code.BAD_CONTENT),
    )
    return [
        Vector("27.5", what, "take lie", each, bad if "heads" in what else ())
        for what, each in given.items()
    ]


def _lie(first: bytes, second: bytes, key: bytes = WITNESS.public, swapped: bool = False) -> bytes:
    """Make a record of a lie, true or not."""
    return encode([content_bytes(FraudProof(key, *sorted((first, second), reverse=swapped)))])
