"""`fairdeal table prune`, `backup` and `restore` against a table of a process of its own."""

import asyncio
import json
import stat
import subprocess
import sys
from contextlib import closing

import pytest

from protocol.codes import Code
from protocol.match.log import chain_position
from protocol.match.packed_log import plain_log
from scripts.benchmarks.finished import make_folder
from table.storage.disk.journal import Journal
from tests.support.tables import until
from tests.support.wire_client import Player, play_match
from tests.system.test_host import program
from tests.system.test_table_command import guest, table_command

pytestmark = pytest.mark.process


async def begun(link, entries):
    """Begin a match of two, and play so many entries."""
    clients = [await guest(link, 1, "Ann"), await guest(link, 2, "Bob")]
    for client in clients:
        await client.join()
    for client in clients:
        if not client.match_id:
            await client.expect("match")
    players = [Player(client) for client in clients]
    await asyncio.gather(*(player.run(until=entries) for player in players))
    return players


async def came_back(link, player, seed=1, name="Ann"):
    """Ask for the match of a player; return the code of the answer."""
    again = await guest(link, seed, name)
    await again.send("resume", player.client.match_id, player.holds, None)
    received = await again.receive()
    await again.close(polite=False)
    return again.closed.code if received is None else received[1][0]


def logs(folder):
    return sorted(path.name for path in (folder / "logs").glob("*.fairdeal"))


async def test_backup_of_running_table_restores_to_one_that_signs_nothing_twice(tmp_path):
    data, copy, backup = tmp_path / "table", tmp_path / "again", tmp_path / "table.backup"
    async with program(data) as (_, link):
        ended = await play_match(link, 2)
        await until(lambda: logs(data))
        running = await begun(link, 4)
        code, said, errors = await table_command(data, "backup", str(backup))
        assert code == 0 and "keep it as you keep the key" in said, errors
        assert stat.S_IMODE(backup.stat().st_mode) == 0o600
        # entries that the table acknowledges after the backup
        await asyncio.gather(*(player.run(until=12) for player in running))
        code, _, errors = await table_command(data, "backup", str(backup))
        assert code == 1 and "exists already" in errors
        for player in running:
            await player.client.close()

    code, _, errors = await table_command(data, "restore", str(backup))
    assert code == 1 and "exists already" in errors
    code, said, errors = await table_command(copy, "restore", str(backup))
    assert code == 0 and "Never start the old folder again" in said, errors
    assert "stopped now: 1" in said and "1 finished match" in said
    assert stat.S_IMODE(copy.stat().st_mode) == 0o700 and logs(copy) == logs(data)

    async with program(copy) as (_, again):
        assert again.fingerprint == link.fingerprint
        # a seat with entries of after the backup: the table signs nothing, and nobody is to forget
        assert await came_back(again, running[0]) == Code.MATCH_STOPPED
        late = await guest(again, 100, "Ann")
        records = ended[0].records
        number, hashed = chain_position(entry for entry, _ in records)
        await late.send("resume", ended[0].client.match_id, [number, hashed, records[-1][1]], None)
        await late.expect("match")
        await late.send("replay", late.match_id, 0)
        entries = 0
        while entries < len(records):
            message = await late.receive()
            assert message is not None
            entries += message[0] == "entry"
        await late.close()
        await play_match(again, 2)
    (name,) = logs(data)
    assert plain_log((copy / "logs" / name).read_bytes()) == ended[0].file


async def test_backup_says_that_a_key_of_elsewhere_is_not_in_it(tmp_path):
    data, key, backup = tmp_path / "table", tmp_path / "key", tmp_path / "table.backup"
    key.write_bytes(bytes(range(32)))
    key.chmod(0o600)
    async with program(data, "--key", str(key)):
        code, said, errors = await table_command(data, "backup", str(backup))
        assert code == 0 and "key is NOT in it" in said, errors
        code, said, _ = await table_command(data, "backup", f"{backup}.2", "--json")
        assert json.loads(said)["has_key"] is False
    code, said, errors = await table_command(tmp_path / "again", "restore", str(backup))
    assert code == 0 and "The backup has no key" in said, errors


async def test_backup_names_what_is_wrong_with_its_place(tmp_path):
    data = tmp_path / "table"
    async with program(data):
        code, _, errors = await table_command(data, "backup", str(tmp_path / "none" / "a.backup"))
        assert code == 1 and f"There is no folder {tmp_path / 'none'}" in errors
    assert not list(data.glob("*.part"))
    code, _, errors = await table_command(data, "backup", str(tmp_path / "none" / "a.backup"))
    assert code == 1 and f"There is no folder {tmp_path / 'none'}" in errors


async def test_damaged_backup_restores_nothing(tmp_path):
    data, backup, copy = tmp_path / "table", tmp_path / "table.backup", tmp_path / "copy"
    async with program(data) as (_, link):
        await play_match(link, 2)
        await until(lambda: logs(data))
    code, _, errors = await table_command(data, "backup", str(backup))
    assert code == 0, errors  # no table runs
    whole = backup.read_bytes()
    for damage in (whole[: len(whole) // 2], whole[:3000] + b"x" + whole[3001:], b"", b"no tar"):
        backup.write_bytes(damage)
        code, _, errors = await table_command(copy, "restore", str(backup))
        assert code == 1 and "damaged" in errors and "Traceback" not in errors
    assert sorted(path.name for path in tmp_path.iterdir()) == ["table", "table.backup"]


async def test_prune_lets_go_of_old_matches_while_the_table_runs(tmp_path):
    async with program(tmp_path) as (_, link):
        first = await play_match(link, 2)
        await until(lambda: len(logs(tmp_path)) == 1)
        running = await begun(link, 4)
        code, _, errors = await table_command(tmp_path, "prune")
        assert code == 2 and "--older-than" in errors
        code, said, errors = await table_command(tmp_path, "prune", "--keep", "0", "--dry-run")
        assert code == 0 and logs(tmp_path)[0] in said and "dry run" in said, errors
        code, said, _ = await table_command(tmp_path, "prune", "--older-than", "1h", "--json")
        assert code == 0 and {row["kind"]: row["gone"] for row in json.loads(said)["kinds"]} == {
            "finished": 0,
            "stopped": 0,
            "forked": 0,
            "bans": 0,
        }
        assert len(logs(tmp_path)) == 1
        code, said, _ = await table_command(tmp_path, "prune", "--keep", "0", language="de")
        assert code == 0 and "1 gehen" in said and not logs(tmp_path)
        assert await came_back(link, first[0], 100) == Code.WRONG_MATCH
        await asyncio.gather(*(player.run() for player in running))
        await until(lambda: len(logs(tmp_path)) == 1)
        for player in running:
            await player.client.close()
    code, said, errors = await table_command(tmp_path, "prune", "--keep", "0")  # it runs no more
    assert code == 0 and not logs(tmp_path), errors


def test_prune_that_is_killed_loses_only_what_goes(tmp_path):
    count = 4000
    make_folder(tmp_path, count)
    words = ("-m", "fairdeal", "table", "prune", "--keep", "4", "--data", str(tmp_path))
    process = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL)
    while len(logs(tmp_path)) > count - 100:
        assert process.poll() is None
    process.kill()
    process.wait()
    with closing(Journal(tmp_path)) as journal:
        rows = list(journal.finished_matches())
        assert [row.file for row in rows] == logs(tmp_path) and 1024 < len(rows) < count
        assert len(journal.finished(rows[0].match_id)) == len(journal.finished(rows[-1].match_id))
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and len(logs(tmp_path)) == 1024, done.stderr
