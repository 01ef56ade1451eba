"""Stored matches with the stamps of their entries, and counts of what a fold checks."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from protocol.crypto.primitives import ed25519, ristretto255
from table.match.live_match import LiveMatch
from table.match.seed_seal import seal_seed
from table.match.stored_outcomes import OutcomeStamps
from table.storage.interface import OpenMatch


def stamped(live: LiveMatch, stamps: OutcomeStamps | None = None) -> tuple[bytes, ...]:
    """Return the stamps of all entries that have heads."""
    stamps = stamps or live.stamps()
    hashes, outcomes = live.log.chain_hashes, live.outcomes
    return tuple(
        stamps.stamp(number, hashes[number], record.head, outcomes[number])
        for number, record in enumerate(live.records)
    )


def open_match(live: LiveMatch, stamps: tuple[bytes, ...] | None = None) -> OpenMatch:
    """Return a match as a claim finds it in a store; by default with all stamps."""
    match_id = live.log.match_id
    sealed = seal_seed(live._identity, match_id, live.seed)
    found = stamped(live) if stamps is None else stamps
    return OpenMatch(match_id, 1, sealed, list(live.records), 0, found)


@dataclass
class Checks:
    """The checks that were made."""

    signatures: int = 0
    products: int = 0  # of points and scalars: only proofs need them in a fold


class _Counting:
    """Backend that counts the calls of one function."""

    def __init__(self, backend: Any, name: str, counted: Any) -> None:
        self._backend = backend
        function = getattr(backend, name)

        def call(*values: Any) -> Any:
            counted()
            return function(*values)

        setattr(self, name, call)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)


@contextmanager
def counted_checks() -> Iterator[Checks]:
    """Count signatures and products of points that are computed meanwhile."""
    checks, before = Checks(), (ed25519.backend, ristretto255.backend)

    def count_signature() -> None:
        checks.signatures += 1

    def count_product() -> None:
        checks.products += 1

    ed25519.backend = _Counting(ed25519.backend, "verify", count_signature)
    ristretto255.backend = _Counting(ristretto255.backend, "multiply", count_product)
    try:
        yield checks
    finally:
        ed25519.backend, ristretto255.backend = before
