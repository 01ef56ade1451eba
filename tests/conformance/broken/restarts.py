"""Defects of a table's stored data, and of its behaviour after a restart."""

import os
from collections.abc import Generator
from typing import Any

from protocol.codes import Code
from protocol.games.registry import Games
from protocol.identity.keys import Identity
from table.manager import handlers, server
from table.match.hosted_match import HostedMatch
from table.match.live_match import LiveMatch
from table.net.connection import Connection
from table.storage.disk.journal import Journal
from table.storage.interface import OpenMatch, SavedTable
from tests.conformance.broken.defect import Defects

DEFECTS = Defects()
defect = DEFECTS.defect
_RESTARTED = ("table-killed-*", "entry-*", "time-*", "table-that-*", "nobody-*", "head-*", "tail-*")
MATCHES = tuple(f"restart/{case}" for case in _RESTARTED)


def _loads(**changed: Any) -> None:
    """Change these parts of the journal when it is read, each with a function."""
    load = Journal.load

    def broken(self: Journal) -> SavedTable:
        kept = load(self)
        return kept._replace(
            **{name: change(getattr(kept, name)) for name, change in changed.items()}
        )

    Journal.load = broken


def _claims(**changed: Any) -> None:
    """Change these parts of a match when it is read from the journal, each with a function."""
    claimed = Journal.claimed

    def broken(self: Journal, match_id: bytes) -> OpenMatch | None:
        kept = claimed(self, match_id)
        return kept and kept._replace(
            **{name: change(getattr(kept, name)) for name, change in changed.items()}
        )

    Journal.claimed = broken


@defect("restart/*", "witnesses/witness-that-is-killed")
def has_another_key_each_time() -> None:
    server.load_identity = lambda data, key: Identity(os.urandom(32))


@defect("restart/head-that-the-table-did-not-sign")
def believes_any_head() -> None:
    handlers.check_held_head = lambda holds, match_id, key: None


@defect("restart/claim-that-the-table-did-not-sign")
def believes_any_claim() -> None:
    handlers.check_claim = lambda claim, match_id, key: None


@defect("restart/restart-that-the-table-has-lost")
def takes_any_claim_for_its_own() -> None:
    HostedMatch.knows = lambda self, claim: True


@defect("restart/tail-that-nobody-asked-for")
def takes_no_notice_of_what_nobody_asked_for() -> None:
    HostedMatch.take_back = lambda self, party, tail: True


@defect(*MATCHES)
def forgets_matches() -> None:
    Journal.open_matches = lambda self: []


@defect("witnesses/witness-that-is-killed")
def forgets_what_it_has_signed() -> None:
    _loads(words=lambda words: ())


@defect(*MATCHES)
def loses_the_newest_entry() -> None:
    """Continue before the end of the stored entries, where the journal accepts nothing more."""
    _claims(records=lambda records: records[:-1], claim=lambda claim: claim + 1)


def _with_other_secrets(
    kind: type[LiveMatch], identity: Identity, kept: OpenMatch, games: Games
) -> Generator[None, None, LiveMatch]:
    live = yield from kind.restore_parts(identity, os.urandom(32), kept.records, (), games)
    live.claim = kept.claim
    return live


@defect(
    "restart/table-killed-in-the-layers",
    "restart/table-killed-in-the-selection",
    "restart/table-killed-in-the-slots",
    "restart/table-killed-in-the-game",
    "restart/table-killed-in-a-draw",
    "restart/table-killed-in-the-receipts",
    "restart/table-killed-when-all-is-opened",
    "restart/table-killed-three-times",
    "restart/table-that-is-told-to-stop",
)
def forgets_its_secrets() -> None:
    LiveMatch.claimed_parts = classmethod(_with_other_secrets)


@defect("restart/created-table-*", "restart/seat-reserved-*")
def forgets_created_tables() -> None:
    _loads(tables=lambda tables: [])


@defect("restart/id-of-a-table-that-is-gone")
def uses_ids_again() -> None:
    _loads(last_number=lambda number: 0)


@defect("restart/table-that-is-told-to-stop")
def does_not_say_why_it_stops() -> None:
    end = Connection.end
    Connection.end = lambda self, code, *, error=False: end(
        self, None if code is Code.CLOSING else code, error=error
    )
