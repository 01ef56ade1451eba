"""A sparse Merkle map, slot to trade: one root says of every slot there can be what it is spent on,
or that it is not.

Below a node, a slot goes left or right by its next bit, the highest first. Where one slot alone is
left it stands there itself, so that a path is as long as the slots are many, not as they are wide.
A root commits to one thing at the end of a slot's path: that slot, another one, or nothing. So
nobody has a proof that a slot is spent and one that it is not.
"""

from dataclasses import dataclass

from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.errors import RemoteError
from protocol.ledger.proofs.proof_shapes import SLOT_BITS

NOTHING = bytes(32)  # the hash of where no slot is

_Bound = tuple[bytes, bytes]  # a slot, and the trade that it is spent on


@dataclass(frozen=True, slots=True)
class MapProof:
    """What a map has at the end of a slot's path: the hashes beside the path from the top, and what
    stands there.
    """

    siblings: tuple[bytes, ...]
    found: _Bound | None


class SlotMap:
    """The map itself. What was put in stays."""

    def __init__(self) -> None:
        self._top: _Branch | _Bound | None = None
        self._trades: dict[bytes, bytes] = {}

    def __len__(self) -> int:
        return len(self._trades)

    def get(self, slot: bytes) -> bytes | None:
        """The trade that has the slot."""
        return self._trades.get(slot)

    def put(self, slot: bytes, trade: bytes) -> None:
        """Spend a slot, which must not be spent."""
        assert slot not in self._trades
        self._trades[slot] = trade
        self._top = _put(self._top, (slot, trade), 0)

    @property
    def root(self) -> bytes:
        """32 bytes that everything in the map is bound by."""
        return _hash(self._top)

    def proof(self, slot: bytes) -> MapProof:
        """The proof that the slot is spent on its trade, or not spent."""
        node, siblings, depth = self._top, list[bytes](), 0
        while isinstance(node, _Branch):
            right = _bit(slot, depth)
            siblings.append(_hash(node.sides[1 - right]))
            node, depth = node.sides[right], depth + 1
        return MapProof(tuple(siblings), node)


class _Branch:
    """Two or more slots; `hash` is None when something below has changed since it was made."""

    __slots__ = ("hash", "sides")

    def __init__(self) -> None:
        self.sides: list[_Branch | _Bound | None] = [None, None]
        self.hash: bytes | None = None


def trade_at(slot: bytes, proof: MapProof, root: bytes) -> bytes | None:
    """The trade that a map with this root has at the slot, None if the slot is not spent.

    Raises: RemoteError(BAD_MERKLE_PROOF) if that is not what the proof shows.
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
    return proof.found[1] if proof.found is not None and proof.found[0] == slot else None


def _put(node: _Branch | _Bound | None, bound: _Bound, depth: int) -> _Branch | _Bound:
    """The node with one slot more; what is on its way has no hash until it is asked for."""
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
