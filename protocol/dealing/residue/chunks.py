"""A shuffle on its way: new cards and proof are larger than an entry, so they come in chunks.

A body is the new cards, then the proof. Its length follows from the cards and the keys, and each
chunk but the last has `MAX_CHUNK` bytes. Each is checked as it comes, so nobody has to hold a whole
body, or to check it at once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from protocol.codes import Code
from protocol.crypto.hashing import constant_time_equal, digest
from protocol.crypto.proof_context import ProofPlace
from protocol.crypto.residue.arithmetic import FASTEST
from protocol.crypto.residue.cards import (
    Deck,
    DeckForm,
    check_numbers,
    deck_from_columns,
    encode,
    form_of,
)
from protocol.crypto.residue.shuffle import ShuffleVerifier, proof_size, statement
from protocol.errors import RemoteError
from protocol.fast_replace import replace
from protocol.limits import MAX_CHUNK


def shuffle_bytes(form: DeckForm) -> int:
    """Bytes of the new cards and the proof."""
    return form.size + proof_size(form)


def split_shuffle(after: Deck, moduli: Sequence[int], proof: bytes) -> Iterator[list[Any]]:
    """The bodies of the entries that bring a shuffle, in order."""
    body = encode(after, moduli) + proof
    chunks = [body[start : start + MAX_CHUNK] for start in range(0, len(body), MAX_CHUNK)]
    whole = body_digest([chunk_digest(chunk) for chunk in chunks])
    return ([whole, number, chunk] for number, chunk in enumerate(chunks))


@dataclass(frozen=True)
class PartialShuffle:
    """What has come of a body, and is right so far."""

    before: Deck
    place: ProofPlace
    form: DeckForm
    body_hash: bytes  # the digest that its author has bound itself to with the first chunk
    digests: tuple[bytes, ...] = ()  # of the chunks
    numbers: tuple[int, ...] = ()  # of the new cards, seat by seat
    check: ShuffleVerifier | None = None  # once the cards are there; nobody changes it
    after: Deck | None = None  # once all is there, and proven

    @property
    def number(self) -> int:
        """Of the chunk that comes next."""
        return len(self.digests)

    @property
    def size(self) -> int:
        """Bytes that have come."""
        return min(self.number * MAX_CHUNK, shuffle_bytes(self.form))

    def add_chunk(self, whole: bytes, number: int, data: bytes) -> "PartialShuffle":
        """With the next chunk. Raises: RemoteError: BAD_CHUNK, BAD_NUMBER, BAD_PROOF."""
        left = shuffle_bytes(self.form) - self.size
        if whole != self.body_hash or number != self.number or len(data) != min(left, MAX_CHUNK):
            raise RemoteError(Code.BAD_CHUNK)
        rest = max(self.form.size - self.size, 0)
        taken = replace(self, digests=(*self.digests, chunk_digest(data)))
        if rest:
            taken = taken._add_numbers(data[:rest])
        taken = taken._add_proof(data[rest:])
        return taken._finish_check() if len(data) == left else taken

    def _add_numbers(self, data: bytes) -> "PartialShuffle":
        numbers = FASTEST.numbers(data, self.form.width)
        first, column = len(self.numbers), self.form.column
        for seat, m in enumerate(self.form.moduli):
            start, end = (max(place - first, 0) for place in (seat * column, (seat + 1) * column))
            check_numbers(numbers[start:end], m)
        return replace(self, numbers=(*self.numbers, *map(int, numbers)))

    def _add_proof(self, data: bytes) -> "PartialShuffle":
        if not data:
            return self
        check = self._start_check() if self.check is None else self.check.copied()
        check.feed(data)
        return replace(self, check=check)

    def _start_check(self) -> ShuffleVerifier:
        return ShuffleVerifier(statement(self.before, self._deck(), self.form.moduli), self.place)

    def _deck(self) -> Deck:
        ends = accumulate([self.form.column] * len(self.form.moduli), initial=0)
        return deck_from_columns(
            tuple(self.numbers[start : start + self.form.column] for start in [*ends][:-1]),
            self.form,
        )

    def _finish_check(self) -> "PartialShuffle":
        assert self.check is not None, "a proof is longer than a chunk"
        self.check.copied().finish()
        if not constant_time_equal(body_digest(self.digests), self.body_hash):
            raise RemoteError(Code.BAD_CHUNK)
        return replace(self, after=self._deck(), check=None)


def new_partial_shuffle(
    before: Deck, moduli: tuple[int, ...], place: ProofPlace, whole: bytes
) -> PartialShuffle:
    """Before the first chunk."""
    return PartialShuffle(before, place, form_of(before, moduli), whole)


def chunk_digest(chunk: bytes) -> bytes:
    """32 bytes for one chunk."""
    return digest("residue chunk", chunk)


def body_digest(digests: Sequence[bytes]) -> bytes:
    """The digest of a whole body, from those of its chunks in order."""
    return digest("residue body", *digests)
