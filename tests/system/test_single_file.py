"""Single file: built by its script, it plays without anything installed; on another Python it says so."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from scripts.single_file import start_of

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 300
pytestmark = [pytest.mark.process, pytest.mark.slow]


def ran(*words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a program without the packages of this environment on its path."""
    clean = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return subprocess.run(
        words,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=SECONDS,
        check=False,
        env=clean | environ,
    )


@pytest.mark.timeout(2 * SECONDS)
def test_single_file_plays_and_audits(tmp_path):
    file = tmp_path / "fairdeal.pyz"
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    built = subprocess.run(
        [sys.executable, "-P", "-m", "scripts.single_file", str(file), "web"],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env=environ,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    home = {"HOME": str(tmp_path), "SHIV_ROOT": str(tmp_path / "unpacked")}
    # a table and bots are programs that it starts
    words = ("play", "nim", "--watch", "--pace", "0", "--logs", str(tmp_path))
    played = ran(sys._base_executable, "-P", str(file), *words, **home)
    assert "Verdict: no cheating found" in played.stdout, played.stdout + played.stderr
    (log,) = tmp_path.glob("*.fairdeal")
    audited = ran(sys._base_executable, "-P", str(file), "audit", str(log), **home)
    assert audited.stdout.startswith("clean"), audited.stdout + audited.stderr


def test_single_file_on_another_python_says_which_one_it_is_for(tmp_path):
    here, platform = sys.version_info[:2], sysconfig.get_platform()
    start = tmp_path / "start.py"
    start.write_text(start_of(here, platform))
    assert ran(sys.executable, "-P", str(start)).returncode == 0
    for version, machine in (((3, 99), platform), (here, "win-arm64")):
        start.write_text(start_of(version, machine))
        wrong = ran(sys.executable, "-P", str(start))
        assert wrong.returncode == 1
        assert f"for Python {version[0]}.{version[1]} on {machine}" in wrong.stderr
