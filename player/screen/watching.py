"""Looking on at the terminal: the table after every move, as everybody sees it, and no word to the players."""

import asyncio
import sys

from player import events
from player.screen.terminal import Terminal
from protocol.match.state import Match, Stage
from protocol.view.board import Board


class Watcher(Terminal):
    """What a spectator sees, and what becomes of what they type: nobody hears it."""

    _drawn: Board | None = None
    _due = False  # whether the table will be drawn once all that has come is told

    def hear(self, event: events.Event) -> None:
        """Say what there is to say, and show the table when it has changed."""
        super().hear(event)
        if isinstance(event, events.Happened) and not self._due:
            self._due = True
            asyncio.get_running_loop().call_soon(self._draw)

    def _draw(self) -> None:
        self._due = False
        match = self._match()
        if match is None or match.stage is not Stage.PLAYING:
            return
        board = self._view(match).board
        if board != self._drawn:
            self._drawn = board
            self._show(match)

    async def again(self) -> bool:
        """Nobody asks who looks on."""
        return False

    def typed(self, line: str | None) -> None:
        """The end of the input is no wish to go where nobody was to type, as in a script."""
        if line is not None or sys.stdin.isatty():
            super().typed(line)

    def _obey(self, line: str) -> None:
        assert self.client is not None
        word = line.partition(" ")[0]
        if word == "leave":
            self.client.leave()
        elif word in ("", "board"):
            self._show_present()
        elif word == "say":
            self.line(self._words("typed.watching.say"))
        else:
            self.line(self._words("typed.watching"))

    def _help(self, match: Match) -> str:
        return self._words("typed.watching")
