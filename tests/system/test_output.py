"""Standard output that is full, closed, or that nobody reads: an exit code of its own, a sentence
where there is something to say, and never a traceback.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from protocol.i18n.program_output import OUTPUT_CLOSED, OUTPUT_LOST
from tests.support.log_files import clean

pytestmark = pytest.mark.process

RULES = "protocol/games/scripted/rules/crazy-eights.rules"
COMMANDS = {
    "overview": ["--help"],
    "help": ["audit", "--help"],
    "games": ["play"],
    "identity": ["identity", "--data", "DATA"],
    "cards": ["cards", "list", "--data", "DATA"],
    "mail": ["mail", "status", "--data", "DATA"],
    "audit": ["audit", "LOG"],
    "show": ["show", "LOG"],
    "rules": ["rules", "explain", RULES],
    "solve": ["solve", "nim"],
    "verify": ["verify", "--list"],
    "kit": ["conformance", "--list"],
}


@pytest.fixture(scope="module")
def log(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("logs") / "a.fairdeal"
    path.write_bytes(clean())
    return path


def command(name: str, log: Path, data: Path) -> list[str]:
    places = {"LOG": str(log), "DATA": str(data)}
    return [sys.executable, "-m", "fairdeal", *(places.get(word, word) for word in COMMANDS[name])]


def run(words: list[str], output: int, unbuffered: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            words,
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            check=False,
        )
    finally:
        os.close(output)


@pytest.mark.parametrize("name", COMMANDS)
def test_full_disk_under_the_output_is_said(name, log, tmp_path):
    for unbuffered in ("", "1"):
        done = run(command(name, log, tmp_path), os.open("/dev/full", os.O_WRONLY), unbuffered)
        assert done.returncode == OUTPUT_LOST, done.stderr
        assert done.stderr.splitlines()[-1].startswith("The output could not be written")
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_reader_that_has_had_enough_ends_the_program_quietly(name, log, tmp_path):
    for unbuffered in ("", "1"):
        reads, writes = os.pipe()
        os.close(reads)
        done = run(command(name, log, tmp_path), writes, unbuffered)
        assert (done.returncode, done.stderr) == (OUTPUT_CLOSED, "")


@pytest.mark.parametrize("name", ["overview", "identity", "mail", "audit", "rules", "solve"])
def test_closed_streams_are_no_trouble(name, log, tmp_path):
    words = " ".join(f"'{word}'" for word in command(name, log, tmp_path))
    done = subprocess.run(
        ["sh", "-c", f"{words} <&- >&-"], stderr=subprocess.PIPE, text=True, timeout=60, check=False
    )
    assert done.returncode == 0 and "Traceback" not in done.stderr
    # nor do files that are opened later get the output
    assert log.read_bytes() == clean()


def test_log_from_standard_input_is_judged(log):
    words = [sys.executable, "-m", "fairdeal", "audit", "-"]
    with log.open("rb") as source:
        done = subprocess.run(words, stdin=source, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0 and done.stdout.startswith(b"clean")
