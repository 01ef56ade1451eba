"""Masking of a deck: new numbers for all cards and a new order, from a seed; and composition of two
maskings.

A number z becomes z·r² or −z·r², with r uniform modulo m. For each bit of each card, the signs
change for an even number of seats, so the piece stays the same. A shuffler need not know the piece
for that.

The only secret is a seed of 32 bytes. All other values are hashed from it. Rejection makes the
order uniform. r is reduced from 16 bytes more than m has, with a bias below 2^-128. A seed is
revealed as a whole or not at all.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from protocol.codes import Code
from protocol.crypto.hashing import expand
from protocol.crypto.residue.arithmetic import FASTEST, are_half_units, encoded
from protocol.crypto.residue.cards import Columns, DeckForm
from protocol.errors import RemoteError

SEED = 32  # bytes
_SPARE = 16  # extra bytes before reduction, for a bias below 2^-128
_BLOCK = 256  # bytes of a stream that are hashed at once


@dataclass(frozen=True, slots=True, repr=False)
class Masking:
    """Masking of a deck.

    `order` is the card that comes to each place. `signs` has, by seat, the numbers whose sign
    changes, as bits. `roots` has, by seat, the r of each number.
    """

    order: tuple[int, ...]
    signs: tuple[int, ...]
    roots: tuple[Sequence[int], ...]


def masking(seed: bytes, form: DeckForm) -> Masking:
    """Return the masking that a seed determines."""
    return Masking(_order(seed, form.cards), _signs(seed, form), _roots(seed, form))


def octets(label: str, seed: bytes) -> Iterator[int]:
    """Yield uniform bytes without end; streams of different seeds or labels are independent."""
    for block in count():
        yield from expand(label, seed, block, length=_BLOCK)


def _order(seed: bytes, cards: int) -> tuple[int, ...]:
    """Return 0 … cards − 1 in uniform random order (Fisher and Yates, from the last place down).

    `cards` is at most 256.
    """
    source = octets("residue order", seed)
    order = list(range(cards))
    for place in range(cards - 1, 0, -1):
        bits = (1 << place.bit_length()) - 1
        other = next(value for value in (octet & bits for octet in source) if value <= place)
        order[place], order[other] = order[other], order[place]
    return tuple(order)


def _signs(seed: bytes, form: DeckForm) -> tuple[int, ...]:
    each = sign_bytes(form)
    hashed = expand("residue signs", seed, length=each * (len(form.moduli) - 1))
    return _complete_signs(
        [int.from_bytes(part, "little") for part in _split_bytes(hashed, each)], form
    )


def _complete_signs(signs: Sequence[int], form: DeckForm) -> tuple[int, ...]:
    """Append the last seat's signs, which make the number of sign changes even for each bit."""
    mask = (1 << form.column) - 1
    last = 0
    for one in signs:
        last ^= one & mask
    return (*(one & mask for one in signs), last)


def _roots(seed: bytes, form: DeckForm) -> tuple[Sequence[int], ...]:
    width = form.width + _SPARE
    hashed = expand("residue masks", seed, length=len(form.moduli) * form.column * width)
    parts = zip(_split_bytes(hashed, form.column * width), form.moduli, strict=True)
    return tuple([r % m for r in FASTEST.numbers(part, width)] for part, m in parts)


def apply_masking(numbers: Columns, mask: Masking, form: DeckForm) -> Columns:
    """Return the deck with new numbers and in its new order."""
    places = spread(mask.order, form.bits)
    columns = zip(numbers, mask.roots, mask.signs, form.moduli, strict=True)
    return tuple(
        _mask_column([column[at] for at in places], roots, signs, m)
        for column, roots, signs, m in columns
    )


def _mask_column(column: Sequence[int], roots: Sequence[int], signs: int, m: int) -> Sequence[int]:
    """Mask one seat's numbers.

    Reducing twice is faster than once, because no intermediate result exceeds twice the size of m.
    """
    products = [r * r % m * z % m for r, z in zip(roots, column, strict=True)]
    for at in range(len(products)):
        if signs >> at & 1:
            products[at] = m - products[at]
    return products


def spread(order: Sequence[int], bits: int) -> list[int]:
    """Return, for each place of a column, the old place of its number, from the order of the
    cards.
    """
    return [card * bits + j for card in order for j in range(bits)]


def compose_maskings(first: Masking, then: Masking, form: DeckForm) -> Masking:
    """Return the single masking that is equal to `first` followed by `then`.

    Of r and m − r the smaller one is chosen.
    """
    places = spread(then.order, form.bits)
    roots = []
    for before, after, m in zip(first.roots, then.roots, form.moduli, strict=True):
        products = (before[at] * r % m for at, r in zip(places, after, strict=True))
        roots.append([min(r, m - r) for r in products])
    signs = [
        _permute_signs(before, places) ^ after
        for before, after in zip(first.signs, then.signs, strict=True)
    ]
    return Masking(tuple(first.order[card] for card in then.order), tuple(signs), tuple(roots))


def _permute_signs(signs: int, places: Sequence[int]) -> int:
    return sum((signs >> at & 1) << to for to, at in enumerate(places))


def encoded_size(form: DeckForm) -> int:
    """Return the bytes of an encoded masking."""
    return form.cards + (len(form.moduli) - 1) * sign_bytes(form) + form.size


def sign_bytes(form: DeckForm) -> int:
    """Return the bytes of one seat's signs."""
    return (form.column + 7) // 8


def encode(mask: Masking, form: DeckForm) -> bytes:
    """Encode a masking: the order, a byte for each card; the signs of all seats but the last; all
    r.
    """
    signs = (one.to_bytes(sign_bytes(form), "little") for one in mask.signs[:-1])
    roots = (encoded(column, form.width) for column in mask.roots)
    return b"".join([bytes(mask.order), *signs, *roots])


def decode(data: bytes, form: DeckForm) -> Masking:
    """Decode a masking from `encoded_size` bytes.

    The order must contain each card once, and signs must have no extra bits. Every r must be from 1
    to (m − 1) / 2, without a common divisor with m.

    Raises: RemoteError(BAD_PROOF).
    """
    begin = form.cards + (len(form.moduli) - 1) * sign_bytes(form)
    order = tuple(data[: form.cards])
    signs = [
        int.from_bytes(part, "little")
        for part in _split_bytes(data[form.cards : begin], sign_bytes(form))
    ]
    roots = tuple(
        FASTEST.numbers(part, form.width)
        for part in _split_bytes(data[begin:], form.column * form.width)
    )
    if sorted(order) != list(range(form.cards)) or any(one >> form.column for one in signs):
        raise RemoteError(Code.BAD_PROOF)
    if not all(are_half_units(column, m) for column, m in zip(roots, form.moduli, strict=True)):
        raise RemoteError(Code.BAD_PROOF)
    return Masking(order, _complete_signs(signs, form), roots)


def _split_bytes(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]
