"""The kit's table cases at our table behind a relay. Left out are those about bytes of a TCP stream,
which no WebSocket carries, those that flood the table's own port (a relay has bounds of its own:
tests/integration/relay), and those that start tables of their own, or compute for long.
"""

from dataclasses import replace

import pytest

from conformance import report
from conformance.runner import CaseState, run_cases
from conformance.table.kit import CASES, make_table_kit
from relay.rules import RelayBounds
from relay.server import RelayServer
from table.config import Bounds, Ways
from table.manager.server import TableServer
from tests.conformance.broken.__main__ import config_for
from tests.conformance.broken.check import HANDSHAKE_SECONDS
from tests.conformance.test_kit import COMPUTING
from tests.support.relays import relay_config
from tests.support.tables import until

ELSEWHERE = COMPUTING | {"bounds", "stream", "clock", "restart"}
GROUPS = sorted({case.group for case in CASES} - ELSEWHERE)
STARTED = {"witness-that-is-killed"}  # for this one the kit starts the programs
TOGETHER = 4  # parallel cases in one process with their table and the relay
MANY = 1_000  # the kit fills the table from one address


@pytest.mark.match
@pytest.mark.timeout(1200)  # a minute of waiting on an idle machine
@pytest.mark.parametrize("group", GROUPS)
async def test_our_table_conforms_behind_a_relay(tmp_path, group):
    config = relay_config(
        bounds=RelayBounds(guests_of_address=MANY, waiting=MANY, waiting_of_address=MANY),
        door=Bounds(
            per_address=MANY,
            half_open_per_address=MANY,
            half_open=MANY,
            arrivals_per_address=(10 * MANY, MANY),
        ),
    )
    async with RelayServer(config) as relay:
        given = config_for(tmp_path, handshake_seconds=HANDSHAKE_SECONDS)
        async with TableServer(replace(given, ways=Ways(relays=relay.urls))) as table:
            await until(lambda: table.open_relays)
            kit = make_table_kit(table.relay_links[0], 60)
            cases = [case for case in CASES if case.group == group and case.name not in STARTED]
            outcomes = await run_cases(replace(kit, cases=cases), cases, together=TOGETHER)
    assert {outcome.state for outcome in outcomes} == {CaseState.PASSED}, report.to_text(outcomes)


def test_most_cases_run_behind_a_relay():
    assert sum(case.group in GROUPS for case in CASES) > 200
