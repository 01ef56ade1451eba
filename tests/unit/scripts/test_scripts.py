"""Scripts in a fresh clone, before anything is installed."""

import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from scripts.demo import free_path

ROOT = Path(__file__).parents[3]
# Python 3.9, or ours: it runs environment.py, and logs and refuses to make an environment
FAKE = """#!/bin/sh
echo "$(basename "$0") $*" >> "$CALLS"
case "$*" in
    *environment.py* | *scripts/demo*)
        [ "$1" = -I ] && shift
        exec {python} -P -c "
import runpy, sys
sys.executable = '$0'
sys.version_info = {version}
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name='__main__')" "$@" ;;
    *"version_info <"*) exit {too_old} ;;
    *version_info*) echo "(3, 12)" ;;
    *venv*) exit 1 ;;
esac
"""
VERSIONS = ((3, 12, 1), (3, 9, 2))  # by `too_old`

BROWSERS = """#!/bin/sh
name=$(basename "$0")
echo "$name $*" >> "$CALLS"
case "$name $*" in
    "apt-get update"* | "npm install"*) exit {offline} ;;
    *--dry-run*) echo "  Install location:    $HOME/playwright" ;;
    "python -P -m playwright install"*)
        [ {offline} = 0 ] || {{ echo "the network refuses"; exit 1; }}
        mkdir -p "$HOME/playwright" && cp "$0" "$HOME/playwright/headless_shell" ;;
    *--version) ;;
    *) exit 1 ;;
esac
"""

TOOLS = (
    "sh",
    "basename",
    "bash",
    "cat",
    "cp",
    "dirname",
    "find",
    "head",
    "id",
    "mkdir",
    "rm",
    "sed",
    "tail",
)


def test_existing_log_is_not_overwritten(tmp_path):
    log = tmp_path / "demo.fairdeal"
    assert free_path(log) == log
    log.touch()
    assert free_path(log).name == "demo-2.fairdeal"
    (tmp_path / "demo-2.times").touch()
    assert free_path(log).name == "demo-3.fairdeal"


def fake_python(path: Path, too_old: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(FAKE.format(python=sys.executable, version=VERSIONS[too_old], too_old=too_old))
    path.chmod(0o755)


def checkout_with(place: Path, *scripts: str) -> None:
    (place / "scripts").mkdir(parents=True)
    (place / "pyproject.toml").write_text("")
    for name in scripts:
        shutil.copy(ROOT / "scripts" / name, place / "scripts")


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
@pytest.mark.parametrize("script", ["run", "demo"])
def test_script_finds_new_enough_python_on_path(tmp_path, pythons, given, used, script):
    checkout, programs = tmp_path / "checkout", tmp_path / "bin"
    checkout_with(checkout, "_environment", "environment.py", "demo")
    (checkout / "scripts/run").write_text('set -eu\nextras=""\n. "$(dirname "$0")/_environment"\n')
    programs.mkdir()
    for name, too_old in pythons.items():
        fake_python(programs / name, too_old)
    for tool in ("sh", "bash", "dirname", "basename"):
        (programs / tool).symlink_to(shutil.which(tool) or "")
    environ = {
        "PATH": str(programs),
        "CALLS": str(tmp_path / "calls"),
        **({"PYTHON": given} if given else {}),
    }
    ran = subprocess.run(
        ["bash", str(checkout / "scripts/run")]
        if script == "run"
        else [str(programs / next(iter(pythons))), str(checkout / "scripts/demo")],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    calls = (tmp_path / "calls").read_text()
    made = [line.split()[0] for line in calls.splitlines() if "-m venv" in line]
    assert made == ([used] if used else []), ran.stderr
    assert ran.returncode == (1 if used else 2)
    assert ("needs Python 3.11" in ran.stderr) is (used is None)


MODULE = """#!/bin/sh
echo "$(basename "$0") $*; from $PWD, with $PYTHONPATH" >> "$CALLS"
"""


@pytest.mark.process
@pytest.mark.parametrize(
    ("words", "module"),
    [
        (("bash", "checkout/scripts/run", "tests.support.docs", "word"), "tests.support.docs word"),
        (("python3", "checkout/scripts/demo", "--target", "1"), "scripts.demo --target 1"),
    ],
)
def test_script_runs_modules_only_from_checkout(tmp_path, words, module):
    place, trap = tmp_path / "checkout", tmp_path / "trap"
    (trap / "checkout/scripts").mkdir(parents=True)
    checkout_with(place, "_environment", "environment.py", "run", "demo")
    fake_python(place / ".venv/bin/python3", 0)
    (place / ".venv/bin/python").write_text(MODULE)
    (place / ".venv/bin/python").chmod(0o755)
    state = sha256((place / "pyproject.toml").read_bytes()).hexdigest()
    (place / ".venv/fairdeal-stamp").write_text(f"(3, 12) {state} [test,check]\n")
    paths = {
        "PATH": f"{place}/.venv/bin:{os.environ['PATH']}",
        "PYTHONPATH": ":lib",
        "CDPATH": str(trap),
    }
    subprocess.run(words, cwd=tmp_path, env={"CALLS": str(tmp_path / "calls"), **paths}, check=True)
    ran = (tmp_path / "calls").read_text().splitlines()[-1]
    assert ran == f"python -P -m {module}; from {place}, with {place}"


def look_for_browser(
    home: Path, programs: dict[str, int], **environ: str
) -> subprocess.CompletedProcess[str]:
    """Run `scripts/_browser` with these programs on the path, each failing (1) or not (0) to reach
    the network.
    """
    bin_ = home / "bin"
    bin_.mkdir(exist_ok=True)
    for name, offline in programs.items():
        (bin_ / name).write_text(BROWSERS.format(offline=offline))
        (bin_ / name).chmod(0o755)
    for tool in TOOLS:
        (bin_ / tool).is_symlink() or (bin_ / tool).symlink_to(shutil.which(tool) or "")
    environ = {"PATH": str(bin_), "HOME": str(home), "CALLS": str(home / "calls"), **environ}
    command = ["bash", str(ROOT / "scripts/_browser")]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=False)


@pytest.mark.process
def test_installed_browser_is_used_and_remembered(tmp_path):
    found = look_for_browser(tmp_path, {"python": 1, "chromium": 0})
    assert found.stdout == f"{tmp_path}/bin/chromium\n", found.stderr
    calls = (tmp_path / "calls").read_text()
    assert "install" not in calls
    assert look_for_browser(tmp_path, {}).stdout == found.stdout
    assert (tmp_path / "calls").read_text() == calls
    named = look_for_browser(tmp_path, {"other": 0}, FAIRDEAL_CHROMIUM=f"{tmp_path}/bin/other")
    assert named.stdout == f"{tmp_path}/bin/other\n"


@pytest.mark.process
def test_playwright_browser_precedes_system_browser(tmp_path):
    found = look_for_browser(tmp_path, {"python": 0, "apt-get": 0, "npm": 0})
    assert found.stdout == f"{tmp_path}/playwright/headless_shell\n", found.stderr
    assert "apt-get" not in (tmp_path / "calls").read_text()


@pytest.mark.process
def test_missing_browser_message_has_install_command(tmp_path):
    failed = look_for_browser(tmp_path, {"python": 1, "apt-get": 1, "npm": 1})
    assert failed.returncode == 1
    assert not failed.stdout
    for said in (
        "the network refuses",
        "== Debian's",
        "== the copy in the npm package",
        "apt-get install -y",
        "FAIRDEAL_CHROMIUM=",
    ):
        assert said in failed.stderr
    calls = (tmp_path / "calls").read_text()
    # the other worker asks: no download is tried twice in a row
    assert look_for_browser(tmp_path, {}).returncode == 1
    assert (tmp_path / "calls").read_text().count("install") == calls.count("install")
    # a browser that was installed meanwhile is found
    assert look_for_browser(tmp_path, {"chromium": 0}).returncode == 0
    assert "does not start" in look_for_browser(tmp_path, {}, FAIRDEAL_CHROMIUM="/nowhere").stderr
