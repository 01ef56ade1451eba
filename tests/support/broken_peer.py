"""Program without a table and with one defect, for tests of the conformance kit: `scripts/run
tests.support.broken_peer DEFECT ...`.

`DEFECTS` lists the cases of the kit that must fail for each defect, as guest or as host.
"""

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from player.cli.join_command import main
from player.direct import direct_client
from player.direct.direct_match import DirectMatch
from protocol.codes import Code
from protocol.match.log import Log
from protocol.messages import parcel
from tests.conformance.broken import games


class Defect(NamedTuple):
    """A change that breaks the program, and the cases that must notice it."""

    breaks: Callable[[], None]
    fails: tuple[str, ...]


def _nothing(*_: Any, **__: Any) -> None:
    """Replace a check by one that always passes."""


def _put(where: Any, name: str, value: Any) -> Callable[[], None]:
    return lambda: setattr(where, name, value)


def _any_head() -> None:
    Log.check_next_head = _nothing  # type: ignore[method-assign]


def _any_acceptance() -> None:
    DirectMatch._broken_by = _nothing  # type: ignore[method-assign]


def _no_gap() -> None:
    take = DirectMatch.take

    def broken(self: DirectMatch, given: Any) -> int:
        return 0 if given.first > self.number else take(self, given)

    DirectMatch.take = broken  # type: ignore[method-assign]


DEFECTS = {
    "any-signature": Defect(
        _put(parcel, "verify", _nothing), ("invitation-that-nobody-signed", "invitation-signed-*")
    ),
    "any-terms": Defect(
        _put(parcel, "_check_invitation", _nothing),
        ("invitation-for-three", "invitation-dealt-by-a-table", "invitation-with-a-clock"),
    ),
    "any-acceptance": Defect(
        _any_acceptance, ("acceptance-with-another-nonce", "acceptance-at-another-time")
    ),
    "any-head": Defect(_any_head, ("parcel-with-a-bad-head",)),
    "no-forks": Defect(_put(DirectMatch, "_compare", _nothing), ("fork",)),
    "no-gaps": Defect(_no_gap, ("parcel-with-a-gap",)),
    "any-pack": Defect(games.takes_any_pack, ("pack-with-a-card-twice",)),
    "deaf-to-gaps": Defect(
        _put(direct_client, "TRANSIENT", tuple(set(direct_client.TRANSIENT) - {Code.GAP})),
        ("gap-that-we-have",),
    ),
}

if __name__ == "__main__":
    DEFECTS[sys.argv[1]].breaks()
    sys.exit(main(sys.argv[2:]))
