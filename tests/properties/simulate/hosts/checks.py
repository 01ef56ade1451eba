"""What must hold of all that hosts ever signed and sent, whichever of them had a match at the
time.
"""

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
        """`forgets`: the store may have lost what it had acknowledged: a head that nobody was sent
        proves nothing.
        """
        self._forgets = forgets
        self.signed: dict[tuple[bytes, int], bytes] = {}  # the hash, by match and number
        self.received: dict[tuple[bytes, int], tuple[bytes, bytes]] = {}  # entry and head
        self.heard: dict[bytes, set[str]] = {}  # who received something, by match
        self.count = 0

    def sign(self, match_id: bytes, number: int, hashed: bytes) -> None:
        """A host signs. Raises: Violation."""
        self.count += 1
        if self.signed.setdefault((match_id, number), hashed) != hashed and not self._forgets:
            raise Violation(f"two different heads {number} were signed")

    def receive(self, who: str, match_id: bytes, number: int, raw: bytes, head: bytes) -> None:
        """Somebody has received an entry with its head. Raises: Violation."""
        self.heard.setdefault(match_id, set()).add(who)
        if self.received.setdefault((match_id, number), (raw, head)) != (raw, head):
            raise Violation(f"{who} received another entry {number} or head than somebody else")

    def check(self, match_id: bytes, log: Sequence[Record]) -> None:
        """All that anybody received stands in the log, at its number; its last heads may lack.
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
    """The table's key at one of its hosts, which signs for a match only what the store has for good
    (R1).
    """

    def __init__(self, identity: Identity, store: SharedStore, heads: Heads) -> None:
        self._key, self.public = identity._key, identity.public
        self._store, self._heads = store, heads

    def sign(self, label: str, *fields: Any) -> bytes:
        """See `Identity.sign`. Raises: Violation."""
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
    """The same matches under a key that looks what it signs."""
    return lambda identity, *values: matches(SharedIdentity(identity, store, heads), *values)
