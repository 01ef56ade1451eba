"""Shuffle of cards by residues, with a non-interactive cut-and-choose proof.

S is the deck before and S' the deck after. The prover shuffles S' another T times, to T inner
decks. The challenge selects k of them to be opened on the far side: the proof shows how they come
from S. The others are opened on the near side: the proof shows how they come from S'. If S' is no
shuffle of S, no inner deck comes from both. A lie then succeeds only if the challenge is the one
for which the inner decks were prepared: 1 of C(T, k), and C(128, 22) is 2^81.3.

    near    S'  → inner deck    the seed of 32 bytes from which it was made
    far     S   → inner deck    order, signs and r of both maskings as one

A far masking is uniform, because the second of the two maskings is uniform and stays secret.

The proof has (T − k) seeds of 32 bytes and k maskings. With 80 inner decks and a coin flip for
each, it would have about 40 maskings.

    proof      root, then round by round the seed or the masking
    root       H("residue inner decks", context, hashes of the inner decks)
    challenge  the first k different rounds named by bytes hashed from the root

The root comes first, so the verifier can compute the challenge at the start. It opens one round
after the other, and keeps only the hash of each inner deck. At the end, the hash of these hashes
must equal the root. The challenge is hashed, so a liar can try other challenges at a cost of a few
hashes each; 2^81 tries are too many. If all other seats tossed a fresh challenge, odds of 2^-40
would suffice.

Three mistakes would reveal the order: one seed for two rounds, a revealed seed of a far round, and
randomness that repeats for another deck. Seeds are derived from fresh randomness, the shuffle's own
seed and the whole statement. So repeated randomness only produces the same proof again.
"""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from random import Random

from protocol.codes import Code
from protocol.crypto.hashing import constant_time_equal, derive, digest
from protocol.crypto.proof_context import ProofPlace, statement_context
from protocol.crypto.residue import masking
from protocol.crypto.residue.arithmetic import FASTEST, encoded
from protocol.crypto.residue.cards import (
    Columns,
    Deck,
    DeckForm,
    columns,
    deck_from_columns,
    encode_columns,
    form_of,
)
from protocol.crypto.residue.masking import SEED
from protocol.errors import RemoteError
from protocol.limits import MAX_PILE

KIND = "residue shuffle"
ROOT = 32  # bytes


@dataclass(frozen=True, slots=True)
class Rounds:
    """Numbers of rounds: T, a power of two up to 256, and k far rounds.

    Other values than `ROUNDS` serve to demonstrate their security.
    """

    T: int
    k: int


ROUNDS = Rounds(128, 22)


@dataclass(frozen=True, slots=True, repr=False)
class Witness:
    """Secret of the shuffler: the seed of its masking."""

    seed: bytes


@dataclass(frozen=True)
class Statement:
    """Statement to be proved: `after` is a shuffle of `before`."""

    before: Columns
    after: Columns
    form: DeckForm
    rounds: Rounds = ROUNDS

    @cached_property
    def fields(self) -> tuple[bytes | int, ...]:
        """Parts of the statement, as fields for the context."""
        form = self.form
        width = self.form.width
        keys = encoded(form.moduli, width)
        decks = (encode_columns(self.before, width), encode_columns(self.after, width))
        return (self.rounds.T, self.rounds.k, form.cards, form.bits, len(form.moduli), keys, *decks)


def statement(
    before: Deck, after: Deck, moduli: Sequence[int], rounds: Rounds = ROUNDS
) -> Statement:
    """Return the statement that `after` is a shuffle of `before`.

    Raises: ValueError if the decks have different forms, no cards, or more cards than a pile may
    have.
    """
    form = form_of(before, moduli)
    if form_of(after, moduli) != form or not 1 <= form.cards <= MAX_PILE:
        raise ValueError("two decks of one form, of 1 to 208 cards")
    taken = [
        tuple(FASTEST.to_native(column) for column in columns(deck)) for deck in (before, after)
    ]
    return Statement(taken[0], taken[1], _native_form(form), rounds)


def proof_size(form: DeckForm, rounds: Rounds = ROUNDS) -> int:
    """Return the bytes of a proof."""
    return ROOT + (rounds.T - rounds.k) * SEED + rounds.k * masking.encoded_size(form)


def shuffle(deck: Deck, moduli: Sequence[int], rng: Random) -> tuple[Deck, Witness]:
    """Return the deck with new numbers in a new order, and the witness."""
    form = _native_form(form_of(deck, moduli))
    seed = rng.randbytes(SEED)
    taken = tuple(FASTEST.to_native(column) for column in columns(deck))
    return deck_from_columns(
        masking.apply_masking(taken, masking.masking(seed, form), form), form
    ), Witness(seed)


def prove_shuffle(
    before: Deck,
    after: Deck,
    witness: Witness,
    moduli: Sequence[int],
    place: ProofPlace,
    rng: Random,
) -> bytes:
    """Prove in `proof_size` bytes that `after` is a shuffle of `before`, valid in this place
    only.
    """
    return b"".join(proof_parts(statement(before, after, moduli), witness, place, rng))


def proof_parts(
    said: Statement, witness: Witness, place: ProofPlace, rng: Random
) -> Iterator[bytes]:
    """Yield the proof in parts: the root after all inner decks are computed, then each round.

    Only seeds and hashes are stored in between. The maskings of the few far rounds are computed a
    second time.
    """
    form = said.form
    context = _context(said, place)
    secret = rng.randbytes(SEED) + witness.seed
    seeds = [
        derive(secret, "residue round", context, number, length=SEED)
        for number in range(said.rounds.T)
    ]
    root = _root(context, [_hash(said.after, masking.masking(seed, form), form) for seed in seeds])
    far = challenge(root, said.rounds)
    own = masking.masking(witness.seed, form)
    yield root
    for number, seed in enumerate(seeds):
        if number in far:
            yield masking.encode(
                masking.compose_maskings(own, masking.masking(seed, form), form), form
            )
        else:
            yield seed


def check_shuffle(
    before: Deck, after: Deck, moduli: Sequence[int], proof: object, place: ProofPlace
) -> None:
    """Check that `after` is a shuffle of `before`; the numbers of both must have passed
    `check_numbers`.

    Raises: RemoteError(BAD_PROOF) for any failure.
    """
    if type(proof) is not bytes:
        raise RemoteError(Code.BAD_PROOF)
    check = ShuffleVerifier(statement(before, after, moduli), place)
    check.feed(proof)
    check.finish()


class ShuffleVerifier:
    """Check of a proof that arrives in pieces of any length; stores at most one round of the
    proof.
    """

    def __init__(self, said: Statement, place: ProofPlace) -> None:
        self._said = said
        self._context = _context(said, place)
        self._buffer = bytearray()
        self._root = b""
        self._far_rounds: frozenset[int] = frozenset()
        self._hashes: list[bytes] = []

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ShuffleVerifier) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def copy(self) -> "ShuffleVerifier":
        """Return an independent copy with the same progress."""
        other = copy(self)
        other._buffer, other._hashes = self._buffer.copy(), self._hashes.copy()
        return other

    def feed(self, data: bytes) -> None:
        """Add the next bytes of the proof. Raises: RemoteError(BAD_PROOF) as soon as a part is
        wrong.
        """
        self._buffer += data
        while (due := self._next_size()) and len(self._buffer) >= due:
            part = bytes(self._buffer[:due])
            del self._buffer[:due]
            self._take(part)
        if self._buffer and not due:
            raise RemoteError(Code.BAD_PROOF)

    def finish(self) -> None:
        """Finish the check after the last byte.

        Raises: RemoteError(BAD_PROOF) if the proof is incomplete or wrong, or if a number is not
        masked.
        """
        if (
            self._next_size()
            or not constant_time_equal(_root(self._context, self._hashes), self._root)
            or not _all_masked(self._said)
        ):
            raise RemoteError(Code.BAD_PROOF)

    def _next_size(self) -> int:
        """Return the bytes of the next part; 0 after the last part."""
        number = len(self._hashes)
        if not self._root:
            return ROOT
        if number == self._said.rounds.T:
            return 0
        if number in self._far_rounds:
            return masking.encoded_size(self._said.form)
        return SEED

    def _take(self, part: bytes) -> None:
        said = self._said
        form = self._said.form
        if not self._root:
            self._root, self._far_rounds = part, challenge(part, said.rounds)
        elif len(self._hashes) in self._far_rounds:
            self._hashes.append(_hash(said.before, masking.decode(part, form), form))
        else:
            self._hashes.append(_hash(said.after, masking.masking(part, form), form))


def challenge(root: bytes, rounds: Rounds) -> frozenset[int]:
    """Return the k of T rounds that are opened on the far side.

    Each set of k rounds is equally likely, because T is a power of two.
    """
    far: set[int] = set()
    for octet in masking.octets("residue challenge", root):
        far.add(octet % rounds.T)
        if len(far) == rounds.k:
            break
    return frozenset(far)


def _all_masked(said: Statement) -> bool:
    """Check that each number of `after` is new, except for its sign, and not repeated.

    An r of 1, or one r for all numbers, would reveal the order. The proof is sound without this
    check. Honest decks fail the check with negligible odds.
    """
    for before, after, m in zip(said.before, said.after, said.form.moduli, strict=True):
        fresh = {min(z, m - z) for z in after}
        if len(fresh) < len(after) or not fresh.isdisjoint(min(z, m - z) for z in before):
            return False
    return True


def _context(said: Statement, place: ProofPlace) -> bytes:
    return statement_context(place, KIND, *said.fields)


def _hash(deck: Columns, mask: masking.Masking, form: DeckForm) -> bytes:
    """Hash the inner deck that a masking makes from a deck."""
    return digest(
        "residue inner deck", encode_columns(masking.apply_masking(deck, mask, form), form.width)
    )


def _root(context: bytes, hashes: Sequence[bytes]) -> bytes:
    return digest("residue inner decks", context, *hashes)


def _native_form(form: DeckForm) -> DeckForm:
    """Return the same form, with moduli in the type of the fastest arithmetic."""
    return DeckForm(form.cards, form.bits, tuple(FASTEST.to_native(form.moduli)))
