"""Programs `fairdeal replay` and `fairdeal show --html` as people start them."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from player.ui.web.browser import WINDOWS
from tests.support.offline import make_offline
from tests.system.test_table_and_players import ROOT, run

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the log of a short match."""
    offline = make_offline(2, 3, "draw-dominoes", {"target": 1})
    offline.play()
    path = tmp_path_factory.mktemp("log") / "match.fairdeal"
    path.write_bytes(offline.file())
    return path


def test_replay_is_served_until_interrupted(log: Path):
    command = [sys.executable, "-u", "-m", "fairdeal", "replay", str(log), "--compare", str(log)]
    quiet = {name: value for name, value in os.environ.items() if name not in WINDOWS}
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, env=quiet, text=True, **pipes) as it:
        try:
            assert it.stdout is not None
            address, ticket = re.search(
                r"(http://127\.0\.0\.1:\d+)/#t=(\S+)", it.stdout.readline()
            ).groups()
            token = asked(f"{address}/api/session", {"ticket": ticket})["token"]
            while not (found := asked(f"{address}/api/replay?marks=0", token=token))["whole"]:
                pass  # each request reads on for a moment, which may be too short on a busy machine
            assert found["verdict"]["clean"] and found["compared"]["lines"][0].startswith("same")
            it.send_signal(signal.SIGINT)
            assert it.wait(timeout=120) == 0
        finally:
            it.kill()  # a program that still serves would delay the end


def asked(url: str, body: dict | None = None, token: str = "") -> dict:
    """Send a request, and return the answer."""
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, {"Authorization": f"Bearer {token}"})) as answer:
        return json.load(answer)


def test_replay_page_is_written_and_log_is_never_overwritten(log: Path, tmp_path: Path):
    out = tmp_path / "match.html"
    done = run("-m", "fairdeal", "show", str(log), "--html", str(out), "--lang", "de")
    assert done.returncode == 0 and "Geschrieben nach" in done.stdout and "sauber" in done.stdout
    assert out.read_text().startswith('<!doctype html>\n<html lang="de">')
    before = log.read_bytes()
    slip = run("-m", "fairdeal", "show", str(log), "--html", str(log))
    assert (
        slip.returncode == 2 and "must end in .html" in slip.stderr and log.read_bytes() == before
    )
    nowhere = run("-m", "fairdeal", "show", str(log), "--html", str(tmp_path / "no" / "a.html"))
    assert nowhere.returncode == 2 and "could not be written" in nowhere.stderr
    assert run("-m", "fairdeal", "replay", str(tmp_path / "none.fairdeal")).returncode == 2
