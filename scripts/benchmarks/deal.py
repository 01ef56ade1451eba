"""Time of a layered deal of 28 tiles to 4 seats in 4 processes over loopback TCP, from the last
join to the first move.
"""

import asyncio
import statistics
from contextlib import ExitStack
from dataclasses import replace

from protocol.identity.keys import JoinLink
from scripts.benchmarks.counter import Counter
from scripts.benchmarks.process import Program, read_line, run_program, run_table, send_line

NAMES = ("Ann", "Bob", "Cleo", "Dan")


def time_of(process: Program, what: str) -> float:
    """Return the time at which a `deal_worker` reports the event `what`. Earlier output is
    skipped.
    """
    while True:
        word, _, seconds = read_line(process).partition(" ")
        if word == what:
            return float(seconds)


def one_deal(link: JoinLink) -> float:
    """Measure the seconds from the last player's greeting, before its join, until a player sees the
    first move.
    """
    with ExitStack() as stack:
        workers = [
            stack.enter_context(run_program("scripts.benchmarks.deal_worker", str(link), name))
            for name in NAMES
        ]
        for worker in workers:
            assert read_line(worker) == "ready"
        for worker in workers:
            send_line(worker, "go")
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
    """Count frames and bytes until the first player sees the first move, including connection and
    join.
    """
    with ExitStack() as stack:
        workers = [
            stack.enter_context(run_program("scripts.benchmarks.deal_worker", str(link), name))
            for name in NAMES
        ]
        for worker in workers:
            send_line(worker, "go")
        time_of(workers[0], "move")
        seen = Counter()
        seen.frames = counter.frames
        seen.bytes = counter.bytes
        for worker in workers:
            worker.wait(30)
    return seen


def measure(rounds: int) -> dict[str, float]:
    """Return medians over `rounds` deals. Frames are counted in separate deals through a counting
    relay.
    """
    with run_table("--seats", "4", "--target", "1") as (_, link):
        times = [one_deal(link) for _ in range(rounds)]
        counts = [asyncio.run(_counted(link)) for _ in range(rounds)]
    return {
        "layered_deal_s": statistics.median(times),
        "layered_deal_s_worst": max(times),
        "layered_deal_frames": statistics.median(count.frames for count in counts),
        "layered_deal_frames_worst": max(count.frames for count in counts),
        "layered_deal_bytes": statistics.median(count.bytes for count in counts),
    }
