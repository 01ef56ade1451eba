"""Simulations as people and services run them: processes that end, are stopped, crash, or hang."""

import asyncio
import json
import re
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from urllib.request import Request, urlopen

import psutil
import pytest

from commandline.children import Child, python_child
from simulation.task.task_parser import task_of
from simulation.web.worker_process import WorkerCommand, run_worker
from tests.support.nats import nats_server
from tests.support.ports import closed_port
from tests.support.simulations import SMALL, offered

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "fairdeal", "simulate")
LONG = {"model": "table", "rounds": 1_000_000}
CRASHES = {
    "ends": "import sys; sys.stdin.readline()",
    "is killed": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "talks nonsense": "print('nonsense', flush=True); input()",
    "says what is no answer": "print('{\"answers\": 1}', flush=True); input()",
    "says nothing of use": "print('[]', flush=True); input()",
    "never ends its line": "import sys\nwhile True: sys.stdout.write('1' * 65536)",
}


def test_ctrl_c_prints_rounds_played():
    words = [*COMMAND, "table", "--rounds", "1000000", "--seed", "1"]
    running = subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        # it has played some rounds
        assert re.search(r" of 1,000,000 rounds in \d+ s", running.stderr.readline())
        running.send_signal(signal.SIGINT)
        out, error = running.communicate(timeout=240)
    finally:
        running.kill()
    assert running.returncode == 1
    assert (
        "Stopped before the end" in out
        and "of 1,000,000 rounds" in error
        and "Traceback" not in error
    )


def test_a_service_is_started_asked_and_stopped():
    running = subprocess.Popen(
        [*COMMAND, "--web", "0"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        address = re.search(r"http://\S+", running.stdout.readline())[0].rstrip(".")
        asking = Request(
            f"{address}simulations",
            json.dumps(SMALL).encode(),
            {"Content-Type": "application/json"},
        )
        with urlopen(asking, timeout=240) as answer:
            assert answer.status == 202 and answer.headers["Location"].startswith("/simulations/")
        running.send_signal(signal.SIGTERM)
        assert running.wait(240) == 0
    finally:
        running.kill()
        running.communicate()


async def test_two_simulation_services_give_equal_bytes():
    told = []
    for _ in range(2):
        async with offered(partial(run_worker, WorkerCommand())) as service:
            path = await service.begin(SMALL | {"seed": 3})
            told.append((await service.result(path)).body)
            told.append((await service.get(path)).body)
    assert told[:2] == told[2:] and json.loads(told[0])["report"]["played"] == 3


@pytest.mark.parametrize("way", [*CRASHES, "no such program"])
async def test_simulation_worker_crash_is_reported_and_next_job_runs(way):
    crashing = python_child("-c", CRASHES[way]) if way in CRASHES else Child((way,), {})
    workers = [WorkerCommand(30, program=crashing), WorkerCommand()]
    async with offered(lambda task, hear: run_worker(workers.pop(0), task, hear)) as service:
        answer = (await service.result(await service.begin(SMALL))).json
        assert answer["state"] == "failed" and "ended before it was done" in answer["error"]
        assert (await service.result(await service.begin(SMALL))).json["state"] == "done"


async def test_too_long_simulation_is_ended():
    heard, seconds = [], 1
    while not heard:  # on a busy machine it may not have begun yet
        seconds *= 2
        outcome = await run_worker(WorkerCommand(seconds=seconds), task_of(LONG), heard.append)
        assert outcome.failed is not None and outcome.failed.key == "simulate.failed.slow"
    assert heard == sorted(heard)


async def test_worker_ends_with_its_parent():
    command, environ = WorkerCommand().program
    process = await asyncio.create_subprocess_exec(
        *command, env=environ, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    process.stdin.write(json.dumps({"task": LONG, "fast": False}).encode() + b"\n")
    assert b"done" in await process.stdout.readline()
    process.stdin.close()
    async with asyncio.timeout(240):
        assert await process.wait() == 1


async def test_ending_a_service_ends_its_worker():
    begun, before = asyncio.Event(), children()
    async with offered(
        lambda task, hear: run_worker(WorkerCommand(), task, lambda done: begun.set())
    ) as service:
        await service.begin(LONG)
        async with asyncio.timeout(240):
            await begun.wait()
        assert len(children() - before) == 1
    assert children() <= before


async def test_rounds_by_real_processes_give_report():
    async with nats_server() as (url, _):
        words = [*COMMAND, "machines", "--players", "6", "--nats", url, "--rounds", "2", "--json"]
        done = await asyncio.to_thread(
            subprocess.run, words, cwd=ROOT, capture_output=True, text=True, timeout=240
        )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (
        report["played"] == 2 and report["stopped"]["value"] == 1 and report["length"]["least"] > 0
    )
    assert report["task"]["players"] == 6 and "call" not in report["task"]


def test_unreachable_server_is_reported():
    words = [*COMMAND, "machines", "--nats", f"nats://127.0.0.1:{closed_port()}"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 2 and "NATS" in done.stderr and "Traceback" not in done.stderr


def children():
    """Return the running children of this process."""
    return {process.pid for process in psutil.Process().children()}
