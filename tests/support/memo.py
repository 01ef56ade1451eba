"""Memoised computations: parties of one process compute equal results once.

Outside of tests every party has a machine of its own and checks for itself. Here all parties would
check the same signatures and proofs one after the other, and fold the same entries into the same
states. That is most of the time of a match. The computations are pure and the states frozen, so a
remembered result changes only the time. Nothing is left out that nobody has computed.

Tests deal from fixed seeds, so many tests play the same beginning of a match. Three quarters of
their signatures were made by a test before, from the same bytes, and as many of their points.

`memoised_backends` puts memoising backends behind the primitives (decision 0083). tests/conftest.py
installs it for the whole session. `memoised_fold` lets the three readers of entries share the
results of the fold. tests/conftest.py installs it for each test that is marked `match`. Without it
these tests take a fifth longer.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from conformance.player import kit_match
from protocol.crypto.primitives import ed25519
from protocol.crypto.primitives.backend import Ed25519Backend
from protocol.crypto.primitives.native import ristretto255 as native
from protocol.match import fold, log_reader
from protocol.match.fold import Outcome
from protocol.match.log import Entry
from protocol.match.setup import Setup
from protocol.match.state import Match
from protocol.seats import TABLE
from table.match import live_match
from tests.support.sums import MemoisedRistretto, use_backend

KEPT_STATES = 1 << 13  # parties are seldom more than a few hundred entries apart
KEPT_RESULTS = 1 << 17  # of one function of a backend: some ten megabytes


@contextmanager
def memoised() -> Iterator[None]:
    """Install `memoised_backends` and `memoised_fold`, for a program that plays a match."""
    with memoised_backends(), memoised_fold():
        yield


@contextmanager
def memoised_backends() -> Iterator[None]:
    """Compute each point and each signature once. What does not hold is checked each time."""
    before = ed25519.backend
    ed25519.backend = MemoisedEd25519(before)
    try:
        with use_backend(MemoisedRistretto(native)):
            yield
    finally:
        ed25519.backend = before


class MemoisedEd25519:
    """Ed25519 that computes each key pair and each signature once, and knows its own signatures.

    A signature that was made in this process, with a key that belongs to its public key, is not
    checked again. A signature that does not hold is checked each time.
    """

    def __init__(self, backend: Ed25519Backend) -> None:
        self._made: set[tuple[bytes, bytes, bytes]] = set()
        self._backend = backend
        self.add = backend.add
        self.times_base = backend.times_base
        self.is_valid_point = lru_cache(KEPT_RESULTS)(backend.is_valid_point)
        self.key_pair = lru_cache(KEPT_RESULTS)(backend.key_pair)
        self._sign = lru_cache(KEPT_RESULTS)(backend.sign)

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
        if len(self._made) >= KEPT_RESULTS:
            self._made.clear()
        self._made.add((public, signature, message))


@contextmanager
def memoised_fold() -> Iterator[None]:
    """Let the readers of entries share what an entry leads to. A refusal is computed each time."""
    shared = MemoisedFold()
    names = {log_reader: "apply", live_match: "judge", kit_match: "apply"}
    before = [(reader.begin, getattr(reader, name)) for reader, name in names.items()]
    for reader, name in names.items():
        reader.begin = shared.begin
        setattr(reader, name, getattr(shared, name))
    try:
        yield
    finally:
        for (reader, name), (begin, function) in zip(names.items(), before, strict=True):
            reader.begin = begin
            setattr(reader, name, function)


class MemoisedFold:
    """Fold that begins one state for equal setups, and applies an entry to a state once."""

    def __init__(self) -> None:
        self._begin = lru_cache(KEPT_STATES)(_begin)
        self._judge = lru_cache(KEPT_STATES)(_judge)

    def begin(self, setup: Setup, match_id: bytes, opener: int = TABLE) -> Match:
        return self._begin(setup, _Same(setup.games, id(setup.games)), match_id, opener)

    def apply(self, match: Match, entry: Entry) -> Match:
        return self.judge(match, entry)[0]

    def judge(self, match: Match, entry: Entry) -> tuple[Match, Outcome]:
        return self._judge(_Same(match, id(match)), _Same(entry, entry.raw))


class _Same:
    """Value as a key of a cache, equal to values with the same mark; the cache keeps the value."""

    def __init__(self, value: Any, mark: Any) -> None:
        self.value = value
        self._mark = mark

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self._mark == other._mark

    def __hash__(self) -> int:
        return hash(self._mark)


def _begin(setup: Setup, _games: _Same, match_id: bytes, opener: int) -> Match:
    return fold.begin(setup, match_id, opener)


def _judge(match: _Same, entry: _Same) -> tuple[Match, Outcome]:
    return fold.judge(match.value, entry.value)
