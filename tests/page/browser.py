"""Path of the browser, which is installed first if there is none."""

import os
import subprocess
import sys
from pathlib import Path

FINDER = Path(__file__).parents[2] / "scripts" / "_browser"


class NoBrowser(Exception):
    """Raised if no browser is available. The message lists the attempts, and the command that
    installs one.
    """


def find_chromium() -> str:
    """Return the path of a Chromium. Raises: NoBrowser."""
    own = Path(sys.executable).parent  # so that this environment's playwright is used
    environ = {**os.environ, "PATH": f"{own}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [FINDER], stdin=subprocess.DEVNULL, env=environ, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise NoBrowser(done.stderr)
    return done.stdout.strip()
