"""Matches without a store. An entry counts as stored as soon as it stands, so its head is available
at once.

For tests that play whole matches in one process. A `table.match.hosted_match.HostedMatch` with such a match breaks
R1 (docs/protocol, 15.4), and some tests check that this is noticed.
"""

from functools import cache
from typing import Any

from table.match.live_match import LiveMatch


def sign_heads(live: LiveMatch, count: int) -> None:
    """Sign the heads of the first `count` entries with a key that answers at once."""
    live.add_heads([live.signer.ask(request) for request in live.head_requests(count)])


class StoredAtOnce(LiveMatch):
    """Match that needs no store."""

    def __init__(self, *values: Any) -> None:
        super().__init__(*values)
        self.stored(1)
        sign_heads(self, 1)

    def _append_raw(self, raw: bytes) -> None:
        super()._append_raw(raw)
        self.stored(len(self.entries))
        sign_heads(self, len(self.entries))


@cache
def at_once(kind: type[LiveMatch]) -> type[LiveMatch]:
    """Return a subclass of `kind` that needs no store."""
    return kind if issubclass(kind, StoredAtOnce) else type(kind.__name__, (StoredAtOnce, kind), {})


def restored(live: LiveMatch) -> LiveMatch:
    """Return the match as after a restart, for a room with a store."""
    again = LiveMatch.restore(live._identity, live.seed, live.records, live.match.setup.games)
    again.answer()
    return again
