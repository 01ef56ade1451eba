"""The people of a lobby on the page: who is there, their remarks, and their invitations.

Nobody sees the person before the person wants to be seen (docs/protocol, 29.1).
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from player.lobby.meeting import Meeting, News, RequestRefused
from player.lobby.roster import Call, Guest, Remark
from player.lobby.table_programs import SentAway
from player.presenter.match_data import people_data
from player.storage.contacts import Contact
from protocol.codes import code_phrase
from protocol.errors import LocalError
from protocol.identity.keys import short_fingerprint, short_letters
from protocol.limits import LOBBY_TALK_KEPT
from protocol.match.setup import Person
from protocol.match.terms import Terms, dealing_phrase
from protocol.messages.table_talk import printable_remark
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import Say, Translate, phrase_renderer, sanitize

# requests of the page that are for the people of a lobby
WISHES = frozenset({"appear", "vanish", "say", "trade", "accept", "decline", "mute", "unmute"})


class WaitingPartners(NamedTuple):
    """People of the last match who wait for another one: their names, and the number of taken seats,
    the id and the terms of their table.
    """

    names: tuple[str, ...] = ()
    taken: int = 0
    table_id: str = ""
    terms: Terms | None = None


NO_PARTNERS = WaitingPartners()


class LobbyPeople:
    """The people at the tables of one link. `wants_seen`: the person has entered the lobby to be
    seen there.
    """

    def __init__(
        self,
        contacts: Mapping[str, Contact],
        translate: Callable[[], Translate],
        on_change: Callable[[], None],
        *,
        wants_seen: bool = False,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`on_change` is called after each change of what the page shows. `now`: Unix seconds, by the
        clock of bans and not by that of a page.
        """
        self._now = now
        self.wants_seen = wants_seen
        self.meeting: Meeting | None = None
        self.on_wish: Callable[[], None] = lambda: None  # the person appears, or vanishes
        self.partners: frozenset[bytes] = frozenset()  # keys of the people of the last match
        self.played: Terms | None = None  # terms of the last match
        self.waiting = NO_PARTNERS  # partners who wait at a table
        self.sent_away: tuple[SentAway, ...] = ()  # people banned from the person's own table
        self._contacts = contacts
        self._translate = translate
        self._on_change = on_change
        self._talk: deque[dict[str, Any]] = deque(maxlen=LOBBY_TALK_KEPT)
        self._problem = ""  # why a request was refused, or the presence ended

    # --- the lobby ---

    def hear(self, news: News) -> None:
        """Take news of the lobby."""
        match news:
            case Remark(guest, text):
                self._talk.append(_remark(guest, text))
            case RequestRefused(code):
                self._problem = self._say(phrase("meet.refused", why=code_phrase(code)))
        self._on_change()

    def present(self, keys: frozenset[bytes]) -> tuple[Guest, ...]:
        """Return the guests with these keys."""
        meeting = self.meeting
        if meeting is None or not meeting.is_here:
            return ()
        return tuple(guest for guest in meeting.roster.guests if guest.key in keys)

    def guests(self, numbers: list[int]) -> tuple[Guest, ...]:
        """Return the guests with these numbers. Raises: LocalError if one has gone."""
        return tuple(self.guest(number) for number in dict.fromkeys(numbers))

    def guest(self, number: int) -> Guest:
        """Return the guest with this number. Raises: LocalError if the guest has gone."""
        if self.meeting is not None and (found := self.meeting.roster.find(str(number))):
            return found
        raise LocalError("lobby.gone.person")

    def ban(self, target: str) -> SentAway:
        """Return the ban of this target: the list may have changed since the page showed it.
        Raises: LocalError if there is none any more.
        """
        found = next((ban for ban in self.sent_away if ban.target == target), None)
        if found is None:
            raise LocalError("lobby.gone.person")
        return found

    def ended(self, reason: Phrase) -> None:
        """Show why the person is not in the lobby any more."""
        self._problem = self._say(reason)

    def rename(self, name: str) -> None:
        """Change the name that others see."""
        meeting = self.meeting
        if meeting is not None and meeting.presence.name != name:
            meeting.presence = replace(meeting.presence, name=name)
            if self.wants_seen:
                self.on_wish()

    def find_partners(self, rows: Iterable[tuple[Any, ...]], at: str | None = None) -> None:
        """Find people of the last match, without muted ones, who wait at a table of this list. `at`:
        the table at which the person waits, which does not count.
        """
        muted = () if self.meeting is None else self.meeting.roster.ignored
        wanted = {key for key in self.partners if key not in muted}
        found = NO_PARTNERS
        for table_id, terms, people, running in rows:
            names = tuple(sanitize(str(name)) for name, key in people if key in wanted)
            if not running and table_id != at and len(names) > len(found.names):
                found = WaitingPartners(names, len(people), table_id, terms)
        if found != self.waiting:
            self.waiting = found
            self._on_change()

    # --- the page ---

    def act(self, body: Mapping[str, Any]) -> None:
        """Carry out a request of the page. Raises: LocalError."""
        self._problem = ""
        match body["do"]:
            case "appear" | "vanish" as what:
                self.wants_seen = what == "appear"
                self.on_wish()
            case "say":
                self._talk_to_all(str(body.get("text", "")))
            case "trade":
                self._meeting().trade_with(self.guest(body.get("number", 0)))
            case "accept" | "decline" as what:
                self._answer(body.get("number", 0), accept=what == "accept")
            case "mute":
                self._meeting().ignore(self.guest(body.get("number", 0)))
            case "unmute":
                self._meeting().roster.ignored.remove(self.guest(body.get("number", 0)).key)
        self._on_change()

    def shown(self) -> dict[str, Any]:
        """Return what the page shows."""
        meeting = self.meeting
        here = meeting is not None and meeting.is_here
        calls = [] if meeting is None else list(meeting.roster.calls)
        waiting = self.waiting
        if any(call.table_id == waiting.table_id for call in calls):
            waiting = NO_PARTNERS  # their invitation says it
        return {
            "wanted": self.wants_seen,
            "here": here,
            "name": "" if meeting is None else sanitize(meeting.presence.name),
            "people": [] if meeting is None else list(map(self._guest, meeting.roster.guests)),
            "calls": list(map(self._call, calls)),
            "talk": list(self._talk),
            "told": self._problem,
            "sent_away": [
                {
                    "target": ban.target,
                    "name": sanitize(ban.name),
                    "whose": short_letters(ban.target) if ban.is_key else ban.target,
                    "until": ban.until,
                }
                for ban in self.sent_away
                if not ban.until or ban.until > self._now()
            ],
            "again": bool(self.partners),
            "waiting": {
                "names": list(waiting.names),
                "count": waiting.taken,
                "seats": 0 if waiting.terms is None else waiting.terms.seats,
                "game": "" if waiting.terms is None else sanitize(waiting.terms.game.name),
                "same": waiting.terms == self.played,
            },
        }

    def _meeting(self) -> Meeting:
        """Return the meeting. Raises: LocalError if there is none."""
        if self.meeting is None:
            raise LocalError("wrong.unheard")
        return self.meeting

    def _talk_to_all(self, text: str) -> None:
        meeting = self._meeting()
        meeting.say(text)
        name = sanitize(meeting.presence.name)
        own = {"name": name, "fingerprint": "", "text": printable_remark(text), "own": True}
        self._talk.append(own)

    def _answer(self, number: int, *, accept: bool) -> None:
        meeting = self._meeting()
        calls = meeting.roster.calls
        call = next((call for call in calls if call.guest.number == number), None)
        if call is None:
            raise LocalError("lobby.gone.call")
        if accept:
            meeting.accept(call)
        else:
            meeting.decline(call)

    def _guest(self, guest: Guest) -> dict[str, Any]:
        person = Person(guest.name, guest.key)
        (shown,) = people_data([person], None, self._contacts, self._translate())
        meeting = self.meeting
        ignored = meeting is not None and guest.key in meeting.roster.ignored
        asked = None if meeting is None else meeting.asked_to_trade
        return {
            "number": guest.number,
            "name": shown["name"],
            "fingerprint": shown["fingerprint"],
            "known": shown["known"],
            "muted": ignored,
            "partner": guest.key in self.partners,
            "asked": asked is not None and asked.key == guest.key,
        }

    def _call(self, call: Call) -> dict[str, Any]:
        terms = None if self.meeting is None else self.meeting.terms_of(call)
        return {
            "number": call.guest.number,
            "name": sanitize(call.guest.name),
            "fingerprint": short_fingerprint(call.guest.key),
            "trade": call.table_id is None,
            "game": None if terms is None else sanitize(terms.game.name),
            "seats": 0 if terms is None else terms.seats,
            "dealt": "" if terms is None else self._say(dealing_phrase(terms)),
        }

    @property
    def _say(self) -> Say:
        return phrase_renderer(self._translate(), ())


def _remark(guest: Guest, text: str) -> dict[str, Any]:
    return {
        "name": sanitize(guest.name),
        "fingerprint": short_fingerprint(guest.key),
        "text": text,
        "own": False,
    }
