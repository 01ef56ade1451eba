"""Builder of the single file: a zip archive with fairdeal and its packages, which Python runs (PEP 441).

shiv makes it. Compiled packages cannot be loaded out of an archive, so its first start unpacks them.
"""

import subprocess
import sys
import sysconfig
import tarfile
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from commandline.children import python_child

ROOT = Path(__file__).resolve().parents[1]
FAILED = 1  # exit code
# What runs before the program. Packages with compiled parts load on one Python version and one kind
# of machine only, and their own errors do not say so.
START = """\
import sys
import sysconfig

built = {version!r}, {platform!r}
here = "%d.%d" % sys.version_info[:2], sysconfig.get_platform()
if here != built:
    sys.exit(
        "This file of fairdeal is for Python %s on %s, and was started by Python %s on %s. "
        "Start it by that Python (python%s FILE), or get a file for yours." % (*built, *here, built[0])
    )
"""


def main(arguments: list[str]) -> int:
    """Build the file `OUT` with the extras, and return the exit code."""
    out, extras = arguments
    archive = subprocess.run(
        ["git", "-C", str(ROOT), "archive", "HEAD"], capture_output=True, check=False
    )
    if archive.returncode:
        print("This folder is no git checkout. Make one: git clone REPOSITORY", file=sys.stderr)
        return FAILED
    with TemporaryDirectory() as folder:
        source, start = Path(folder, "source"), Path(folder, "start.py")
        with tarfile.open(fileobj=BytesIO(archive.stdout)) as files:
            files.extractall(source, filter="data")
        start.write_text(start_of(sys.version_info[:2], sysconfig.get_platform()), "utf-8")
        start.chmod(0o755)
        shiv = python_child(
            *("-m", "shiv", "--quiet", "--console-script", "fairdeal", "--output-file", out),
            # programs that fairdeal starts are Python too, and find the packages by PYTHONPATH
            *("--python", "/usr/bin/env python3", "--extend-pythonpath", "--reproducible"),
            *("--preamble", str(start), f"{source}[{extras}]"),
        )
        made = subprocess.run(
            shiv.command, env=shiv.environ, capture_output=True, text=True, check=False
        )
    if made.returncode:
        print(made.stdout + made.stderr, file=sys.stderr)
        print(f"{out} was not built; the message above says why.", file=sys.stderr)
        return FAILED
    print(f"{out}: {Path(out).stat().st_size / 1e6:.0f} MB. Start it: {out} app")
    return 0


def start_of(version: tuple[int, int], platform: str) -> str:
    """Return what runs before the program, for a file built on this Python and kind of machine."""
    return START.format(version="{}.{}".format(*version), platform=platform)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
