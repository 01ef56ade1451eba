"""The kit at a WebSocket port: ours passes, and every case finds one that accepts everything."""

from dataclasses import replace

import pytest
from websockets.asyncio.server import serve

from conformance import report
from conformance.runner import CaseState, run_cases
from conformance.table.kit import WEB_CASES, make_table_kit
from conformance.table.sanity import honest_match
from net.websocket_transport import NULL_LOGGER
from protocol.identity.keys import JoinLink
from table.manager.server import TableServer
from tests.conformance.specification import sections
from tests.support.doors import HERE, ways
from tests.support.tables import config

pytestmark = pytest.mark.match


async def test_our_websocket_listener_conforms(tmp_path):
    async with TableServer(config(tmp_path, ways=ways())) as table:
        kit = make_table_kit(table.web_link)
        outcomes = await run_cases(kit, WEB_CASES)
        assert {outcome.state for outcome in outcomes} == {CaseState.PASSED}, report.to_text(
            outcomes
        )
        async with kit.arena() as arena:
            await honest_match(await arena.play(dealing="layered"))


async def test_websocket_listener_without_checks_fails_every_case():
    async def repeats(line):
        async for message in line:
            await line.send(message + b"!" if isinstance(message, bytes) else message)

    async with serve(repeats, HERE, 0, logger=NULL_LOGGER) as server:
        link = JoinLink(HERE, server.sockets[0].getsockname()[1], "a" * 40, web_scheme="ws")
        outcomes = await run_cases(replace(make_table_kit(link, 0.5), well=None), WEB_CASES)
    assert {outcome.state for outcome in outcomes} == {CaseState.FAILED}, report.to_text(outcomes)


def test_every_case_cites_a_section_that_exists():
    assert {case.section for case in WEB_CASES} <= sections()
