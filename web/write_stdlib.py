"""Write `stdlib.txt`: the modules of the standard library that the page's program can import.

usage: scripts/run web.write_stdlib PACKAGES
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from web.build import ROOT, archive, program_files

LIST = ROOT / "web" / "stdlib.txt"


def find_modules(packages: Path) -> str:
    """Return the text of the list, as Pyodide in Node finds it. `packages` is a `node_modules`."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program.zip"
        program.write_bytes(archive(dict(program_files())))
        words = ["node", str(ROOT / "web" / "stdlib.mjs"), str(packages), str(ROOT), str(program)]
        return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout  # noqa: S603


if __name__ == "__main__":
    LIST.write_text(find_modules(Path(sys.argv[1])), "utf-8")
