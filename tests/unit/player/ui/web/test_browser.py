"""The browser program is never taken from the working directory."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.architecture import ROOT

pytestmark = pytest.mark.process

ASK = "from player.ui.web.browser import open_browser; print(open_browser('file:///match.html'))"
NAMES = ("xdg-open", "x-www-browser", "www-browser", "firefox", "chromium")


@pytest.mark.parametrize("entry", ["", ".", "downloads"])
def test_open_browser_in_folder_of_downloads_runs_nothing(tmp_path: Path, entry: str) -> None:
    nothing, ran = tmp_path / "bin", tmp_path / "ran"
    nothing.mkdir()
    (tmp_path / "downloads").mkdir()
    for folder in (tmp_path, tmp_path / "downloads"):
        for name in NAMES:
            (folder / name).write_text(f"#!/bin/sh\n: >{ran}\n")
            (folder / name).chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if name != "BROWSER"}
    environ = kept | {"DISPLAY": ":0", "PATH": f"{nothing}:{entry}", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-P", "-c", ASK]
    done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("False\n", "") and not ran.exists()
