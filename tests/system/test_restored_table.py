"""Players of a table that was restored from a backup, as programs: what they read, and how they give
up a match with which the table cannot go on.
"""

import asyncio
import shutil

import pytest

from tests.support.wire_client import Player
from tests.system.test_host import program
from tests.system.test_join import program as joining
from tests.system.test_join_unfinished import killed
from tests.system.test_key_rotation import asked, at_table, shows
from tests.system.test_table_command import guest, table_command

pytestmark = pytest.mark.process
WHY = {
    "before": "The table does not have this match any more",
    "during": "The table cannot go on with this match",
}
QUESTION = "Give the match up?"


def unfinished(data):
    return list((data / "matches").glob("*.json"))


async def leave_unfinished(link, data):
    """Begin a match of Zoe's at the table, and end her program in the middle of it."""
    bob = await guest(link, 2, "Bob")
    await bob.join()
    async with joining(link, "--name", "Zoe", "--data", data) as zoe:
        await bob.expect("match")
        playing = asyncio.create_task(Player(bob).run())
        await killed(zoe)
    playing.cancel()
    await asyncio.wait([playing])
    await bob.close(polite=False)


@pytest.fixture
async def backups(tmp_path):
    """Let Zoe begin a match at a table; return the tables restored from backups of before and of
    during the match.
    """
    data = tmp_path / "table"
    restored = {}
    async with program(data) as (_, link):
        for name in WHY:
            code, _, errors = await table_command(data, "backup", str(tmp_path / name))
            assert code == 0, errors
            if name == "before":
                await leave_unfinished(link, tmp_path / "zoe")
    for name in WHY:
        restored[name] = tmp_path / f"{name}-table"
        code, said, errors = await table_command(restored[name], "restore", str(tmp_path / name))
        assert code == 0, errors
        assert "ask whether to give the match up" in said and "join LINK --forget" in said
    return restored


@pytest.mark.parametrize("made", WHY)
async def test_person_reads_why_and_drops_the_match_after_a_yes(tmp_path, backups, made):
    data = tmp_path / "zoe"
    async with program(backups[made]) as (_, link):
        async with at_table(link, data) as zoe:
            await asked(zoe, "anything else means no")
            assert shows(zoe, WHY[made]) and shows(zoe, QUESTION)
            assert shows(zoe, "restored the table from a backup")
            zoe.type("no\r")
            assert await zoe.end() == 1
            assert shows(zoe, f"fairdeal join --data {data} {link} --forget")
        assert unfinished(data)
        async with at_table(link, data, LANGUAGE="de") as zoe:
            await asked(zoe, "alles andere heißt nein")
            assert shows(zoe, "aus einer Sicherung wiederhergestellt")
            zoe.type("ja\r")
            assert await zoe.end() == 1
            assert shows(zoe, "Die Partie ist aufgegeben")
        assert not unfinished(data)
        async with at_table(link, data) as zoe:
            await asked(zoe, "waiting for 1 more")
            zoe.type("\x03")
            await zoe.end()


async def test_program_that_nobody_can_ask_names_the_command(tmp_path, backups):
    data = tmp_path / "zoe"
    async with program(backups["during"]) as (_, link):
        shutil.copytree(data, tmp_path / "bot")
        for folder, more in ((tmp_path / "bot", ("--bot", "greedy")), (data, ())):
            async with joining(link, "--name", "Zoe", "--data", folder, *more) as zoe:
                assert await zoe.end() == 1
            command = f"fairdeal join --data {folder} {link} --forget"
            assert command in zoe.said and QUESTION not in zoe.said
            assert unfinished(folder)
            async with joining(*command.split()[2:]) as zoe:
                assert await zoe.end() == 0 and "The match is dropped" in zoe.said
            assert not unfinished(folder)
