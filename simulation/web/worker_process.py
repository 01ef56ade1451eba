"""One simulation in a process of its own, with limits of time and memory. The service survives its
failure.
"""

import asyncio
import json
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from commandline.children import Child, python_child
from protocol.limits import MAX_SIMULATION_ANSWER, SIMULATION_SECONDS
from protocol.view.phrase import Phrase, phrase
from simulation.task import SimulationTask
from simulation.task.task_parser import as_json


def worker_program() -> Child:
    """Command of the process for one simulation."""
    return python_child("-m", "simulation.web.worker_program")


@dataclass(frozen=True)
class WorkerCommand:
    """Settings of the processes."""

    seconds: int = SIMULATION_SECONDS  # for one simulation
    fast: bool = False
    program: Child = field(default_factory=worker_program)


@dataclass(frozen=True)
class JobOutcome:
    """All answers, or the reason of the failure."""

    answers: Mapping[str, bytes]
    failed: Phrase | None = None


async def run_worker(
    worker: WorkerCommand, task: SimulationTask, hear: Callable[[int], None]
) -> JobOutcome:
    """Run a simulation; `hear` is called with the number of rounds played."""
    try:
        async with asyncio.timeout(worker.seconds), _running_process(worker) as process:
            answers = await _answers(
                process, json.dumps({"task": as_json(task), "fast": worker.fast}), hear
            )
    except TimeoutError:
        return JobOutcome({}, phrase("simulate.failed.slow", seconds=f"{worker.seconds:,}"))
    except (ValueError, TypeError, LookupError, AttributeError, OSError):
        # it ended early, or its output is not understood
        return JobOutcome({}, phrase("simulate.failed"))
    return JobOutcome(answers)


@asynccontextmanager
async def _running_process(worker: WorkerCommand) -> AsyncIterator[Process]:
    """Start a process, and end it after the context. Raises: OSError if it cannot start."""
    command, environ = worker.program
    process = await asyncio.create_subprocess_exec(
        *command,
        env=environ,
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        start_new_session=True,
        limit=MAX_SIMULATION_ANSWER,
    )
    try:
        yield process
    finally:
        await _end(process)


async def _answers(process: Process, asked: str, hear: Callable[[int], None]) -> dict[str, bytes]:
    """Read the answers of the process.

    Raises: ValueError if the process ends early; TypeError, LookupError or AttributeError for wrong
    output.
    """
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(asked.encode() + b"\n")
    while line := await process.stdout.readline():
        said: dict[str, Any] = json.loads(line)
        if "answers" in said:
            return {name: text.encode() for name, text in said["answers"].items()}
        hear(int(said["done"]))
    raise ValueError


async def _end(process: Process) -> None:
    if process.returncode is None:
        try:
            process.kill()
        except ProcessLookupError:
            """It has ended meanwhile."""
    await process.wait()
