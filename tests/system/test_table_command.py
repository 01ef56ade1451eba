"""`fairdeal table` as its host types it, against a table of a process of its own."""

import asyncio
import json
import os
import stat
import subprocess
import sys
from importlib.metadata import version

import pytest

from protocol.audit.verdict import Verdict, audit, report_data
from protocol.codes import Code
from protocol.identity.keys import short_fingerprint
from tests.support.wire_client import Player, WireClient
from tests.system.test_host import program

pytestmark = pytest.mark.process


async def table_command(data, *words, language="en"):
    """Run the command as a person does; its exit code, and what it prints."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "fairdeal", "table", *words, "--data", str(data)),
        env=os.environ | {"LANGUAGE": language},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(60):
        said, errors = await process.communicate()
    return process.returncode, said.decode(), errors.decode()


async def guest(link, seed, name):
    return await (await WireClient(link, seed, name).connect()).greet()


async def begun(link):
    """Seat Ann and Bob, and play the first entries of their match; their clients and players."""
    clients = [await guest(link, 1, "Ann"), await guest(link, 2, "Bob")]
    for client in clients:
        await client.join()
    for client in clients:
        if not client.match_id:
            await client.expect("match")
    players = [Player(client) for client in clients]
    await asyncio.gather(*(player.run(until=4) for player in players))
    return clients, players


async def closed(client):
    while await client.receive() is not None:
        """Not the end yet."""
    await client.close()
    return client.closed.code


async def test_host_sees_acts_and_ends_match_as_the_tables_act(tmp_path):
    async with program(tmp_path) as (_, link):
        assert stat.S_IMODE((tmp_path / "commands.sock").stat().st_mode) == 0o600
        clients, players = await begun(link)
        code, said, _ = await table_command(tmp_path, "status", "--json")
        status = json.loads(said)
        key = short_fingerprint(clients[0].identity.public)
        head = status["head"]
        assert (head["link"], head["version"]) == (str(link), version("fairdeal"))
        assert (head["draining"], head["standby"]) == (False, "") and head["since"] > 0
        assert code == 0 and {row["name"] for row in status["connections"]} == {"Ann", "Bob"}
        assert key in {row["key"] for row in status["connections"]}
        assert [seat["connected"] for seat in status["matches"][0]["seats"]] == [True, True]
        code, said, _ = await table_command(tmp_path, "status", language="de")
        assert code == 0 and "Verbindungen:" in said and key in said

        code, said, _ = await table_command(tmp_path, "ban", key, "--for", "1h", "--json")
        assert (code, json.loads(said)) == (0, {"done": "ban", "count": 0})
        code, said, _ = await table_command(tmp_path, "kick", key)
        assert code == 0
        assert await closed(clients[0]) == Code.KICKED
        again = await guest(link, 1, "Ann")
        await again.send("resume", clients[0].match_id, players[0].holds, None)
        await again.expect("match")
        again.rng = players[0].client.rng
        players[0].client = again

        code, _, errors = await table_command(tmp_path, "remove", "main")
        assert code == 1 and "--end-match" in errors
        code, said, errors = await table_command(tmp_path, "remove", "main", "--end-match")
        assert code == 0, errors
        await asyncio.gather(*(player.run() for player in players))
        report = audit(players[1].file)
        assert report.verdict is Verdict.CLEAN and report.reader.match.winner is None
        assert report_data(report)["ended"] == report.entries - 1

        await again.send("list")
        assert await closed(again) == Code.BANNED
        assert (await table_command(tmp_path, "unban", key))[0] == 0
        back = await guest(link, 1, "Ann")
        code, said, _ = await table_command(tmp_path, "say", "Good", "night.")
        assert code == 0
        assert await back.expect("announced") == ["Good night."]
        await back.close()
        await clients[1].close()
    code, _, errors = await table_command(tmp_path, "status")
    assert code == 1 and "No table runs" in errors


@pytest.mark.parametrize(
    "words", [("ban", "ann"), ("ban", "192.0.2.7", "--for", "soon"), ("say", "x" * 201), ()]
)
def test_wrong_command_line_is_said_with_exit_code_two(tmp_path, words):
    done = subprocess.run(
        [sys.executable, "-m", "fairdeal", "table", *words],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2 and "Traceback" not in done.stderr


async def test_person_is_kicked_by_name_where_only_one_has_it(tmp_path):
    async with program(tmp_path) as (_, link):
        ann = await guest(link, 1, "Ann")
        bobs = [await guest(link, 2, "Bob"), await guest(link, 3, "bob")]
        code, _, errors = await table_command(tmp_path, "kick", "Zoe")
        assert code == 2 and "nor the name of somebody who is connected" in errors
        code, _, errors = await table_command(tmp_path, "ban", "Bob")
        assert code == 2 and all(short_fingerprint(bob.identity.public) in errors for bob in bobs)
        code, said, errors = await table_command(tmp_path, "kick", "ann")
        assert code == 0 and "may come back" in said, errors
        assert f"ann ({short_fingerprint(ann.identity.public)})" in said
        assert await closed(ann) == Code.KICKED
        for bob in bobs:
            await bob.close()


async def test_banned_person_is_let_in_again_by_name_after_going(tmp_path):
    async with program(tmp_path) as (_, link):
        ann = await guest(link, 1, "Ann")
        assert (await table_command(tmp_path, "ban", "Ann", "--for", "1h"))[0] == 0
        assert await closed(ann) == Code.BANNED
        code, said, _ = await table_command(tmp_path, "status")
        assert code == 0 and f"Ann ({short_fingerprint(ann.identity.public)}) until" in said
        code, _, errors = await table_command(tmp_path, "unban", "Zoe")
        assert code == 2 and "name that a ban has" in errors
        code, said, errors = await table_command(tmp_path, "unban", "ann")
        assert code == 0 and "Not banned any more" in said, errors
        back = await guest(link, 1, "Ann")
        await back.send("list")
        await back.expect("tables")
        await back.close()
