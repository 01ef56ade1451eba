"""A person at the terminal: the table, the own hand, what is legal, and what the others do and say.

Lines are typed at any time: a choice as the game wants it typed, `say TEXT` talks, `/mute` and `/unmute` choose
who is heard, `leave` leaves, anything else helps.
"""

import asyncio
import sys
from dataclasses import replace

from rich.console import Console
from rich.text import Text

from player import events
from player.disk.contacts import Contact
from player.screen import narrate
from player.screen.announcer import Announcer, Style
from player.screen.commands import SIT_IN, SIT_OUT, in_english
from player.screen.lines import Lines
from player.screen.muting import COMMANDS, Muting
from player.screen.status import Waits, status
from player.seat.following import Following
from protocol.audit.report import say_of
from protocol.errors import LocalError
from protocol.identity.keys import DIRECT_SCHEME, SCHEME
from protocol.locale import english
from protocol.match.state import Match
from protocol.match.view import view_of
from protocol.view.phrase import Who, phrase
from protocol.view.view import View
from protocol.view.words import Translate, speaker

SITTING = {SIT_OUT: "sit_out", "sit in": "sit_in", SIT_IN: "sit_in"}


class Terminal(Announcer):
    """What a person sees, and what becomes of what they type."""

    def __init__(self, contacts: dict[str, Contact], lines: Lines, translate: Translate = english) -> None:
        """`lines` are to be opened with our `typed` and `status`."""
        super().__init__(contacts, translate=translate)
        self._typing = lines
        self._console = Console(markup=False, highlight=False, emoji=False)
        self._asked = False  # whether it is our turn, and not answered yet
        self._sure = False  # whether the next "yes" means leaving
        self._muting = Muting()
        self._clock = asyncio.get_running_loop().time
        self._waits = Waits()
        self._seats: tuple[int, float] | None = None  # how many are missing before the match, and since when
        self._lost_at: float | None = None  # when the connection was found lost
        self._answer: asyncio.Future[str | None] | None = None  # to a question of the program's own

    def write(self, text: str, style: Style) -> None:
        """A line, coloured where it matters. Text of others never steers: rich escapes what it is given as text."""
        whole = not self._console.is_terminal or self._copied(text)
        with self._console.capture() as drawn:
            self._console.print(Text(text, style=style.value), soft_wrap=whole)
        self._typing.print(drawn.get())

    def _copied(self, text: str) -> bool:
        """Whether a line has something to copy: the terminal wraps it, without new lines."""
        saved = self._words("verdict.saved").partition("{")[0]
        return any(words in text for words in (SCHEME, DIRECT_SCHEME, saved))

    def _words(self, key: str) -> str:
        return self.translate(key, None)

    def started(self, event: events.Started) -> None:
        """A match begins."""
        super().started(event)
        self._waits.begin(event.match, self._clock())
        self._seats = None
        self.line(self._help(event.match))

    def hear(self, event: events.Event) -> None:
        """Say what there is to say; when a hand has been dealt, show it."""
        if isinstance(event, events.Said) and not self._muting.hears(event.seat):
            return
        own = playing.own if (playing := self._playing()) else None
        if own is not None and isinstance(event, events.Happened) and event.before.since(own) != event.match.since(own):
            self._asked = False  # the turn is over, by a move or by the clock
        if isinstance(event, events.Happened):
            self._waits.hear(event.entry, event.match, self._clock())
        elif isinstance(event, events.Waiting):
            missing = event.seats - len(event.people)
            self._seats = missing, self._seats[1] if self._seats else self._clock()
        super().hear(event)
        if isinstance(event, events.Happened) and narrate.dealt(event.before, event.match):
            # Our seat looks at what it was dealt after this event.
            asyncio.get_running_loop().call_soon(self._show_waiting)

    def turn(self, event: events.YourTurn) -> None:
        """Show the table and ask; but not whether a person has a tile that they do not have."""
        if self.client is not None and event.choices == (events.DENIAL,):
            asyncio.get_running_loop().call_soon(self.client.choose, events.DENIAL)
            return
        self._asked = True
        self._show(event.match)

    def _show_waiting(self) -> None:
        """Show the table, unless it was shown because it is our turn."""
        if not self._asked:
            self._show_present()

    def _show(self, match: Match) -> None:
        view, text = self._view(match), match.setup.text
        say = say_of(match, view.you, self.translate)
        if view.board is not None:
            self.say(["", *text.table_text(view, say, self._console.width)])
        if view.offers:
            asks, *choices = text.menu_text(view, say)
            self.line(asks, style=Style.TURN)
            self.say(choices)
        elif view.board is not None:
            others = [turn.seat for turn in view.turns if turn.seat != view.you]  # what we do is on its way
            self.say([say(phrase("match.turn", who=Who(seat))) for seat in others])

    def _view(self, match: Match) -> View:
        """What our seat sees; a turn whose choice is on its way, or not yet asked for, is no more to be taken."""
        playing = self._playing()
        seat = playing.seat if playing else None
        view = seat.view(match) if seat else view_of(match)
        return view if self._asked else replace(view, offers=())

    def _playing(self) -> Following | None:
        return self.client.playing if self.client else None

    def _progress(self, match: Match) -> None:
        """Where there is a status, it says that."""
        if not self._typing.lively:
            super()._progress(match)

    # --- what is going on ---

    def status(self) -> str:
        """What is waited for, in a line."""
        if self.client is None or self.client.finished:
            return ""
        match, playing, now = self._match(), self._playing(), self._clock()
        if match is None or playing is None:
            return self._status_before(now)
        self._waits.absent = playing.absent
        if (lost := self._status_lost(match, playing.own, now)) is not None:
            return lost
        if any(duty.author == playing.own and duty.kind == "move" for duty in match.duties()) and not self._asked:
            return self._words("status.sent")
        return status(match, playing.own, self._waits, now, self.translate)

    def _status_before(self, now: float) -> str:
        if self._seats is None:
            return ""
        missing, since = self._seats
        return speaker(self.translate, ())(phrase("status.seats", count=missing, seconds=int(now - since)))

    def _status_lost(self, match: Match, own: int | None, now: float) -> str | None:
        """That the connection is gone, if it is: without a table, the other's own."""
        if self.client is None or not self.client.away:
            self._lost_at = None
            return None
        self._lost_at = now if self._lost_at is None else self._lost_at
        other = next(seat for seat in range(match.setup.seats) if seat != own)
        key = "status.lost" if match.setup.has_table else "status.lost.no_table"
        return say_of(match, translate=self.translate)(phrase(key, who=Who(other), seconds=int(now - self._lost_at)))

    # --- what is typed ---

    async def again(self) -> bool:
        """Ask, where somebody sits there who can answer. Anything but a yes is a no."""
        if not (sys.stdin.isatty() and sys.stdout.isatty()) or self.stopped:
            return False
        self._answer = asyncio.get_running_loop().create_future()
        self.line(self._words("typed.again"))
        answer = await self._answer
        return answer is not None and in_english(answer.strip(), self.translate) == "yes"

    def stop(self) -> None:
        """End; a question that is open is answered by it."""
        super().stop()
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(None)

    def typed(self, line: str | None) -> None:
        """One line; None at the end of the input."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(line)
            return
        playing = self._playing()
        if line is None and not (playing and playing.leaving):  # who is leaving waits until the table has heard it
            self.stop()
        if line is None or self.client is None or self.client.finished:
            return
        try:
            self._obey(in_english(line.strip(), self.translate))
        except LocalError as error:
            match = self._match()
            say = say_of(match, translate=self.translate) if match else speaker(self.translate, ())
            self.line(say(error.phrase))

    def _obey(self, line: str) -> None:
        assert self.client is not None
        word, _, rest = line.partition(" ")
        sure, self._sure = self._sure, False
        if sure and word == "yes":
            self.client.leave()
        elif word == "say":
            self.client.say(rest)
            self.line(self._words("typed.said").format(remark=rest.strip()))
        elif line in SITTING:
            self.client.choose((SITTING[line],))
        elif word == "leave":
            self._leave()
        elif word in COMMANDS and (match := self._match()) is not None:
            say = say_of(match, translate=self.translate)
            self.line(say(self._muting.obey(word, rest, match.setup.people)))
        elif sure:
            self.line(self._words("typed.stay"))
        elif word in ("", "board"):
            self._show_present()
        elif not self._choose(line):
            self._explain(word)

    def _explain(self, word: str) -> None:
        """Say what can be typed: all of it to who asks, and to who meant to choose, the choices."""
        match = self._match()
        if match is None:
            self.line(self._words("match.not_begun"))
        elif (view := self._view(match)).offers and word != "help":
            self.line(self._words("typed.unknown"))
            self.say(match.setup.text.menu_text(view, say_of(match, view.you, self.translate)))
        else:
            self.line(self._help(match))

    def _leave(self) -> None:
        assert self.client is not None
        playing = self._playing()
        if playing is None or playing.seat is None:
            self.client.leave()
            return
        self._sure = True
        self.line(self._words("typed.sure"))

    def _choose(self, line: str) -> bool:
        """Make the choice that a line says, if it says one. Raises: LocalError for one that cannot be made."""
        match = self._match()
        if self.client is None or match is None:
            return False
        say = say_of(match, translate=self.translate)
        action = match.setup.text.typed(self._view(match), say, line)
        if action is None:
            return False
        self._asked = False
        self.client.choose(action)
        return True

    def _show_present(self) -> None:
        match = self._match()
        if match is None:
            self.line(self._words("match.not_begun"))
        else:
            self._show(match)

    def _help(self, match: Match) -> str:
        """All that can be typed."""
        say = say_of(match, translate=self.translate)
        choice = match.setup.text.help_text(self._view(match), say)
        return say(phrase("typed.help" if match.setup.has_table else "typed.help.no_table", choice=choice))

    def _match(self) -> Match | None:
        playing = self._playing()
        return playing.reader.match if playing and playing.reader else None
