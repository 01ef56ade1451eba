"""A person at the terminal: the table, the own hand, what is legal, and what the others do and
say.
"""

import asyncio
import sys
from typing import Any

from rich.console import Console
from rich.text import Text

from player import events
from player.disk.contacts import Contact
from player.outcome import Outcome
from player.screen import narrate
from player.screen.announcer import Style
from player.screen.commands import in_english
from player.screen.lines import Lines
from player.screen.live.acting import Acting
from player.screen.live.picture import Line, picture
from player.screen.person import Person
from protocol.i18n import english
from protocol.identity.keys import DIRECT_SCHEME, SCHEME, WEB_SCHEME
from protocol.match.state import Match
from protocol.view.text import Translate

# seconds without an act, where all act at once, after which it is said who is waited for
IDLE = 10.0


class Terminal(Person):
    """What a person sees on a terminal, drawn anew when it is their turn and when a hand has been
    dealt.
    """

    def __init__(
        self,
        contacts: dict[str, Contact],
        lines: Lines,
        translate: Translate = english,
        watching: bool = False,
    ) -> None:
        """`lines` are to be opened with this."""
        super().__init__(contacts, translate, watching)
        self._typing = lines
        # while keys act, and one picture changes instead of line after line
        self._acting: Acting | None = None
        self._pictured: tuple[Any, list[Line]] = None, []  # the newest picture, and of what it is
        self._shown_since = -1  # since when the turn is ours with which the table was shown
        self._console = Console(markup=False, highlight=False, emoji=False)

    @property
    def width(self) -> int:
        """Columns of the terminal."""
        return self._console.width

    def write(self, text: str, style: Style) -> None:
        """A line, coloured where it matters. Text of others never steers: rich escapes what it is
        given as text.
        """
        whole = not self._console.is_terminal or self._copied(text)
        with self._console.capture() as drawn:
            self._console.print(Text(text, style=style.value), soft_wrap=whole)
        self._typing.print(drawn.get())

    def _copied(self, text: str) -> bool:
        """Whether a line has something to copy: the terminal wraps it, without new lines."""
        saved = self.words("verdict.saved").partition("{")[0]
        return any(words in text for words in (SCHEME, DIRECT_SCHEME, WEB_SCHEME, saved))

    def started(self, event: events.Started) -> None:
        """A match begins."""
        super().started(event)
        keys = event.match.setup.spec.keys
        if keys and self._typing.lively:
            self._acting = Acting(keys)
        else:
            self._acting = None
        self.line(self._help(event.match))

    def hear(self, event: events.Event) -> None:
        """Say what there is to say; when a hand has been dealt, or all is over and open, show
        it.
        """
        super().hear(event)
        if self._acting is not None:
            self._typing.refresh()
        elif isinstance(event, events.Happened) and _to_show(event):
            # Our seat looks at what it was dealt after this event.
            asyncio.get_running_loop().call_soon(self._show_waiting)

    def happened(self, event: events.Happened) -> None:
        """An entry stands: say what it came to, in a line or in the picture."""
        if self._acting is None:
            super().happened(event)
            return
        playing = self._playing()
        own = playing.own if playing else None
        self._acting.happened(event, own)
        self.say(narrate.happened(event, own, self.translate, moves=False))

    def _lines(self, event: events.Event) -> list[str]:
        """A refusal is no news where what was done has its place in the picture."""
        if self._acting is not None and isinstance(event, events.Declined):
            return []
        return super()._lines(event)

    def ended(self, outcome: Outcome) -> None:
        """Say what it came to; no key acts any more."""
        self._acting = None
        super().ended(outcome)

    def asked(self, match: Match) -> None:
        """Show the table, and what may be chosen; the table once, if that is another while others
        act.
        """
        playing = self._playing()
        if playing and playing.own is not None:
            since = match.duty_since(playing.own)
        else:
            since = -1
        if self._acting is not None:
            if key := self._acting.asked():  # not before the client has said all that there is
                asyncio.get_running_loop().call_soon(self.pressed, key)
        elif self._shown_since == since and match.active_simultaneous:
            self._show(match, table=False)
        else:
            self._shown_since = since
            self._show(match)

    # --- keys that act, and what they act on ---

    def _help(self, match: Match) -> str:
        """All that can be typed, and pressed."""
        if self._acting is None or self.watching:
            return super()._help(match)
        return f"{super()._help(match)}\n{self.words('live.help')}"

    def picture(self, typing: bool) -> list[Line]:
        """What stands above the status."""
        match = self._match()
        playing = self._playing()
        if self._acting is None or match is None or playing is None or match.game is None:
            return []
        self._acting.typing = typing and not self.watching
        made_of = (
            match,
            self._asked,
            self._acting.told,
            tuple(self._acting.news),
            typing,
            self.width,
            playing.trips,
        )
        if self._pictured[0] != made_of:
            view = self._view(match)
            text = match.setup.text
            self._pictured = (
                made_of,
                picture(view, text, self._say_of(match), self._acting, self.width),
            )
        return self._pictured[1]

    def acts(self, key: str) -> bool:
        """Whether this key does something by itself."""
        return (
            self._acting is not None and not self.watching and key.casefold() in self._acting.keys
        )

    def pressed(self, key: str) -> None:
        """Do what the key does on what there is now; who is faster than entries travel, one after
        the other.
        """
        match = self._match()
        acting = self._acting
        if acting is None or match is None or self.client is None or self.client.finished:
            return
        if not self._asked:
            acting.keep(key.casefold())
        elif (offer := acting.press(self._view(match).offers, key.casefold())) and (
            action := offer.build_action()
        ):
            self.choosing()
            self._asked = False
            self.client.choose(action)
        self._typing.refresh()

    def status(self) -> str:
        """What is waited for, in a line; where all act at once, if somebody does not."""
        match = self._match()
        playing = self._playing()
        if (
            self._acting is None
            or match is None
            or playing is None
            or not match.active_simultaneous
            or (self.client and self.client.away)
        ):
            return super().status()
        seats = {duty.author for duty in match.duties()}
        idle = max(
            (self._waits.seconds(seat, self._clock()) for seat in seats & {playing.own} or seats),
            default=0.0,
        )
        return super().status() if idle >= IDLE else ""

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


def _to_show(event: events.Happened) -> bool:
    return narrate.dealt(event.before, event.match) or narrate.decided(event.before, event.match)
