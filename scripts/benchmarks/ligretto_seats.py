"""Process with four seats of a Ligretto match. Arguments: LINK, seconds to think, seconds.

The seats play one round. For the given seconds after the first act they think before each act, then
they act at once. The process prints JSON. For the first part it gives the seconds that each act
needed to reach all four seats. For the second it gives the number of acts, the number of late ones,
and the seconds from the first to the last.
"""

import asyncio
import json
import secrets
import sys
import time
from collections.abc import Callable

from bots.pace import ThinkTime
from player.client import events
from player.client.connection import connect
from player.client.environment import Environment
from player.client.seat import Seat
from player.client.table_client import Plan, TableClient
from protocol.games import Action
from protocol.identity.keys import Identity, JoinLink
from scripts.benchmarks.move_times import MoveTimes, TimedLine

NAMES = ("Ann", "Bob", "Cleo", "Dan")


class Acts:
    """Acts that one seat has seen: the time of each, and whether it was late."""

    def __init__(self) -> None:
        self.seen: list[tuple[float, bool]] = []
        self.begun = asyncio.Event()
        self.over = asyncio.Event()

    def hear(self, event: events.Event) -> None:
        """Process an event."""
        if isinstance(event, events.Happened):
            if event.entry.kind == "move" and event.before.active_simultaneous is not None:
                late = event.match.late_counts != event.before.late_counts
                self.seen.append((time.perf_counter(), late))
                self.begun.set()
            if event.match.over:
                self.over.set()

    def since(self, moment: float) -> dict[str, float]:
        """Return the number of acts after the first one since `moment`, the number of late ones,
        and the seconds.
        """
        (begun, _), *rest = ((at, late) for at, late in self.seen if at >= moment)
        return {
            "acts": len(rest),
            "late": sum(late for _, late in rest),
            "seconds": rest[-1][0] - begun,
        }


class Thinker:
    """Player that acts some time after an act becomes possible, with the act chosen then,
    preferably a lay. After `hurry` it acts at once.
    """

    def __init__(self, pace: ThinkTime) -> None:
        self._pace, self._rng = pace, secrets.SystemRandom()
        self._timer: asyncio.TimerHandle | None = None
        self._choices: tuple[Action, ...] = ()
        self.choose: Callable[[Action], None]

    def hear(self, event: events.Event) -> None:
        """Process an event."""
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
    """Play the whole match of one seat."""
    rng = secrets.SystemRandom()

    def tell(event: events.Event) -> None:
        thinker.hear(event)
        if name == NAMES[0]:
            acts.hear(event)

    environment = Environment(Identity(rng.randbytes(32)), rng, Seat, None, tell)
    client = TableClient(Plan(name), environment)
    thinker.choose = client.choose
    connection = await connect(
        link, environment.identity, rng, link.fingerprint, TimedLine(client, times)
    )
    client.detached(await connection.gone)


async def play(link: JoinLink, think: float, seconds: float) -> dict[str, object]:
    """Play all four seats until the match is over."""
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
    """Wait for a line, then play."""
    link = JoinLink.parse(sys.argv[1])
    think = float(sys.argv[2])
    seconds = float(sys.argv[3])
    print(json.dumps(asyncio.run(play(link, think, seconds))), flush=True)


if __name__ == "__main__":
    main()
