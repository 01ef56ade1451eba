"""Hashes and cipher of layered dealing; all are bound to the deal.

The layer cipher hides a 32-byte element under a one-time key: element XOR SHA-256(label, deal,
seat, key). The length stays the same.

The cipher is less binding than a commitment. To find a key between two given elements, one must
invert SHA-256. But the author of a list chooses its elements, and can search for several keys whose
hashes XOR to the difference of two elements. The search takes about 2^124 hashes for one seat, and
fewer for a coalition; docs/attacks.md has the figures.
"""

from protocol.crypto.hashing import digest

# Length in bytes of every key, pseudonym, element, nonce and commitment of this dealing.
KEY_SIZE = 32


def pseudonym(deal_id: bytes, position: int, key: bytes, piece: int) -> bytes:
    """Return P_i, the table's commitment to the piece at one position of its secret order."""
    return digest("pseudonym", deal_id, position, key, piece)


def layer(deal_id: bytes, seat: int, key: bytes, element: bytes) -> bytes:
    """Add this seat's layer to an element, or remove it; both are the same operation."""
    pad = digest("layer", deal_id, seat, key)
    return (int.from_bytes(pad, "big") ^ int.from_bytes(element, "big")).to_bytes(KEY_SIZE, "big")


def hand_commitment(
    deal_id: bytes, seat: int, r1: bytes, r2: bytes, hand: tuple[int, ...]
) -> bytes:
    """Return b, the commitment of a seat to its hand.

    `hand` lists the elements taken: indices into the final list, ascending.
    """
    return digest("hand", deal_id, seat, r1, r2, *hand)


def to_bitmap(indices: frozenset[int], size: int) -> bytes:
    """Encode a set of indices below `size` as ceil(size / 8) bytes, little-endian; the encoding is
    unique.
    """
    number = sum(1 << index for index in indices)
    return number.to_bytes((size + 7) // 8, "little")


def from_bitmap(raw: bytes, size: int) -> frozenset[int] | None:
    """Decode a bitmap; None if the length is wrong or a bit beyond `size` is set."""
    number = int.from_bytes(raw, "little")
    if len(raw) != (size + 7) // 8 or number >> size:
        return None
    return frozenset(index for index in range(size) if number >> index & 1)


def encode_piece(piece: int, key: bytes) -> bytes:
    """Encode the table's message to the holder of a position: the piece (2 bytes, big-endian) and
    K_i.
    """
    return piece.to_bytes(2, "big") + key


def decode_piece(raw: bytes) -> tuple[int, bytes]:
    """Decode a piece and K_i.

    The length is right, because the caller has decrypted a ciphertext of fixed size.
    """
    return int.from_bytes(raw[:2], "big"), raw[2:]
