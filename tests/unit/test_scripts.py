"""What the scripts of a fresh clone do before anything is installed."""

import shutil
import subprocess
from pathlib import Path

import pytest

from scripts.demo import free

ROOT = Path(__file__).parents[2]
FAKE = """#!/bin/sh
echo "$(basename "$0") $*" >> "$CALLS"
case "$*" in *version_info\\ \\<*) exit {fits} ;; *venv*) exit 1 ;; esac
"""


def test_a_log_that_is_there_is_not_overwritten(tmp_path):
    log = tmp_path / "demo.fairdeal"
    assert free(log) == log
    log.touch()
    assert free(log).name == "demo-2.fairdeal"
    (tmp_path / "demo-2.times").touch()
    assert free(log).name == "demo-3.fairdeal"


@pytest.mark.process
@pytest.mark.parametrize(
    ("pythons", "given", "used"),
    [
        ({"python3": 0, "python3.12": 0}, None, "python3"),
        ({"python3": 1, "python3.12": 0}, None, "python3.12"),
        ({"python3": 1, "python3.11": 0}, None, "python3.11"),
        ({"python3.12": 0, "my-python": 0}, "my-python", "my-python"),
        ({"python3.12": 0, "my-python": 1}, "my-python", None),
        ({"python3": 1}, None, None),
    ],
)
def test_a_python_that_is_new_enough_is_found_on_the_path(tmp_path, pythons, given, used):
    place, programs = tmp_path / "scripts", tmp_path / "bin"
    place.mkdir()
    programs.mkdir()
    shutil.copy(ROOT / "scripts/_environment", place)
    (place / "run").write_text('set -eu\nextras=""\n. "$(dirname "$0")/_environment"\n')
    for name, fits in pythons.items():
        (programs / name).write_text(FAKE.format(fits=fits))
        (programs / name).chmod(0o755)
    for tool in ("sh", "bash", "dirname", "basename", "cat"):
        (programs / tool).symlink_to(shutil.which(tool) or "")
    environ = {"PATH": str(programs), "CALLS": str(tmp_path / "calls"), **({"PYTHON": given} if given else {})}
    ran = subprocess.run(["bash", str(place / "run")], env=environ, capture_output=True, text=True, check=False)
    calls = (tmp_path / "calls").read_text()
    made = [line.split()[0] for line in calls.splitlines() if "-m venv" in line]
    assert made == ([used] if used else []), ran.stderr
    assert ran.returncode == (1 if used else 2)
    assert ("needs Python 3.11" in ran.stderr) is (used is None)
