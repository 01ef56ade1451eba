"""TerminalScreen: the table, the own hand, what is legal, and what the others do and say."""

import asyncio
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from rich.console import Console
from rich.text import Text

from player.client import events
from player.client.client_base import ClientBase
from player.client.outcome import Outcome
from player.presenter import narration
from player.presenter.action_picker import ActionPicker, shared_regions
from player.presenter.narrator import Style, StyledLine
from player.presenter.presenter import Presenter
from player.storage.contacts import Contact
from player.ui.console_lines import Lines
from player.ui.terminal.board_picture import Line, picture
from player.ui.terminal.plain_screen import ProgressBar, ended_lines
from protocol.errors import LocalError
from protocol.i18n import english
from protocol.identity.keys import DIRECT_SCHEME, SCHEME, WEB_SCHEME
from protocol.match.state import Match, MatchStage
from protocol.view.board import Board, Region
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Translate

# seconds without an act in simultaneous play, after which the status says who is waited for
IDLE = 10.0


class TerminalScreen:
    """Shows a match to a person who plays, or looks on.

    It draws the table when it is the person's turn and when a hand has been dealt; for an onlooker,
    after every move.
    """

    def __init__(
        self,
        contacts: dict[str, Contact],
        lines: Lines,
        translate: Translate = english,
        watching: bool = False,
    ) -> None:
        """`lines` are to be opened with this screen."""
        self.presenter = Presenter(
            contacts,
            translate,
            watching,
            clock=asyncio.get_running_loop().time,
            tell_hint=lambda texts: self._print(map(StyledLine, texts)),
        )
        self._typing = lines
        # while keys act, and one picture changes instead of line after line
        self._picker: ActionPicker | None = None
        self._pictured: tuple[Any, list[Line]] = None, []  # the newest picture, and of what it is
        self._shown_since = -1  # since when the turn is ours with which the table was shown
        self._drawn: Board | list[Region] | None = None  # the table as an onlooker was shown it
        self._draw_due = False  # the table will be drawn when all that has come is told
        self._console = Console(markup=False, highlight=False, emoji=False)
        self._is_live = sys.stdout.isatty()
        self._progress = ProgressBar(self._is_live)

    # --- player.presenter.match_screen.MatchScreen ---

    @property
    def client(self) -> ClientBase | None:
        """The client that the screen shows."""
        return self.presenter.client

    @property
    def stopped(self) -> bool:
        """The person wants it to end."""
        return self.presenter.stopped

    def follow(self, client: ClientBase, link: str | None = None) -> None:
        """Show this client from now on."""
        self.presenter.follow(client, link)

    def stop(self) -> None:
        """End, and keep the match."""
        self.presenter.stop()

    def hear(self, event: events.Event) -> None:
        """Say what there is to say, and show the table when it is time."""
        presenter = self.presenter
        if not presenter.admit(event):
            return
        presenter.hear(event)
        presenter.narrator.columns = self._console.width if self._is_live else None
        match event:
            case events.Started():
                keys = event.match.setup.spec.keys
                self._picker = ActionPicker(keys) if keys and self._typing.lively else None
                self._print(presenter.lines(event))
                if presenter.watching:
                    self.line(presenter.words("match.watching"))
                self.line(self._help(event.match))
            case events.Happened():
                if self._picker is not None:
                    self._picker.read_entry(event, presenter.own)
                # moves stand in the picture
                self._print(presenter.lines(event, moves=self._picker is None))
                self._show_progress(event.match)
            case events.Declined() if self._picker is not None:
                """The picture shows the refused action."""
            case events.YourTurn():
                if presenter.is_asked:
                    self._ask(event.match)
            case _:
                self._print(presenter.lines(event))
        self._print(presenter.presence_lines(event))
        if self._picker is not None:
            self._typing.refresh()
        elif isinstance(event, events.Happened):
            self._show_later(event)

    async def again(self) -> bool:
        """Ask, where a person sits there who can answer."""
        if self.presenter.watching:
            return False
        return await self.confirm(phrase("typed.again"))

    async def confirm(self, question: Phrase) -> bool:
        """Ask a question, where a person sits there who can answer."""
        presenter = self.presenter
        is_interactive = sys.stdin.isatty() and sys.stdout.isatty()
        if not is_interactive or presenter.stopped:
            return False
        self.line(presenter.narrator.say(phrase("typed.question", question=question)))
        return presenter.is_yes(await presenter.ask())

    def ended(self, outcome: Outcome) -> None:
        """Say how the match ended. No key acts any more."""
        self._picker = None
        presenter = self.presenter
        self._print(ended_lines(outcome, presenter.own, presenter.narrator.translate))

    def tell(self, told: Phrase, always: bool = False) -> None:
        """Say a sentence that names nobody at the table."""
        self.line(self.presenter.narrator.say(told))

    # --- lines ---

    def line(self, text: str, style: Style = Style.PLAIN) -> None:
        """Print a line, coloured where it matters.

        Text of other people never steers the terminal: rich escapes what it is given as text.
        """
        self._progress.clear()
        whole = not self._console.is_terminal or self._is_copied(text)
        with self._console.capture() as drawn:
            self._console.print(Text(text, style=style.value), soft_wrap=whole)
        self._typing.print(drawn.get())

    def _print(self, lines: Iterable[StyledLine]) -> None:
        for line in lines:
            self.line(*line)

    def _is_copied(self, text: str) -> bool:
        """Tell if a line has something to copy: the terminal wraps it, without new lines."""
        saved = self.presenter.words("verdict.saved").partition("{")[0]
        return any(words in text for words in (SCHEME, DIRECT_SCHEME, WEB_SCHEME, saved))

    def _show_progress(self, match: Match) -> None:
        # a lively terminal says it in the status
        if not self._typing.lively:
            bar = self._progress.show(match, self.presenter.narrator.translate)
            if bar is not None:
                self.line(bar)

    def _help(self, match: Match) -> str:
        """Return all that can be typed, and pressed."""
        text = self.presenter.help_text(match)
        if self._picker is None or self.presenter.watching:
            return text
        return f"{text}\n{self.presenter.words('live.help')}"

    # --- the table ---

    def _ask(self, match: Match) -> None:
        """Show the table and the choices; the choices alone if the table is as it was shown."""
        own = self.presenter.own
        since = -1 if own is None else match.duty_since(own)
        if self._picker is not None:
            if key := self._picker.begin_turn():  # not before the client has said all that there is
                asyncio.get_running_loop().call_soon(self.pressed, key)
            return
        is_new = self._shown_since != since or not match.active_simultaneous
        self._shown_since = since
        self._show(match, table=is_new)

    def _show(self, match: Match, *, table: bool = True) -> None:
        self._print(self.presenter.match_lines(match, self._console.width, table=table))

    def _show_later(self, event: events.Happened) -> None:
        """Show the table when the own seat has read what this event dealt to it."""
        soon = asyncio.get_running_loop().call_soon
        if _is_shown(event):
            soon(self._show_unasked)
        if self.presenter.watching and not self._draw_due:
            self._draw_due = True
            soon(self._draw_for_onlooker)

    def _show_unasked(self) -> None:
        """Show the table, unless it was shown because it is the own turn."""
        match = self.presenter.match
        if self.presenter.is_asked:
            return
        if match is None:
            self.line(self.presenter.words("match.not_begun"))
        else:
            self._show(match)

    def _draw_for_onlooker(self) -> None:
        """Show the table if it has changed."""
        self._draw_due = False
        match = self.presenter.match
        if match is None or match.stage is not MatchStage.PLAYING:
            return
        # in simultaneous play, what is before each seat changes all the time
        common = shared_regions(match) if match.active_simultaneous else None
        drawn: Board | list[Region] | None = common
        if common is None:
            drawn = self.presenter.view(match).board
        if drawn != self._drawn:
            self._drawn = drawn
            self._show(match)

    # --- player.ui.console_lines.LineHandler: what is typed and pressed, and what stands there ---

    def typed(self, line: str | None) -> None:
        """Do what a line says. None: the end of the input.

        The end of the input is no wish of an onlooker where nobody was to type, as in a script.
        """
        if line is None and self.presenter.watching and not sys.stdin.isatty():
            return
        self._print(self.presenter.typed(line, self._console.width).lines)

    def picture(self, typing: bool) -> list[Line]:
        """Return the lines above the status."""
        presenter = self.presenter
        match, playing = presenter.match, presenter.playing
        if self._picker is None or match is None or playing is None or match.game is None:
            return []
        self._picker.typing = typing and not presenter.watching
        width = self._console.width
        news = tuple(self._picker.news)
        made_of = match, presenter.is_asked, self._picker.status, news, typing, width, playing.trips
        if self._pictured[0] != made_of:
            view, text, say = presenter.view(match), match.setup.text, presenter.say_of(match)
            self._pictured = made_of, picture(view, text, say, self._picker, width)
        return self._pictured[1]

    def acts(self, key: str) -> bool:
        """Tell if a key does something by itself."""
        picker = self._picker
        return picker is not None and not self.presenter.watching and key.casefold() in picker.keys

    def pressed(self, key: str) -> None:
        """Do what the key does now. Keys that come before the turn are kept, one after another."""
        presenter, picker = self.presenter, self._picker
        match, client = presenter.match, presenter.client
        if picker is None or match is None or client is None or client.finished:
            return
        if not presenter.is_asked:
            picker.keep(key.casefold())
        elif offer := picker.press(presenter.view(match).offers, key.casefold()):
            # a key gives no amount and no places
            with suppress(LocalError):
                presenter.choose(offer.id)
        self._typing.refresh()

    def status(self) -> str:
        """Return what is waited for; in simultaneous play, only if some seat does nothing."""
        presenter = self.presenter
        match, playing = presenter.match, presenter.playing
        if (
            self._picker is None
            or match is None
            or playing is None
            or not match.active_simultaneous
            or (presenter.client and presenter.client.away)
        ):
            return presenter.status()
        seats = {duty.author for duty in match.duties()}
        now = presenter.clock()
        idle = max(
            (presenter.waits.seconds(seat, now) for seat in seats & {playing.own} or seats),
            default=0.0,
        )
        return presenter.status() if idle >= IDLE else ""


def _is_shown(event: events.Happened) -> bool:
    """Tell if the table is to be seen after an event: a hand was dealt, or an open game is over."""
    return narration.is_dealt(event.before, event.match) or narration.is_decided(
        event.before, event.match
    )
