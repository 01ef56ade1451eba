"""Strict types of the player's part, and of what it imports, as on Windows and on macOS.

A call that a system does not have is an error there, unless it stands under a check of
`sys.platform` with another way beside it.
"""

import subprocess
import sys
from pathlib import Path

from commandline.children import python_child

ROOT = Path(__file__).resolve().parent.parent
PLATFORMS = ("win32", "darwin")
PACKAGES = ("player", "bots", "net", "commandline", "protocol")
SCRIPTS = ("scripts.demo", "scripts.environment")  # what people run, not only developers


def errors(platform: str) -> list[str]:
    """Return mypy's errors for a platform."""
    words = ["-m", "mypy", "--platform", platform, "--no-error-summary"]
    words += ["--cache-dir", f".mypy_cache/{platform}"]
    words += [word for package in PACKAGES for word in ("-p", package)]
    words += [word for script in SCRIPTS for word in ("-m", script)]
    child = python_child(*words)
    done = subprocess.run(
        child.command, env=child.environ, cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode > 1:
        return [done.stdout + done.stderr]
    return [line for line in done.stdout.splitlines() if ": error: " in line]


def main() -> int:
    """Print the errors of all platforms; 1 if there are any."""
    found = [f"{platform}: {line}" for platform in PLATFORMS for line in errors(platform)]
    print("\n".join(found) or f"types hold on {' and '.join(PLATFORMS)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
