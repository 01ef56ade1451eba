"""Processes for measured programs.

The processes are forked from one that has imported the needed modules, if `import_ahead` was
called. This saves a second for each. No figure includes the imports of a program.
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
    "player.cli.join_command",
    "scripts.benchmarks.deal_worker",
    "scripts.benchmarks.sections",
)


def import_ahead() -> None:
    """Start the process from which programs are forked, and let it import modules in parallel.

    Only for a program that does nothing else, because all forks come from this process. Without the
    call, each program imports for itself.
    """
    PROCESSES.set_forkserver_preload(list(IMPORTED))
    forkserver.ensure_running()


class Program:
    """A Python module that runs as a program. Its standard input and output are pipes to this
    process.
    """

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
        """Process id in the system."""
        assert self._process.pid is not None
        return self._process.pid

    def wait(self, seconds: float) -> None:
        """Wait until the program ends by itself. Raises: TimeoutError."""
        self._process.join(seconds)
        if self._process.exitcode is None:
            raise TimeoutError("a program under measurement does not end")

    def end(self) -> None:
        """Kill the program."""
        self._process.kill()
        self._process.join()
        self.stdout.close()
        self.stdin.close()


def _taken(pipe: Connection) -> int:
    """Return a descriptor of this pipe's end that stays open after garbage collection."""
    number = os.dup(pipe.fileno())
    pipe.close()
    return number


def _run(
    module: str, arguments: tuple[str, ...], its_input: Connection, its_output: Connection
) -> None:
    """Run a program from start to end in this process."""
    for pipe, number in ((its_input, 0), (its_output, 1)):
        os.dup2(pipe.fileno(), number)
        pipe.close()
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", buffering=1, closefd=False)  # noqa: SIM115 - as programs have them
    sys.argv = [module, *arguments]
    # so that the module is run, and not found as an import
    sys.modules.pop(module if module.startswith("scripts.") else f"{module}.__main__", None)
    runpy.run_module(module, run_name="__main__", alter_sys=True)


@contextmanager
def run_program(module: str, *arguments: str) -> Iterator[Program]:
    """Run a Python module in a new process, and kill it at the end."""
    process = Program(module, arguments)
    try:
        yield process
    finally:
        process.end()


def read_line(process: Program) -> str:
    """Return the next line that a program prints. Raises: RuntimeError if the program has ended."""
    text = process.stdout.readline().strip()
    if not text:
        raise RuntimeError("a program under measurement ended early")
    return text


def send_line(process: Program, text: str) -> None:
    """Send a line to a program."""
    process.stdin.write(text + "\n")
    process.stdin.flush()


@contextmanager
def run_table(*arguments: str) -> Iterator[tuple[Program, JoinLink]]:
    """Run a table manager on a free port. Yield it with its join link."""
    with tempfile.TemporaryDirectory(prefix="fairdeal-bench-") as folder:
        fixed = ("--listen", "127.0.0.1:0", "--data", str(Path(folder)), "--log-level", "warning")
        with run_program("table", *fixed, *arguments) as process:
            yield process, JoinLink.parse(read_line(process))
