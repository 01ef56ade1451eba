"""The hashes and the cipher of layered dealing. Every one is bound to the deal.

The layer cipher hides a 32-byte element under a one-time key: element XOR SHA-256(label, deal,
seat, key). It keeps the length. It binds less than a commitment does: finding a key between two
given elements is to invert SHA-256, but whoever makes a list chooses its elements, and can look for
several keys whose hashes XOR to the difference of two elements. That is about 2^124 hashes for one
seat, and less for a coalition: docs/attacks.md has the figures.
"""

from protocol.crypto.hashing import digest

KEY = 32  # bytes of every key, pseudonym, element, nonce and commitment here


def pseudonym(deal_id: bytes, position: int, key: bytes, piece: int) -> bytes:
    """P_i: the table's commitment to the piece at one position of its secret order."""
    return digest("pseudonym", deal_id, position, key, piece)


def layer(deal_id: bytes, seat: int, key: bytes, element: bytes) -> bytes:
    """The element with this seat's layer put on, or taken off: the same operation."""
    pad = digest("layer", deal_id, seat, key)
    return (int.from_bytes(pad, "big") ^ int.from_bytes(element, "big")).to_bytes(KEY, "big")


def hand_commitment(
    deal_id: bytes, seat: int, r1: bytes, r2: bytes, hand: tuple[int, ...]
) -> bytes:
    """b: commits a seat to the elements (indices into the final list, ascending) that it took."""
    return digest("hand", deal_id, seat, r1, r2, *hand)


def to_bitmap(indices: frozenset[int], size: int) -> bytes:
    """A set of indices below `size` as ceil(size / 8) bytes: its only encoding, whatever its
    order.
    """
    number = sum(1 << index for index in indices)
    return number.to_bytes((size + 7) // 8, "little")


def from_bitmap(raw: bytes, size: int) -> frozenset[int] | None:
    """The set in a bitmap; None when the length is wrong or a bit beyond `size` is set."""
    number = int.from_bytes(raw, "little")
    if len(raw) != (size + 7) // 8 or number >> size:
        return None
    return frozenset(index for index in range(size) if number >> index & 1)


def encode_piece(piece: int, key: bytes) -> bytes:
    """What the table tells the holder of a position: the piece (2 bytes, big-endian) and K_i."""
    return piece.to_bytes(2, "big") + key


def decode_piece(raw: bytes) -> tuple[int, bytes]:
    """The piece and K_i; the caller has checked the length by opening a ciphertext of fixed
    size.
    """
    return int.from_bytes(raw[:2], "big"), raw[2:]
