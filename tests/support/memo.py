"""Caches of pure functions, so that all parties of a process compute each result only once.

In reality every party has its own machine, and checks for itself. In one process all of them would
check the same signatures and proofs, and fold the same entries, which is most of the time of a
match. The functions are pure and the states frozen, so a cache changes nothing but the time.

Tests use fixed seeds, so many play the same beginning of a match. Three quarters of their
signatures and points occurred in an earlier test, with the same bytes. Signatures and validity of
points are cached over all tests. Points are cached as sums (`sums`).
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

KEPT = 1 << 13  # results; parties are rarely more than a few hundred entries apart
SHARED = (
    (identity, "is_signature_valid"),
    (fold, "check_knowledge"),
    (fold, "check_shuffle"),
    (fold, "check_share"),
)
ARITHMETIC = 1 << 17  # results of one function: about ten megabytes each
FOLDING = (log_reader, live_match, kit_match)  # modules that fold entries


def remember_arithmetic() -> None:
    """Cache points, signatures and pairs of primes in this process. Failures are not cached.

    Finding two primes from a stream of random numbers takes a quarter of a second.
    """
    ristretto255.is_valid_point = lru_cache(ARITHMETIC)(ristretto255.is_valid_point)
    compute_sums_once()
    ed25519.backend = RememberedEd25519(ed25519.backend)
    residue.new_key = _remembering_keys(residue.new_key)


class RememberedEd25519:
    """Ed25519 with a cache of key pairs and signatures.

    A signature that this process made with the right key is not checked again. An invalid signature
    is checked each time.
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
        if type(rng) is not Random:  # other random sources have state that `getstate` does not show
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
    """Cache valid signatures, valid proofs, and the states after entries. Invalid ones are checked
    by every party.
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
        except TypeError:  # a list in place of bytes
            return check(*values)
        return remembered(*values)

    return checked


class _Same:
    """Wrapper that makes a value a key of a cache. Two are equal if their distinguishing data is
    equal.
    """

    def __init__(self, value: Any, told_by: Any) -> None:
        self.value, self._told_by = value, told_by

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self._told_by == other._told_by

    def __hash__(self) -> int:
        return hash(self._told_by)


def _beginning(begin: Callable[..., Match]) -> Callable[..., Match]:
    """Cache the first state of a match by setup and games."""

    @lru_cache(KEPT)
    def remembered(setup: Setup, games: _Same, match_id: bytes, opener: int) -> Match:
        return begin(setup, match_id, opener)

    @wraps(begin)
    def begun(setup: Setup, match_id: bytes, opener: int = TABLE) -> Match:
        return remembered(setup, _Same(setup.games, id(setup.games)), match_id, opener)

    return begun


def _applying(apply: Callable[[Match, Entry], Match]) -> Callable[[Match, Entry], Match]:
    """Cache the state after an entry by the entry's bytes."""

    @lru_cache(KEPT)
    def remembered(match: _Same, entry: _Same) -> Match:
        return apply(match.value, entry.value)

    @wraps(apply)
    def applied(match: Match, entry: Entry) -> Match:
        return remembered(_Same(match, id(match)), _Same(entry, entry.raw))

    return applied
