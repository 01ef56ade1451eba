"""An innocent's entries while spectators of one address ask for logs and throw away what they read;
fails if they take too long.

The spectators watch two matches, which this program begins. Each asks for the whole log, and again
once it has read as much. Times are from when an entry of another match is sent until two seats have
it: with nobody reading, and with all. `--against` names another checkout, whose table is measured
too.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from protocol.identity.keys import JoinLink
from protocol.match.clock import Allowance
from protocol.match.terms import encode_terms, make_terms
from protocol.options import Selection
from scripts.benchmarks.client import Client, connect
from scripts.benchmarks.hosted import hosted
from scripts.benchmarks.move_times import quantile
from scripts.benchmarks.process import read_line, run_program, send_line
from scripts.benchmarks.unread_seat import Trio

NAMES = ("Ann", "Bob", "Cleo")
ATTACKER = "127.0.0.66"  # the players are at 127.0.0.1
WATCHED = 2  # matches: the table takes 32 spectators of one address to each
AT_MOST, AT_MOST_SECONDS = 3.0, 0.020  # times the quiet p99, or these seconds
CLOCK = Allowance(extensions=3, step=1200, turn=1200)  # of matches that stand still
TERMS = encode_terms(
    make_terms(
        Selection("block-dominoes", (("target", 1000),)),
        Selection("layered"),
        CLOCK.options(),
        len(NAMES),
    )
)
BOUNDS = ("frames=100000/100000", "goodbye_seconds=600", "arrivals_per_address=1000/100")
WORDS = tuple(word for bound in BOUNDS for word in ("--bound", bound))


async def begin(link: JoinLink, entries: int) -> tuple[Trio, "asyncio.Task[None]", str]:
    """A match at a table of its own, so many entries long."""
    clients = [await connect(link, name) for name in NAMES]
    clients[0].send("create", TERMS)
    table_id = str((await clients[0].expect("created")).values[0])
    trio = Trio(clients, False)
    last = await trio.begin(table_id)
    while trio.reader.log.next_number < entries and not trio.reader.over:
        await trio._step()
    return trio, last, table_id


async def watch(link: JoinLink, tables: Sequence[str], count: int, entries: int) -> None:
    """Spectators: each reads a log again and again, and decrypts nothing of it."""
    read = [0]
    clients: list[tuple[Client, bytes]] = []
    for number in range(count):
        client = await connect(link, "Eve", ATTACKER)
        client.send("spectate", tables[number % len(tables)])
        clients.append((client, (await client.expect("match")).values[1]))

    async def one(client: Client, match_id: bytes) -> None:
        while True:
            client.send("replay", match_id, 0)
            left = entries * 300  # about one log
            while left > 0 and (data := await client.reader.read(1 << 18)):
                left -= len(data)
                read[0] += len(data)
            if left > 0:
                return

    print("ready", flush=True)
    loop = asyncio.get_running_loop()
    order = await loop.run_in_executor(None, sys.stdin.readline)
    began = time.perf_counter()
    reading = [asyncio.create_task(one(*each)) for each in clients]
    order = await loop.run_in_executor(None, sys.stdin.readline)
    lost = sum(task.done() for task in reading)
    for task in reading:
        task.cancel()
    seconds = time.perf_counter() - began
    print(json.dumps({"mb_per_s": read[0] / 1e6 / seconds, "cut_off": lost, "": order}), flush=True)


async def measure(link: JoinLink, readers: int, seconds: float, entries: int) -> dict[str, float]:
    """The 99th of a hundred entries, with nobody reading and with so many spectators."""
    watched = [await begin(link, entries) for _ in range(WATCHED)]
    trio, last, _ = await begin(link, min(50, entries))
    found: dict[str, list[float]] = {}
    with ExitStack() as stack:
        arguments = ("watch", str(link), str(readers), str(entries), *(each[2] for each in watched))
        crowd = stack.enter_context(run_program("scripts.benchmarks.readers", *arguments))
        assert await asyncio.to_thread(read_line, crowd) == "ready"
        for state in ("quiet", "read"):
            if state == "read":
                send_line(crowd, "go")
                await asyncio.sleep(0.5)
            trio.times.clear()
            until = time.perf_counter() + seconds
            while time.perf_counter() < until and not trio.reader.over:
                await trio._step()
            found[state] = list(trio.times)
        send_line(crowd, "stop")
        crowd_figures = json.loads(await asyncio.to_thread(read_line, crowd))
    for each in (*watched, (trio, last, "")):
        each[1].cancel()
        for client in each[0].clients:
            client.close()
    print(f"  {crowd_figures}", file=sys.stderr)
    return {
        f"{state}_{name}_s": quantile(times, share)
        for state, times in found.items()
        for name, share in (("p50", 0.5), ("p99", 0.99))
    } | {"read_entries": float(len(found["read"])), "read_mb_per_s": crowd_figures["mb_per_s"]}


def main() -> int:
    """0 if the innocent's p99 is within the bound with this checkout's table."""
    if sys.argv[1:2] == ["watch"]:
        count, entries, *tables = sys.argv[3:]
        asyncio.run(watch(JoinLink.parse(sys.argv[2]), tables, int(count), int(entries)))
        return 0
    parser = argparse.ArgumentParser(prog="scripts/readers", description=__doc__)
    parser.add_argument("--readers", type=int, default=60, metavar="N", help="default: %(default)s")
    parser.add_argument(
        "--seconds", type=float, default=8, metavar="S", help="of each part (default: %(default)s)"
    )
    parser.add_argument(
        "--entries",
        type=int,
        default=600,
        metavar="N",
        help="of each match that is read (default: %(default)s)",
    )
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="another checkout")
    options = parser.parse_args()
    fine = False
    for checkout in filter(None, (options.against, Path.cwd())):
        with hosted(checkout, *WORDS) as (link, _):
            figures = asyncio.run(measure(link, options.readers, options.seconds, options.entries))
        print(checkout)
        for name, value in figures.items():
            print(f"  {name:32} {value:,.4g}")
        fine = figures["read_p99_s"] <= max(AT_MOST_SECONDS, AT_MOST * figures["quiet_p99_s"])
    print("the innocent is unharmed" if fine else "NOT unharmed: p99 is above the bound")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
