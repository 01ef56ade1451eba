"""All cases for tables, in groups by layer."""

from collections.abc import Sequence

from conformance.case import all_cases
from conformance.runner import ConformanceKit
from conformance.scope import WHOLE, Scope
from conformance.table.connection import TIMEOUT
from conformance.table.environment import TableUnderTest
from conformance.table.lobby import (
    bounds,
    lobby,
    log_reading,
    people,
    presence,
    round_trips,
    signs_of_life,
    witnesses,
)
from conformance.table.match import (
    clock,
    commutative,
    entries,
    game,
    layered,
    leavers,
    ligretto,
    open_games,
    own_decks,
    poker,
    restart,
    verified,
)
from conformance.table.match.rule_files import (
    loose_cards,
    owned_decks,
    private_decks,
    rules,
    seeded,
)
from conformance.table.sanity import SANITY, check_health
from conformance.table.session import (
    encoding,
    handshakes,
    records,
    stream,
    tickets,
    websocket,
)
from conformance.table.started_table import TableStarter
from conformance.trace import OutputLines
from protocol.identity.keys import JoinLink

SESSION = (stream, encoding, handshakes, records, tickets)
LOBBY = (lobby, log_reading, presence, signs_of_life, people, round_trips, witnesses, bounds)
MATCH = (
    entries,
    game,
    layered,
    verified,
    own_decks,
    loose_cards,
    leavers,
    commutative,
    poker,
    open_games,
    ligretto,
    rules,
    private_decks,
    owned_decks,
    seeded,
    clock,
    restart,
)
GROUPS = [each.GROUP for each in SESSION + LOBBY + MATCH]
CASES = all_cases(GROUPS)
WEB_CASES = all_cases([websocket.GROUP])


def make_table_kit(
    link: JoinLink,
    patience: float = TIMEOUT,
    hosts: TableStarter | None = None,
    output: Sequence[OutputLines] = (),
    *,
    scope: Scope = WHOLE,
) -> ConformanceKit:
    """Return the kit for the table at this link. `patience` is the number of seconds to wait for a
    required answer.

    For a link to a WebSocket door, the kit has only the cases for WebSocket; the table is the same.
    `hosts` starts more tables of this kind, which cases may kill; without `hosts`, these cases are
    skipped. `output` is that of the table at the link, if the kit has started it.
    """
    return ConformanceKit(
        TableUnderTest(link, patience, hosts, output, scope=scope).arena,
        SANITY,
        WEB_CASES if link.web_scheme else CASES,
        check_health,
        before_match=frozenset(each.GROUP.name for each in SESSION),
        scope=scope,
    )
