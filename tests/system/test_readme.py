"""Commands of README.md: each one works as written, and gives the right answer."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.docs import ROOT

pytestmark = pytest.mark.process

FAIRDEAL = Path(sys.executable).with_name("fairdeal")
SECONDS = 120
TEXT = (ROOT / "README.md").read_text("utf-8")
ADDRESS = "http://127.0.0.1:"
LINK = "fairdeal://127.0.0.1:1/" + "a" * 40
# command -> text in its output
ANSWERS = {
    "fairdeal --help": "usage: fairdeal",
    "fairdeal play": "fairdeal play block-dominoes",
    "fairdeal audit demo.fairdeal": "clean",
    "fairdeal creator new --name 'My press' --set elements": "50 card types of the set are made",
    "fairdeal rules check protocol/games/scripted/rules/crazy-eights.rules": "The file is right",
    "fairdeal rules show texas-holdem": "a royal flush",
    "fairdeal solve hexapawn": "Second wins",
    "fairdeal verify needham-schroeder": "the intruder knows",
    "fairdeal simulate table --rounds 10000": "10,000",
    "fairdeal lan": "local network",
    "fairdeal join LINK --web": "127.0.0.1",
}
# the same for commands that run until they are stopped
STAYING = {
    "fairdeal app": ADDRESS,
    "fairdeal play block-dominoes --web": ADDRESS,
    "fairdeal replay demo.fairdeal": ADDRESS,
    "fairdeal cards binder --web": ADDRESS,
    "fairdeal host --play --listen 0.0.0.0:7500 --game draw-dominoes": "fairdeal join fairdeal://",
}
ELSEWHERE = {
    "fairdeal cluster demo",  # tests/integration/cluster
    "fairdeal host --play --relay wss://relay.example.org",  # tests/system/test_relay.py
}


def commands() -> set[str]:
    """Return all commands in code blocks and sentences of README, without comments."""
    blocks = "\n".join(re.findall(r"^```sh\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL))
    typed = re.findall(r"^(fairdeal .*?) *(?:#.*)?$", blocks, re.MULTILINE)
    return {
        command.replace('"', "'") for command in (*typed, *re.findall(r"`(fairdeal .*?)`", TEXT))
    }


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with the match that `scripts/demo` leaves, and the rule files as in a
    checkout.
    """
    folder = tmp_path_factory.mktemp("readme")
    (folder / "protocol").symlink_to(ROOT / "protocol")
    words = (
        "play",
        "block-dominoes",
        "--watch",
        "--pace",
        "0",
        "--option",
        "hand=2",
        "--target",
        "1",
    )
    done = subprocess.run(
        [FAIRDEAL, *words],
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    Path(re.findall(r"log saved to (.*)$", done.stdout, re.MULTILINE)[-1]).rename(
        folder / "demo.fairdeal"
    )
    return folder


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of a new user without a window system."""
    own = {
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_STATE_HOME": str(folder / "state"),
    }
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    }
    return kept | own | {"PYTHONUNBUFFERED": "1"}


def started(command: str, folder: Path) -> subprocess.Popen[str]:
    """Start the command in a process on a free port, with output and errors in one stream."""
    line = (
        command.replace("fairdeal", f"'{FAIRDEAL}'", 1).replace(":7500", ":0").replace("LINK", LINK)
    )
    return subprocess.Popen(
        f"exec {line}",
        shell=True,
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_readme_has_no_command_beyond_those_tried_here():
    assert commands() == {*ANSWERS, *STAYING, *ELSEWHERE}


@pytest.mark.parametrize("command", ANSWERS)
def test_command_of_readme_ends_in_its_answer(command, place):
    with started(command, place) as program:
        said, _ = program.communicate(timeout=SECONDS)
    assert ANSWERS[command] in said and "Traceback" not in said


@pytest.mark.parametrize("command", STAYING)
def test_staying_command_of_readme_prints_instructions(command, place):
    with started(command, place) as program:
        said = ""
        try:
            assert program.stdout is not None
            for line in program.stdout:
                said += line
                if STAYING[command] in line:
                    break
        finally:
            # Ctrl-C leaves the seat, and the table stays
            hosted = "host --play" in command
            program.send_signal(signal.SIGTERM if hosted else signal.SIGINT)
        rest, _ = program.communicate(timeout=SECONDS)
    assert STAYING[command] in said and "Traceback" not in said + rest
