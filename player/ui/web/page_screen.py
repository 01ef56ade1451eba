"""PageScreen: the screen of a person on a page. It makes snapshots, and does what a page asks.

A page may choose what is on offer in the snapshot that it names, and nothing else: what is signed
is one of the program's own offers. Of two pages the first one wins. No HTTP is known here.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from player.client import events
from player.client.client_base import ClientBase
from player.client.loadouts import KnownCreator
from player.client.outcome import Outcome
from player.presenter import match_data as data
from player.presenter.match_screen import TableChoice
from player.presenter.narrator import Style, StyledLine
from player.presenter.presenter import Presenter, StaleChoice
from player.presenter.wait_status import without_seconds
from player.storage.contacts import Contact
from player.ui.console_lines import put
from player.ui.web.match_talk import MatchTalk
from player.ui.web.stream import News, Snapshot
from protocol.audit.verdict import Verdict
from protocol.dealing import TABLE
from protocol.errors import LocalError
from protocol.games import Action
from protocol.identity.keys import JoinLink, fingerprint
from protocol.match.seat_view import ClientKnowledge
from protocol.match.state import Match
from protocol.messages.table_talk import printable_remark
from protocol.view.phrase import Phrase
from protocol.view.text import Say, Translate, phrase_renderer, sanitize
from protocol.view.view import View

RELOAD_SECONDS = 3.0  # for a page that is loaded anew to be back
WIDTH = 80  # columns of a table in text: the width of a page is not known

# events that a page shows in another place than its notices
SHOWN_ELSEWHERE = (
    events.Started,
    events.Happened,
    events.Said,
    events.Listed,
    events.Waiting,
    events.Roster,
)
CONNECTING = {"stage": "connecting", "table": "", "people": [], "missing": 0}
UNNAMED = "Table"  # name of a table to which its host has given none


class PageScreen:
    """Shows the matches of a client on pages."""

    def __init__(
        self,
        contacts: dict[str, Contact],
        translate: Translate,
        watching: bool = False,
        talk: MatchTalk | None = None,
        only_bots: bool = False,
    ) -> None:
        """`talk`: the remarks on earlier screens of this program; None: there were none.
        `only_bots`: bots have all other seats, so nobody waits for the person.
        """
        self._only_bots = only_bots
        self._talk = MatchTalk() if talk is None else talk
        self.presenter = Presenter(
            contacts,
            translate,
            watching,
            clock=asyncio.get_running_loop().time,
            tell_hint=lambda texts: self._notify(*map(StyledLine, texts)),
        )
        self.news = News()
        self.deeds: list[dict[str, Any]] = []  # of the present match
        self.lobby: TableChoice | None = None  # while a person chooses a table
        # page of the person's own table, for guests with a browser; None: there is none
        self.page_link: JoinLink | None = None
        self._deeds_of = b""  # id of the match to which `deeds` belong
        self._own: int | None = None  # our seat in that match
        # creators of cards by fingerprint; None until an owned card is shown
        self._creators: Mapping[str, KnownCreator] | None = None
        self._snapshot = Snapshot(0, 0, {})
        self._is_stale = True  # something has changed since the snapshot was made
        self._turn = 0  # turn number of the newest snapshot
        self._since = 0  # serial of the first snapshot with that turn number
        self._remarks: dict[int, str] = {}  # newest remark of each seat
        self._place: dict[str, Any] = CONNECTING  # the stage with its fields
        self.has_begun = False  # a table has answered, or a match has begun
        self._verdict: dict[str, Any] | None = None
        self._asks_again = False
        self._onward: asyncio.Future[str] | None = None  # while a person decides what comes next
        self._questions = 0  # that were asked
        # the one that is asked now, and its answer
        self._question: tuple[Phrase, asyncio.Future[bool]] | None = None

    # --- player.presenter.match_screen.MatchScreen ---

    @property
    def client(self) -> ClientBase | None:
        """The client that the screen shows."""
        return self.presenter.client

    @property
    def stopped(self) -> bool:
        """The person wants the screen to end."""
        return self.presenter.stopped

    @property
    def translate(self) -> Translate:
        """The language of the newest page."""
        return self.presenter.narrator.translate

    @translate.setter
    def translate(self, translate: Translate) -> None:
        self.presenter.narrator.translate = translate

    @property
    def has_viewer(self) -> bool:
        """A page shows the screen."""
        return bool(self.news.readers)

    def follow(self, client: ClientBase, link: str | None = None) -> None:
        """Show this client from now on."""
        self.presenter.follow(client, link)

    def stop(self) -> None:
        """End, and keep the match."""
        self.presenter.stop()
        self.answer_onward("")
        if self._question is not None:
            self._answer(yes=False)
        self.news.wake()

    def hear(self, event: events.Event) -> None:
        """Show an event: in the snapshot, or as an item of news."""
        presenter = self.presenter
        if presenter.admit(event):
            presenter.hear(event)
            self._take(event)
            self._notify(*presenter.presence_lines(event))
        self.changed()

    def _take(self, event: events.Event) -> None:
        match event:
            case events.Started():
                self._begin(event)
            case events.Recalled():
                self._own = event.seat
                self._note(event)
            case events.Happened():
                for told in self._note(event):
                    self.news.add("deed", told, told["entry"])
            case events.Said():
                self._show_remark(event.seat, event.remark)
            case _:
                self._place = self._place | self._before_match(event)
        greeted_again = isinstance(event, events.Welcomed) and self.lobby is not None
        if not greeted_again and not isinstance(event, SHOWN_ELSEWHERE):
            self._notify(*self.presenter.lines(event))

    def _before_match(self, event: events.Event) -> dict[str, Any]:
        """Return what an event changes in the snapshot before a match begins."""
        match event:
            case events.Welcomed():
                self.has_begun = True
                named = "" if event.table_name == UNNAMED else sanitize(event.table_name)
                return {"stage": "lobby", "table": named}
            case events.Listed() if self.lobby is not None:
                self.lobby.take_tables(event)
            case events.Offered():
                if self.lobby is not None:
                    self.lobby.take_terms(event)
                return data.terms_data(event.terms, self.translate)
            case events.Waiting():
                if self.lobby is not None:
                    self.lobby.take_waiting(event)
                contacts = self.presenter.contacts
                people = data.people_data(event.people, None, contacts, self.translate)
                missing = event.seats - len(event.people)
                return {"stage": "waiting", "people": people, "missing": missing}
        return {}

    async def again(self) -> bool:
        """Ask on the page for another match. Return the answer."""
        if self.stopped or self.presenter.watching:
            return False
        self._asks_again = True
        self.changed()
        answer = await self.presenter.ask()
        self._asks_again = False
        self.changed()
        return self.presenter.is_yes(answer)

    async def confirm(self, question: Phrase) -> bool:
        """Ask the question in a dialog, until a page answers it or the program ends."""
        if self.stopped:
            return False
        self._questions += 1
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._question = question, answer
        self.changed()
        try:
            return await answer
        finally:
            self._question = None
            self.changed()

    def _answer(self, *, yes: bool) -> None:
        if self._question is not None and not self._question[1].done():
            self._question[1].set_result(yes)

    async def onward(self, *, again: bool) -> str:
        """Ask on the page what comes after a match: "again" (if that is offered), "other" (a game,
        with the same people) or "back" (to the tables). "" if the program ends.
        """
        if self.stopped:
            return ""
        self._onward = asyncio.get_running_loop().create_future()
        self._asks_again = again
        self.changed()
        try:
            return await self._onward
        finally:
            self._onward = None
            self._asks_again = False
            self.changed()

    async def show_failed_visit(self, why: Phrase) -> str:
        """Show why the visit to a lobby has failed. Return "back" once the person wants to try
        again; "" if the program ends.
        """
        self._place = CONNECTING | {"stage": "stopped"}
        self._verdict = {"clean": False, "won": False, "lines": [self.presenter.narrator.say(why)]}
        return await self.onward(again=False)

    def answer_onward(self, way: str) -> None:
        """Answer the question of `onward`, if it is open."""
        if self._onward is not None and not self._onward.done():
            self._onward.set_result(way)

    def ended(self, outcome: Outcome) -> None:
        """Say how the match ended, here and at the terminal."""
        self._verdict = data.verdict_data(outcome, self.presenter.own, self.translate)
        over = outcome.verdict in (Verdict.CLEAN, Verdict.FAULT)
        self._place = self._place | {"stage": "over" if over else "stopped"}
        _print(self._verdict["lines"])
        self.changed()

    def tell(self, told: Phrase, always: bool = False) -> None:
        """Say a sentence that names nobody at the table."""
        text = self.presenter.narrator.say(told)
        self._notify(StyledLine(text, Style.TURN if always else Style.PLAIN))
        if always:
            _print([text])

    def warn(self, text: str) -> None:
        """Show a failure as a notice."""
        self._notify(StyledLine(text, Style.BAD))

    # --- the program's part ---

    def show_lobby(self, lobby: TableChoice | None) -> None:
        """Show these tables until the person has chosen one. None: the person has chosen."""
        self.lobby = lobby
        # the reason why a visit to a table came to no match
        if lobby is not None and self._verdict is not None:
            self._notify(*map(StyledLine, self._verdict["lines"]))
        self._verdict = None
        self._place = CONNECTING
        self.changed()

    async def stay(self) -> None:
        """Wait until no page shows the end any more. A page that is loaded anew counts as open."""
        if self.stopped or not self.news.readers:
            return
        _print([self.presenter.words("web.stays")])
        while not self.stopped and await self.news.wait_for_page(RELOAD_SECONDS):
            await self.news.wait_for_change()

    def failed(self, why: str) -> None:
        """Show why the program cannot go on."""
        self._place = self._place | {"stage": "stopped"}
        self._verdict = self._verdict or {"clean": False, "won": False, "lines": [why]}
        self.changed()

    def changed(self) -> None:
        """Have a new snapshot made, because something may have changed."""
        self._is_stale = True
        self.news.changed()

    # --- messages of a page ---

    def do(self, serial: int, chosen: int, numbers: list[int]) -> None:
        """Take an offer of this snapshot. Raises: StaleChoice; LocalError for another offer."""
        self.presenter.choose(chosen, numbers, self._turn_of(serial))
        self.changed()

    def sit(self, serial: int) -> None:
        """Sit out, or in, as this snapshot offers it. Raises: StaleChoice, LocalError."""
        self.presenter.sit(self._turn_of(serial))
        self.changed()

    def command(self, line: str, serial: int | None = None) -> list[str]:
        """Carry out a line as at the terminal, and return the answer.

        A choice must be on offer in this snapshot. Raises: StaleChoice.
        """
        fresh = serial is not None and self._is_fresh(serial)
        reply = self.presenter.typed(line, WIDTH, may_choose=fresh)
        if reply.remark is not None:
            self._show_own_remark(reply.remark)
        self.changed()
        return [text for text, _ in reply.lines]

    def rules(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return the rules of the match, or of the table or form that a page of the lobby names.
        Raises: WrongField, LocalError.
        """
        if asked and self.lobby is not None:
            found = self.lobby.match_rules(asked)
        else:
            found = self.presenter.match_rules()
        return data.rules_data(found, self.translate)

    def say_it(self, remark: str) -> None:
        """Send a remark to the others. Raises: LocalError."""
        self.presenter.talk(remark)
        self._show_own_remark(remark)

    def mute(self, seat: int, *, on: bool) -> None:
        """Mute a seat, or unmute it. Raises: LocalError."""
        self.presenter.mute(seat, on=on)
        self.changed()

    async def hint(self, *, why: bool) -> tuple[list[str], Action | None]:
        """Return the terminal's sentences about a good move, and the move. Raises: LocalError if
        there is no match.
        """
        presenter = self.presenter
        if self.client is None or presenter.watching:
            raise LocalError("match.not_begun")
        games = self.client.environment.games
        found = await presenter.hints.think(presenter.playing, games, "why" if why else "hint")
        return [presenter.text(one) for one in found.told], found.move

    def leave(self) -> None:
        """Leave the match for good. The page has asked the person before."""
        if self.client is not None and not self.client.finished:
            self.client.leave()
            self.changed()

    def answer_again(self, yes: bool) -> None:
        """Take a page's answer to `again` or `onward`. Raises: StaleChoice if no question is open."""
        if self._onward is not None and self._asks_again:
            self.answer_onward("again" if yes else "back")
        elif not self._asks_again or not self.presenter.answer("yes" if yes else None):
            raise StaleChoice

    def answer_question(self, number: int, *, yes: bool) -> None:
        """Take a page's answer to `confirm`. Raises: StaleChoice if this question is not asked."""
        if self._question is None or number != self._questions:
            raise StaleChoice
        self._answer(yes=yes)

    def _turn_of(self, serial: int) -> int:
        """Return the turn number of a snapshot. Raises: StaleChoice if it is not the present one."""
        if not self._is_fresh(serial):
            raise StaleChoice
        return self._turn

    def _is_fresh(self, serial: int) -> bool:
        """Check that this snapshot has been shown, and that its offers are the present ones."""
        shown = self._snapshot.serial  # no page has seen the snapshot that is made next
        self._is_stale = True
        self.newest()
        return self._since <= serial <= shown

    # --- what happens ---

    def _begin(self, event: events.Started) -> None:
        self.has_begun = True
        setup = event.match.setup
        contacts = self.presenter.contacts
        people = data.people_data(setup.people, event.seat, contacts, self.translate)
        terms = data.terms_data(setup.terms, self.translate, setup.games)
        self._place = {"stage": "match", "people": people, "missing": 0, **terms}
        self._verdict = None
        self._remarks = {}
        self._own = event.seat
        self._turn_to(event.match)

    def _turn_to(self, match: Match) -> None:
        """Forget the deeds of another match."""
        if self._deeds_of != match.match_id:
            self._deeds_of = match.match_id
            self._creators = None
            self.deeds = []
            self.news.begin()
            for seat, remark in self._talk.of(match.match_id):
                self._add_remark(seat, remark)

    def _note(self, event: events.Happened | events.Recalled) -> list[dict[str, Any]]:
        """Add the deeds of an entry, and return them."""
        self._turn_to(event.match)
        deeds = data.deeds_data(event, self._own, self.translate)
        self.deeds += deeds
        return deeds

    def _show_remark(self, seat: int, remark: str) -> None:
        self._remarks[seat] = remark
        self._is_stale = True
        self._talk.add(self._deeds_of, seat, remark)
        self._add_remark(seat, remark)

    def _add_remark(self, seat: int, remark: str) -> None:
        self.news.add("said", {"seat": seat, "text": remark}, self._number())

    def _show_own_remark(self, remark: str) -> None:
        if self._own is not None:
            self._show_remark(self._own, printable_remark(remark))

    def _notify(self, *lines: StyledLine) -> None:
        for text, style in lines:
            if text:
                notice = {"text": sanitize(text), "style": style.name.lower()}
                self.news.add("notice", notice, self._number())

    # --- what is shown ---

    def newest(self) -> Snapshot:
        """Return all that is on the screen now."""
        found = self.presenter.status_phrase()
        status = "" if found is None else self.presenter.text(without_seconds(found))
        if self._is_stale or status != self._snapshot.data.get("status"):
            self._is_stale = False
            view = self._present()
            turn = self.presenter.turn_number(view)
            serial = self._snapshot.serial + 1
            if turn != self._turn:
                self._turn = turn
                self._since = serial
            self._snapshot = Snapshot(
                serial, self._number(), {"serial": serial, **self._data(view), "status": status}
            )
        return self._snapshot

    def _data(self, view: View | None) -> dict[str, Any]:
        match, playing = self.presenter.match, self.presenter.playing
        if match is None:
            say = phrase_renderer(self.translate, ())
        else:
            say = self.presenter.say_of(match)
        away = self.client is not None and self.client.away
        return {
            "dealing": "",
            "trust": [],
            **self._place,
            "lobby": None if self.lobby is None else self.lobby.shown(),
            "view": None if view is None else self._view_data(view, say),
            "connection": self._connection(away),
            "muted": self.presenter.muted_seats,
            "away": away,
            "behind": away or (playing is not None and not playing.caught_up),
            "verdict": self._verdict,
            "faults": data.faults_data(playing.faults, say) if playing else [],
            "again": self._asks_again,
            "bots": self._only_bots,
            "onward": self._onward is not None,
            "question": self._question_data(),
        }

    def _question_data(self) -> dict[str, Any] | None:
        if self._question is None:
            return None
        return {"number": self._questions, "text": self.presenter.narrator.say(self._question[0])}

    def _view_data(self, view: View, say: Say) -> Any:
        """Return a view with the names of creators. The records are read once for each match, and
        only where a card of somebody lies.
        """
        shown = data.view_data(view, say)
        if self.client is not None and data.owned_cards(shown):
            if self._creators is None:
                environment = self.client.environment
                self._creators = environment.loadouts.creators(environment.identity.public)
            data.name_creators(shown, self._creators)
        return shown

    def _connection(self, away: bool) -> str:
        match, words = self.presenter.match, self.presenter.words
        if self._place["stage"] == "connecting":
            return words("web.connecting")
        if match is None and self._place["stage"] == "stopped":
            return ""
        if away:
            return words("web.away")
        has_table = match is None or match.setup.has_table
        return words("web.connected" if has_table else "web.connected.no_table")

    def _present(self) -> View | None:
        match, playing = self.presenter.match, self.presenter.playing
        if match is None or playing is None:
            return None
        now, waits = self.presenter.clock(), self.presenter.waits
        seats = {duty.author for duty in match.duties()} - {TABLE}
        waited = {seat: int(waits.seconds(seat, now) * 1000) for seat in seats}
        unsure = frozenset(seat for seat in seats if not waits.is_exact(seat))
        connected = {seat: seat not in playing.absent for seat in range(match.setup.seats)}
        saved = str(playing.store.path) if playing.store else None
        return self.presenter.view(
            match,
            ClientKnowledge(
                waited=waited,
                unsure=unsure,
                last_met=self._last_matches(match),
                connected=connected,
                last_remarks=self._remarks,
                # round trips are shown only where the clock makes up for them
                round_trips=playing.trips if _levels(match) else {},
                log_path=saved,
            ),
        )

    def _last_matches(self, match: Match) -> dict[int, int]:
        people = enumerate(match.setup.people)
        known = (
            (seat, self.presenter.contacts.get(fingerprint(person.identity)))
            for seat, person in people
        )
        return {
            seat: contact.last for seat, contact in known if contact is not None and contact.last
        }

    def _number(self) -> int:
        playing = self.presenter.playing
        return playing.number if playing else 0


def _print(lines: list[str]) -> None:
    """Print lines at the terminal in which the program runs."""
    for text in lines:
        put(f"{text}\n")


def _levels(match: Match) -> bool:
    """Check that the clock makes up for times to the table; without a table there is no clock."""
    return bool(match.setup.terms.clock) and match.setup.allowance.level > 0
