"""Hints for a person who asks what to do. A thread searches for them; nothing is sent or stored."""

import asyncio
from collections.abc import Callable

from bots.hint import Hint
from bots.registry import hint
from bots.think_limits import SearchStrength
from player.client.match_replica import MatchReplica
from player.client.slow_work import run_beside
from protocol.errors import LocalError
from protocol.games.registry import Games
from protocol.view.phrase import Phrase

WORDS = {"hint": False, "why": True}  # typed words; True: the hint explains every move


class Hints:
    """The hints on one screen. `tell` shows sentences. A search ends as soon as `stop` returns True."""

    def __init__(self, tell: Callable[[list[Phrase]], None], stop: Callable[[], bool]) -> None:
        self._tell = tell
        self._stop = stop
        self._thinking = False
        self._task: asyncio.Task[None] | None = None

    def ask(self, playing: MatchReplica | None, games: Games, word: str) -> None:
        """Search for the answer to one of `WORDS`, and show it."""
        self._task = asyncio.create_task(self._answer(playing, games, word))

    async def _answer(self, playing: MatchReplica | None, games: Games, word: str) -> None:
        self._tell([*(await self.think(playing, games, word)).told])

    async def think(self, playing: MatchReplica | None, games: Games, word: str) -> Hint:
        """Return the answer to one of `WORDS`. It is empty during another search, and if the turn is
        over when it is found.
        """
        if self._thinking or playing is None or playing.seat is None or playing.reader is None:
            return Hint()
        self._thinking = True
        seat = playing.seat
        match = playing.reader.match
        try:
            found = await run_beside(
                hint,
                seat.seen(match),
                match.setup.spec,
                SearchStrength(stop=self._stop),
                why=WORDS[word],
            )
        except LocalError as error:
            found = Hint((error.phrase,))
        finally:
            self._thinking = False
        reader = playing.reader
        if reader and reader.match.duty_since(seat.number) == match.duty_since(seat.number):
            return found
        return Hint()
