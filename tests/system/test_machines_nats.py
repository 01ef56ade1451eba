"""Rounds of machines over a real NATS server: complete ones, disturbed ones, and ones killed in the
middle.
"""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from random import Random

import nats
import psutil
import pytest

from protocol.limits import MACHINES_SILENT_SECONDS
from simulation.machines.coordinator import RoundPlan, RoundScore, VoidRound
from simulation.machines.messages import (
    COORDINATOR,
    Answer,
    Lay,
    LayVerdict,
    Ready,
    Start,
    Stop,
    encode,
)
from simulation.machines.processes.launcher import ProcessPlan, play, split_players
from simulation.machines.result import as_round
from simulation.models.random_draws import shuffled
from tests.support.nats import nats_server
from tests.support.ports import closed_port

pytestmark = pytest.mark.process

SECONDS = 240
# seconds for processes to begin and report on a busy machine; a round that nobody ends lasts 60
LATE = 40
# order of a deck in which the cards with number 1 come last
STUCK = (
    *range(1, 10),
    11,
    12,
    13,
    14,
    15,
    16,
    17,
    18,
    19,
    *range(21, 30),
    *range(31, 40),
    0,
    10,
    20,
    30,
)
ENDLESS = RoundPlan(
    (STUCK,) * 6
)  # no machine can lay anything, but all keep trying, as in the middle of a round


def fresh(players, seed=3, **settings):
    random = Random(seed)
    return RoundPlan(tuple(tuple(shuffled(random)) for _ in range(players)), **settings)


@asynccontextmanager
async def nothing_left():
    """Check that no process is left."""
    before = running()
    yield
    assert [child.name() for child in running() - before] == []


def running():
    """Return the running children of this process, and their children."""
    return {
        child for child in psutil.Process().children(recursive=True) if child.status() != "zombie"
    }


async def played(plan, cluster, started=lambda children: None):
    async with asyncio.timeout(SECONDS):
        return await play(plan, cluster, started)


@pytest.mark.parametrize(
    ("strategy", "instants", "processes"),
    (("blind", False, 2), ("look", True, 3)),
    ids=("signals", "instants"),
)
async def test_a_round_is_played_and_every_card_is_there_once(strategy, instants, processes):
    plan = fresh(12, instants=instants, lead=200_000)
    async with nothing_left(), nats_server() as (url, server):
        outcome = await played(plan, ProcessPlan(url, processes, strategy))
        server.kill()
    assert isinstance(outcome, RoundScore)  # so the coordinator has counted all cards
    round_ = as_round(outcome)
    assert round_.points[round_.stop] == round_.laid[round_.stop] >= 10 and round_.duration > 0
    assert min(round_.attempts) > 0


@pytest.mark.parametrize(
    ("victim", "void"),
    ((0, ("coordinator", ())), (1, ("died", (0, 1, 2))), (2, ("died", (3, 4, 5)))),
    ids=str,
)
async def test_round_with_killed_process_is_void_and_leaves_nothing(victim, void):
    async with nothing_left(), nats_server() as (url, server):
        outcome = await played(
            ENDLESS, ProcessPlan(url), lambda children: children[victim].process.kill()
        )
        server.kill()
    assert isinstance(outcome, VoidRound) and outcome[:2] == void


async def test_round_with_killed_server_is_void_and_leaves_nothing():
    async with nothing_left(), nats_server() as (url, server):
        outcome = await played(ENDLESS, ProcessPlan(url), lambda children: server.kill())
    assert isinstance(outcome, VoidRound) and outcome[:2] == ("server", ())


@pytest.mark.parametrize("who", ("player", "server"))
async def test_hanging_process_is_named_in_time(who):
    async with nothing_left(), nats_server() as (url, server):

        def hang(children):
            os.kill((server if who == "server" else children[2].process).pid, signal.SIGSTOP)

        outcome = await played(ENDLESS, ProcessPlan(url), hang)
        server.kill()
    assert isinstance(outcome, VoidRound) and outcome.at <= (MACHINES_SILENT_SECONDS + LATE) * 1e6
    assert outcome.why == ("server" if who == "server" else "silent")
    assert set(outcome.players) <= {3, 4, 5} and bool(outcome.players) == (who == "player")


async def test_machines_join_from_another_program():
    """The first program prints the arguments with which the others join."""
    words = [sys.executable, "-m", "simulation.machines"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    async with nothing_left(), nats_server() as (url, server), asyncio.timeout(SECONDS):
        here = ["--nats", url, "--players", "6", "--seed", "3", "--here", "1-4", "--json"]
        begun = await asyncio.create_subprocess_exec(*words, *here, **pipes)
        run = re.search(rb"--join ([0-9a-f]{16}) ", await begun.stderr.readline())[1].decode()
        there = ["--nats", url, "--here", "5-6", "--join", run]
        joined = await asyncio.create_subprocess_exec(*words, *there, **pipes)
        (out, _), (silent, error) = await asyncio.gather(begun.communicate(), joined.communicate())
        server.kill()
    assert (begun.returncode, joined.returncode, silent, error) == (0, 0, b"", b"")
    assert len(json.loads(out)["points"]) == 6


async def test_orphaned_processes_end():
    """If the program that started a round is killed, its processes see the end of their input."""
    async with nats_server() as (url, server):
        words = ["--nats", url, "--players", "2", "--processes", "2", "--patience", "60"]
        program = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "simulation.machines", *words, stdout=subprocess.PIPE
        )
        async with asyncio.timeout(SECONDS):
            while len(children := psutil.Process(program.pid).children()) < 3:
                await asyncio.sleep(0.01)
            program.kill()
            await program.wait()
            _, alive = await asyncio.to_thread(psutil.wait_procs, children, SECONDS)
        server.kill()
    assert alive == []


async def test_messages_of_others_change_nothing():
    """Every message is repeated with one changed byte, and messages of other runs and unknown
    messages are added.
    """
    run, sent = bytes(8), 0

    async with nats_server() as (url, server):
        meddler = await nats.connect(url, no_echo=True)

        async def meddle(message):
            nonlocal sent
            sent += 1
            at = sent % len(message.data)
            changed = message.data[:at] + bytes([message.data[at] ^ 1]) + message.data[at + 1 :]
            foreign = [
                encode(run, COORDINATOR, 1, Start(None)),
                encode(run, 1, 2, Lay(10**9, 41)),
                encode(run, 2, 1, Answer(1, LayVerdict.LAID, None, 0)),
                encode(run, 1, COORDINATOR, Stop(1)),
                encode(run, 1, COORDINATOR, Ready()),
            ]
            garbage = [b"", b"\xc1", b"\x94" * 40, bytes(70_000), changed if at < 8 else b"x"]
            for data in (message.data, foreign[sent % 5], garbage[sent % 5]):
                await meddler.publish(message.subject, data)

        await meddler.subscribe("ligretto.>", cb=meddle)
        outcome = await played(fresh(6), ProcessPlan(url))
        await meddler.close()
        server.kill()
    assert isinstance(outcome, RoundScore) and sent > 100


async def test_missing_nats_server_is_reported():
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "simulation.machines",
        "--nats",
        f"nats://127.0.0.1:{closed_port()}",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, error = await process.communicate()
    assert process.returncode == 1 and out == b""
    assert b"No NATS server answers there." in error and b"Traceback" not in error


def test_players_are_spread_evenly():
    assert split_players(0, 100, 2) == [(0, 50), (50, 50)]
    assert split_players(0, 3, 8) == [(0, 1), (1, 1), (2, 1)]
    assert split_players(5, 10, 3) == [(5, 3), (8, 3), (11, 4)]
