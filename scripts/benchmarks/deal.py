"""A layered deal of 28 tiles to 4 seats in 4 processes over loopback TCP: from the last join to the
first move.
"""

import asyncio
import statistics
from contextlib import ExitStack
from dataclasses import replace

from protocol.identity.keys import JoinLink
from scripts.benchmarks.counter import Counter
from scripts.benchmarks.process import Program, line, program, table, tell

NAMES = ("Ann", "Bob", "Cleo", "Dan")


def time_of(process: Program, what: str) -> float:
    """When a `deal_worker` says that this happened; what it prints before is skipped."""
    while True:
        word, _, seconds = line(process).partition(" ")
        if word == what:
            return float(seconds)


def one_deal(link: JoinLink) -> float:
    """Seconds from the last player's greeting (before its join) to the first sight of the first
    move.
    """
    with ExitStack() as stack:
        workers = [
            stack.enter_context(program("scripts.benchmarks.deal_worker", str(link), name))
            for name in NAMES
        ]
        for worker in workers:
            assert line(worker) == "ready"
        for worker in workers:
            tell(worker, "go")
            joined = time_of(worker, "joined")
        first = min(time_of(worker, "move") for worker in workers)
        for worker in workers:
            worker.wait(30)
    return first - joined


async def _counted(link: JoinLink) -> Counter:
    counter = Counter()
    server = await counter.serve(link.host, link.port)
    port = server.sockets[0].getsockname()[1]
    before = await asyncio.to_thread(_until_dealt, replace(link, port=port), counter)
    server.close()
    return before


def _until_dealt(link: JoinLink, counter: Counter) -> Counter:
    """Frames and bytes when the first player has seen the first move; connecting and joining are in
    it.
    """
    with ExitStack() as stack:
        workers = [
            stack.enter_context(program("scripts.benchmarks.deal_worker", str(link), name))
            for name in NAMES
        ]
        for worker in workers:
            tell(worker, "go")
        time_of(workers[0], "move")
        seen = Counter()
        seen.frames = counter.frames
        seen.bytes = counter.bytes
        for worker in workers:
            worker.wait(30)
    return seen


def measure(rounds: int) -> dict[str, float]:
    """Medians over so many deals; the wire is counted in as many of its own, through a counting
    relay.
    """
    with table("--seats", "4", "--target", "1") as (_, link):
        times = [one_deal(link) for _ in range(rounds)]
        counts = [asyncio.run(_counted(link)) for _ in range(rounds)]
    return {
        "layered_deal_s": statistics.median(times),
        "layered_deal_s_worst": max(times),
        "layered_deal_frames": statistics.median(count.frames for count in counts),
        "layered_deal_frames_worst": max(count.frames for count in counts),
        "layered_deal_bytes": statistics.median(count.bytes for count in counts),
    }
