"""A table of any checkout as a process, so that two states of the program can be compared."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from commandline.children import python_child
from protocol.identity.keys import JoinLink


@contextmanager
def hosted(
    checkout: Path, *words: str, data: Path | None = None
) -> Iterator[tuple[JoinLink, psutil.Process]]:
    """Run a table manager of this checkout. Yield its link and its process.

    `data`: its folder; None: a new one.
    """
    with tempfile.TemporaryDirectory(prefix="fairdeal-bench-") as folder:
        fixed = ("--listen", "127.0.0.1:0", "--data", str(data or folder))
        child = python_child("-m", "table", *fixed, "--log-level", "warning", *words)
        table = subprocess.Popen(
            child.command,
            stdout=subprocess.PIPE,
            text=True,
            cwd=checkout,
            env=child.environ | {"PYTHONPATH": str(checkout)},
        )
        assert table.stdout is not None
        try:
            yield JoinLink.parse(table.stdout.readline().strip()), psutil.Process(table.pid)
        finally:
            table.kill()
            table.wait()
            table.stdout.close()
