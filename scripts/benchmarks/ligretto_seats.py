"""Four seats of a Ligretto match, in a process of their own: LINK, seconds to think, seconds.

Plays the match to its end, or for so many seconds from the first act on, and prints as JSON: for each round how many
acts there were, how many of them too late, and seconds from the first to the last; and for each act how many seconds it
was on its way to all four.
"""

import asyncio
import json
import secrets
import sys
import time
from collections.abc import Callable
from contextlib import suppress

from bots.ligretto import ligretto_bot
from bots.pace import Pace
from player import events
from player.at_table.client import Client, Plan
from player.connection import connect
from player.seat.environment import Environment
from player.seat.seat import Seat
from protocol.games import Action
from protocol.identity.keys import Identity, JoinLink
from scripts.benchmarks.move_times import MoveTimes, TimedLine

NAMES = ("Ann", "Bob", "Cleo", "Dan")


class Rounds:
    """What one seat has seen of all acts: by deal, when, and whether it came too late."""

    def __init__(self) -> None:
        self.acts: dict[int, list[tuple[float, bool]]] = {}
        self.begun, self.over = asyncio.Event(), asyncio.Event()

    def hear(self, event: events.Event) -> None:
        """Look at one event."""
        if isinstance(event, events.Happened):
            if event.entry.kind == "move" and event.before.free is not None:
                late = event.match.late != event.before.late
                self.acts.setdefault(event.before.deal_number, []).append((time.perf_counter(), late))
                self.begun.set()
            if event.match.over:
                self.over.set()

    def figures(self) -> list[tuple[int, int, float]]:
        """For each round: acts after the first, of these too late, seconds."""
        rounds = (acts for acts in self.acts.values() if len(acts) > 1)
        return [(len(acts) - 1, sum(late for _, late in acts[1:]), acts[-1][0] - acts[0][0]) for acts in rounds]


class Thinker:
    """Acts some time after it could, as it would have when it could: a lay if there is one."""

    def __init__(self, pace: Pace) -> None:
        self._pace, self._rng = pace, secrets.SystemRandom()
        self._timer: asyncio.TimerHandle | None = None
        self._choices: tuple[Action, ...] = ()
        self.choose: Callable[[Action], None]

    def hear(self, event: events.Event) -> None:
        """Look at one event."""
        if isinstance(event, events.YourTurn):
            self._choices = event.choices
            if self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(self._pace.draw(self._rng), self._act)

    def _act(self) -> None:
        self._timer = None
        lays = [action for action in self._choices if action[0] != "flip"]
        self.choose(self._rng.choice(lays or self._choices))


async def sit(link: JoinLink, name: str, pace: Pace, times: MoveTimes, rounds: Rounds) -> None:
    """One seat's whole match."""
    rng, thinker = secrets.SystemRandom(), Thinker(pace)

    def tell(event: events.Event) -> None:
        thinker.hear(event)
        if name == NAMES[0]:
            rounds.hear(event)

    environment = Environment(Identity(rng.randbytes(32)), rng, Seat, None if pace.mean else ligretto_bot, tell)
    client = Client(Plan(name), environment)
    thinker.choose = client.choose
    connection = await connect(link, environment.identity, rng, link.fingerprint, TimedLine(client, times))
    client.detached(await connection.gone)


async def play(link: JoinLink, think: float, seconds: float) -> dict[str, object]:
    """All four seats, until the match is over or so many seconds have passed since the first act."""
    times, rounds = MoveTimes(len(NAMES)), Rounds()
    seats = [asyncio.create_task(sit(link, name, Pace(think), times, rounds)) for name in NAMES]
    await rounds.begun.wait()
    first = time.perf_counter()
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await rounds.over.wait()
    for seat in seats:
        seat.cancel()
    return {"rounds": rounds.figures(), "times": [taken for at, taken in times.times if at >= first]}


def main() -> None:
    """Play when told to."""
    link, think, seconds = JoinLink.parse(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
    print(json.dumps(asyncio.run(play(link, think, seconds))), flush=True)


if __name__ == "__main__":
    main()
