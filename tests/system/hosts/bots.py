"""Pairs of bots that play match after match at a table of several hosts, with the player's program
but without its screen.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from bots.registry import BOTS
from player.client import events
from player.client.environment import Environment
from player.client.outcome import Outcome
from player.client.reconnect import client_for, visit
from player.client.seat import Seat
from player.client.table_client import Plan, TableClient
from player.storage.recovery_state import MatchFiles, of_table, read_recovery_states
from protocol.audit.verdict import Verdict
from protocol.errors import LocalError, RemoteError
from protocol.i18n import english_text
from protocol.identity.keys import Identity, JoinLink
from protocol.match.clock import Allowance
from protocol.match.terms import Terms, make_terms
from protocol.options import Selection
from tests.system.hosts.recorder import Recorder

SEATS = ("Ann", "Bob")
# seconds, so long that waiting for a host is not late
CLOCK = Allowance(extensions=3, step=1200, turn=1200)
MATCH_SECONDS = 900  # for a match with all faults
BEGIN_SECONDS = 20  # for two bots to meet; then they try another table


def _terms(game: str, dealing: str, **options: int) -> Terms:
    return make_terms(
        Selection(game, tuple(options.items())), Selection(dealing), CLOCK.options(), len(SEATS)
    )


DOMINOES = _terms("draw-dominoes", "layered", target=30)
GAMES = (
    DOMINOES,
    _terms("connect-four", "none"),
    DOMINOES,
    _terms("draw-dominoes", "verified", target=10),
)


@dataclass
class Ended:
    """A finished match."""

    match_id: bytes
    log: bytes


@dataclass
class Crowd:
    """All pairs of bots, and their results."""

    folder: Path
    links: Callable[[], list[JoinLink]]  # links of the running hosts
    pace: float  # seconds that a bot thinks
    recorder: Recorder = field(init=False)
    enough: asyncio.Event = field(default_factory=asyncio.Event)
    ended: list[Ended] = field(default_factory=list)
    running: dict[bytes, tuple[str, str]] = field(default_factory=dict)  # match -> its players
    tables: dict[bytes, str] = field(default_factory=dict)  # match -> its table
    tried: int = 0

    def __post_init__(self) -> None:
        self.recorder = Recorder(links=self.links)

    async def play(self, pairs: int) -> None:
        """Let `pairs` pairs play match after match until the run ends."""
        await asyncio.gather(*(self._pair(number) for number in range(pairs)))

    async def _pair(self, number: int) -> None:
        while not self.enough.is_set():
            self.tried += 1
            pair = Pair(self, self.tried, number)
            try:
                await pair.play(GAMES[number % len(GAMES)])
            except TimeoutError:
                self.recorder.wrong.append(f"match {pair.name} did not end")
                return


class Pair:
    """Two bots in one match."""

    def __init__(self, crowd: Crowd, number: int, place: int) -> None:
        self._crowd, self.name, self._place = crowd, str(number), place
        self._table: asyncio.Queue[str] = asyncio.Queue()
        self._begun = asyncio.Event()
        self._clients: dict[str, TableClient] = {}
        self._match_id = b""
        self._over = False
        self._at = ""  # the table at which the first bot waits

    async def play(self, terms: Terms) -> None:
        """Play the match to its end, and check it. Raises: TimeoutError."""
        first = asyncio.create_task(self._visit(SEATS[0], lambda name: Plan(name, create=terms)))
        second = asyncio.create_task(self._follow())
        begun = asyncio.create_task(self._begun.wait())
        try:
            await asyncio.wait(
                {first, begun}, timeout=BEGIN_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            # for example their host died while they met, so no match began
            if not begun.done():
                return
            async with asyncio.timeout(MATCH_SECONDS):
                outcomes = await asyncio.gather(first, second)
        finally:
            self._over = True
            for task in (first, second, begun):
                task.cancel()
            await asyncio.gather(first, second, begun, return_exceptions=True)
            self._crowd.running.pop(self._match_id, None)
        self._check(outcomes)

    async def _follow(self) -> Outcome | None:
        """Join the first bot's table, and the next one if it had to choose another."""
        visiting: asyncio.Task[Outcome | None] | None = None
        while True:
            asking = asyncio.create_task(self._table.get())
            waits = {asking} if visiting is None else {asking, visiting}
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
                if visiting is not None and (visiting.done() or self._begun.is_set()):
                    return await visiting
                if visiting is not None:
                    visiting.cancel()
                    await asyncio.gather(visiting, return_exceptions=True)
                table = await asking
                visiting = asyncio.create_task(
                    self._visit(SEATS[1], lambda name, at=table: Plan(name, table_id=at))
                )
            finally:
                asking.cancel()
                if visiting is not None and asyncio.current_task().cancelling():  # type: ignore[union-attr]
                    visiting.cancel()

    async def _visit(self, seat: str, plan: Callable[[str], Plan]) -> Outcome | None:
        who, rng = f"{seat} {self.name}", Random(f"{seat} {self.name}")
        identity = Identity(rng.randbytes(32))
        folder = self._crowd.folder / f"{self.name}-{seat}"
        folder.mkdir(parents=True, exist_ok=True)

        def hear(event: events.Event) -> None:
            self._hear(seat, rng, event)

        while True:
            link = rng.choice(self._crowd.links())
            files = MatchFiles(
                folder, link, identity.public, folder / "log.fairdeal", resumable=True
            )
            environment = Environment(
                identity, rng, Seat, None, hear, files, connect=self._crowd.recorder.tapped(who)
            )
            memory = of_table(read_recovery_states(folder, identity), link, link.fingerprint)
            self._clients[seat] = client_for(plan(seat), environment, memory)
            with suppress(LocalError, RemoteError):  # no host listens there at present
                return await visit(self._clients[seat], link, link.fingerprint)
            await asyncio.sleep(0.1)

    def _hear(self, seat: str, rng: Random, event: events.Event) -> None:
        if isinstance(event, events.Waiting) and seat == SEATS[0] and event.table_id != self._at:
            self._at = event.table_id
            self._table.put_nowait(event.table_id)
        elif isinstance(event, events.Started):
            self._match_id = event.match.match_id
            self._crowd.tables[self._match_id] = event.match.setup.table.id
            self._crowd.running[self._match_id] = (
                f"{SEATS[0]} {self.name}",
                f"{SEATS[1]} {self.name}",
            )
            self._begun.set()
        elif isinstance(event, events.YourTurn):
            pause = rng.expovariate(1 / self._crowd.pace) if self._crowd.pace else 0
            asyncio.get_running_loop().call_later(pause, self._choose, seat, rng)

    def _choose(self, seat: str, rng: Random) -> None:
        """Make the bot's choice, if it has one."""
        client = self._clients[seat]
        playing = client.playing
        if (
            self._over
            or client.finished
            or playing is None
            or playing.reader is None
            or playing.seat is None
            or playing.reader.over
        ):
            return
        match = playing.reader.match
        if playing.seat.choices(match):
            client.choose(BOTS["random"](playing.seat.view(match), rng))

    def _check(self, outcomes: list[Outcome | None]) -> None:
        crowd, logs = (
            self._crowd,
            [self._crowd.folder / f"{self.name}-{seat}" / "log.fairdeal" for seat in SEATS],
        )
        found = [log.read_bytes() if log.exists() else b"" for log in logs]
        if found[0] != found[1]:
            crowd.recorder.wrong.append(f"match {self.name}: the seats' logs differ")
        for seat, outcome in zip(SEATS, outcomes, strict=True):
            if outcome is None or outcome.verdict is not Verdict.CLEAN:
                reason = outcome and outcome.reason and english_text(outcome.reason)
                verdict = outcome and outcome.verdict
                crowd.recorder.wrong.append(f"match {self.name}, {seat}: {verdict}, {reason}")
        crowd.ended.append(Ended(self._match_id, found[0]))
        crowd.recorder.check(self._match_id, found[0])
