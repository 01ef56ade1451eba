"""Programs under measurement run in processes of their own.

They are forked from one that has imported what they import, if that was asked for, which saves a
second for each. What a program imports before it begins is in no figure.
"""

import multiprocessing
import os
import runpy
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from pathlib import Path

from protocol.identity.keys import JoinLink

PROCESSES = multiprocessing.get_context("forkserver")
IMPORTED = (
    "table.__main__",
    "player.cli",
    "scripts.benchmarks.deal_worker",
    "scripts.benchmarks.sections",
)


def import_ahead() -> None:
    """Let the process that others are forked from import what they will need, beside whatever is
    done meanwhile.

    For a program that does nothing else: there is one such process for all that forks. Without,
    each imports its own.
    """
    PROCESSES.set_forkserver_preload(list(IMPORTED))
    forkserver.ensure_running()


class Program:
    """A Python module that runs as a program; its standard input and output are pipes to here."""

    def __init__(self, module: str, arguments: tuple[str, ...]) -> None:
        (its_input, to_it), (from_it, its_output) = (
            PROCESSES.Pipe(duplex=False),
            PROCESSES.Pipe(duplex=False),
        )
        self._process = PROCESSES.Process(
            target=_run, args=(module, arguments, its_input, its_output), daemon=True
        )
        self._process.start()
        its_input.close()
        its_output.close()
        self.stdin, self.stdout = os.fdopen(_taken(to_it), "w"), os.fdopen(_taken(from_it))

    @property
    def pid(self) -> int:
        """By which the system knows it."""
        assert self._process.pid is not None
        return self._process.pid

    def wait(self, seconds: float) -> None:
        """Until it ends by itself; raises `TimeoutError`."""
        self._process.join(seconds)
        if self._process.exitcode is None:
            raise TimeoutError("a program under measurement does not end")

    def end(self) -> None:
        """Kill it."""
        self._process.kill()
        self._process.join()
        self.stdout.close()
        self.stdin.close()


def _taken(pipe: Connection) -> int:
    """A descriptor of this pipe's end that its garbage collection does not close."""
    number = os.dup(pipe.fileno())
    pipe.close()
    return number


def _run(
    module: str, arguments: tuple[str, ...], its_input: Connection, its_output: Connection
) -> None:
    """The whole life of a program."""
    for pipe, number in ((its_input, 0), (its_output, 1)):
        os.dup2(pipe.fileno(), number)
        pipe.close()
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", buffering=1, closefd=False)  # noqa: SIM115 - as programs have them
    sys.argv = [module, *arguments]
    # it is run, not imported
    sys.modules.pop(module if module.startswith("scripts.") else f"{module}.__main__", None)
    runpy.run_module(module, run_name="__main__", alter_sys=True)


@contextmanager
def program(module: str, *arguments: str) -> Iterator[Program]:
    """A Python module in a process of its own, killed at the end."""
    process = Program(module, arguments)
    try:
        yield process
    finally:
        process.end()


def line(process: Program) -> str:
    """The next line that a program prints; raises `RuntimeError` if it has ended."""
    text = process.stdout.readline().strip()
    if not text:
        raise RuntimeError("a program under measurement ended early")
    return text


def tell(process: Program, text: str) -> None:
    """Send a line to a program."""
    process.stdin.write(text + "\n")
    process.stdin.flush()


@contextmanager
def table(*arguments: str) -> Iterator[tuple[Program, JoinLink]]:
    """A table manager on a free port, and its join link."""
    with tempfile.TemporaryDirectory(prefix="fairdeal-bench-") as folder:
        fixed = ("--listen", "127.0.0.1:0", "--data", str(Path(folder)), "--log-level", "warning")
        with program("table", *fixed, *arguments) as process:
            yield process, JoinLink.parse(line(process))
