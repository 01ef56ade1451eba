"""`fairdeal relay`, `directory`, `signer` and `standby` as programs: exit codes, and their logs."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from table.storage.disk.journal import JOURNAL_FILE
from table.storage.disk.keys import KEY_FILE, load_identity
from tests.support.ports import free_port

pytestmark = pytest.mark.process

SERVICES = ("relay", "directory", "signer", "standby")


def words(name: str, folder: Path, listen: str = "127.0.0.1:0") -> list[str]:
    """Return the command line of a service with this folder and address."""
    where = {
        "relay": ["--listen", listen],
        "directory": ["--listen", listen, "--data", str(folder)],
        "signer": ["--data", str(folder)],
        "standby": ["--listen", listen, "--data", str(folder)],
    }
    return [sys.executable, "-P", "-m", "fairdeal", name, *where[name]]


def ended(command: list[str], **environment: str) -> tuple[int, str]:
    """Run a program that ends by itself; return its exit code and what it says."""
    done = subprocess.run(
        command,
        env=os.environ | {"LANGUAGE": "en"} | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


@pytest.mark.parametrize("name", SERVICES)
def test_wrong_command_line_ends_with_two(tmp_path, name):
    code, said = ended([*words(name, tmp_path), "--no-such-option"])
    assert code == 2 and "--no-such-option" in said


@pytest.mark.parametrize("name", ["relay", "directory", "standby"])
def test_wrong_address_ends_with_two(tmp_path, name):
    load_identity(tmp_path)
    code, said = ended(words(name, tmp_path, "nowhere"))
    assert code == 2 and said.startswith("usage: ") and "needs a host and a port" in said


@pytest.mark.parametrize("name", ["relay", "directory", "standby"])
def test_port_that_is_taken_ends_with_one(tmp_path, name):
    load_identity(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as other:
        code, said = ended(words(name, tmp_path, f"127.0.0.1:{other.getsockname()[1]}"))
    assert code == 1 and said.startswith("fairdeal: ") and said.count("\n") == 1


def test_folder_of_something_else_ends_with_sixty_five(tmp_path):
    code, said = ended(words("standby", tmp_path))
    assert code == 65 and KEY_FILE in said
    (tmp_path / "tables.list").write_bytes(b"no list")
    code, said = ended(words("directory", tmp_path))
    assert code == 65 and "not a list of this directory" in said
    keyless = tmp_path / "keyless"
    keyless.mkdir()
    (keyless / JOURNAL_FILE).touch()
    assert ended(words("signer", keyless))[0] == 65


@pytest.mark.parametrize("name", ["directory", "signer", "standby"])
def test_key_that_others_may_read_ends_with_seventy_seven(tmp_path, name):
    load_identity(tmp_path)
    (tmp_path / KEY_FILE).chmod(0o644)
    code, said = ended(words(name, tmp_path))
    assert code == 77 and KEY_FILE in said


def test_relay_without_its_library_ends_with_sixty_nine(tmp_path):
    missing = tmp_path / "websockets.py"
    missing.write_text("raise ModuleNotFoundError(name='websockets')\n", "utf-8")
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    code, said = ended(words("relay", tmp_path), PYTHONPATH=paths)
    assert code == 69 and "library websockets" in said


def test_error_that_ends_a_service_has_its_level_for_journald(tmp_path):
    with (tmp_path / "log").open("w") as log:
        found = os.fstat(log.fileno())
        environment = os.environ | {"JOURNAL_STREAM": f"{found.st_dev}:{found.st_ino}"}
        command = words("standby", tmp_path / "data")
        done = subprocess.run(command, env=environment, stderr=log, timeout=60, check=False)
    assert done.returncode == 65
    assert (tmp_path / "log").read_text("utf-8").startswith("<3>fairdeal: ")


@pytest.mark.parametrize("name", SERVICES)
async def test_service_logs_as_json_and_ends_with_zero(tmp_path, name):
    load_identity(tmp_path)
    service = await asyncio.create_subprocess_exec(
        *words(name, tmp_path, f"127.0.0.1:{free_port()}"),
        *("--log-format", "json"),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(60):
            # it serves when it has said so
            first = json.loads(await service.stderr.readline())
            service.send_signal(signal.SIGTERM)
            rest = [json.loads(line) async for line in service.stderr]
            assert await service.wait() == 0
    finally:
        with contextlib.suppress(ProcessLookupError):
            service.kill()
        await service.communicate()
    assert (first["level"], rest[-1]["message"]) == ("info", "closing")
    assert first["logger"].startswith(("table.", "relay.", "directory."))


@pytest.mark.parametrize("name", ["relay", "directory", "signer"])
def test_service_tells_when_it_is_ready_and_stops(tmp_path, name):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.bind(str(tmp_path / "notify"))
        line.settimeout(60)
        environment = os.environ | {"NOTIFY_SOCKET": str(tmp_path / "notify")}
        service = subprocess.Popen(
            words(name, tmp_path), env=environment, stdout=subprocess.DEVNULL
        )
        try:
            assert line.recv(99) == b"READY=1"
            service.terminate()
            assert line.recv(99) == b"STOPPING=1"
            assert service.wait(60) == 0
        finally:
            service.kill()
            service.wait()
