"""A person who plays or looks on: what waits for them, what they are shown, and what becomes of
what they type.

Lines are typed at any time: a choice as the game wants it typed, `say TEXT` talks, `/mute` and
`/unmute` choose who is heard, `leave` leaves, anything else helps. Where lines go, and where they
come from, the screen itself says.
"""

import asyncio
from dataclasses import replace

from player import events
from player.disk.contacts import Contact
from player.hints import WORDS as HINTS
from player.hints import Hints
from player.screen.announcer import Announcer, Style
from player.screen.commands import SIT_IN, SIT_OUT, Question, in_english
from player.screen.muting import COMMANDS, Muting
from player.screen.status import Waits, connection_lost, trips, waited_for, with_progress
from player.seat.following import Following
from protocol.audit.report_text import match_phrase_renderer
from protocol.errors import LocalError
from protocol.i18n import english
from protocol.match.seat_view import ClientKnowledge, view_of
from protocol.match.state import Match
from protocol.view.phrase import Phrase, SeatRef, phrase
from protocol.view.text import Say, Translate, phrase_renderer
from protocol.view.view import View

SITTING = {SIT_OUT: "sit_out", "sit in": "sit_in", SIT_IN: "sit_in"}
WIDTH = 80  # columns of a table in text, where nobody knows how wide it may be


class Person(Announcer):
    """Whose turn it is, what has been asked, and what is typed. `watching`: nobody hears what is
    said here.
    """

    def __init__(
        self, contacts: dict[str, Contact], translate: Translate = english, watching: bool = False
    ) -> None:
        super().__init__(contacts, translate=translate, clock=asyncio.get_running_loop().time)
        self._asked = False  # whether it is our turn, and not answered yet
        self._sure = False  # whether the next "yes" means leaving
        self.watching = watching
        self._muting = Muting()
        self._waits = Waits()
        # how many are missing before the match, and since when
        self._seats: tuple[int, float] | None = None
        self._lost_at: float | None = None  # when the connection was found lost
        self._question = Question()
        self._hints = Hints(
            lambda told: self.say([self._told(one) for one in told]), lambda: self.stopped
        )

    @property
    def width(self) -> int:
        """Columns that there are for a table."""
        return WIDTH

    def hear(self, event: events.Event) -> None:
        """Say what there is to say."""
        if isinstance(event, events.Said) and not self._muting.hears(event.seat):
            return
        own = playing.own if (playing := self._playing()) else None
        if (
            own is not None
            and isinstance(event, events.Happened)
            and event.before.duty_since(own) != event.match.duty_since(own)
        ):
            self._asked = False  # the turn is over, by a move or by the clock
        if isinstance(event, events.Happened):
            live = playing is None or playing.live
            self._waits.hear(event.entry, event.match, self._clock(), live=live)
        elif isinstance(event, events.Waited):
            self._waits.state(event.by_seat, self._clock())
        elif isinstance(event, events.Waiting):
            self._seats = (
                event.seats - len(event.people),
                self._seats[1] if self._seats else self._clock(),
            )
        super().hear(event)

    def started(self, event: events.Started) -> None:
        """A match begins."""
        super().started(event)
        self._asked = False
        self._waits.begin(event.match, self._clock())
        self._seats = None

    def turn(self, event: events.YourTurn) -> None:
        """Ask; but not whether a person has a tile that they do not have."""
        if self.client is not None and event.choices == (events.DENIAL,):
            asyncio.get_running_loop().call_soon(self.client.choose, events.DENIAL)
            return
        self._asked = True
        self.asked(event.match)

    def asked(self, match: Match) -> None:
        """It is for our person to choose."""

    def choosing(self) -> None:
        """What was typed chooses something."""

    def _view(self, match: Match, aside: ClientKnowledge | None = None) -> View:
        """What our seat sees; a turn whose choice is on its way, or not yet asked for, is no more
        to be taken.
        """
        playing = self._playing()
        seat = playing.seat if playing else None
        aside = aside or ClientKnowledge(round_trips=playing.trips if playing else {})
        if seat:
            view = view_of(match, seat.number, seat.held(match), aside)
        else:
            view = view_of(match, aside=aside)
        return view if self._asked else replace(view, offers=())

    def _playing(self) -> Following | None:
        return self.client.playing if self.client else None

    def _match(self) -> Match | None:
        playing = self._playing()
        if playing and playing.reader:
            return playing.reader.match
        return None

    def _say_of(self, match: Match) -> Say:
        """What speaks about this match to our person."""
        playing = self._playing()
        return match_phrase_renderer(match, playing.own if playing else None, self.translate)

    def words(self, key: str) -> str:
        """A sentence of the catalogue about nobody."""
        return self.translate(key, None)

    # --- what is going on ---

    def status(self) -> str:
        """What is waited for, in a line."""
        return with_progress(self._match(), self._told(self._waited_for()), self.translate)

    def _waited_for(self) -> Phrase | None:
        """The same as a phrase, without how far a deal is."""
        match = self._match()
        playing = self._playing()
        if (told := self._before_status()) is not None or match is None or playing is None:
            return told
        return waited_for(match, playing.own, self._waits, self._clock(), playing.absent)

    def _told(self, told: Phrase | None) -> str:
        match = self._match()
        if match is None:
            say = phrase_renderer(self.translate, ())
        else:
            say = match_phrase_renderer(match, translate=self.translate)
        return "" if told is None else say(told)

    def _before_status(self) -> Phrase | None:
        """What is waited for before anybody is: others to come, the connection, our own move to
        arrive.
        """
        if self.client is None or self.client.finished:
            return None
        match = self._match()
        playing = self._playing()
        now = self._clock()
        if match is None or playing is None:
            if self._seats is None:
                return None
            missing, since = self._seats
            return phrase("status.seats", count=missing, seconds=int(now - since))
        if (lost := self._status_lost(match, playing.own, now)) is not None:
            return lost
        if (
            any(duty.author == playing.own and duty.kind == "move" for duty in match.duties())
            and not self._asked
        ):
            return phrase("status.sent")
        return None

    def _status_lost(self, match: Match, own: int | None, now: float) -> Phrase | None:
        """That the connection is gone, if it is."""
        if self.client is None or not self.client.away:
            self._lost_at = None
            return None
        if self._lost_at is None:
            self._lost_at = now
        else:
            self._lost_at = self._lost_at
        return connection_lost(match, own, now - self._lost_at)

    # --- what is typed ---

    async def answer(self) -> str | None:
        """What is typed next, or None if there is an end before."""
        return await self._question.ask()

    def stop(self) -> None:
        """End; a question that is open is answered by it."""
        super().stop()
        self.answered(None)

    def answered(self, line: str | None) -> bool:
        """Whether a question was open, which is answered now."""
        return self._question.answered(line)

    def typed(self, line: str | None) -> None:
        """One line; None at the end of the input."""
        if self.answered(line):
            return
        playing = self._playing()
        # who is leaving waits until the table has heard it
        if line is None and not (playing and playing.leaving):
            self.stop()
        if line is None or self.client is None or self.client.finished:
            return
        try:
            if self.watching:
                obey = self._obey_onlooker
            else:
                obey = self._obey
            obey(in_english(line.strip(), self.translate))
        except LocalError as error:
            self.line(self._told(error.phrase))

    def _obey(self, line: str) -> None:
        assert self.client is not None
        word, _, rest = line.partition(" ")
        sure = self._sure
        self._sure = False
        if sure and word == "yes":
            self.client.leave()
        elif word == "say":
            self.talk(rest)
        elif line in SITTING:
            self.choosing()
            self.client.choose((SITTING[line],))
        elif word == "leave":
            self._leave()
        elif word in COMMANDS and (match := self._match()) is not None:
            self.line(self._told(self._muting.obey(word, rest, match.setup.people)))
        elif word in HINTS:
            self._hints.ask(self._playing(), self.client.environment.games, word)
        elif sure:
            self.line(self.words("typed.stay"))
        elif word in ("", "board"):
            self._show_present()
        elif not self._choose(line):
            self._explain(word)

    def talk(self, remark: str) -> None:
        """Say something to the others. Raises: LocalError."""
        assert self.client is not None
        self.client.say(remark)
        self.line(self.words("typed.said").format(remark=remark.strip()))

    def _obey_onlooker(self, line: str) -> None:
        assert self.client is not None
        word = line.partition(" ")[0]
        if word == "leave":
            self.client.leave()
        elif word in ("", "board"):
            self._show_present()
        else:
            self.line(self.words("typed.watching.say" if word == "say" else "typed.watching"))

    def _explain(self, word: str) -> None:
        """Say what can be typed: all of it to who asks, and to who meant to choose, the choices."""
        match = self._match()
        if match is None:
            self.line(self.words("match.not_begun"))
        elif (view := self._view(match)).offers and word != "help":
            self.line(self.words("typed.unknown"))
            self.say(
                match.setup.text.menu_text(
                    view, match_phrase_renderer(match, view.you, self.translate)
                )
            )
        else:
            self.line(self._help(match))

    def _leave(self) -> None:
        assert self.client is not None
        playing = self._playing()
        if playing is None or playing.seat is None:
            self.client.leave()
        else:
            self._sure = True
            self.line(self.words("typed.sure"))

    def _choose(self, line: str) -> bool:
        """Make the choice that a line says, if it says one. Raises: LocalError for one that cannot
        be made.
        """
        match = self._match()
        if match:
            action = match.setup.text.parse_choice(self._view(match), self._say_of(match), line)
        else:
            action = None
        if self.client is None or action is None:
            return False
        self.choosing()
        self._asked = False
        self.client.choose(action)
        return True

    def _show_present(self) -> None:
        match = self._match()
        if match is None:
            self.line(self.words("match.not_begun"))
        else:
            self._show(match)

    def _show(self, match: Match, *, table: bool = True) -> None:
        view = self._view(match)
        text = match.setup.text
        say = match_phrase_renderer(match, view.you, self.translate)
        if table and view.board is not None:
            self.say(["", *text.table_text(view, say, self.width), *map(say, trips(view))])
        if view.offers:
            asks, *choices = text.menu_text(view, say)
            self.line(asks, style=Style.TURN)
            self.say(choices)
        elif view.board is not None and not match.active_simultaneous:
            # what we do is on its way
            others = [turn.seat for turn in view.turns if turn.seat != view.you]
            self.say([say(phrase("match.turn", who=SeatRef(seat))) for seat in others])

    def _help(self, match: Match) -> str:
        """All that can be typed."""
        if self.watching:
            return self.words("typed.watching")
        say = match_phrase_renderer(match, translate=self.translate)
        choice = match.setup.text.help_text(self._view(match), say)
        hidden = match.setup.game.pieces or match.setup.seats == 1
        hints = "" if hidden else " " + self.words("typed.help.hint")
        return (
            say(
                phrase(
                    "typed.help" if match.setup.has_table else "typed.help.no_table", choice=choice
                )
            )
            + hints
        )
