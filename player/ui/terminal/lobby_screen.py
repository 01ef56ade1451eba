"""The lobby on a terminal: people, their remarks (marked as readable by the table), and their
requests.
"""

import shutil
from collections.abc import Callable

from player.client import events
from player.client.table_client import ADVICE
from player.lobby.lobby_client import LobbyClient
from player.lobby.meeting import CallReceived, News, RequestRefused
from player.lobby.roster import Call, Guest, Remark, RosterChange
from player.presenter import narration
from player.presenter.commands import in_english
from player.presenter.table_words import search_by_words
from player.storage.contacts import Contact, introduce
from player.ui.console_lines import Lines
from protocol.codes import Code, code_phrase
from protocol.errors import LocalError
from protocol.identity.keys import fingerprint, short_fingerprint
from protocol.limits import TABLES_A_SCREEN
from protocol.match.match_rules import MatchRules
from protocol.match.setup import Person
from protocol.match.terms import Terms, dealing_phrase
from protocol.messages.lobby import MATCH, TRADE
from protocol.messages.table_search import TableSearch
from protocol.messages.table_talk import printable_remark
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Translate, phrase_renderer

SHOWN_AT_ONCE = 10  # people who come or go in one piece of news; of more it is said how many
WORDS = {
    "say": "word.say",
    "leave": "word.leave",
    "/mute": "word.mute",
    "/unmute": "word.unmute",
    "people": "word.people",
    "play": "word.play",
    "trade": "word.trade",
    "no": "word.no",
    "rules": "word.rules",
    "tables": "word.tables",
    "more": "word.more",
    "sit": "word.sit",
}
WANTS = {MATCH: "meet.wants.match", TRADE: "meet.wants.trade"}


class LobbyScreen:
    """The lobby as a person sees it and types in it. Wrong input raises nothing: the screen says
    what is wrong.
    """

    def __init__(
        self, lines: Lines, contacts: dict[str, Contact], translate: Translate, terms: Terms
    ) -> None:
        """`terms`: what is played at a table that the person puts up."""
        self.visit: LobbyClient | None = None
        self._lines = lines
        self._contacts = contacts
        self._translate = translate
        self._terms = terms
        self._say = phrase_renderer(translate, ())
        # the page of tables that the person has asked for, and has not seen yet
        self._wanted: TableSearch | None = None
        self._tables: events.Listed | None = None  # that the person saw last

    # --- what is shown ---

    def line(self, told: str | Phrase) -> None:
        """A line. Others' words are in it as `named` has them: nothing of theirs steers."""
        self._lines.print((told if isinstance(told, str) else self._say(told)) + "\n")

    def event(self, event: events.Event) -> None:
        """Print an event of the table or the connection."""
        if isinstance(event, events.Welcomed) and self.visit is not None:
            self.line(narration.greeting_line(event, short_fingerprint(event.table_key), self._say))
            own = self.visit.environment.identity.public
            self.line(
                phrase(
                    "meet.entered",
                    name=self.visit.meeting.presence.name,
                    fingerprint=short_fingerprint(own),
                )
            )
            self.line(phrase("meet.help"))
        elif isinstance(event, events.Notice):
            self.line(event.phrase)
        elif isinstance(event, events.Listed):
            self._listed(event)
        elif isinstance(event, events.Announced):
            for line in narration.remark_lines(
                narration.announcement_text(event.said, self._say), None
            ):
                self.line(line)

    def _listed(self, event: events.Listed) -> None:
        """Print the page of tables that the person has asked for."""
        page = event.page
        if self._wanted is None or page is None or not page.answers(self._wanted):
            return
        self._wanted = None
        self._tables = event
        for line in narration.table_rows(event, self._say):
            self.line(line)
        if not event.rows:
            self.line(phrase("lobby.empty" if page.text is None else "lobby.none_found"))
            return
        last = page.before + len(event.rows)
        self.line(phrase("lobby.page", first=page.before + 1, last=last, total=page.total))
        self.line(phrase("meet.sit" if page.next is None else "meet.sit.more"))

    def hear(self, news: News) -> None:
        """News of the lobby."""
        match news:
            case RosterChange(came, went):
                self._changed(came, went)
            case Remark(guest, text):
                said = self._say(
                    phrase("meet.said", name=guest.name, number=guest.number, remark=text)
                )
                for line in narration.remark_lines(said, None):
                    self.line(line)
            case CallReceived(call, terms):
                self.line(self._asked(call, terms))
            case RequestRefused(code):
                self.line(phrase("meet.refused", why=code_phrase(code)))
                if code in (Code.HOST_ONLY, Code.NOT_OFFERED):
                    self.line(phrase(ADVICE[code]))
        self._lines.refresh()

    def _changed(self, came: tuple[Guest, ...], went: tuple[Guest, ...]) -> None:
        if len(came) + len(went) > SHOWN_AT_ONCE:
            self.line(phrase("meet.many", came=len(came), went=len(went)))
            return
        for guest in came:
            self._introduce(guest)
        for guest in went:
            self.line(self._gone(guest))

    def _gone(self, guest: Guest) -> Phrase:
        """Print that a person is no longer shown. A person who asked the own person to a table may
        have gone there.
        """
        call = None if self.visit is None else self.visit.meeting.roster.call_of(guest)
        if call is None or call.table_id is None:
            return phrase("meet.went", name=guest.name)
        return phrase("meet.went.table", name=guest.name, number=guest.number)

    def _introduce(self, guest: Guest) -> None:
        first, *warnings = introduce(self._contacts, Person(guest.name, guest.key), self._translate)
        wants = "".join(f" · {self._translate(WANTS[purpose], None)}" for purpose in guest.wants)
        ignored = self.visit is not None and guest.key in self.visit.meeting.roster.ignored
        if ignored:
            muted = f" · {self._translate('meet.is_muted', None)}"
        else:
            muted = ""
        self.line(f"{guest.number:>3} {first.strip()}{wants}{muted}")
        for warning in warnings:
            self.line(warning)

    def _asked(self, call: Call, terms: Terms | None) -> Phrase:
        guest = call.guest
        who: dict[str, str | int] = {
            "name": guest.name,
            "fingerprint": short_fingerprint(guest.key),
            "number": guest.number,
        }
        if call.table_id is None:
            return phrase("meet.asked.trade", **who)
        if terms is None:
            return phrase("meet.asked.nowhere", table=call.table_id, **who)
        dealt = dealing_phrase(terms)
        return phrase(
            "meet.asked.table",
            table=call.table_id,
            game=terms.game.name,
            dealt=dealt,
            seats=terms.seats,
            **who,
        )

    # --- player.ui.console_lines.LineHandler ---

    def status(self) -> str:
        """Return the number of people, and of requests without an answer."""
        if self.visit is None or self.visit.finished:
            return ""
        roster = self.visit.meeting.roster
        calls = phrase("meet.status.calls", count=len(roster.calls))
        return self._say(phrase("meet.status", count=len(roster.guests), calls=calls))

    def picture(self, typing: bool) -> list[list[tuple[str, str]]]:
        """Return nothing: the lobby has no picture."""
        return []

    def acts(self, key: str) -> bool:
        """The number of somebody who asks something of us accepts it."""
        return key.isdecimal() and self._call(key) is not None

    def pressed(self, key: str) -> None:
        """Ignore a key."""
        self.typed(key)

    def typed(self, line: str | None) -> None:
        """Take a typed line; None at the end of the input."""
        if self.visit is None or self.visit.finished:
            return
        if line is None:
            self.visit.stop()
            return
        try:
            self._obey(self.visit, in_english(line.strip(), self._translate, WORDS))
        except LocalError as error:
            self.line(error.phrase)

    def _obey(self, visit: LobbyClient, line: str) -> None:
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if word == "say":
            visit.meeting.say(rest)
            self.line(phrase("meet.you_said", remark=printable_remark(rest)))
        elif word in ("", "people"):
            self._show_people(visit)
        elif word == "leave":
            visit.leave()
        elif word in COMMANDS:
            COMMANDS[word](self, visit, rest)
        elif (call := self._call(line)) is not None:
            visit.meeting.accept(call)
        else:
            self.line(phrase("meet.help"))

    def _show_people(self, visit: LobbyClient) -> None:
        for guest in visit.meeting.roster.guests:
            self._introduce(guest)
        if not visit.meeting.roster.guests:
            self.line(phrase("meet.nobody"))

    def _call(self, text: str) -> Call | None:
        if self.visit is not None:
            calls = self.visit.meeting.roster.calls
        else:
            calls = ()
        return next((call for call in calls if str(call.guest.number) == text), None)

    def _who(self, visit: LobbyClient, text: str) -> Guest:
        """Return the person whom a typed text means. Raises: LocalError."""
        guest = visit.meeting.roster.find(text)
        if guest is None:
            raise LocalError("wrong.lobby.who")
        return guest

    def _play(self, visit: LobbyClient, rest: str) -> None:
        guest = visit.meeting.roster.find(rest)
        guests = (
            (guest,)
            if guest is not None
            else tuple(self._who(visit, word) for word in rest.split())
        )
        if not guests:
            raise LocalError("wrong.lobby.who")
        visit.meeting.play_with(guests, self._terms)

    def _trade(self, visit: LobbyClient, rest: str) -> None:
        guest = self._who(visit, rest)
        visit.meeting.trade_with(guest)
        self.line(phrase("meet.trade_asked", name=guest.name))

    def _no(self, visit: LobbyClient, rest: str) -> None:
        call = visit.meeting.roster.call_of(self._who(visit, rest))
        if call is not None:
            visit.meeting.decline(call)
            self.line(phrase("meet.declined", name=call.guest.name))

    def _look(self, visit: LobbyClient, search: TableSearch) -> None:
        self._wanted = search
        visit.look(search)

    def _find(self, visit: LobbyClient, rest: str) -> None:
        """Show the first page of the tables that these words find, or of all tables."""
        search = search_by_words(rest, visit.environment.games, self._say)
        self._look(visit, search._replace(most=TABLES_A_SCREEN))

    def _more(self, visit: LobbyClient, rest: str) -> None:
        page = None if self._tables is None else self._tables.page
        if page is None or page.next is None:
            raise LocalError("wrong.lobby.no_more")
        self._look(visit, visit.search._replace(start=page.next))

    def _sit(self, visit: LobbyClient, rest: str) -> None:
        """Go to a table of the page that the person saw last, for the terms that it had there."""
        rows = () if self._tables is None else self._tables.rows
        terms = next((terms for name, terms, *_ in rows if name == rest), None)
        if terms is None:
            raise LocalError("wrong.lobby.not_shown")
        visit.meeting.go_to(rest, terms)

    def _rules(self, visit: LobbyClient, rest: str) -> None:
        """Show the rules of the table that somebody asks us to, or else of one of our own."""
        call = self._call(rest)
        terms = self._terms if call is None else visit.meeting.terms_of(call)
        if terms is None or (rest and call is None):
            raise LocalError("wrong.lobby.no_table")
        rules = MatchRules(terms, visit.environment.games)
        for line in rules.text(self._translate, shutil.get_terminal_size().columns):
            self.line(line)
        self.line("")
        self.line(phrase("meet.help"))

    def _mute(self, visit: LobbyClient, rest: str) -> None:
        guest = self._who(visit, rest)
        visit.meeting.ignore(guest)
        self.line(phrase("meet.muted", name=guest.name, fingerprint=fingerprint(guest.key)))

    def _unmute(self, visit: LobbyClient, rest: str) -> None:
        guest = self._who(visit, rest)
        visit.meeting.roster.ignored.remove(guest.key)
        self.line(phrase("meet.unmuted", name=guest.name))


COMMANDS: dict[str, Callable[[LobbyScreen, LobbyClient, str], None]] = {
    "play": LobbyScreen._play,
    "trade": LobbyScreen._trade,
    "no": LobbyScreen._no,
    "rules": LobbyScreen._rules,
    "tables": LobbyScreen._find,
    "more": LobbyScreen._more,
    "sit": LobbyScreen._sit,
    "/mute": LobbyScreen._mute,
    "/unmute": LobbyScreen._unmute,
}
