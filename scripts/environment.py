"""Environment of the scripts: a `.venv` (or VENV) in the checkout with what they need, made once for
each state of pyproject.toml.

This file starts before anything is installed, with any Python since 3.7. It uses the standard
library alone.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
NEEDED = (3, 11)
NAMES = ("python3", "python3.13", "python3.12", "python3.11")
COMPLETE = "[test,check]"  # an environment with these extras serves every script
FAILED, NO_PYTHON = 1, 2  # exit codes


def main(arguments: list[str]) -> int:
    """Print the folder of the environment's programs, for a shell: `environment.py EXTRAS SCRIPT`."""
    extras, script = arguments
    print(programs(extras, script))
    return 0


def run(module: str, extras: str, script: str, arguments: list[str]) -> int:
    """Run a module of this checkout in its environment, and return its exit code. The working
    directory is the checkout, and no place for modules.
    """
    folder = programs(extras, script)
    os.chdir(ROOT)
    path = os.pathsep.join((str(folder), os.environ.get("PATH", os.defpath)))
    environ = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    command = [str(_python_of(folder)), "-P", "-m", module, *arguments]
    if sys.platform != "win32":
        os.execve(command[0], command, environ)  # noqa: S606  # signals reach the module itself
    return subprocess.run(command, env=environ, check=False).returncode


def programs(extras: str, script: str) -> Path:
    """Return the folder of the environment's programs; make the environment first if it is not
    there. End the program with a sentence if that fails.
    """
    python = new_enough_python()
    if python is None:
        _end(
            "fairdeal needs Python 3.11 or newer. Install it, or say where it is: "
            f"PYTHON=/path/to/python3 {script}",
            NO_PYTHON,
        )
    venv = ROOT / os.environ.get("VENV", ".venv")
    stamp = _stamp(python)
    noted = venv / "fairdeal-stamp"
    known = noted.read_text("utf-8").strip() if noted.exists() else ""
    folder = venv / ("Scripts" if sys.platform == "win32" else "bin")
    if known not in (f"{stamp} {COMPLETE}", f"{stamp} {extras}"):
        print(f"setting up {venv} (once; a minute or so) ...", file=sys.stderr, flush=True)
        # twice quiet: errors only, no warnings about the settings of the machine
        pip = [str(_python_of(folder)), "-P", "-m", "pip", "-qq", "--disable-pip-version-check"]
        commands = (
            [python, "-P", "-m", "venv", str(venv)],
            [*pip, "install", "--editable", f".{extras}"],
        )
        if not all(map(_succeeds, commands)):
            _end(
                f"Could not set up {venv}; the message above says why. "
                "(Is the network there? On Debian: apt install python3-venv)",
                FAILED,
            )
        noted.write_text(f"{stamp} {extras}\n", "utf-8")
    return folder


def new_enough_python() -> str | None:
    """Return a Python that is new enough: PYTHON if the person names one; else the one that runs
    this file, or one on the path. None if there is none.
    """
    named = os.environ.get("PYTHON")
    if named:
        return named if _is_new_enough(named) else None
    if sys.version_info >= NEEDED:
        return sys.executable
    return next(filter(_is_new_enough, NAMES), None)


def _is_new_enough(python: str) -> bool:
    test = f"import sys; sys.exit(sys.version_info < {NEEDED})"
    found = shutil.which(python)
    return (
        found is not None and subprocess.run([found, "-I", "-c", test], check=False).returncode == 0
    )


def _stamp(python: str) -> str:
    """Return the version of a Python and the digest of pyproject.toml."""
    digest = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    if python == sys.executable:
        return f"{sys.version_info[:2]} {digest}"
    ask = [python, "-I", "-c", "import sys; print(sys.version_info[:2])"]
    said = subprocess.run(ask, stdout=subprocess.PIPE, text=True, check=True)
    return f"{said.stdout.strip()} {digest}"


def _python_of(folder: Path) -> Path:
    return folder / ("python.exe" if sys.platform == "win32" else "python")


def _succeeds(command: list[str]) -> bool:
    """Run a command in the checkout. Its output goes to the person, not to a shell that reads
    ours.
    """
    return subprocess.run(command, cwd=str(ROOT), stdout=sys.stderr, check=False).returncode == 0


def _end(message: str, code: int) -> NoReturn:
    print(message, file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
