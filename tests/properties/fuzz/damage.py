"""Damage to valid bytes: anywhere, or at one place of an encoded value."""

from random import Random

from protocol import wire
from protocol.errors import FairdealError
from tests.adversary.cheats.mutate import mutate

NUMBERS = (0, 1, 0x7F, 0x80, 0xFF, 2**16 - 1, 2**31, 2**32 - 1)


def damaged(data: bytes, rng: Random) -> bytes:
    """Return the bytes with one to four edits: a bit flipped, a number inserted, a piece removed,
    doubled, moved or cut off.
    """
    for _ in range(rng.randint(1, 4)):
        start, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        piece = data[start : min(end, start + 64)]
        rest = data[start + len(piece) :]
        number = rng.choice(NUMBERS)
        flipped = bytes([piece[0] ^ 1 << rng.randrange(8)]) + piece[1:] if piece else b"\0"
        coded = number.to_bytes(
            rng.choice([size for size in (1, 2, 4, 8) if number < 256**size]), "big"
        )
        data = data[:start] + rng.choice(
            (flipped + rest, coded + rest, coded + piece + rest, rest, piece * 2 + rest, b"")
        )
    return data


def restructured(data: bytes, prefix: int, rng: Random) -> bytes:
    """Decode the list behind `prefix` and change one to three places; otherwise return
    `damaged`.
    """
    try:
        value = wire.decode(data[prefix:])
        if type(value) is list and value:
            return data[:prefix] + wire.encode(mutate(value, rng))
    except FairdealError:
        pass
    return damaged(data, rng)
