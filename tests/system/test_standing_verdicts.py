"""Fault as the verdict of the real programs, whatever bytes are appended to the file."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from player.ui.web.browser import WINDOWS
from tests.support.log_files import Leaver, forked, played
from tests.system.test_replay import asked
from tests.system.test_table_and_players import ROOT, run

pytestmark = pytest.mark.process

LOGS = [lambda: played(cheat=Leaver).file(), lambda: forked(played(), 4)]


@pytest.fixture(params=LOGS, ids=["a seat", "the table"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    """Make a log with a fault, and the same log with four zero bytes appended."""
    whole, spoilt = tmp_path / "whole.fairdeal", tmp_path / "spoilt.fairdeal"
    whole.write_bytes(request.param())
    spoilt.write_bytes(request.param() + bytes(4))
    return whole, spoilt


def test_audit_command_keeps_status_and_json_of_fault(files: tuple[Path, Path]) -> None:
    whole, spoilt = (run("-m", "fairdeal", "audit", str(path), "--json") for path in files)
    assert (whole.returncode, spoilt.returncode, spoilt.stderr) == (1, 1, "")
    before, after = json.loads(whole.stdout), json.loads(spoilt.stdout)
    assert before["verdict"] == "fault" and before["faults"] and before["rest"] is None
    assert after["rest"]["after"] >= before["faults"][-1]["entry"]
    assert after == before | {"rest": after["rest"]}


def test_show_page_of_fault_keeps_verdict(files: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "match.html"
    done = run("-m", "fairdeal", "show", str(files[1]), "--html", str(out), "--lang", "de")
    assert done.returncode == 1 and "\nVerstoß: " in done.stdout
    text = out.read_text()
    assert '"lines":["Verstoß: ' in text and "Nach Eintrag" in text


def test_replay_command_of_fault_keeps_verdict(files: tuple[Path, Path]) -> None:
    whole, spoilt = files
    command = [sys.executable, "-u", "-m", "fairdeal", "replay", str(spoilt)]
    command += ["--compare", str(whole)]
    quiet = {name: value for name, value in os.environ.items() if name not in WINDOWS}
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, env=quiet, text=True, **pipes) as it:
        try:
            assert it.stdout is not None
            found = re.search(r"(http://127\.0\.0\.1:\d+)/#t=(\S+)", it.stdout.readline())
            address, ticket = found.groups()
            token = asked(f"{address}/api/session", {"ticket": ticket})["token"]
            while not (told := asked(f"{address}/api/replay?marks=0", token=token))["whole"]:
                pass  # each request reads on for a moment
        finally:
            it.kill()
    first, *_, last = told["verdict"]["lines"]
    assert first.startswith("fault: ") and last.startswith("Nothing after entry")
    assert told["faults"] and told["compared"]["lines"][0].startswith("unreadable: ")
