"""Commands in hints work for the tool that has installed the program, wherever it came from."""

import subprocess
import sys
from pathlib import Path

import pytest

from protocol import installation
from protocol.installation import CHECKOUT, command_for, here, install_command, packages_command

PACKAGES = ("starlette<2,>=1", "segno")


@pytest.fixture
def prefix(tmp_path):
    """Make an empty environment."""
    made = tmp_path / "fairdeal-new"  # as of `pipx install --suffix=-new`
    made.mkdir()
    return made


@pytest.mark.parametrize(
    ("mark", "command"),
    [
        ("pipx_metadata.json", "pipx inject fairdeal-new 'starlette<2,>=1' segno"),
        (
            "uv-receipt.toml",
            "uv pip install --python /env/bin/python 'starlette<2,>=1' segno",
        ),
        ("pyvenv.cfg", "/env/bin/python -P -m pip install 'starlette<2,>=1' segno"),
    ],
)
def test_command_is_that_of_the_tool(prefix, mark, command):
    (prefix / mark).write_text("")
    assert command_for(PACKAGES, prefix, Path("/env/bin/python"), "linux") == command


def test_environment_without_pip_needs_uv(prefix, monkeypatch):
    monkeypatch.setattr(installation, "find_spec", lambda name: None)
    assert command_for(("segno",), prefix, Path("/env/python"), "linux").startswith(
        "uv pip install"
    )


def test_command_is_quoted_for_windows(prefix):
    command = command_for(PACKAGES, prefix, Path(r"C:\My Env\python.exe"), "win32")
    assert command == r'"C:\My Env\python.exe" -P -m pip install "starlette<2,>=1" segno'


def test_pip_on_the_path_of_this_program_is_short(prefix, monkeypatch):
    pip = prefix / "pip"
    pip.write_text("")
    pip.chmod(0o755)
    monkeypatch.setenv("PATH", str(prefix))
    assert command_for(("segno",), prefix, prefix / "python", "linux") == "pip install segno"


@pytest.mark.parametrize("extra", ["web", "lan", "metrics", "cluster", "ws", "poker"])
def test_extra_is_named_by_its_packages(extra):
    command = install_command(extra)
    assert "fairdeal[" not in command and "extra" not in command
    assert len(command.split()) > len(packages_command(()).split())


def test_checkout_without_metadata_is_named_by_its_folder(monkeypatch):
    monkeypatch.setattr(installation, "NAME", "no-such-distribution")
    assert install_command("web").endswith(f"'{CHECKOUT}[web]'")
    assert (CHECKOUT / "pyproject.toml").exists()


def test_command_of_a_spec_is_that_of_this_place():
    assert here("pip install 'fairdeal[poker]'") == install_command("poker")
    assert here("pip install my-game") == "pip install my-game"


@pytest.mark.process
def test_command_installs_what_is_missing(tmp_path):
    """pip itself reads the requirements that the command names."""
    command = install_command("web")
    words = command[command.index("install") + len("install") :]
    done = subprocess.run(
        f"{sys.executable} -P -m pip install --dry-run --quiet {words}",
        shell=True,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
