"""An innocent's `list` and moves while one address does its worst; fails if they take too long.

Each attack has a table of its own, which anybody may create any game at. An innocent plays a match
of its own and lists the tables, first alone, then beside the attack. A move lasts from sending an
entry until two seats have it. `scripts/readers` and `scripts/flood` measure two attacks in more
detail.
"""

import argparse
import asyncio
import sys
import time
from itertools import cycle
from pathlib import Path

from protocol.identity.keys import JoinLink
from protocol.match.clock import Allowance
from protocol.match.state import MatchStage
from protocol.match.terms import encode_terms, make_terms
from protocol.options import Selection
from scripts.benchmarks.attackers import ATTACKS
from scripts.benchmarks.client import Client, connect
from scripts.benchmarks.hosted import hosted
from scripts.benchmarks.move_times import quantile
from scripts.benchmarks.process import Program, read_line, run_program, send_line
from scripts.benchmarks.unread_seat import NAMES, Trio

AT_MOST, AT_MOST_SECONDS = 3.0, 0.020  # times the quiet p99, or these seconds
GUESTS = (
    12  # innocents in the lobby, who list in turn: the table lets each list four times a second
)
PAUSE = 0.01  # seconds between two things that the innocent does
SETTLED = 0.5  # seconds until an attack is in full swing
CLOCK = Allowance(extensions=3, step=1200, turn=1200)
TERMS = encode_terms(
    make_terms(
        Selection("block-dominoes", (("target", 1000),)),
        Selection("layered"),
        CLOCK.options(),
        len(NAMES),
    )
)


class Innocent(Trio):
    """Three seats of one match, and guests in the lobby."""

    def __init__(self, clients: list[Client], guests: list[Client]) -> None:
        super().__init__(clients, False)
        self._guests = cycle(guests)
        self.lists: list[float] = []

    async def live(self, seconds: float) -> dict[str, list[float]]:
        """Move and list, so long, and until there is one of each. Return the seconds that each took."""
        self.times, self.lists = [], []
        until = time.perf_counter() + seconds
        while time.perf_counter() < until or not (self.times and self.lists):
            if await self.move():
                await asyncio.sleep(PAUSE)
                begun = time.perf_counter()
                guest = next(self._guests)
                guest.send("list")
                await guest.expect("tables")
                self.lists.append(time.perf_counter() - begun)
                await asyncio.sleep(PAUSE)
        return {"move": self.times, "list": self.lists}

    async def move(self) -> bool:
        """Post the entry of a seat that has one, or wait for one of the table; tell which."""
        posts = ((seat, self._post_of(seat)) for seat in self.seats)
        seat, raw = next(((seat, raw) for seat, raw in posts if raw is not None), (None, b""))
        begun, stage = time.perf_counter(), self.reader.match.stage
        if seat is not None:
            self.clients[self.seats.index(seat)].send("post", self.match_id, raw)
        logged = await self._entry()
        if seat not in (None, self.seats[-1]) and stage is MatchStage.PLAYING:
            self.times.append(time.perf_counter() - begun)
        self.reader.feed(*logged)
        return seat is not None


async def _innocent(link: JoinLink) -> tuple[Innocent, "asyncio.Task[None]"]:
    clients = [await connect(link, name) for name in NAMES]
    clients[0].send("create", TERMS)
    place = str((await clients[0].expect("created")).values[0])
    guests = [await connect(link, "Gus", f"127.0.0.{10 + number}") for number in range(GUESTS)]
    innocent = Innocent(clients, guests)
    last = await innocent.begin(place)
    while innocent.reader.match.stage is not MatchStage.PLAYING:  # a deal is no move
        await innocent.move()
    return innocent, last


async def measure(link: JoinLink, attacker: Program, seconds: float) -> dict[str, float]:
    """Return the quantiles without and with an attack, and how the 99th compare."""
    innocent, last = await _innocent(link)
    assert await asyncio.to_thread(read_line, attacker) == "ready"
    found = {"quiet": await innocent.live(seconds)}
    send_line(attacker, "go")
    await asyncio.sleep(SETTLED)
    found["attacked"] = await innocent.live(seconds)
    last.cancel()
    for client in innocent.clients:
        client.close()
    figures = {
        f"{state}_{what}_{name}_ms": 1000 * quantile(times, share)
        for state, kinds in found.items()
        for what, times in kinds.items()
        for name, share in (("p50", 0.5), ("p99", 0.99))
    }
    for what in ("move", "list"):
        quiet, attacked = (figures[f"{state}_{what}_p99_ms"] for state in found)
        figures[f"{what}_p99_ratio"] = attacked / quiet
        figures[f"{what}_over_bound"] = attacked / max(AT_MOST_SECONDS * 1000, AT_MOST * quiet)
    return figures


def main() -> int:
    """Return 0 if no attack takes the innocent's 99th percentile above the bound."""
    parser = argparse.ArgumentParser(prog="scripts/attacks", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=ATTACKS, default=list(ATTACKS))
    parser.add_argument(
        "--seconds", type=float, default=8, metavar="S", help="of each part (default: %(default)s)"
    )
    parser.add_argument(
        "--workers", type=int, default=2, metavar="N", help="of the table (default: %(default)s)"
    )
    parser.add_argument(
        "--at", type=Path, default=Path.cwd(), metavar="FOLDER", help="the table's checkout"
    )
    options = parser.parse_args()
    worst = 0.0
    words = ("--allow-create", "any", "--workers", str(options.workers))
    print(f"{'':10} {'move p50, p99, ms':>32}  {'list p50, p99, ms':>32}  p99 over the bound")
    for name in options.only:
        with (
            hosted(options.at, *words) as (link, _),
            run_program("scripts.benchmarks.attackers", name, str(link)) as attacker,
        ):
            found = asyncio.run(measure(link, attacker, options.seconds))
        parts = [
            " → ".join(
                f"{found[f'{state}_{what}_p50_ms']:.1f}, {found[f'{state}_{what}_p99_ms']:.1f}"
                for state in ("quiet", "attacked")
            )
            for what in ("move", "list")
        ]
        over = max(found["move_over_bound"], found["list_over_bound"])
        worst = max(worst, over)
        print(f"{name:10} {parts[0]:>32}  {parts[1]:>32}  {over:.2f}", flush=True)
    print("the innocent is unharmed" if worst <= 1 else "NOT unharmed: p99 is above the bound")
    return 0 if worst <= 1 else 1


if __name__ == "__main__":
    sys.exit(main())
