"""Promises about all heads that hosts sign and send, whichever host owns the match."""

from collections.abc import Callable, Sequence
from typing import Any

from protocol.identity.keys import Identity
from protocol.match.log import Record
from table.lobby.matches import Matches
from tests.properties.simulate.checks import Violation
from tests.properties.simulate.hosts.store import SharedStore


class Heads:
    """All heads that were signed, and all that anybody received."""

    def __init__(self, forgets: bool) -> None:
        """`forgets`: the store may lose acknowledged data, so that a head that nobody received
        proves nothing.
        """
        self._forgets = forgets
        self.signed: dict[tuple[bytes, int], bytes] = {}  # by match and number: the hash
        # by match and number: entry and head
        self.received: dict[tuple[bytes, int], tuple[bytes, bytes]] = {}
        # by match: names of the programs that received a head
        self.heard: dict[bytes, set[str]] = {}
        self.count = 0

    def sign(self, match_id: bytes, number: int, hashed: bytes) -> None:
        """Note that a host signs a head. Raises: Violation."""
        self.count += 1
        if self.signed.setdefault((match_id, number), hashed) != hashed and not self._forgets:
            raise Violation(f"two different heads {number} were signed")

    def receive(self, who: str, match_id: bytes, number: int, raw: bytes, head: bytes) -> None:
        """Note that somebody has received an entry with its head. Raises: Violation."""
        self.heard.setdefault(match_id, set()).add(who)
        if self.received.setdefault((match_id, number), (raw, head)) != (raw, head):
            raise Violation(f"{who} received another entry {number} or head than somebody else")

    def check(self, match_id: bytes, log: Sequence[Record]) -> None:
        """Check that the log has every received entry at its number; its last heads may be missing.
        Raises: Violation.
        """
        for (received, number), (raw, head) in self.received.items():
            if received != match_id:
                continue
            if (
                number >= len(log)
                or log[number].entry != raw
                or log[number].head not in (b"", head)
            ):
                raise Violation(f"entry {number}, which somebody received, is not in the log")


class SharedIdentity(Identity):
    """The table's key at one of its hosts, which signs for a match only data that is durable in the
    store (R1).
    """

    def __init__(self, identity: Identity, store: SharedStore, heads: Heads) -> None:
        self._key, self.public = identity._key, identity.public
        self._store, self._heads = store, heads

    def sign(self, label: str, *fields: Any) -> bytes:
        """Override `Identity.sign`. Raises: Violation."""
        if label == "head":
            self._check(*fields)
            self._heads.sign(*fields)
        elif label == "refused":
            self._check(fields[0], *fields[2:4])
        return super().sign(label, *fields)

    def _check(self, match_id: bytes, number: int, hashed: bytes) -> None:
        if not self._store.stands(match_id, number, hashed):
            raise Violation(f"a host signed for entry {number}, which is not stored")


def watched(matches: type[Matches], store: SharedStore, heads: Heads) -> Callable[..., Matches]:
    """Return the same matches under a key that checks each statement that it signs."""
    return lambda identity, *values: matches(SharedIdentity(identity, store, heads), *values)
