"""Cards and decks: for each seat and bit, a card has a number modulo that seat's m.

A deck is encoded seat by seat, within each seat card by card, within each card bit by bit. Each
number has the same number of bytes. All moduli of a deck have the same number of bits.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from protocol.codes import Code
from protocol.crypto.residue.arithmetic import FASTEST, encoded
from protocol.errors import RemoteError

Card = tuple[tuple[int, ...], ...]  # by seat, then by bit
Deck = tuple[Card, ...]
Columns = tuple[Sequence[int], ...]  # by seat: the numbers of all cards, bit by bit


@dataclass(frozen=True, slots=True)
class DeckForm:
    """Common form of comparable decks: number of cards, bits of a card, and the seats' moduli."""

    cards: int
    bits: int
    moduli: tuple[int, ...]

    @property
    def column(self) -> int:
        """Count of numbers under one key: cards times bits."""
        return self.cards * self.bits

    @property
    def width(self) -> int:
        """Bytes of a number."""
        return (self.moduli[0].bit_length() + 7) // 8

    @property
    def size(self) -> int:
        """Bytes of a deck."""
        return len(self.moduli) * self.column * self.width


def piece_bits(pieces: int) -> int:
    """Return the bits of a card that is one of `pieces` pieces; at least one bit."""
    return max(1, (pieces - 1).bit_length())


def clear_card(piece: int, bits: int, moduli: Sequence[int]) -> Card:
    """Return a piece unencrypted.

    The first seat's number is its pseudo-square where the piece has a bit of 1, lowest bit first.
    All other numbers are 1.
    """
    first = tuple(moduli[0] - 1 if piece >> j & 1 else 1 for j in range(bits))
    return (first, *((1,) * bits for _ in moduli[1:]))


def read_piece(bits: Sequence[Sequence[int]]) -> int:
    """Return the piece of a card from its bits, by seat.

    Bit j of the piece is the exclusive or of all seats' bits j.
    """
    return sum((sum(column) & 1) << j for j, column in enumerate(zip(*bits, strict=True)))


def form_of(deck: Deck, moduli: Sequence[int]) -> DeckForm:
    """Return the form of a deck that this program has made. Raises: ValueError if cards or keys
    differ in size.
    """
    bits = len(deck[0][0]) if deck else 0
    if not bits or any(
        len(card) != len(moduli) or any(len(row) != bits for row in card) for card in deck
    ):
        raise ValueError("cards of one form, under these keys")
    if len({m.bit_length() for m in moduli}) != 1:
        raise ValueError("keys of one size")
    return DeckForm(len(deck), bits, tuple(moduli))


def columns(deck: Deck) -> Columns:
    """Return the numbers of a deck, by seat."""
    return tuple([z for card in deck for z in card[seat]] for seat in range(len(deck[0])))


def deck_from_columns(numbers: Columns, form: DeckForm) -> Deck:
    """Return the deck with these numbers; the inverse of `columns`."""
    rows = [
        [tuple(map(int, column[at : at + form.bits])) for at in range(0, form.column, form.bits)]
        for column in numbers
    ]
    return tuple(zip(*rows, strict=True))


def encode(deck: Deck, moduli: Sequence[int]) -> bytes:
    """Encode a deck."""
    return encode_columns(columns(deck), form_of(deck, moduli).width)


def encode_columns(numbers: Columns, width: int) -> bytes:
    """Encode a deck that is given by seat."""
    return b"".join(encoded(column, width) for column in numbers)


def decode(data: object, form: DeckForm) -> Deck:
    """Decode a deck, and check every number by `check_numbers`.

    Raises: RemoteError(BAD_NUMBER), also for a wrong length.
    """
    if type(data) is not bytes or len(data) != form.size:
        raise RemoteError(Code.BAD_NUMBER)
    each = form.column * form.width
    numbers = tuple(
        FASTEST.numbers(data[at : at + each], form.width) for at in range(0, len(data), each)
    )
    for column, m in zip(numbers, form.moduli, strict=True):
        check_numbers(column, m)
    return deck_from_columns(numbers, form)


def check_numbers(numbers: Sequence[int], m: int) -> None:
    """Check that each number is from 1 to m − 1 and has Jacobi symbol +1.

    The symbol also excludes common divisors with m, for which it is 0. Numbers with symbol −1 must
    not occur: they are no residues either, and keep their symbol under every mask. So they would
    mark a card for everybody. Raises: RemoteError(BAD_NUMBER).
    """
    if not all(0 < z < m and FASTEST.jacobi(z, m) == 1 for z in numbers):
        raise RemoteError(Code.BAD_NUMBER)
