"""`fairdeal table drain`: no match begins any more, what runs is played, and then the program ends."""

import asyncio
import json

import pytest

from conformance.table.environment import wire_terms
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from tests.support.tables import CLOCK
from tests.system.test_host import program
from tests.system.test_table_command import begun, closed, guest, table_command

pytestmark = pytest.mark.process


async def ended(process):
    """Return the exit code of a program that ends by itself."""
    async with asyncio.timeout(60):
        return await process.wait()


async def test_drained_table_plays_what_runs_and_ends(tmp_path):
    async with program(tmp_path, "--allow-create", "any") as (process, link):
        clients, players = await begun(link)
        cid, dora = await guest(link, 3, "Cid"), await guest(link, 4, "Dora")
        await cid.send(
            "create", wire_terms("block-dominoes", [["target", 1]], "layered", [], CLOCK, 2)
        )
        (table_id,) = await cid.expect("created")
        await cid.send("join", table_id)
        await cid.expect("waiting")

        code, said, errors = await table_command(tmp_path, "drain")
        assert code == 0 and "One match runs" in said, errors
        _, status, _ = await table_command(tmp_path, "status", "--json")
        assert json.loads(status)["head"]["draining"]
        await cid.expect_error(Code.DRAINING)
        await cid.expect("left")
        await dora.send("join", table_id)
        await dora.expect_error(Code.DRAINING)

        code, said, errors = await table_command(tmp_path, "drain", "--cancel")
        assert code == 0 and "begin again" in said, errors
        await dora.send("join", table_id)
        await dora.expect("waiting")
        await dora.send("leave")
        await dora.expect("left")
        code, _, errors = await table_command(tmp_path, "drain", "--cancel")
        assert code == 1 and "nothing was cancelled" in errors

        # somebody whose line is lost comes back to a match that runs
        assert (await table_command(tmp_path, "drain"))[0] == 0
        await clients[0].close()
        again = await guest(link, 1, "Ann")
        await again.send("resume", players[0].client.match_id, players[0].holds, None)
        await again.expect("match")
        again.rng, players[0].client = players[0].client.rng, again
        await asyncio.gather(*(player.run() for player in players))
        assert audit(players[1].file).verdict is Verdict.CLEAN
        assert await closed(cid) == Code.CLOSING
        assert await ended(process) == 0
        for client in (again, clients[1], dora):
            await client.close()
    # the same folder begins matches again
    async with program(tmp_path) as (_, link):
        cid = await guest(link, 3, "Cid")
        await cid.join()
        await cid.close()


async def test_drained_table_without_a_match_ends_at_once(tmp_path):
    async with program(tmp_path) as (process, _):
        code, said, errors = await table_command(tmp_path, "drain")
        assert code == 0 and "No new match begins" in said, errors
        assert await ended(process) == 0
