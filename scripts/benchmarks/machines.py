"""Paper's machines over NATS: attempted lays per second by 100 players in two processes, and bare
NATS in the same run.

Every lay and every answer is a separate NATS message, even between players of one process. Each
player has one open call. The rate is that of the whole round, from the starting signal until
somebody stops.
"""

import asyncio
import statistics
from contextlib import ExitStack
from random import Random

from scripts.benchmarks.process import read_line, run_program, send_line
from simulation.machines.coordinator import RoundPlan, RoundScore
from simulation.machines.processes.launcher import ProcessPlan, play
from simulation.machines.result import as_round
from simulation.models.random_draws import shuffled
from tests.support.nats import nats_server

PLAYERS = 100
PROCESSES = 2


async def rate(url: str, seed: int) -> float:
    """Return the rate of a round in which every player has a neighbour."""
    random = Random(seed)
    plan = RoundPlan(tuple(tuple(shuffled(random)) for _ in range(PLAYERS)))
    outcome = await play(plan, ProcessPlan(url, PROCESSES))
    if not isinstance(outcome, RoundScore):
        raise RuntimeError(f"the round is void: {outcome.why}")
    round_ = as_round(outcome)
    return sum(round_.attempts) / round_.duration * 1e6


def bare_rate(url: str) -> float:
    """Return the requests per second between two processes that only send requests. The number of
    open requests is the number of players.
    """
    with ExitStack() as stack:
        names = ["bench.a", "bench.b"]
        words = [
            (url, own, other, str(PLAYERS // PROCESSES)) for own, other in (names, names[::-1])
        ]
        processes = [
            stack.enter_context(run_program("scripts.benchmarks.bare_nats", *each))
            for each in words
        ]
        for process in processes:
            read_line(process)
        for process in processes:
            send_line(process, "begin")
        return sum(float(read_line(process)) for process in processes)


async def _measure(rounds: int) -> tuple[float, float]:
    rates = []
    bare = []
    async with nats_server() as (url, server):
        for seed in range(rounds):
            rates.append(await rate(url, seed))
            bare.append(await asyncio.to_thread(bare_rate, url))
        server.kill()
    return statistics.median(rates), statistics.median(bare)


def measure(rounds: int) -> dict[str, float]:
    """Return the medians of both rates, and their ratio."""
    ours, bare = asyncio.run(_measure(rounds))
    return {
        "ligretto_nats_attempts_per_s": ours,
        "bare_nats_requests_per_s": bare,
        "ligretto_nats_ratio": ours / bare,
    }
