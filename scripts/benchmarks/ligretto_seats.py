"""Four seats of a Ligretto match, in a process of their own: LINK, seconds to think, seconds.

Plays a match of one round, thinking for so many seconds from the first act on, and from then on
not. Prints as JSON, of those seconds, for each act how many seconds it was on its way to all four;
of the rest how many acts there were, how many of them too late, and seconds from the first to the
last.
"""

import asyncio
import json
import secrets
import sys
import time
from collections.abc import Callable

from bots.pace import ThinkTime
from player import events
from player.at_table.client import Client, Plan
from player.connection import connect
from player.seat.environment import Environment
from player.seat.seat import Seat
from protocol.games import Action
from protocol.identity.keys import Identity, JoinLink
from scripts.benchmarks.move_times import MoveTimes, TimedLine

NAMES = ("Ann", "Bob", "Cleo", "Dan")


class Acts:
    """What one seat has seen of all acts: when, and whether it came too late."""

    def __init__(self) -> None:
        self.seen: list[tuple[float, bool]] = []
        self.begun = asyncio.Event()
        self.over = asyncio.Event()

    def hear(self, event: events.Event) -> None:
        """Look at one event."""
        if isinstance(event, events.Happened):
            if event.entry.kind == "move" and event.before.active_simultaneous is not None:
                late = event.match.late_counts != event.before.late_counts
                self.seen.append((time.perf_counter(), late))
                self.begun.set()
            if event.match.over:
                self.over.set()

    def since(self, moment: float) -> dict[str, float]:
        """Acts after the first since then, of these too late, seconds."""
        (begun, _), *rest = ((at, late) for at, late in self.seen if at >= moment)
        return {
            "acts": len(rest),
            "late": sum(late for _, late in rest),
            "seconds": rest[-1][0] - begun,
        }


class Thinker:
    """Acts some time after it could, as it would have when it could: a lay if there is one. Later
    at once.
    """

    def __init__(self, pace: ThinkTime) -> None:
        self._pace, self._rng = pace, secrets.SystemRandom()
        self._timer: asyncio.TimerHandle | None = None
        self._choices: tuple[Action, ...] = ()
        self.choose: Callable[[Action], None]

    def hear(self, event: events.Event) -> None:
        """Look at one event."""
        if isinstance(event, events.YourTurn):
            self._choices = event.choices
            if self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(
                    self._pace.draw(self._rng), self._act
                )

    def hurry(self) -> None:
        """Stop thinking."""
        self._pace = ThinkTime()
        if self._timer is not None:
            self._timer.cancel()
            self._act()

    def _act(self) -> None:
        self._timer = None
        lays = [action for action in self._choices if action[0] != "flip"]
        self.choose(self._rng.choice(lays or self._choices))


async def sit(link: JoinLink, name: str, thinker: Thinker, times: MoveTimes, acts: Acts) -> None:
    """One seat's whole match."""
    rng = secrets.SystemRandom()

    def tell(event: events.Event) -> None:
        thinker.hear(event)
        if name == NAMES[0]:
            acts.hear(event)

    environment = Environment(Identity(rng.randbytes(32)), rng, Seat, None, tell)
    client = Client(Plan(name), environment)
    thinker.choose = client.choose
    connection = await connect(
        link, environment.identity, rng, link.fingerprint, TimedLine(client, times)
    )
    client.detached(await connection.gone)


async def play(link: JoinLink, think: float, seconds: float) -> dict[str, object]:
    """All four seats, until the match is over."""
    times = MoveTimes(len(NAMES))
    acts = Acts()
    thinkers = [Thinker(ThinkTime(think)) for _ in NAMES]
    people = zip(NAMES, thinkers, strict=True)
    seats = [asyncio.create_task(sit(link, name, thinker, times, acts)) for name, thinker in people]
    await acts.begun.wait()
    first = time.perf_counter()
    await asyncio.sleep(seconds)
    hurried = time.perf_counter()
    for thinker in thinkers:
        thinker.hurry()
    await acts.over.wait()
    for seat in seats:
        seat.cancel()
    return acts.since(hurried) | {
        "times": [taken for at, taken in times.times if first <= at < hurried]
    }


def main() -> None:
    """Play when told to."""
    link = JoinLink.parse(sys.argv[1])
    think = float(sys.argv[2])
    seconds = float(sys.argv[3])
    print(json.dumps(asyncio.run(play(link, think, seconds))), flush=True)


if __name__ == "__main__":
    main()
