"""An append-only Merkle log with hashes and proofs of RFC 9162, sections 2.1.1 to 2.1.4 (as in RFC
6962).

Only this module does not hash by `protocol.crypto.hashing`, so that all tools for such logs can
read and check this one. Leaves and nodes begin with different bytes, so neither can pass for the
other.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256

from protocol.codes import Code
from protocol.errors import RemoteError

EMPTY = sha256(b"").digest()  # root of a log without leaves


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf."""
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of a node with two children."""
    return sha256(b"\x01" + left + right).digest()


class MerkleLog:
    """A log that stores the hash of every complete subtree, so that roots and proofs of any size
    take few hashes.
    """

    def __init__(self, leaves: Iterable[bytes] = ()) -> None:
        self._levels: list[list[bytes]] = [[]]  # level k: hashes over 2^k leaves each
        for leaf in leaves:
            self.append(leaf)

    def __len__(self) -> int:
        return len(self._levels[0])

    def append(self, leaf: bytes) -> None:
        """Append a leaf."""
        added = leaf_hash(leaf)
        level = 0
        while True:
            if level == len(self._levels):
                self._levels.append([])
            row = self._levels[level]
            row.append(added)
            if len(row) % 2:
                return
            added = node_hash(row[-2], row[-1])
            level = level + 1

    def leaf(self, index: int) -> bytes:
        """Return the hash of the leaf at `index`."""
        return self._levels[0][index]

    def root(self, size: int | None = None) -> bytes:
        """Return the root of the first `size` leaves, or of all."""
        size = len(self) if size is None else size
        return self._over(0, size) if size else EMPTY

    def inclusion(self, index: int, size: int) -> tuple[bytes, ...]:
        """Return the proof that this leaf is among the first `size`; index < size ≤ len."""
        return tuple(self._path(index, 0, size))

    def consistency(self, old: int, new: int) -> tuple[bytes, ...]:
        """Return the proof that the log of `new` leaves continues the log of `old` leaves; old ≤
        new ≤ len.
        """
        if 0 < old < new:
            return tuple(self._subproof(old, 0, new, whole=True))
        return ()

    def _over(self, start: int, end: int) -> bytes:
        """Return the hash over a range of leaves that begins at the start of a subtree."""
        size = end - start
        level = size.bit_length() - 1
        if size == 1 << level:
            return self._levels[level][start >> level]
        middle = start + _split(size)
        return node_hash(self._over(start, middle), self._over(middle, end))

    def _path(self, index: int, start: int, end: int) -> list[bytes]:
        if end - start == 1:
            return []
        middle = start + _split(end - start)
        if index < middle:
            return [*self._path(index, start, middle), self._over(middle, end)]
        return [*self._path(index, middle, end), self._over(start, middle)]

    def _subproof(self, old: int, start: int, end: int, whole: bool) -> list[bytes]:
        if old == end:
            return [] if whole else [self._over(start, end)]
        middle = start + _split(end - start)
        if old <= middle:
            return [*self._subproof(old, start, middle, whole), self._over(middle, end)]
        return [*self._subproof(old, middle, end, whole=False), self._over(start, middle)]


def root_with(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes:
    """Compute the root of a log of `size` leaves from an inclusion proof of the leaf hash at
    `index`.

    Raises: RemoteError(BAD_MERKLE_PROOF) for a proof of the wrong length.
    """
    if not 0 <= index < size:
        raise RemoteError(Code.BAD_MERKLE_PROOF)
    at = index
    last = size - 1
    root = leaf
    for sibling in path:
        if last == 0:
            raise RemoteError(Code.BAD_MERKLE_PROOF)
        if at % 2 or at == last:
            root = node_hash(sibling, root)
            at, last = _climb(at, last)
        else:
            root = node_hash(root, sibling)
        at = at >> 1
        last = last >> 1
    if last != 0:
        raise RemoteError(Code.BAD_MERKLE_PROOF)
    return root


def check_consistency(
    old: tuple[int, bytes], new: tuple[int, bytes], path: Sequence[bytes]
) -> None:
    """Check that `path` proves that the log `new` continues the log `old`. Each log is given by its
    size and root.

    An empty log allows no proof, because every log continues it. Raises:
    RemoteError(BAD_MERKLE_PROOF).
    """
    (old_size, old_root), (new_size, new_root) = old, new
    if not 0 < old_size < new_size:
        if path or old != new or old_size == 0:
            raise RemoteError(Code.BAD_MERKLE_PROOF)
        return
    if (old_root, new_root) != _both_roots(old_size, new_size, old_root, path):
        raise RemoteError(Code.BAD_MERKLE_PROOF)


def _both_roots(
    old_size: int, new_size: int, old_root: bytes, path: Sequence[bytes]
) -> tuple[bytes, bytes]:
    """Compute the two roots from a consistency proof."""
    if old_size & (old_size - 1) == 0:
        nodes = [old_root, *path]
    else:
        nodes = list(path)
    if not path:
        raise RemoteError(Code.BAD_MERKLE_PROOF)
    at = old_size - 1
    last = new_size - 1
    while at % 2:
        at = at >> 1
        last = last >> 1
    old = new = nodes[0]
    for sibling in nodes[1:]:
        if last == 0:
            raise RemoteError(Code.BAD_MERKLE_PROOF)
        if at % 2 or at == last:
            old = node_hash(sibling, old)
            new = node_hash(sibling, new)
            at, last = _climb(at, last)
        else:
            new = node_hash(new, sibling)
        at = at >> 1
        last = last >> 1
    if last != 0:
        raise RemoteError(Code.BAD_MERKLE_PROOF)
    return old, new


def _climb(at: int, last: int) -> tuple[int, int]:
    """Move up from a right edge to the level where a left sibling was used."""
    while at and not at % 2:
        at = at >> 1
        last = last >> 1
    return at, last


def _split(size: int) -> int:
    """Return the largest power of two below a size of at least 2."""
    return 1 << ((size - 1).bit_length() - 1)
