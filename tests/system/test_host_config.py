"""`fairdeal host` with a configuration file, as a program: reload, exit codes, and its log."""

import asyncio
import contextlib
import json
import os
import pty
import signal
import sqlite3
import subprocess
import sys

import pytest

from protocol.identity.keys import JoinLink
from table.storage.disk.keys import load_identity
from tests.support.wire_client import WireClient
from tests.system.test_table_command import begun, table_command

pytestmark = pytest.mark.process
OWN = ("--listen=127.0.0.1:0", "--workers=0")


def words(folder, *more):
    return (
        *(sys.executable, "-P", "-m", "fairdeal", "host", "--config", str(folder / "table.toml")),
        *("--data", str(folder / "data"), *more),
    )


def write(folder, text):
    (folder / "table.toml").write_text(
        f'listen = "127.0.0.1:0"\nworkers = 0\n{text}', encoding="utf-8"
    )


class Running:
    """A table that runs; its log is read line by line."""

    def __init__(self, process, link):
        self.process, self.link, self.lines = process, link, []

    async def line(self, word):
        """Wait for a line with this word."""
        async with asyncio.timeout(60):
            while word not in (line := (await self.process.stderr.readline()).decode()):
                assert line, self.lines
                self.lines.append(line)
        self.lines.append(line)
        return line


@contextlib.asynccontextmanager
async def running(folder, *more):
    process = await asyncio.create_subprocess_exec(
        *words(folder, *more),
        env=os.environ | {"LANGUAGE": "en"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(60):
            link = (await process.stdout.readline()).decode().strip()
        yield Running(process, JoinLink.parse(link))
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def test_log_of_a_reloaded_table_has_no_words_of_peers(tmp_path):
    write(tmp_path, 'name = "Old"\nlog-format = "json"\nlog-level = "debug"')
    async with running(tmp_path) as table:
        first = json.loads(await table.line("listens at"))["message"]
        for word in ("fairdeal 0", "127.0.0.1", str(tmp_path / "data"), "matches kept: 0"):
            assert word in first
        assert table.link.fingerprint in first
        client = await (await WireClient(table.link, 1, "Mallory").connect()).greet()
        await table.line("is here")
        write(tmp_path, 'name = "New"\nlog-format = "json"\nlog-level = "debug"')
        table.process.send_signal(signal.SIGHUP)
        assert "changed: name" in await table.line("read again")
        write(tmp_path, 'name = "Third"\nseats = 3\nlog-format = "json"')
        table.process.send_signal(signal.SIGHUP)
        assert "seats cannot change" in await table.line("restart to change")
        code, _, errors = await table_command(tmp_path / "data", "reload")
        assert code == 1 and "seats" in errors and "restart" in errors
        write(tmp_path, 'name = "Third"\nlog-format = "json"\nlog-level = "debug"')
        code, said, _ = await table_command(tmp_path / "data", "reload", "--json")
        assert (code, json.loads(said)["changed"]) == (0, ["name"])
        code, said, _ = await table_command(tmp_path / "data", "reload")
        assert code == 0 and "Nothing" in said
        again = await (await WireClient(table.link, 2, "Eve").connect()).greet()
        await again.close()
        await client.close()
        table.process.send_signal(signal.SIGTERM)
        _, rest = await table.process.communicate()
        assert table.process.returncode == 0
        text = "".join(table.lines) + rest.decode()
        assert all(json.loads(line) for line in text.splitlines())
        for said in ("Mallory", "Eve", '"address"'):
            assert said not in text, said


async def test_invitation_is_not_in_the_log(tmp_path):
    write(tmp_path, "invite = true")
    async with running(tmp_path) as table:
        await table.line("listens at")
        assert table.link.invite and str(table.link).rpartition("/")[2] not in table.lines[-1]


async def test_journald_gets_levels(tmp_path):
    write(tmp_path, "")
    (tmp_path / "log").touch()
    with (tmp_path / "log").open("w") as log:
        found = os.fstat(log.fileno())
        process = await asyncio.create_subprocess_exec(
            *words(tmp_path, "--log-addresses"),
            env=os.environ | {"JOURNAL_STREAM": f"{found.st_dev}:{found.st_ino}", "LANGUAGE": "en"},
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
        )
    try:
        link = (await process.stdout.readline()).decode().strip()
        client = await (await WireClient(JoinLink.parse(link), 1, "Ann").connect()).greet()
        await client.close()
    finally:
        process.terminate()
        await process.communicate()
    lines = (tmp_path / "log").read_text("utf-8").splitlines()
    assert not [line for line in lines if not line.startswith("<")]
    assert any(line.startswith("<6>fairdeal 0") for line in lines)
    assert any("is here; from 127.0.0.1" in line for line in lines)


@pytest.mark.parametrize("config", [True, False])
async def test_hangup_of_a_terminal_or_without_a_file_ends_the_table(tmp_path, config):
    write(tmp_path, "")
    master, slave = pty.openpty()
    own = words(tmp_path) if config else (*words(tmp_path)[:5], f"--data={tmp_path}", *OWN)
    process = await asyncio.create_subprocess_exec(
        *own, stdout=asyncio.subprocess.PIPE, stderr=slave if config else asyncio.subprocess.DEVNULL
    )
    os.close(slave)
    try:
        assert await process.stdout.readline()
        while config and b"listens at" not in await asyncio.to_thread(os.read, master, 4096):
            """Not open yet."""
        os.close(master)
        process.send_signal(signal.SIGHUP)
        async with asyncio.timeout(60):
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def test_first_line_counts_matches_of_before_a_restart(tmp_path):
    write(tmp_path, "")
    async with running(tmp_path, "--game", "draw-dominoes") as table:
        clients, _ = await begun(table.link)
    for client in clients:
        await client.close()
    # a worker folds the match, and has not begun when the table is open
    async with running(tmp_path, "--workers", "1") as table:
        assert "matches kept: 1" in await table.line("listens at")


def test_error_that_ends_a_table_has_its_level_for_journald(tmp_path):
    write(tmp_path, "seets = 3")
    with (tmp_path / "log").open("w") as log:
        found = os.fstat(log.fileno())
        environment = os.environ | {"JOURNAL_STREAM": f"{found.st_dev}:{found.st_ino}"}
        done = subprocess.run(words(tmp_path), env=environment, stderr=log, timeout=60, check=False)
    assert done.returncode == 78
    assert (tmp_path / "log").read_text("utf-8").startswith("<3>fairdeal: ")


def ended(folder, *more):
    done = subprocess.run(
        words(folder, *more),
        env=os.environ | {"LANGUAGE": "en"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return done


def test_exit_codes_of_what_is_wrong_again(tmp_path):
    write(tmp_path, "seets = 3")
    done = ended(tmp_path)
    assert done.returncode == 78 and "Did you mean" in done.stderr and "seats" in done.stderr
    write(tmp_path, "seats = 99")
    assert ended(tmp_path).returncode == 78
    write(tmp_path, "")
    assert ended(tmp_path, "--no-such-option").returncode == 2
    assert ended(tmp_path, "--config-ignore", "seats", "--show-config").returncode == 0
    assert not (tmp_path / "data").exists()
    load_identity(tmp_path / "data")
    with contextlib.closing(sqlite3.connect(tmp_path / "data" / "journal.sqlite")) as journal:
        journal.execute("PRAGMA user_version = 99")
    done = ended(tmp_path)
    assert done.returncode == 65 and "newer version" in done.stderr
    assert done.stderr.count("\n") == 1
