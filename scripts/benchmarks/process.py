"""Programs under measurement run in processes of their own."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from protocol.identity.keys import JoinLink


@contextmanager
def program(module: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A Python module in a process of its own, killed at the end."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", module, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def line(process: subprocess.Popen[str]) -> str:
    """The next line that a program prints; raises `RuntimeError` if it has ended."""
    assert process.stdout is not None
    text = process.stdout.readline().strip()
    if not text:
        raise RuntimeError("a program under measurement ended early")
    return text


def tell(process: subprocess.Popen[str], text: str) -> None:
    """Send a line to a program."""
    assert process.stdin is not None
    process.stdin.write(text + "\n")
    process.stdin.flush()


@contextmanager
def table(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], JoinLink]]:
    """A table manager on a free port, and its join link."""
    with tempfile.TemporaryDirectory(prefix="fairdeal-bench-") as folder:
        fixed = ("--listen", "127.0.0.1:0", "--data", str(Path(folder)), "--log-level", "warning")
        with program("table", *fixed, *arguments) as process:
            yield process, JoinLink.parse(line(process))
