"""Random damage to the body of an entry, beyond the cheats that are listed."""

from random import Random
from typing import Any

INTS = (0, 1, 27, 28, 54, 207, 208, 255, 2**31, 2**63 - 1)


def mutate(body: list[Any], rng: Random) -> list[Any]:
    """The body with one to three places changed, at any depth."""
    for _ in range(rng.randint(1, 3)):
        body = _change(body, rng, top=True)
    return body


def _change(value: Any, rng: Random, top: bool = False) -> Any:
    if type(value) is list:
        if value and (top or rng.random() < 0.7):
            index = rng.randrange(len(value))
            return [*value[:index], _change(value[index], rng), *value[index + 1 :]]
        return _list(value, rng)
    if type(value) is bytes:
        return _bytes(value, rng)
    if type(value) is int:
        return rng.choice((*INTS, abs(value - 1), value + 1))
    return rng.choice(("", "pass", "draw", None, 0, b"", []))


def _list(items: list[Any], rng: Random) -> list[Any]:
    if not items:
        return rng.choice(([b"\0" * 32], [[0, b"\0" * 32]], [0], [[]]))
    one, other = rng.randrange(len(items)), rng.randrange(len(items))
    doubled = list(items)
    doubled[one] = items[other]
    swapped = list(doubled)
    swapped[other] = items[one]
    return rng.choice(
        (
            [],
            items[1:],
            items[:-1],
            items[::-1],
            [*items, items[one]],
            [items[0], *items],
            doubled,
            swapped,
        )
    )


def _bytes(raw: bytes, rng: Random) -> bytes:
    flipped = bytearray(raw or b"\0")
    flipped[rng.randrange(len(flipped))] ^= 1 << rng.randrange(8)
    size = len(raw)
    return rng.choice(
        (
            bytes(flipped),
            rng.randbytes(size),
            bytes(size),
            b"\xff" * size,
            b"\1".ljust(size, b"\0"),
            b"",
            raw + b"\0",
            raw[1:],
        )
    )
