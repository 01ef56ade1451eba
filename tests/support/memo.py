"""What several parties of one process compute from the same bytes is computed once.

In the world outside every party has a machine of its own, and checks for itself. Here all of them
would check the same signatures and proofs one after the other, and fold the same entries into the
same states, which is most of the time of a match. The functions are pure and the states frozen, so
remembering what they gave changes nothing but the time; nothing is skipped that nobody has
computed.

Tests are dealt from fixed seeds, so that many play the same beginning of a match: of their
signatures three quarters were made by a test before, from the very same bytes, and as many of their
points. Signatures, and which bytes are a point, are remembered from test to test, for all of them;
points, as the sums that they are (`sums`).
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache, wraps
from random import Random
from typing import Any
from unittest.mock import patch

from conformance.player import kit_match
from protocol.crypto.primitives import ed25519, ristretto255
from protocol.crypto.primitives.backend import Ed25519Backend
from protocol.crypto.residue.keys import SecretKey
from protocol.dealing.residue import seat as residue
from protocol.dealing.verified import fold
from protocol.identity import keys as identity
from protocol.match import log_reader
from protocol.match.log import Entry
from protocol.match.setup import Setup
from protocol.match.state import Match
from protocol.seats import TABLE
from table.match import live_match
from tests.support.sums import compute_sums_once

KEPT = 1 << 13  # results; parties are seldom more than a few hundred entries apart
SHARED = (
    (identity, "is_signature_valid"),
    (fold, "check_knowledge"),
    (fold, "check_shuffle"),
    (fold, "check_share"),
)
ARITHMETIC = 1 << 17  # results of one function: some ten megabytes each
FOLDING = (log_reader, live_match, kit_match)  # where entries that were read are folded


def remember_arithmetic() -> None:
    """From now on this process computes a point or a signature once. What fails, each time.

    So it is with two primes out of one stream of random numbers, which are a quarter of a second.
    """
    ristretto255.is_valid_point = lru_cache(ARITHMETIC)(ristretto255.is_valid_point)
    compute_sums_once()
    ed25519.backend = RememberedEd25519(ed25519.backend)
    residue.new_key = _remembering_keys(residue.new_key)


class RememberedEd25519:
    """Ed25519 that computes each key pair and each signature once, and knows its own signatures.

    A signature that was made in this process, with a key that belongs to its public key, is not
    checked again. A signature that does not hold is checked each time.
    """

    def __init__(self, backend: Ed25519Backend) -> None:
        self._made: set[tuple[bytes, bytes, bytes]] = set()
        self._backend = backend
        self.add = backend.add
        self.times_base = backend.times_base
        self.is_valid_point = lru_cache(ARITHMETIC)(backend.is_valid_point)
        self.key_pair = lru_cache(ARITHMETIC)(backend.key_pair)
        self._sign = lru_cache(ARITHMETIC)(backend.sign)

    def sign(self, secret_key: bytes, message: bytes) -> bytes:
        signature = self._sign(secret_key, message)
        seed, public = secret_key[:32], secret_key[32:]
        if self.key_pair(seed)[0] == public:
            self._remember(public, signature, message)
        return signature

    def verify(self, public: bytes, signature: bytes, message: bytes) -> bool:
        if (public, signature, message) in self._made:
            return True
        holds = self._backend.verify(public, signature, message)
        if holds:
            self._remember(public, signature, message)
        return holds

    def _remember(self, public: bytes, signature: bytes, message: bytes) -> None:
        if len(self._made) >= ARITHMETIC:
            self._made.clear()
        self._made.add((public, signature, message))


def _remembering_keys(
    new_key: Callable[[Random, int], SecretKey],
) -> Callable[[Random, int], SecretKey]:
    made: dict[Any, tuple[SecretKey, Any]] = {}

    def remembered(rng: Random, bits: int) -> SecretKey:
        if type(rng) is not Random:  # others have more of a state than what they say
            return new_key(rng, bits)
        before = rng.getstate(), bits
        if before not in made:
            made[before] = new_key(rng, bits), rng.getstate()
        key, after = made[before]
        rng.setstate(after)
        return key

    return remembered


@contextmanager
def shared_checks() -> Iterator[None]:
    """Remember which signatures and proofs hold, and what an entry leads to. What does not is
    checked by everybody.
    """
    begin, apply = _beginning(log_reader.begin), _applying(log_reader.apply)
    with ExitStack() as stack:
        for module, name in SHARED:
            stack.enter_context(patch.object(module, name, _remembering(getattr(module, name))))
        for folding in FOLDING:
            stack.enter_context(patch.multiple(folding, begin=begin, apply=apply))
        yield


def _remembering(check: Callable[..., Any]) -> Callable[..., Any]:
    remembered = lru_cache(KEPT)(check)

    @wraps(check)
    def checked(*values: Any) -> Any:
        try:
            hash(values)
        except TypeError:  # somebody sent a list where bytes belong
            return check(*values)
        return remembered(*values)

    return checked


class _Same:
    """A value as a key, equal to others by what tells it from them; it is there as long as
    something is kept for it.
    """

    def __init__(self, value: Any, told_by: Any) -> None:
        self.value, self._told_by = value, told_by

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self._told_by == other._told_by

    def __hash__(self) -> int:
        return hash(self._told_by)


def _beginning(begin: Callable[..., Match]) -> Callable[..., Match]:
    """Matches of one setup, in the same games, begin in one state."""

    @lru_cache(KEPT)
    def remembered(setup: Setup, games: _Same, match_id: bytes, opener: int) -> Match:
        return begin(setup, match_id, opener)

    @wraps(begin)
    def begun(setup: Setup, match_id: bytes, opener: int = TABLE) -> Match:
        return remembered(setup, _Same(setup.games, id(setup.games)), match_id, opener)

    return begun


def _applying(apply: Callable[[Match, Entry], Match]) -> Callable[[Match, Entry], Match]:
    """An entry, which is its bytes, leads from one state to one other."""

    @lru_cache(KEPT)
    def remembered(match: _Same, entry: _Same) -> Match:
        return apply(match.value, entry.value)

    @wraps(apply)
    def applied(match: Match, entry: Entry) -> Match:
        return remembered(_Same(match, id(match)), _Same(entry, entry.raw))

    return applied
