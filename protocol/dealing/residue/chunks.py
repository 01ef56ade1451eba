"""Chunks of a shuffle: the new cards and the proof are larger than an entry.

A body consists of the new cards, then the proof. Its length follows from the cards and the keys.
Each chunk but the last has `MAX_CHUNK` bytes. Each chunk is checked when it arrives, so nobody must
store or check a whole body at once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

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
from protocol.schema import Fields


def shuffle_bytes(form: DeckForm) -> int:
    """Return the length in bytes of the new cards and the proof."""
    return form.size + proof_size(form)


def split_shuffle(after: Deck, moduli: Sequence[int], proof: bytes) -> Iterator[Fields]:
    """Return the bodies of the entries that carry a shuffle, in order."""
    body = encode(after, moduli) + proof
    chunks = [body[start : start + MAX_CHUNK] for start in range(0, len(body), MAX_CHUNK)]
    whole = body_digest([chunk_digest(chunk) for chunk in chunks])
    return ([whole, number, chunk] for number, chunk in enumerate(chunks))


@dataclass(frozen=True)
class PartialShuffle:
    """Chunks of a shuffle received so far, all correct up to here."""

    before: Deck
    place: ProofPlace
    form: DeckForm
    body_hash: bytes  # digest of the whole body, to which its author commits with the first chunk
    digests: tuple[bytes, ...] = ()  # digests of the received chunks
    numbers: tuple[int, ...] = ()  # received numbers of the new cards, seat by seat
    # set once all new cards are received; copied before each change
    check: ShuffleVerifier | None = None
    # parts of the proof that were checked before the table's restart, and not by `check`
    unchecked: tuple[bytes, ...] = ()
    after: Deck | None = None  # set once the whole body is received and proved

    @property
    def number(self) -> int:
        """Number of the next chunk, from 0."""
        return len(self.digests)

    @property
    def size(self) -> int:
        """Number of bytes received."""
        return min(self.number * MAX_CHUNK, shuffle_bytes(self.form))

    def add_chunk(
        self, whole: bytes, number: int, data: bytes, *, proven: bool = False
    ) -> "PartialShuffle":
        """Return the shuffle with the next chunk added.

        `proven`: the chunk was accepted here before, so it is not checked again. Its part of the
        proof is kept for a chunk that follows and must be checked.

        Raises: RemoteError(BAD_CHUNK, BAD_NUMBER or BAD_PROOF).
        """
        left = shuffle_bytes(self.form) - self.size
        if whole != self.body_hash or number != self.number or len(data) != min(left, MAX_CHUNK):
            raise RemoteError(Code.BAD_CHUNK)
        rest = max(self.form.size - self.size, 0)
        taken = replace(self, digests=(*self.digests, chunk_digest(data)))
        if rest:
            taken = taken._add_numbers(data[:rest], proven)
        taken = taken._add_proof(data[rest:], proven)
        return taken._finish(proven) if len(data) == left else taken

    def _add_numbers(self, data: bytes, proven: bool) -> "PartialShuffle":
        numbers = FASTEST.numbers(data, self.form.width)
        first, column = len(self.numbers), self.form.column
        for seat, m in enumerate(self.form.moduli):
            start, end = (max(place - first, 0) for place in (seat * column, (seat + 1) * column))
            if not proven:
                check_numbers(numbers[start:end], m)
        return replace(self, numbers=(*self.numbers, *map(int, numbers)))

    def _add_proof(self, data: bytes, proven: bool) -> "PartialShuffle":
        if not data:
            return self
        if proven:
            return replace(self, unchecked=(*self.unchecked, data))
        check = self._start_check() if self.check is None else self.check.copy()
        for part in (*self.unchecked, data):
            check.feed(part)
        return replace(self, check=check, unchecked=())

    def _start_check(self) -> ShuffleVerifier:
        return ShuffleVerifier(statement(self.before, self._deck(), self.form.moduli), self.place)

    def _deck(self) -> Deck:
        ends = accumulate([self.form.column] * len(self.form.moduli), initial=0)
        return deck_from_columns(
            tuple(self.numbers[start : start + self.form.column] for start in [*ends][:-1]),
            self.form,
        )

    def _finish(self, proven: bool) -> "PartialShuffle":
        if not proven:
            assert self.check is not None, "a proof is longer than a chunk"
            self.check.copy().finish()
            if not constant_time_equal(body_digest(self.digests), self.body_hash):
                raise RemoteError(Code.BAD_CHUNK)
        return replace(self, after=self._deck(), check=None, unchecked=())


def new_partial_shuffle(
    before: Deck, moduli: tuple[int, ...], place: ProofPlace, whole: bytes
) -> PartialShuffle:
    """Return a shuffle without chunks; `whole` is the digest of its body."""
    return PartialShuffle(before, place, form_of(before, moduli), whole)


def chunk_digest(chunk: bytes) -> bytes:
    """Return the 32-byte digest of one chunk."""
    return digest("residue chunk", chunk)


def body_digest(digests: Sequence[bytes]) -> bytes:
    """Return the digest of a whole body, from the digests of its chunks in order."""
    return digest("residue body", *digests)
