"""A bot that thinks: in a thread of its own, and for as long as a person would."""

import asyncio
from contextlib import suppress
from math import inf

from bots.registry import Bot
from bots.think_limits import ThinkDeadline
from player.client.client_base import ClientBase
from player.client.match_replica import MatchReplica
from player.client.slow_work import run_beside
from protocol.games import Action
from protocol.match.state import Match


class ThinkingBot:
    """Chooses for a client. The program goes on answering the table meanwhile.

    It picks from what its seat sees, and makes its choice when its think time is over. If other
    seats have made the choice impossible by then, it picks anew and thinks anew.
    """

    def __init__(self, bot: Bot, patience: ThinkDeadline) -> None:
        """`patience`: the think time; the bot's search asks it when to stop."""
        self._bot = bot
        self._patience = patience
        self._thoughts: set[asyncio.Task[None]] = set()
        # the turn of the newest thought: which match, since when
        self._of: tuple[MatchReplica | None, int] = (None, -1)
        self._newest: asyncio.Task[None] | None = None  # that thought
        self._changed = asyncio.Event()  # set when the possible actions have changed

    @property
    def thinking(self) -> bool:
        """Tell if the bot thinks, or waits until its think time is over."""
        return bool(self._thoughts)

    def turn(self, client: ClientBase, match: Match) -> None:
        """Begin to think about a turn, unless a thought for it is under way."""
        if client.playing is None or client.playing.seat is None:
            return
        turn = client.playing, match.duty_since(client.playing.seat.number)
        self._changed.set()  # a thought for a turn that is over ends with that
        if self._of == turn and self._newest is not None and not self._newest.done():
            return
        self._of = turn
        self._newest = asyncio.create_task(self._think(client, client.playing, match))
        self._thoughts.add(self._newest)
        self._newest.add_done_callback(lambda task: self._thought(client, task))

    async def _think(self, client: ClientBase, playing: MatchReplica, match: Match) -> None:
        assert playing.seat is not None
        turn = self._of
        ends = self._patience.clock() + _seconds_for(match, playing.seat.number)
        self._patience.deadline = ends
        while self._is_on(client, turn):
            action = await self._pick(client, turn, ends)
            if self._is_on(client, turn) and _can(playing, action):
                client.choose(action)
                return

    def _is_on(self, client: ClientBase, turn: tuple[MatchReplica | None, int]) -> bool:
        """Tell if this turn is not over. A choice for it is for no other turn."""
        playing, since = turn
        if (
            playing is None
            or client.playing is not playing
            or not playing.reader
            or not playing.seat
        ):
            return False
        return playing.reader.match.duty_since(playing.seat.number) == since and not client.finished

    async def _pick(
        self, client: ClientBase, turn: tuple[MatchReplica | None, int], ends: float
    ) -> Action:
        """Return the bot's choice after its think time, or as soon as that choice has become
        impossible.
        """
        playing = turn[0]
        assert playing is not None and playing.seat is not None and playing.reader is not None
        rng = client.environment.rng
        clock = self._patience.clock
        ready = min(clock() + self._patience.pace.draw(rng), ends)
        action = await run_beside(self._bot, playing.seat.seen(playing.reader.match), rng)
        while (left := ready - clock()) > 0 and self._is_on(client, turn) and _can(playing, action):
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._changed.wait()
        return action

    def _thought(self, client: ClientBase, task: asyncio.Task[None]) -> None:
        self._thoughts.discard(task)
        if not task.cancelled() and task.exception() is not None:
            client.stop()  # a bot that fails must not keep its seat for ever
            task.result()


def _can(playing: MatchReplica, action: Action) -> bool:
    return bool(
        playing.seat and playing.reader and action in playing.seat.choices(playing.reader.match)
    )


def _seconds_for(match: Match, seat: int) -> float:
    """Return the seconds of a bot's turn: half of what the match waits. A table may have set a
    second for it.
    """
    if match.setup.has_table:
        return match.deadline(seat) / 2000
    return inf
