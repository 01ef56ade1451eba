"""Looking on at the terminal: the table after every move, as everybody sees it, and no word to the
players.
"""

import asyncio
import sys

from player import events
from player.disk.contacts import Contact
from player.screen.lines import Lines
from player.screen.live.acting import shared
from player.screen.terminal import Terminal
from protocol.i18n import english
from protocol.match.state import MatchStage
from protocol.view.board import Board, Region
from protocol.view.text import Translate


class Watcher(Terminal):
    """What a spectator sees, and what becomes of what they type: nobody hears it."""

    def __init__(
        self, contacts: dict[str, Contact], lines: Lines, translate: Translate = english
    ) -> None:
        super().__init__(contacts, lines, translate, watching=True)
        self._drawn: Board | list[Region] | None = None
        self._due = False  # whether the table will be drawn once all that has come is told

    def hear(self, event: events.Event) -> None:
        """Say what there is to say, and show the table when it has changed."""
        super().hear(event)
        if isinstance(event, events.Happened) and not self._due and self._acting is None:
            self._due = True
            asyncio.get_running_loop().call_soon(self._draw)

    def introduce(self, event: events.Started) -> None:
        """Say what begins, and that nobody at the table notices this program."""
        super().introduce(event)
        self.line(self.words("match.watching"))

    def _draw(self) -> None:
        self._due = False
        match = self._match()
        if match is None or match.stage is not MatchStage.PLAYING:
            return
        # what is before each seat changes all the time
        common = shared(match) if match.active_simultaneous else None
        drawn: Board | list[Region] | None = self._view(match).board if common is None else common
        if drawn != self._drawn:
            self._drawn = drawn
            self._show(match)

    async def again(self) -> bool:
        """Nobody asks who looks on."""
        return False

    def typed(self, line: str | None) -> None:
        """The end of the input is no wish to go where nobody was to type, as in a script."""
        if line is not None or sys.stdin.isatty():
            super().typed(line)
