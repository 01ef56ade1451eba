"""A table's interface to its service manager: the notify socket, the key file, the join link."""

import asyncio
import logging
import os
import signal
import socket
import stat

import pytest

from commandline.sd_notify import READY, STOPPING, tell
from protocol.errors import LocalError
from table.config import Config
from table.manager.server import TableServer
from table.storage.disk.keys import LINK_FILE, given_key, keep_link, load_identity
from tests.support.errors import raises_text
from tests.system.test_host import COMMAND, program, run

KEY = bytes(range(32))
SOMEBODY_ELSE = os.geteuid() + 1


@pytest.fixture
def listener(tmp_path):
    """Return a notify socket, and the environment that names it."""
    path = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.bind(path)
        line.settimeout(60)
        yield line, {"NOTIFY_SOCKET": path}


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "key"
    path.write_bytes(KEY)
    path.chmod(0o400)
    return path


def test_each_notification_is_one_datagram(listener):
    line, environment = listener
    tell(READY, environment)
    tell(STOPPING, environment)
    assert [line.recv(100), line.recv(100)] == [b"READY=1", b"STOPPING=1"]


def test_abstract_socket_name_is_supported():
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.bind("")  # the system chooses a name
        tell(READY, {"NOTIFY_SOCKET": "@" + line.getsockname()[1:].decode()})
        line.settimeout(60)
        assert line.recv(100) == b"READY=1"


@pytest.mark.parametrize("address", ["/nowhere/notify", "x" * 200, "vsock:2:1234", "a\0b"])
def test_unreachable_notify_socket_causes_warning(address, caplog):
    with caplog.at_level(logging.WARNING):
        tell(READY, {"NOTIFY_SOCKET": address})
    assert len(caplog.records) == 1
    assert address not in caplog.text


def test_without_notify_socket_nothing_is_sent(caplog):
    tell(READY, {})
    tell(READY, {"NOTIFY_SOCKET": ""})
    assert not caplog.records


def test_existing_key_file_is_used_and_none_created(tmp_path, key):
    data = tmp_path / "data"
    assert (
        load_identity(data, key).public
        == load_identity(data, key).public
        != load_identity(tmp_path).public
    )
    assert list(data.iterdir()) == []
    assert stat.S_IMODE(data.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("mode", "user"), [(0o400, os.geteuid()), (0o440, SOMEBODY_ELSE), (0o400, SOMEBODY_ELSE)]
)
def test_given_key_permissions_are_checked(key, mode, user):
    key.chmod(mode)
    assert given_key(key, user) == KEY


@pytest.mark.parametrize(
    ("mode", "user"), [(0o440, os.geteuid()), (0o404, SOMEBODY_ELSE), (0o402, SOMEBODY_ELSE)]
)
def test_given_key_readable_by_others_is_refused(key, mode, user):
    key.chmod(mode)
    with raises_text(LocalError, match="Others may read"):
        given_key(key, user)


def test_missing_or_invalid_key_is_refused(tmp_path, key):
    with raises_text(LocalError, match="head -c 32"):
        load_identity(tmp_path, tmp_path / "none")
    with raises_text(LocalError, match="head -c 32"):
        load_identity(tmp_path, tmp_path)
    os.mkfifo(tmp_path / "pipe", 0o600)  # nobody writes to the pipe
    with raises_text(LocalError, match="not a regular file"):
        load_identity(tmp_path, tmp_path / "pipe")
    key.chmod(0o600)
    key.write_bytes(KEY[:-1])
    with raises_text(LocalError, match="damaged"):
        load_identity(tmp_path, key)


def test_link_file_is_readable_only_by_owner(tmp_path):
    keep_link(tmp_path, "fairdeal://first")
    (tmp_path / f"join-link.{os.getpid()}.new").write_text(
        "of a process with this number, that crashed"
    )
    keep_link(tmp_path, "fairdeal://second")
    (path,) = tmp_path.iterdir()
    assert (path.name, path.read_text()) == (LINK_FILE, "fairdeal://second\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with raises_text(LocalError, match=LINK_FILE):
        keep_link(tmp_path / "nowhere", "fairdeal://third")


@pytest.mark.match
async def test_table_uses_the_given_key(tmp_path, key):
    async with TableServer(Config(tmp_path / "data", port=0, key=key)) as table:
        assert table.identity.public == load_identity(tmp_path, key).public


@pytest.mark.process
async def test_program_announces_readiness_and_stopping(tmp_path, listener, key):
    line, environment = listener
    data = tmp_path / "data"
    before = ["env", *(f"{name}={value}" for name, value in environment.items())]
    async with program(data, "--key", str(key), before=before) as (process, link):
        assert line.recv(100) == b"READY=1"
        assert (data / LINK_FILE).read_text() == f"{link}\n"
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0
        assert line.recv(100) == b"STOPPING=1"
    assert not (data / "identity.key").exists()


@pytest.mark.process
@pytest.mark.parametrize("closed", [False, True])
async def test_table_with_unread_output_becomes_ready(tmp_path, listener, closed):
    line, environment = listener
    words = [*COMMAND, "--listen", "127.0.0.1:0", "--data", str(tmp_path / "data")]
    if closed:
        words = ["sh", "-c", 'exec "$@" >&-', "sh", *words]
    reads, writes = os.pipe()
    os.close(reads)
    process = await asyncio.create_subprocess_exec(
        *words, stdout=writes, env={**os.environ, **environment}
    )
    os.close(writes)
    try:
        assert await asyncio.to_thread(line.recv, 100) == b"READY=1"
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(60):
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()


@pytest.mark.process
def test_program_reports_key_errors(tmp_path):
    done = run("--listen", "127.0.0.1:0", "--data", str(tmp_path), "--key", str(tmp_path / "none"))
    assert (done.returncode, done.stdout) == (78, "")
    assert "head -c 32" in done.stderr and done.stderr.count("\n") == 1
