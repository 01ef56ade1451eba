"""Where the browser is, set up first if there is none."""

import os
import subprocess
import sys
from pathlib import Path

FINDER = Path(__file__).parents[2] / "scripts" / "_browser"


class NoBrowser(Exception):
    """None can be had: what was tried, and the command that installs one."""


def find_chromium() -> str:
    """The path of a Chromium. Raises: NoBrowser."""
    own = Path(sys.executable).parent  # its playwright is the one that is used
    environ = {**os.environ, "PATH": f"{own}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [FINDER], stdin=subprocess.DEVNULL, env=environ, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise NoBrowser(done.stderr)
    return done.stdout.strip()
