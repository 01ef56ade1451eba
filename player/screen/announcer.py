"""Says what happens, a line at a time: a bot's output, and the base of what a person sees."""

import asyncio
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from math import inf
from shutil import get_terminal_size

from bots.registry import Bot
from bots.think_limits import ThinkDeadline
from player import events
from player.disk.contacts import Contact
from player.outcome import Outcome
from player.screen import narrate
from player.screen.lines import put
from player.screen.narrate import begun
from player.screen.status import Presence
from player.screen.terms import terms_lines
from player.seat.following import Following
from player.seat.visitor import Visitor
from protocol.audit.report_text import match_phrase_renderer
from protocol.audit.verdict import Verdict
from protocol.codes import code_phrase
from protocol.games import Action
from protocol.i18n import english
from protocol.identity.keys import short_fingerprint
from protocol.match.state import Match
from protocol.match.terms import Terms
from protocol.view.phrase import Phrase, SeatRef, phrase
from protocol.view.text import Say, Translate, phrase_renderer

PATIENCE = 1.0  # seconds of dealing before a progress bar appears
REFRESH = 0.2  # seconds between two states of the bar


class Style(Enum):
    """How a line looks: by what has happened, never by its words, which may be somebody else's."""

    PLAIN = ""
    GOOD = "bold green"
    BAD = "bold red"
    TURN = "bold"


class Announcer:
    """Turns a client's events into lines on standard output."""

    def __init__(
        self,
        contacts: dict[str, Contact],
        quiet: bool = False,
        translate: Translate = english,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.client: Visitor | None = None
        self.link: str | None = None
        self.translate = translate
        self.stopped = False  # whether the person, or whoever runs this, wants it to end
        self._contacts = contacts
        self._quiet = quiet
        self._clock = clock
        self._presence = Presence()
        self._live = sys.stdout.isatty()
        self._dealing_since: float | None = None
        self._shown = ("", 0.0)  # the bar's last words, and when it was drawn
        self._bar = False  # whether a bar stands on the present line
        self._known_terms: Terms | None = None  # that were told before the match

    def hear(self, event: events.Event) -> None:
        """Say what there is to say."""
        match event:
            case events.Happened():
                self.happened(event)
                self._progress(event.match)
            case events.YourTurn():
                self.turn(event)
            case events.Offered():
                self._known_terms = event.terms
                self.say(
                    terms_lines(event.terms, phrase_renderer(self.translate, ()), event.table_id)
                )
            case events.Started():
                self.started(event)
            case events.Presence():
                self._presence.hear(event)
            case _:
                self.say(self._lines(event))
        self._say_who_is_there()

    def _say_who_is_there(self) -> None:
        match = self._presence.match
        if match is not None:
            self.say(
                [
                    match_phrase_renderer(match, translate=self.translate)(told)
                    for told in self._presence.news(self._clock())
                ]
            )

    def happened(self, event: events.Happened) -> None:
        """An entry stands: say what it came to."""
        playing = self.client.playing if self.client else None
        self.say(narrate.happened(event, playing.own if playing else None, self.translate))

    def follow(self, client: Visitor, link: str | None = None) -> None:
        """Speak for this client; it ends at once if it was told to stop before it was there.

        `link`: with which others come to the same place.
        """
        self.client = client
        self.link = link
        if self.stopped:
            client.stop()

    def stop(self) -> None:
        """End, and keep the match: Ctrl-C, Ctrl-D, SIGTERM."""
        self.stopped = True
        if self.client is not None:
            self.client.stop()

    async def again(self) -> bool:
        """Whether who looks at this wants another match, and can be asked."""
        return False

    def ended(self, outcome: Outcome) -> None:
        """Say what it came to."""
        if self.client and self.client.playing:
            own = self.client.playing.own
        else:
            own = None
        self.say(narrate.won(outcome, own, self.translate))
        if outcome.verdict is Verdict.CLEAN:
            style = Style.GOOD if narrate.is_winner(outcome, own) else Style.PLAIN
        elif outcome.verdict is Verdict.INCOMPLETE:  # it may go on later
            style = Style.PLAIN
        else:
            style = Style.BAD
        self.line(narrate.verdict(outcome, self.translate), always=True, style=style)

    def line(self, text: str, always: bool = False, style: Style = Style.PLAIN) -> None:
        """Print one line."""
        if self._quiet and not always:
            return
        if self._bar:
            put("\r\x1b[K")
            self._bar = False
        self.write(text, style)

    def tell(self, told: Phrase, always: bool = False) -> None:
        """Print a sentence that names nobody at the table."""
        self.line(phrase_renderer(self.translate, ())(told), always)

    def say(self, lines: list[str]) -> None:
        """Print lines."""
        for text in lines:
            self.line(text)

    def write(self, text: str, style: Style) -> None:
        """Where lines go."""
        put(f"{text}\n")

    def started(self, event: events.Started) -> None:
        """A match begins."""
        self._presence = Presence()
        self.introduce(event)

    def introduce(self, event: events.Started) -> None:
        """Say what begins, and who plays."""
        setup = event.match.setup
        # people's lines are indented, warnings are not
        begins, *people = begun(event, self._contacts, self.translate)
        self.line(begins)
        if setup.terms != self._known_terms:  # else they have just been told
            say = match_phrase_renderer(event.match, translate=self.translate)
            self.say(terms_lines(setup.terms, say, games=setup.games)[1:])
        for text in people:
            self.line(text, style=Style.PLAIN if text.startswith(" ") else Style.BAD)

    def turn(self, event: events.YourTurn) -> None:
        """Our turn, when nobody else decides."""

    def _say_here(self) -> Say:
        """What speaks of the people of the match, once there is one."""
        playing = self.client.playing if self.client else None
        if playing is None or playing.reader is None:
            return phrase_renderer(self.translate, ())
        return match_phrase_renderer(playing.reader.match, playing.own, self.translate)

    def _lines(self, event: events.Event) -> list[str]:
        say = phrase_renderer(self.translate, ())
        match event:
            case events.Welcomed():
                return [narrate.greeting(event, short_fingerprint(event.table_key), say)]
            case events.Waiting():
                return [narrate.waiting(event, say)]
            case events.Listed():
                return narrate.tables(event, say)
            case events.Roster():
                return narrate.roster(event, self.translate)
            case events.Said() if (
                self.client and self.client.playing and self.client.playing.reader
            ):
                say = match_phrase_renderer(
                    self.client.playing.reader.match, translate=self.translate
                )
                said = say(phrase("match.said", who=SeatRef(event.seat), remark=event.remark))
                return narrate.remark(said, get_terminal_size().columns if self._live else None)
            case events.Unheard():
                return [say(phrase("match.unheard", seat=event.seat + 1))]
            case events.Declined():
                return [say(phrase("lobby.declined", why=code_phrase(event.code)))]
            case events.Announced():
                told = narrate.announcement(event.said, self._say_here())
                return narrate.remark(told, get_terminal_size().columns if self._live else None)
            case events.Notice():
                return [self._say_here()(event.phrase)]
        return []

    def _progress(self, match: Match) -> None:
        """Show how far a deal is, once it has taken longer than people wait without asking."""
        now = time.monotonic()
        found = narrate.progress(match, self.translate)
        if found is None:
            self._dealing_since = None
            return
        if self._dealing_since is None:
            self._dealing_since = now
        if now - self._dealing_since < PATIENCE or self._quiet:
            return
        words, drawn = self._shown
        if self._live and now - drawn >= REFRESH:
            put(f"\r\x1b[K{narrate.progress_bar(match, self.translate)}")
            self._bar = True
        elif not self._live and words != found[0]:
            self.line(narrate.progress_bar(match, self.translate))
        else:
            return
        self._shown = (found[0], now)


class PacedBot(Announcer):
    """A bot that takes its time: people can watch, and while it thinks the program goes on
    answering the table.

    It picks from what it sees, and does that when its think time is over. If others have made that
    impossible by then, it notices at once, picks anew and thinks anew.
    """

    def __init__(
        self,
        contacts: dict[str, Contact],
        quiet: bool,
        bot: Bot,
        patience: ThinkDeadline,
        translate: Translate = english,
    ) -> None:
        super().__init__(contacts, quiet, translate)
        self._bot = bot
        self._patience = patience
        self._thoughts: set[asyncio.Task[None]] = set()
        # the turn of the newest thought: which match, since when
        self._of: tuple[Following | None, int] = (None, -1)
        self._newest: asyncio.Task[None] | None = None  # that thought
        self._changed = asyncio.Event()  # set when what can be done is not what it was

    @property
    def thinking(self) -> bool:
        """Whether it thinks, or waits to say what it thought."""
        return bool(self._thoughts)

    def turn(self, event: events.YourTurn) -> None:
        """Think, in a thread of its own, and say it a while later; who thinks already looks
        again.
        """
        client = self.client
        if client is None or client.playing is None or client.playing.seat is None:
            return
        turn = client.playing, event.match.duty_since(client.playing.seat.number)
        self._changed.set()  # a thought for a turn that is over ends with that
        if self._of == turn and self._newest is not None and not self._newest.done():
            return
        self._of = turn
        self._newest = asyncio.create_task(self._think(client, client.playing, event.match))
        self._thoughts.add(self._newest)
        self._newest.add_done_callback(self._thought)

    async def _think(self, client: Visitor, playing: Following, match: Match) -> None:
        assert playing.seat is not None
        turn = self._of
        ends = self._patience.clock() + _seconds_for(match, playing.seat.number)
        self._patience.deadline = ends
        while self._is_on(client, turn):
            action = await self._pick(client, turn, ends)
            if self._is_on(client, turn) and _can(playing, action):
                client.choose(action)
                return

    def _is_on(self, client: Visitor, turn: tuple[Following | None, int]) -> bool:
        """Whether this turn is not over: what was chosen for it is for no other."""
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
        self, client: Visitor, turn: tuple[Following | None, int], ends: float
    ) -> Action:
        """What the bot would do now, after its think time, or as soon as that cannot be done any
        more.
        """
        playing = turn[0]
        assert playing is not None and playing.seat is not None and playing.reader is not None
        rng = client.environment.rng
        clock = self._patience.clock
        ready = min(clock() + self._patience.pace.draw(rng), ends)
        action = await asyncio.to_thread(self._bot, playing.seat.seen(playing.reader.match), rng)
        while (left := ready - clock()) > 0 and self._is_on(client, turn) and _can(playing, action):
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._changed.wait()
        return action

    def _thought(self, task: asyncio.Task[None]) -> None:
        self._thoughts.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.stop()  # a bot that fails must not sit there for ever
            task.result()


def _can(playing: Following, action: Action) -> bool:
    return bool(
        playing.seat and playing.reader and action in playing.seat.choices(playing.reader.match)
    )


def _seconds_for(match: Match, seat: int) -> float:
    """How long a bot may take for its turn: half of what the match waits. A table may have set a
    second for it.
    """
    if match.setup.has_table:
        return match.deadline(seat) / 2000
    return inf
