"""An innocent's requests and entries while one address posts valid entries without end from four
connections; fails if they take too long.

Times are those of `list`, and from when an entry is sent until two seats have it, with nobody else
at the table and with the flood. `--against` names another checkout, whose table is measured, too.
"""

import argparse
import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from commandline.children import python_child
from protocol.identity.keys import JoinLink
from protocol.match.terms import encode_terms, make_terms
from protocol.options import Selection
from scripts.benchmarks.client import Client, connect
from scripts.benchmarks.hog import CLOCK
from scripts.benchmarks.move_times import quantile
from scripts.benchmarks.process import read_line, run_program, send_line
from scripts.benchmarks.unread_seat import NAMES, Trio

ATTACKER = "127.0.0.66"  # the innocents are at 127.0.0.1
MATCHES = 2  # of the attacker: four connections
# entries of a seat without an answer, by whether the table has workers: their queue is bounded
AT_ONCE = {False: 200, True: 12}
CHEAP, COSTLY = 0, 5_000  # steps of an entry by the attacker's rules; 0.2 and 0.7 ms to fold
PRIORITY = -15  # of table and innocent
LIST_PAUSE = 0.02  # seconds between two requests of the innocent
AT_MOST, AT_MOST_SECONDS = 3.0, 0.020  # times the quiet p99, or these seconds
TERMS = encode_terms(
    make_terms(
        Selection("block-dominoes", (("target", 1000),)),
        Selection("layered"),
        CLOCK.options(),
        len(NAMES),
    )
)
OPTIONS = (
    *("--allow-create", "any"),
    *("--bound", "requests=100000/100000"),
    *("--bound", "requests_per_address=100000/100000"),
)


class Innocent:
    """Three seats that play, and somebody in the lobby who asks for the tables."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock

    async def begin(self, link: JoinLink) -> None:
        """Sit down at a table of their own."""
        clients = [await connect(link, name) for name in NAMES]
        clients[0].send("create", TERMS)
        table_id = str((await clients[0].expect("created")).values[0])
        self.trio = Trio(clients, False, self._clock)
        self._last = await self.trio.begin(table_id)
        self._asks: Client = await connect(link, "Dan")

    async def measure(self, seconds: float) -> dict[str, list[float]]:
        """Play and ask for so long. Return seconds of entries and of answers."""
        until = time.perf_counter() + seconds
        self.trio.times.clear()
        asking = asyncio.create_task(self._ask(until))
        while time.perf_counter() < until and not self.trio.reader.over:
            await self.trio._step()
        return {"list": await asking, "move": list(self.trio.times)}

    async def _ask(self, until: float) -> list[float]:
        times = []
        while time.perf_counter() < until:
            begun = self._clock()
            self._asks.send("list")
            await self._asks.expect("tables")
            times.append(self._clock() - begun)
            await asyncio.sleep(LIST_PAUSE)
        return times

    async def close(self) -> None:
        """Leave."""
        self._last.cancel()
        await asyncio.gather(self._last, return_exceptions=True)
        for client in (*self.trio.clients, self._asks):
            client.close()
            with contextlib.suppress(OSError):
                await client.writer.wait_closed()


async def measure(
    link: JoinLink,
    steps: int,
    seconds: float,
    at_once: int,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Return the 99th percentiles, with nobody else there and with the flood.

    `clock`: the time of this process, where the table is in it, leaves out what other programs take.
    """
    innocent = Innocent(clock)
    await innocent.begin(link)
    figures: dict[str, float] = {}
    arguments = (str(link), ATTACKER, str(MATCHES), str(steps), str(at_once))
    with run_program("scripts.benchmarks.hog", *arguments) as hog:
        assert await asyncio.to_thread(read_line, hog) == "ready"
        for state in ("quiet", "flooded"):
            if state == "flooded":
                send_line(hog, "go")
                await asyncio.sleep(0.5)
            for what, times in (await innocent.measure(seconds)).items():
                figures[f"{state}_{what}_p50_s"] = quantile(times, 0.5)
                figures[f"{state}_{what}_p99_s"] = quantile(times, 0.99)
    await innocent.close()
    return figures


def is_unharmed(figures: dict[str, float]) -> bool:
    """Tell if the innocent's figures are within the bound."""
    return all(
        figures[f"flooded_{what}_p99_s"]
        <= max(AT_MOST_SECONDS, AT_MOST * figures[f"quiet_{what}_p99_s"])
        for what in ("list", "move")
    )


@contextmanager
def preferred() -> Iterator[None]:
    """Let this process and its children come before what else the machine does, where that may be
    done: else its scheduler is measured.
    """
    usual = os.getpriority(os.PRIO_PROCESS, 0)
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, PRIORITY)
    try:
        yield
    finally:
        os.setpriority(os.PRIO_PROCESS, 0, usual)


@contextmanager
def hosted(checkout: Path, workers: int) -> Iterator[JoinLink]:
    """Run a table manager of this checkout."""
    with tempfile.TemporaryDirectory(prefix="fairdeal-bench-") as folder:
        words = ["--listen", "127.0.0.1:0", "--data", folder, "--log-level", "warning"]
        words += ["--workers", str(workers), *OPTIONS]
        child = python_child("-m", "table", *words)
        table = subprocess.Popen(
            child.command,
            stdout=subprocess.PIPE,
            text=True,
            cwd=checkout,
            env=child.environ | {"PYTHONPATH": str(checkout)},
        )
        assert table.stdout is not None
        try:
            yield JoinLink.parse(table.stdout.readline().strip())
        finally:
            table.terminate()
            table.wait()
            table.stdout.close()


def main() -> int:
    """Return 0 if the innocent's 99th percentiles are within the bound with this checkout."""
    parser = argparse.ArgumentParser(prog="scripts/flood entries", description=__doc__)
    parser.add_argument(
        "--seconds", type=float, default=6, metavar="S", help="of each part (default: %(default)s)"
    )
    parser.add_argument(
        "--workers", type=int, default=2, metavar="N", help="of the table (default: %(default)s)"
    )
    parser.add_argument(
        "--steps", type=int, default=None, metavar="N", help="of one entry (default: few, and many)"
    )
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="another checkout")
    options = parser.parse_args()
    fine = True
    for checkout in filter(None, (options.against, Path.cwd())):
        for steps in (CHEAP, COSTLY) if options.steps is None else (options.steps,):
            with preferred(), hosted(checkout, options.workers) as link:
                figures = asyncio.run(
                    measure(link, steps, options.seconds, AT_ONCE[options.workers > 0])
                )
            print(f"{checkout}, {steps} steps, {options.workers} workers")
            for name, value in figures.items():
                print(f"  {name:32} {value:,.4g}")
            fine = fine and (checkout != Path.cwd() or is_unharmed(figures))
    print("the innocent is unharmed" if fine else "NOT unharmed: a p99 is above the bound")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
