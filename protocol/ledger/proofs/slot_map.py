"""A sparse Merkle map from slots to trades. Its root determines for every possible slot its trade,
or that it is not spent.

Below a node, a slot goes left or right by its next bit, the highest first. A subtree with a single
slot consists of this slot alone. So the length of a path depends on the number of slots, not on
their bits.

A root commits to one result at the end of a slot's path: the slot, another slot, or nothing. So
nobody can prove both that a slot is spent and that it is not.
"""

from dataclasses import dataclass

from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.errors import RemoteError
from protocol.ledger.proofs.proof_shapes import SLOT_BITS

NOTHING = bytes(32)  # hash of an empty subtree

_Bound = tuple[bytes, bytes]  # a slot, and the trade that it is spent on


@dataclass(frozen=True, slots=True)
class MapProof:
    """Proof for a slot: the hashes beside its path from the top, and the entry at the end of the
    path.
    """

    siblings: tuple[bytes, ...]
    found: _Bound | None


class SlotMap:
    """The map itself. Entries cannot be removed."""

    def __init__(self) -> None:
        self._top: _Branch | _Bound | None = None
        self._trades: dict[bytes, bytes] = {}

    def __len__(self) -> int:
        return len(self._trades)

    def get(self, slot: bytes) -> bytes | None:
        """Return the trade that the slot is spent on."""
        return self._trades.get(slot)

    def put(self, slot: bytes, trade: bytes) -> None:
        """Spend a slot, which must be free."""
        assert slot not in self._trades
        self._trades[slot] = trade
        self._top = _put(self._top, (slot, trade), 0)

    @property
    def root(self) -> bytes:
        """Root of the map, 32 bytes."""
        return _hash(self._top)

    def proof(self, slot: bytes) -> MapProof:
        """Return the proof of a slot, spent or free."""
        node = self._top
        siblings = list[bytes]()
        depth = 0
        while isinstance(node, _Branch):
            right = _bit(slot, depth)
            siblings.append(_hash(node.sides[1 - right]))
            node = node.sides[right]
            depth = depth + 1
        return MapProof(tuple(siblings), node)


class _Branch:
    """Subtree with two or more slots; `hash` is None if the subtree has changed since its
    computation.
    """

    __slots__ = ("hash", "sides")

    def __init__(self) -> None:
        self.sides: list[_Branch | _Bound | None] = [None, None]
        self.hash: bytes | None = None


def trade_at(slot: bytes, proof: MapProof, root: bytes) -> bytes | None:
    """Return the trade at a slot in the map with this root; None for a free slot.

    Raises: RemoteError(BAD_MERKLE_PROOF) if the proof does not lead to the root.
    """
    depth = len(proof.siblings)
    if depth > SLOT_BITS or (
        proof.found is not None and _prefix(proof.found[0], depth) != _prefix(slot, depth)
    ):
        raise RemoteError(Code.BAD_MERKLE_PROOF)
    hashed = _hash(proof.found)
    for level in reversed(range(depth)):
        pair = (hashed, proof.siblings[level])
        hashed = digest("slot map branch", *(reversed(pair) if _bit(slot, level) else pair))
    if hashed != root:
        raise RemoteError(Code.BAD_MERKLE_PROOF)
    if proof.found is not None and proof.found[0] == slot:
        return proof.found[1]
    return None


def _put(node: _Branch | _Bound | None, bound: _Bound, depth: int) -> _Branch | _Bound:
    """Add a slot to a subtree. Hashes on its path are computed only on demand."""
    if node is None:
        return bound
    if not isinstance(node, _Branch):
        branch = _Branch()
        branch.sides[_bit(node[0], depth)] = node
        node = branch
    side = _bit(bound[0], depth)
    node.sides[side] = _put(node.sides[side], bound, depth + 1)
    node.hash = None
    return node


def _hash(node: _Branch | _Bound | None) -> bytes:
    if node is None:
        return NOTHING
    if not isinstance(node, _Branch):
        return digest("slot map leaf", *node)
    if node.hash is None:
        node.hash = digest("slot map branch", *map(_hash, node.sides))
    return node.hash


def _bit(slot: bytes, depth: int) -> int:
    return slot[depth >> 3] >> (7 - depth % 8) & 1


def _prefix(slot: bytes, bits: int) -> int:
    return int.from_bytes(slot, "big") >> (SLOT_BITS - bits)
