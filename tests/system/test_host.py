"""Program `fairdeal host`: its first line, its exit codes, and its stop."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from contextlib import asynccontextmanager, closing

import pytest

from conformance.case import CaseFailed
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.identity.keys import JoinLink
from protocol.match.packed_log import plain_log
from table.__main__ import main
from table.storage.disk.journal import Journal
from table.storage.disk.keys import load_identity
from tests.support.wire_client import WireClient, play_match
from tests.unit.table.storage.disk.test_journal import M, begun

pytestmark = pytest.mark.process

COMMAND = [sys.executable, "-m", "table"]


WRITES_NOTHING = """
import resource, sys
import table.ops.program  # which writes a library that it loads
from table.__main__ import main
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
sys.exit(main())
"""


@asynccontextmanager
async def program(data, *arguments, before=()):
    """Run a table as a process. Yield it with its link, and kill it at the end."""
    process = await asyncio.create_subprocess_exec(
        *before,
        *COMMAND,
        "--listen",
        "127.0.0.1:0",
        "--target",
        "1",
        "--data",
        str(data),
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(120):
            yield process, JoinLink.parse((await process.stdout.readline()).decode())
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def run(*arguments):
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_signal_closes_connections_with_goodbye(tmp_path, number):
    async with program(tmp_path) as (process, link):
        ann, bob = [
            await (await WireClient(link, seed, name).connect()).greet()
            for seed, name in ((1, "A"), (2, "B"))
        ]
        silent = await WireClient(link, 3).connect()
        await ann.join()
        await bob.join()
        for client in (ann, bob):
            if not client.match_id:
                await client.expect("match")
        process.send_signal(number)
        for client in (ann, bob):
            await client.expect_closed(Code.CLOSING)
            await client.close()
        async with asyncio.timeout(120):
            assert await process.wait() == 0
        assert await silent.read_to_end() == b""
        await silent.close()
        _, errors = await process.communicate()
        assert b"Traceback" not in errors


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "Only this computer can reach this link."),
        ("de", "Nur dieser Rechner erreicht diesen Link."),
    ],
)
async def test_loopback_table_warns_and_names_wider_option(tmp_path, monkeypatch, language, told):
    monkeypatch.setenv("LANGUAGE", language)
    async with program(tmp_path) as (process, link):
        process.send_signal(signal.SIGTERM)
        _, errors = await process.communicate()
    assert told in errors.decode()
    assert f"--listen 0.0.0.0:{link.port}" in errors.decode()


async def test_greeting_is_shown_to_newcomer(tmp_path):
    async with program(tmp_path, "--greeting", "Tea at five.") as (_, link):
        ann = await (await WireClient(link, 1, "Ann").connect()).greet()
        assert await ann.expect("announced") == ["Tea at five."]
        await ann.close()


async def test_signal_ends_table_with_refusing_disk(tmp_path):
    """The table cannot claim its old match, and waits for the disk or a signal."""
    load_identity(tmp_path)
    with closing(Journal(tmp_path)) as journal:
        journal.write([begun(M)])
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        WRITES_NOTHING,
        "--listen",
        "127.0.0.1:0",
        "--data",
        str(tmp_path),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(120):
            assert b"the journal cannot be written" in await process.stderr.readline()
            process.send_signal(signal.SIGTERM)
            said, errors = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    assert (process.returncode, said) == (0, b"")
    assert b"closed with 1 changes" in errors and b"Traceback" not in errors


async def test_once_ends_after_all_have_read_the_match(tmp_path):
    async with program(tmp_path, "--once", "--seats", "3") as (process, link):
        players = await play_match(link, 3)
        async with asyncio.timeout(120):
            assert await process.wait() == 0
        (path,) = (tmp_path / "logs").iterdir()
        assert plain_log(path.read_bytes()) == players[0].file
        assert audit(players[0].file).verdict is Verdict.CLEAN
        assert players[0].reader.log.setup.terms.game.options == (("target", 1),)


async def test_log_has_no_names_and_no_secrets(tmp_path):
    async with program(tmp_path, "--once", "--log-level", "debug") as (process, link):
        ann = await (await WireClient(link, 3, "Wilhelmina").connect()).greet()
        await ann.send_payload(b"\x91\xabquetzalcoat")
        await ann.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)
        await ann.close()
        await play_match(link)
        assert await process.wait() == 0
        _, errors = await process.communicate()
        assert b"is over" in errors
        seed = (tmp_path / "identity.key").read_bytes()
        for secret in (b"Wilhelmina", b"quetzal", seed, seed.hex().encode()):
            assert secret not in errors


async def until_there_is_room(link: JoinLink) -> None:
    """Wait until the table has noticed that others have disconnected."""
    while True:
        client = await WireClient(link, 99).connect()
        try:
            await client.greet()
            return
        except CaseFailed:
            await asyncio.sleep(0.02)
        finally:
            await client.close()


async def test_host_with_few_descriptors_neither_spins_nor_fails(tmp_path):
    limit = ["bash", "-c", 'ulimit -n 64; exec "$@"', "table"]
    async with program(tmp_path, "--once", "--log-level", "error", before=limit) as (process, link):
        crowd = [await WireClient(link, seed).connect() for seed in range(80)]
        ended = await asyncio.gather(*(client.read_to_end() for client in crowd[32:]))
        # turned away with a last word, or without one while there is no descriptor for it
        assert set(ended) <= {b"", bytes([0, 0, 0, 1, 2])}
        times = os.times()
        for client in crowd:
            await client.close()
        await until_there_is_room(link)
        await play_match(link)
        assert await process.wait() == 0
        used = os.times()
        assert used.children_user - times.children_user < 8
        assert b"accept" not in (await process.communicate())[1]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--listen", "nowhere"],
        ["--seats", "9"],
        ["--seats", "two"],
        ["--game", "chess"],
        ["--target", "0"],
        ["--option", "highest"],
        ["--option", "highest=7"],
        ["--target", "5", "--option", "target=3"],
        ["--option", "highest=9", "--option", "highest=many"],
        ["--option", "highest=" + "9" * 5000],
        ["--deal-option", "take=0"],
        ["--name", "a\x07"],
        ["--greeting", ""],
        ["--greeting", "x" * 201],
        ["--turn-seconds", "0"],
        ["--step-seconds", "0"],
        ["--step-seconds", "1.5"],
        ["--extensions", "-1"],
        ["--extensions", "101"],
        ["--level", "100"],  # in a game with turns
        ["--game", "ligretto", "--level", "501"],
    ],
)
def test_wrong_command_lines(tmp_path, capsys, arguments):
    """Runs in this process at an address where nobody can listen, so a right command line would
    give another error.
    """
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(SystemExit) as end:
        main(
            ["--listen", f"127.0.0.1:{taken.getsockname()[1]}", "--data", str(tmp_path), *arguments]
        )
    out, err = capsys.readouterr()
    assert (end.value.code, out) == (2, "")
    assert "Traceback" not in err
    assert "\x07" not in err


def test_a_wrong_command_line_of_the_program(tmp_path):
    done = run("--data", str(tmp_path), "--name", "a\x07")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert "\x07" not in done.stderr


def test_help_teaches():
    done = run("--help")
    assert done.returncode == 0
    commands = ("fairdeal join LINK", "fairdeal audit", "127.0.0.1:7500")
    for word in (
        *commands,
        "--deal-option",
        "--turn-seconds",
        "--step-seconds",
        "--extensions",
        "--level",
    ):
        assert word in done.stdout


def test_address_in_use(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run("--listen", f"127.0.0.1:{taken.getsockname()[1]}", "--data", str(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "--listen" in done.stderr


def test_key_that_others_may_read(tmp_path):
    (tmp_path / "identity.key").write_bytes(bytes(32))
    (tmp_path / "identity.key").chmod(0o644)
    done = run("--listen", "127.0.0.1:0", "--data", str(tmp_path))
    assert (done.returncode, done.stdout) == (77, "")
    assert "chmod 600" in done.stderr
    assert done.stderr.count("\n") == 1
