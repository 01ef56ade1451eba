"""A person at the terminal: the table, the own hand, what is legal, and what the others do and say."""

import asyncio
import sys

from rich.console import Console
from rich.text import Text

from player import events
from player.disk.contacts import Contact
from player.screen import narrate
from player.screen.announcer import Style
from player.screen.commands import in_english
from player.screen.lines import Lines
from player.screen.person import Person
from protocol.identity.keys import DIRECT_SCHEME, SCHEME
from protocol.locale import english
from protocol.match.state import Match
from protocol.view.words import Translate


class Terminal(Person):
    """What a person sees on a terminal, drawn anew when it is their turn and when a hand has been dealt."""

    def __init__(
        self, contacts: dict[str, Contact], lines: Lines, translate: Translate = english, watching: bool = False
    ) -> None:
        """`lines` are to be opened with our `typed` and `status`."""
        super().__init__(contacts, translate, watching)
        self._typing = lines
        self._console = Console(markup=False, highlight=False, emoji=False)

    @property
    def width(self) -> int:
        """Columns of the terminal."""
        return self._console.width

    def write(self, text: str, style: Style) -> None:
        """A line, coloured where it matters. Text of others never steers: rich escapes what it is given as text."""
        whole = not self._console.is_terminal or self._copied(text)
        with self._console.capture() as drawn:
            self._console.print(Text(text, style=style.value), soft_wrap=whole)
        self._typing.print(drawn.get())

    def _copied(self, text: str) -> bool:
        """Whether a line has something to copy: the terminal wraps it, without new lines."""
        saved = self.words("verdict.saved").partition("{")[0]
        return any(words in text for words in (SCHEME, DIRECT_SCHEME, saved))

    def started(self, event: events.Started) -> None:
        """A match begins."""
        super().started(event)
        self.line(self._help(event.match))

    def hear(self, event: events.Event) -> None:
        """Say what there is to say; when a hand has been dealt, show it."""
        super().hear(event)
        if isinstance(event, events.Happened) and narrate.dealt(event.before, event.match):
            # Our seat looks at what it was dealt after this event.
            asyncio.get_running_loop().call_soon(self._show_waiting)

    def asked(self, match: Match) -> None:
        """Show the table, and what may be chosen."""
        self._show(match)

    def _show_waiting(self) -> None:
        """Show the table, unless it was shown because it is our turn."""
        if not self._asked:
            self._show_present()

    def _progress(self, match: Match) -> None:
        """Where there is a status, it says that."""
        if not self._typing.lively:
            super()._progress(match)

    async def again(self) -> bool:
        """Ask, where somebody sits there who can answer. Anything but a yes is a no."""
        if not (sys.stdin.isatty() and sys.stdout.isatty()) or self.stopped:
            return False
        self.line(self.words("typed.again"))
        answer = await self.answer()
        return answer is not None and in_english(answer.strip(), self.translate) == "yes"
