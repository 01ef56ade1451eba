"""Presenter: the view of a match for a person on any screen, and the effect of typed lines.

A screen tells the presenter each event, and asks it for lines, for the view of the match and for
the status. The presenter prints nothing, and knows no terminal, page or HTTP.

Lines may come at any time: an action as the game wants it typed; `say TEXT` talks; `/mute` and
`/unmute` choose whose talk is shown; `/report` makes a text about somebody; `leave` leaves. Any
other line shows help.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from player.client import events
from player.client.client_base import ClientBase
from player.client.match_replica import MatchReplica
from player.client.muted_keys import MutedKeys
from player.presenter import muting
from player.presenter.commands import SIT_IN, SIT_OUT, Question, in_english
from player.presenter.hints import WORDS as HINTS
from player.presenter.hints import Hints
from player.presenter.narrator import Narrator, Style, StyledLine
from player.presenter.report import report_lines
from player.presenter.wait_status import (
    WaitStatus,
    connection_lost,
    round_trip_lines,
    waiting_status,
    with_progress,
)
from player.storage.contacts import Contact
from protocol.audit.report_text import match_phrase_renderer
from protocol.errors import LocalError
from protocol.games import Action
from protocol.games.registry import BUILT_IN
from protocol.i18n import english
from protocol.identity.keys import fingerprint
from protocol.limits import REMARKS_REPORTED
from protocol.match.match_rules import MatchRules
from protocol.match.seat_view import ClientKnowledge, view_of
from protocol.match.state import Match
from protocol.match.terms import Terms
from protocol.view.phrase import Phrase, SeatRef, phrase
from protocol.view.text import Say, Translate, phrase_renderer
from protocol.view.view import View

SITTING = {SIT_OUT: "sit_out", "sit in": "sit_in", SIT_IN: "sit_in"}


@dataclass
class Reply:
    """Answer of the program to a typed line."""

    lines: list[StyledLine] = field(default_factory=list)
    remark: str | None = None  # the remark that went to the others

    def add(self, *texts: str) -> None:
        """Add lines without a style."""
        self.lines += map(StyledLine, texts)


class StaleChoice(Exception):
    """The offers have changed since they were shown."""


def _check_fresh(may_choose: bool) -> None:
    """Raises: StaleChoice."""
    if not may_choose:
        raise StaleChoice


def _menu_lines(match: Match, view: View, say: Say) -> list[str]:
    """Return the choices below a title. The title is the game's prompt for this turn, if it has one."""
    title, *choices = match.setup.text.menu_text(view, say)
    if view.prompt is not None and title == say(phrase("seat.turn")):
        title = say(view.prompt)
    return [title, *choices]


class _Seats(NamedTuple):
    """Number of people that are missing before a match, and since when (seconds)."""

    missing: int
    since: float


class Presenter:
    """The state of a screen for a person who plays or looks on."""

    def __init__(
        self,
        contacts: dict[str, Contact],
        translate: Translate = english,
        watching: bool = False,
        *,
        clock: Callable[[], float],
        tell_hint: Callable[[list[str]], None],
    ) -> None:
        """`watching`: the person looks on, and cannot talk. `clock`: seconds that only go forward.
        `tell_hint` is called with the lines of a hint.
        """
        self.narrator = Narrator(contacts, translate)
        self.contacts = contacts
        self.watching = watching
        self.client: ClientBase | None = None
        self.link: str | None = None
        self.stopped = False
        self.clock = clock
        self.is_asked = False  # it is our turn, and there is no choice yet
        self.waits = WaitStatus()
        self.hints = Hints(
            lambda lines: tell_hint([self.text(line) for line in lines]), lambda: self.stopped
        )
        self._leaves_with_yes = False  # the next "yes" means leaving
        # seats and texts of remarks, the newest last
        self._remarks: deque[tuple[int, str]] = deque(maxlen=REMARKS_REPORTED)
        self._seats: _Seats | None = None
        self._offered: Terms | None = None  # the terms of the seat that was offered last
        self._lost_at: float | None = None  # when the connection was found lost
        self._question = Question()
        self._numbered: object = None  # the offers to which `turn_number` gave the newest number
        self._turn_number = 0

    # --- the client ---

    def follow(self, client: ClientBase, link: str | None = None) -> None:
        """Present this client from now on. It ends at once if the person has stopped before.

        `link`: the link by which other people come to the same place.
        """
        self.client = client
        self.link = link
        if self.stopped:
            client.stop()

    def stop(self) -> None:
        """End, and keep the match. An open question gets no answer (None)."""
        self.stopped = True
        if self.client is not None:
            self.client.stop()
        self.answer(None)

    @property
    def playing(self) -> MatchReplica | None:
        """The match that the client follows, from its beginning to the next one."""
        return self.client.playing if self.client else None

    @property
    def own(self) -> int | None:
        """The person's seat in that match."""
        return self.playing.own if self.playing else None

    @property
    def match(self) -> Match | None:
        """The newest state of that match."""
        playing = self.playing
        return playing.reader.match if playing and playing.reader else None

    # --- events ---

    def admit(self, event: events.Event) -> bool:
        """Note a remark for reports. Return False if the screen must not show the event, because it
        is a remark of a muted person.
        """
        if not isinstance(event, events.Said):
            return True
        self._remarks.append((event.seat, event.remark))
        return event.seat not in self.muted_seats

    @property
    def muted_seats(self) -> list[int]:
        """The seats whose talk is not shown. Raises: LocalError if the list cannot be read."""
        match, muted = self.match, self._muted
        if match is None or muted is None:
            return []
        people = match.setup.people
        return [seat for seat, person in enumerate(people) if person.identity in muted]

    def mute(self, seat: int, *, on: bool) -> None:
        """Mute a seat, or unmute it. Raises: LocalError."""
        match, muted = self.match, self._muted
        if match is None or muted is None or not 0 <= seat < len(match.setup.people):
            raise LocalError("match.not_begun")
        person = match.setup.people[seat]
        if on:
            muted.add(person.identity, person.name)
        else:
            muted.remove(person.identity)

    def report(self, seat: int) -> list[str]:
        """Return the lines of a report about a seat, for the host. Raises: LocalError."""
        match = self.match
        if match is None or not 0 <= seat < len(match.setup.people):
            raise LocalError("match.not_begun")
        person = match.setup.people[seat]
        known = self.contacts.get(fingerprint(person.identity))
        remarks = [text for author, text in self._remarks if author == seat]
        return report_lines(person, known, match.match_id, remarks, self.narrator.translate)

    @property
    def _muted(self) -> MutedKeys | None:
        return None if self.client is None else self.client.environment.muted

    def hear(self, event: events.Event) -> None:
        """Take in an event."""
        now = self.clock()
        match event:
            case events.Happened():
                own = self.own
                if own is not None and event.before.duty_since(own) != event.match.duty_since(own):
                    self.is_asked = False  # the turn is over, by a move or by the clock
                live = self.playing is None or self.playing.live
                self.waits.hear(event.entry, event.match, now, live=live)
            case events.Waited():
                self.waits.correct(event.by_seat, now)
            case events.Offered():
                self._offered = event.terms
            case events.Waiting():
                since = self._seats.since if self._seats else now
                self._seats = _Seats(event.seats - len(event.people), since)
            case events.Started():
                self._remarks.clear()
                self.is_asked = False
                self.waits.begin(event.match, now)
                self._seats = None
            case events.YourTurn() if event.choices == (events.DENIAL,) and self.client:
                # a person without the asked tile is not asked: there is only one answer
                asyncio.get_running_loop().call_soon(self.client.choose, events.DENIAL)
            case events.YourTurn():
                self.is_asked = True

    def lines(self, event: events.Event, *, moves: bool = True) -> list[StyledLine]:
        """Return the lines for an event. See `Narrator.lines`."""
        return self.narrator.lines(event, self.playing, moves=moves)

    def presence_lines(self, event: events.Event) -> list[StyledLine]:
        """Return the lines that say which players have gone or come back."""
        return self.narrator.presence_lines(event, self.clock())

    # --- the match ---

    def view(self, match: Match, knowledge: ClientKnowledge | None = None) -> View:
        """Return the view of the person's seat. It has no offers while a choice is on its way to
        the table.
        """
        playing = self.playing
        seat = playing.seat if playing else None
        knowledge = knowledge or ClientKnowledge(round_trips=playing.trips if playing else {})
        if seat:
            view = view_of(match, seat.number, seat.held(match), knowledge)
        else:
            view = view_of(match, aside=knowledge)
        return view if self.is_asked else replace(view, offers=(), prompt=None, unfit=None)

    def say_of(self, match: Match) -> Say:
        """Return the function that speaks about this match to the person."""
        return match_phrase_renderer(match, self.own, self.narrator.translate)

    def text(self, sentence: Phrase | None) -> str:
        """Return a sentence about the match, or an empty text."""
        match, translate = self.match, self.narrator.translate
        if match is None:
            say = phrase_renderer(translate, ())
        else:
            say = match_phrase_renderer(match, translate=translate)
        return "" if sentence is None else say(sentence)

    def words(self, key: str) -> str:
        """Return a sentence of the catalogue that names nobody."""
        return self.narrator.translate(key, None)

    def match_lines(self, match: Match, width: int, *, table: bool = True) -> list[StyledLine]:
        """Return the table in text, `width` columns wide, and what can be chosen.

        Without `table`: the choices alone.
        """
        view = self.view(match)
        text = match.setup.text
        say = match_phrase_renderer(match, view.you, self.narrator.translate)
        lines: list[StyledLine] = []
        if table and view.board is not None:
            shown = ["", *text.table_text(view, say, width), *map(say, round_trip_lines(view))]
            lines += map(StyledLine, shown)
        if view.offers:
            asks, *choices = _menu_lines(match, view, say)
            lines += [StyledLine(asks, Style.TURN), *map(StyledLine, choices)]
        elif view.board is not None and not match.active_simultaneous:
            # our own choice is on its way
            others = [turn.seat for turn in view.turns if turn.seat != view.you]
            lines += [StyledLine(say(phrase("match.turn", who=SeatRef(seat)))) for seat in others]
        return lines

    def match_rules(self) -> MatchRules:
        """Return the rules of the match, or of the one to come. Raises: LocalError if neither is
        known.
        """
        if self.match is not None:
            return MatchRules.of_match(self.match)
        if self._offered is None:
            raise LocalError("match.not_begun")
        games = self.client.environment.games if self.client else BUILT_IN
        return MatchRules(self._offered, games)

    # --- choices ---

    def turn_number(self, view: View | None = None) -> int:
        """Return a number that changes whenever the offers change.

        A screen shows the number with the offers, and passes it to `choose`. `view`: the newest
        view, if the screen has one.
        """
        match, own = self.match, self.own
        present = None
        if match is not None:
            view = view or self.view(match)
            since = None if own is None else match.duty_since(own)
            present = (view.match, view.offers, view.sit, since)
        if present != self._numbered:
            self._numbered = present
            self._turn_number += 1
        return self._turn_number

    def choose(self, offer_id: int, numbers: Sequence[int] = (), turn: int | None = None) -> None:
        """Choose an offer of the view, with its amount or its places.

        `turn`: the `turn_number` with which the person saw the offers; None: the person sees the
        present offers. Raises: StaleChoice if the offers have changed since; LocalError if there is
        no such offer, or if the numbers do not fit.
        """
        view = self._fresh_view(turn)
        offers = () if view is None else view.offers
        action = next(
            (offer.build_action(*numbers) for offer in offers if offer.id == offer_id), None
        )
        if action is None or self.client is None:
            raise LocalError("web.not_offered")
        self._take(self.client, action)

    def sit(self, turn: int | None = None) -> None:
        """Sit out, or in again, as the view offers it. Raises: StaleChoice, LocalError."""
        view = self._fresh_view(turn)
        if view is None or view.sit is None or self.client is None:
            raise LocalError("web.not_offered")
        self.client.choose(view.sit.action)

    def _fresh_view(self, turn: int | None) -> View | None:
        """Raises: StaleChoice."""
        match = self.match
        view = None if match is None else self.view(match)
        if turn is not None and turn != self.turn_number(view):
            raise StaleChoice
        return view

    def _take(self, client: ClientBase, action: Action) -> None:
        """Make a choice. The person is still asked if it cannot be made. Raises: LocalError."""
        was_asked = self.is_asked
        # before the choice: the next turn may begin at once
        self.is_asked = False
        try:
            client.choose(action)
        except LocalError:
            self.is_asked = was_asked
            raise

    # --- the status ---

    def status(self) -> str:
        """Return a line about what the match waits for, with the progress of a deal; empty if it
        waits for nothing.
        """
        return with_progress(self.match, self.text(self.status_phrase()), self.narrator.translate)

    def status_phrase(self) -> Phrase | None:
        """Return a line about what the match waits for, without the progress of a deal."""
        match, playing = self.match, self.playing
        status = self._status_before_others()
        if status is not None or match is None or playing is None:
            return status
        return waiting_status(match, playing.own, self.waits, self.clock(), playing.absent)

    def _status_before_others(self) -> Phrase | None:
        """Return the status while people are missing, the connection is lost, or the own move is
        under way.
        """
        if self.client is None or self.client.finished:
            return None
        match, playing, now = self.match, self.playing, self.clock()
        if match is None or playing is None:
            if self._seats is None:
                return None
            missing, since = self._seats
            if not missing:
                return phrase("status.seats.all")
            return phrase("status.seats", count=missing, seconds=int(now - since))
        if (lost := self._status_lost(match, playing.own, now)) is not None:
            return lost
        owes = any(duty.author == playing.own and duty.kind == "move" for duty in match.duties())
        return phrase("status.sent") if owes and not self.is_asked else None

    def _status_lost(self, match: Match, own: int | None, now: float) -> Phrase | None:
        if self.client is None or not self.client.away:
            self._lost_at = None
            return None
        if self._lost_at is None:
            self._lost_at = now
        return connection_lost(match, own, now - self._lost_at)

    # --- questions of the program ---

    async def ask(self) -> str | None:
        """Return the next typed line, or None if the input ends before."""
        return await self._question.ask()

    def answer(self, line: str | None) -> bool:
        """Answer the open question. Return False if there is none."""
        return self._question.answer(line)

    def is_yes(self, line: str | None) -> bool:
        """Check that an answer is a yes in the person's language. Anything else is a no."""
        return line is not None and in_english(line.strip(), self.narrator.translate) == "yes"

    # --- typed lines ---

    def typed(self, line: str | None, width: int, *, may_choose: bool = True) -> Reply:
        """Do what a typed line says. None: the end of the input.

        `width`: columns of a table. `may_choose`: the person has seen what is on offer now. Raises:
        StaleChoice for a line that chooses while `may_choose` is false.
        """
        reply = Reply()
        if self.answer(line):
            return reply
        playing = self.playing
        # a person who is leaving waits until the table has the entry
        if line is None and not (playing and playing.leaving):
            self.stop()
        if line is None or self.client is None or self.client.finished:
            return reply
        line = in_english(line.strip(), self.narrator.translate)
        try:
            if self.watching:
                self._obey_onlooker(self.client, line, reply, width)
            else:
                self._obey(self.client, line, reply, width, may_choose)
        except LocalError as error:
            reply.add(self.text(error.phrase))
        return reply

    def talk(self, remark: str) -> Reply:
        """Send a remark to the others. Raises: LocalError."""
        if self.client is None or self.watching:
            raise LocalError("typed.watching.say" if self.watching else "match.not_begun")
        self.client.say(remark)
        reply = Reply(remark=remark)
        reply.add(self.words("typed.said").format(remark=remark.strip()))
        return reply

    def help_text(self, match: Match) -> str:
        """Return all that can be typed."""
        if self.watching:
            return self.words("typed.watching")
        say = match_phrase_renderer(match, translate=self.narrator.translate)
        choice = match.setup.text.help_text(self.view(match), say)
        key = "typed.help" if match.setup.has_table else "typed.help.no_table"
        has_hints = not match.setup.game.pieces and match.setup.seats > 1
        hints = " " + self.words("typed.help.hint") if has_hints else ""
        return say(phrase(key, choice=choice)) + hints

    def _about_somebody(self, command: str, whom: str, match: Match) -> list[str]:
        """Mute, unmute or report somebody, and return the answer. Raises: LocalError."""
        people = match.setup.people
        seat = muting.find_seat(whom, people)
        if seat is None:
            return [self.text(muting.not_found(people))]
        if command == muting.REPORT:
            return self.report(seat)
        self.mute(seat, on=command == muting.MUTE)
        return [self.text(muting.answer(command, seat))]

    def _obey(
        self, client: ClientBase, line: str, reply: Reply, width: int, may_choose: bool
    ) -> None:
        word, _, rest = line.partition(" ")
        leaves_with_yes = self._leaves_with_yes
        self._leaves_with_yes = False
        match = self.match
        if leaves_with_yes and word == "yes":
            client.leave()
        elif word == "say":
            answer = self.talk(rest)
            reply.lines += answer.lines
            reply.remark = answer.remark
        elif line in SITTING:
            _check_fresh(may_choose)
            client.choose((SITTING[line],))
        elif word == "leave":
            self._leave(client, reply)
        elif word in muting.COMMANDS and match is not None:
            reply.add(*self._about_somebody(word, rest, match))
        elif word in HINTS:
            self.hints.ask(self.playing, client.environment.games, word)
        elif leaves_with_yes:
            reply.add(self.words("typed.stay"))
        elif word in ("", "board"):
            self._show(reply, width)
        elif word == "rules":
            self._show_rules(reply, width)
        elif not self._choose(client, line, may_choose):
            self._explain(word, reply)

    def _obey_onlooker(self, client: ClientBase, line: str, reply: Reply, width: int) -> None:
        word = line.partition(" ")[0]
        if word == "leave":
            client.leave()
        elif word in ("", "board"):
            self._show(reply, width)
        elif word == "rules":
            self._show_rules(reply, width)
        else:
            reply.add(self.words("typed.watching.say" if word == "say" else "typed.watching"))

    def _leave(self, client: ClientBase, reply: Reply) -> None:
        if self.playing is None or self.playing.seat is None:
            client.leave()
        else:
            self._leaves_with_yes = True
            reply.add(self.words("typed.sure"))

    def _choose(self, client: ClientBase, line: str, may_choose: bool) -> bool:
        """Make the choice that a line names. Return False if it names none. Raises: LocalError for a
        choice that cannot be made.
        """
        match = self.match
        if match is None:
            return False
        action = match.setup.text.parse_choice(self.view(match), self.say_of(match), line)
        if action is None:
            return False
        _check_fresh(may_choose)
        self._take(client, action)
        return True

    def _explain(self, word: str, reply: Reply) -> None:
        """Explain what can be typed: the choices if there are any, or else all commands."""
        match = self.match
        if match is None:
            reply.add(self.words("match.not_begun"))
        elif (view := self.view(match)).offers and word != "help":
            say = match_phrase_renderer(match, view.you, self.narrator.translate)
            reply.add(self.words("typed.unknown"), *_menu_lines(match, view, say))
        else:
            reply.add(self.help_text(match))

    def _show_rules(self, reply: Reply, width: int) -> None:
        reply.add(*self.match_rules().text(self.narrator.translate, width))
        reply.add("", self.words("typed.rules.more"))

    def _show(self, reply: Reply, width: int) -> None:
        match = self.match
        if match is None:
            reply.add(self.words("match.not_begun"))
        else:
            reply.lines += self.match_lines(match, width)
