"""Fraud proof against a witness: two signed statements that cannot both be true (docs/protocol,
chapter 27).

    ["seen", content, signature]                  this trade has this slot, at this position
    ["head", size, log root, map root, signature] the log had this size, with these roots
    ["leaf", head, position, leaf, path]          a head's log has this leaf at this position
    ["slot", head, slot, siblings, found]         a head's map has this entry at the slot

The two statements need no other data, and nobody's word. The signatures of an honest witness never
form such a pair, in any order of requests by anybody.
"""

from dataclasses import dataclass
from typing import Any

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import SIGNATURE_SIZE, verify
from protocol.ledger.proofs.merkle_log import leaf_hash, root_with
from protocol.ledger.proofs.proof_shapes import FOUND, HEAD, LOG_PATH, MAP_PATH
from protocol.ledger.proofs.signed_heads import WitnessHead, read_head
from protocol.ledger.proofs.slot_map import MapProof, trade_at
from protocol.ledger.record_codec import read_content
from protocol.ledger.record_contents import Attestation
from protocol.limits import MAX_RECORD
from protocol.schema import Shape, between, exactly, fields, uint
from protocol.wire import decode, encode

_HASH = exactly(32)
_LEAF = between(1, MAX_RECORD)
# a slot, a number of leaves, and the trade that the slot is spent on at this size
_SlotState = tuple[bytes, int, bytes | None]
_SHAPES: dict[str, Shape] = {
    "seen": fields(_LEAF, exactly(SIGNATURE_SIZE)),
    "head": lambda values: HEAD(values),
    "leaf": fields(HEAD, uint(), _LEAF, LOG_PATH),
    "slot": fields(HEAD, _HASH, MAP_PATH, FOUND),
}


@dataclass(frozen=True, slots=True)
class _Facts:
    """Facts in a statement; None for those it does not contain."""

    roots: tuple[int, bytes, bytes] | None = None  # size, root of the log, root of the map
    leaf: tuple[int, bytes] | None = None  # position and hash
    slot: _SlotState | None = None  # slot, size, and the trade that the slot is spent on


def seen_statement(raw: bytes) -> bytes:
    """Return the statement in the bytes of a `seen` record."""
    return encode(["seen", *decode(raw)])


def head_statement(head: WitnessHead) -> bytes:
    """Return the statement of a head."""
    return encode(["head", *head.values()])


def leaf_statement(head: WitnessHead, position: int, leaf: bytes, path: tuple[bytes, ...]) -> bytes:
    """Return the statement that a head's log has this leaf at this position."""
    return encode(["leaf", head.values(), position, leaf, list(path)])


def slot_statement(head: WitnessHead, slot: bytes, proof: MapProof) -> bytes:
    """Return the statement about a slot in a head's map."""
    found = None if proof.found is None else list(proof.found)
    return encode(["slot", head.values(), slot, list(proof.siblings), found])


def check_fraud_proof(witness: bytes, first: bytes, second: bytes) -> None:
    """Check that two statements prove a lie of a witness.

    Raises: RemoteError(BAD_ENCODING, BAD_CONTENT, BAD_SIGNATURE, BAD_MERKLE_PROOF) for something
    other than a statement of this witness; RemoteError(NO_LIE) if both may be true.
    """
    one = _facts(witness, first)
    other = _facts(witness, second)
    if not (
        _contradict(one.roots, other.roots)
        or _contradict(one.leaf, other.leaf)
        or _spent_twice(one.slot, other.slot)
    ):
        raise RemoteError(Code.NO_LIE)


def _contradict(one: tuple[Any, ...] | None, other: tuple[Any, ...] | None) -> bool:
    """Check for different facts about the same size or the same position."""
    return one is not None and other is not None and one[0] == other[0] and one != other


def _spent_twice(one: _SlotState | None, other: _SlotState | None) -> bool:
    """Check for a slot that is spent on two trades, or is free again after it was spent."""
    if one is None or other is None or one[0] != other[0]:
        return False
    (_, size, trade), (_, other_size, other_trade) = one, other
    if trade is not None and other_trade is not None:
        return trade != other_trade
    spent, free = (size, other_size) if other_trade is None else (other_size, size)
    return trade != other_trade and spent <= free


def _facts(witness: bytes, statement: bytes) -> _Facts:
    value = decode(statement)
    if type(value) is list and value and type(value[0]) is str:
        kind = value[0]
    else:
        kind = ""
    shape = _SHAPES.get(kind)
    if shape is None or not shape(value[1:]):
        raise RemoteError(Code.BAD_CONTENT)
    if kind == "seen":
        return _of_seen(witness, *value[1:])
    head = read_head(witness, value[1:] if kind == "head" else value[1])
    if kind == "leaf":
        return _of_leaf(witness, head, *value[2:])
    return _Facts(head.signed_bytes, slot=None if kind == "head" else _of_slot(head, *value[2:]))


def _of_seen(witness: bytes, content: bytes, signature: bytes) -> _Facts:
    verify(witness, signature, "ledger", content)
    seen = read_content(content)
    if not isinstance(seen, Attestation) or seen.creator != witness:
        raise RemoteError(Code.BAD_CONTENT)
    return _Facts(
        None, (seen.position, leaf_hash(content)), (seen.slot, seen.position + 1, seen.trade)
    )


def _of_leaf(
    witness: bytes, head: WitnessHead, position: int, leaf: bytes, path: list[bytes]
) -> _Facts:
    """Return the facts of a leaf. A head's signature covers all leaves below it, so the witness has
    signed the leaf.
    """
    if root_with(leaf_hash(leaf), position, head.size, path) != head.log_root:
        raise RemoteError(Code.BAD_MERKLE_PROOF)
    seen = read_content(leaf)
    if not isinstance(seen, Attestation) or seen.creator != witness:
        raise RemoteError(Code.BAD_CONTENT)
    return _Facts(
        head.signed_bytes, (position, leaf_hash(leaf)), (seen.slot, position + 1, seen.trade)
    )


def _of_slot(
    head: WitnessHead, slot: bytes, siblings: list[bytes], found: list[bytes] | None
) -> _SlotState:
    bound = None if found is None else (found[0], found[1])
    return slot, head.size, trade_at(slot, MapProof(tuple(siblings), bound), head.map_root)
