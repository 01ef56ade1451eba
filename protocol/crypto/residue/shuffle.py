"""A shuffle of cards by residues, and the proof that it is one: cut and choose, without a word of
the verifier's.

The prover shuffles the deck after (S') another T times, to inner decks, and the challenge says
which k of them are opened on the far side: how they come from the deck before (S). Of the others
the near side is opened: how they come from S'. If S' is no shuffle of S, no inner deck comes from
both, so a lie needs the challenge to be the one that the inner decks were made for: 1 of C(T, k),
and C(128, 22) is 2^81.3.

    near    S'  → inner deck    the seed of 32 bytes that it was made from
    far     S   → inner deck    order, signs and r of both maskings as one: even, for the second is, and stays unknown

So the proof is T·32 bytes and k maskings; 80 inner decks opened by a coin each would need 40
maskings.

    proof      root, then round by round the seed or the masking
    root       H("residue inner decks", context, hashes of the inner decks)
    challenge  the k rounds that bytes hashed from the root name first

The root comes first, so who checks knows the challenge from the beginning, opens one round after
the other, and keeps only the hash of each: in the end the root must be theirs. The challenge is
hashed, so a liar can try others at a cost of some hashes each: 2^81 of them is what keeps it
honest. With a fresh coin of all the others 2^-40 would do.

What would give the order away: one seed for two rounds, a seed shown of a round that is opened far,
or randomness that comes again for another deck. Seeds are derived from fresh randomness, the own
shuffle's seed and the whole statement, so the last shows nothing but the same proof again.
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
    """T, a power of two up to 256, and k. Others than `ROUNDS` are for showing what they are
    worth.
    """

    T: int
    k: int


ROUNDS = Rounds(128, 22)


@dataclass(frozen=True, slots=True, repr=False)
class Witness:
    """What only the shuffler knows: the seed of its masking."""

    seed: bytes


@dataclass(frozen=True)
class Statement:
    """What is proven: that one deck is a shuffle of the other."""

    before: Columns
    after: Columns
    form: DeckForm
    rounds: Rounds = ROUNDS

    @cached_property
    def fields(self) -> tuple[bytes | int, ...]:
        """All of it, for the context."""
        form, width = self.form, self.form.width
        keys = encoded(form.moduli, width)
        decks = (encode_columns(self.before, width), encode_columns(self.after, width))
        return (self.rounds.T, self.rounds.k, form.cards, form.bits, len(form.moduli), keys, *decks)


def statement(
    before: Deck, after: Deck, moduli: Sequence[int], rounds: Rounds = ROUNDS
) -> Statement:
    """Raises ValueError if the two decks are not of one form, or of more cards than a pile has."""
    form = form_of(before, moduli)
    if form_of(after, moduli) != form or not 1 <= form.cards <= MAX_PILE:
        raise ValueError("two decks of one form, of 1 to 208 cards")
    taken = [
        tuple(FASTEST.to_native(column) for column in columns(deck)) for deck in (before, after)
    ]
    return Statement(taken[0], taken[1], _fast(form), rounds)


def proof_size(form: DeckForm, rounds: Rounds = ROUNDS) -> int:
    """Bytes of a proof."""
    return ROOT + (rounds.T - rounds.k) * SEED + rounds.k * masking.encoded_size(form)


def shuffle(deck: Deck, moduli: Sequence[int], rng: Random) -> tuple[Deck, Witness]:
    """The deck under new masks in a new order."""
    form, seed = _fast(form_of(deck, moduli)), rng.randbytes(SEED)
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
    """`proof_size` bytes that show `after` to be a shuffle of `before`, in this place only."""
    return b"".join(proof_parts(statement(before, after, moduli), witness, place, rng))


def proof_parts(
    said: Statement, witness: Witness, place: ProofPlace, rng: Random
) -> Iterator[bytes]:
    """The proof bit by bit: the root once all inner decks have been made, then every round.

    Nothing but seeds and hashes is kept in between; the few rounds that are opened far are made
    again.
    """
    form, context = said.form, _context(said, place)
    secret = rng.randbytes(SEED) + witness.seed
    seeds = [
        derive(secret, "residue round", context, number, length=SEED)
        for number in range(said.rounds.T)
    ]
    root = _root(context, [_hash(said.after, masking.masking(seed, form), form) for seed in seeds])
    far, own = challenge(root, said.rounds), masking.masking(witness.seed, form)
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
    """That `after` is a shuffle of `before`: decks of one form, whose numbers have been checked
    (`cards.decode`).

    Raises: RemoteError(BAD_PROOF), for whatever reason.
    """
    if type(proof) is not bytes:
        raise RemoteError(Code.BAD_PROOF)
    check = ShuffleVerifier(statement(before, after, moduli), place)
    check.feed(proof)
    check.finish()


class ShuffleVerifier:
    """The check of a proof that comes in pieces of any length: no more is kept than one round of
    it.
    """

    def __init__(self, said: Statement, place: ProofPlace) -> None:
        self._said = said
        self._context = _context(said, place)
        self._buffer = bytearray()
        self._root = b""
        self._far: frozenset[int] = frozenset()
        self._hashes: list[bytes] = []

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ShuffleVerifier) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def copied(self) -> "ShuffleVerifier":
        """Another check that is as far as this one, and goes on by itself."""
        other = copy(self)
        other._buffer, other._hashes = self._buffer.copy(), self._hashes.copy()
        return other

    def feed(self, data: bytes) -> None:
        """The next bytes. Raises: RemoteError(BAD_PROOF) as soon as they cannot be of a proof."""
        self._buffer += data
        while (due := self._due()) and len(self._buffer) >= due:
            part = bytes(self._buffer[:due])
            del self._buffer[:due]
            self._take(part)
        if self._buffer and not due:
            raise RemoteError(Code.BAD_PROOF)

    def finish(self) -> None:
        """That was all. Raises: RemoteError(BAD_PROOF) if it is no proof, or a number came through
        as it was.
        """
        if (
            self._due()
            or not constant_time_equal(_root(self._context, self._hashes), self._root)
            or not _all_masked(self._said)
        ):
            raise RemoteError(Code.BAD_PROOF)

    def _due(self) -> int:
        """Bytes of the next part, 0 after the last."""
        number = len(self._hashes)
        if not self._root:
            return ROOT
        if number == self._said.rounds.T:
            return 0
        return masking.encoded_size(self._said.form) if number in self._far else SEED

    def _take(self, part: bytes) -> None:
        said, form = self._said, self._said.form
        if not self._root:
            self._root, self._far = part, challenge(part, said.rounds)
        elif len(self._hashes) in self._far:
            self._hashes.append(_hash(said.before, masking.decode(part, form), form))
        else:
            self._hashes.append(_hash(said.after, masking.masking(part, form), form))


def challenge(root: bytes, rounds: Rounds) -> frozenset[int]:
    """The k of T rounds that are opened far: each set of k is as likely, for T is a power of
    two.
    """
    far: set[int] = set()
    for octet in masking.octets("residue challenge", root):
        far.add(octet % rounds.T)
        if len(far) == rounds.k:
            break
    return frozenset(far)


def _all_masked(said: Statement) -> bool:
    """Whether no number is, but for its sign, one of before or another of after: an r of 1, or one
    r for all, shows.

    Not part of the argument, which holds without; honest decks fail it with odds that are nothing.
    """
    for before, after, m in zip(said.before, said.after, said.form.moduli, strict=True):
        fresh = {min(z, m - z) for z in after}
        if len(fresh) < len(after) or not fresh.isdisjoint(min(z, m - z) for z in before):
            return False
    return True


def _context(said: Statement, place: ProofPlace) -> bytes:
    return statement_context(place, KIND, *said.fields)


def _hash(deck: Columns, mask: masking.Masking, form: DeckForm) -> bytes:
    """Of the inner deck that this masking makes of a deck."""
    return digest(
        "residue inner deck", encode_columns(masking.apply_masking(deck, mask, form), form.width)
    )


def _root(context: bytes, hashes: Sequence[bytes]) -> bytes:
    return digest("residue inner decks", context, *hashes)


def _fast(form: DeckForm) -> DeckForm:
    """The same form, its keys as numbers that are reckoned with fast."""
    return DeckForm(form.cards, form.bits, tuple(FASTEST.to_native(form.moduli)))
