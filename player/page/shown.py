"""What all pages show: it hears what the terminal hears, and makes one snapshot after another of
it.
"""

from typing import Any

from player import events
from player.disk.contacts import Contact
from player.outcome import Outcome
from player.page import snapshot as data
from player.page.lobby.tables import Lobby
from player.page.stream import News, Snapshot
from player.screen.announcer import Style
from player.screen.lines import put
from player.screen.person import Person
from player.screen.status import still
from protocol.audit.verdict import Verdict
from protocol.dealing import TABLE
from protocol.identity.keys import fingerprint
from protocol.match.seat_view import ClientKnowledge
from protocol.match.state import Match
from protocol.view.text import Translate, phrase_renderer, sanitize
from protocol.view.view import View

RELOAD_SECONDS = 3.0  # in which a page that is loaded anew is back


class Shown(Person):
    """What all pages show."""

    def __init__(
        self, contacts: dict[str, Contact], translate: Translate, watching: bool = False
    ) -> None:
        super().__init__(contacts, translate, watching)
        self.news = News()
        self.deeds: list[dict[str, Any]] = []  # of this match
        self._deeds_of = b""  # its id
        self._own: int | None = None  # our seat in it
        self._answers: list[str] | None = None  # what is said to a command, while it is obeyed
        self._snapshot = Snapshot(0, 0, {})
        self._dirty = True
        self._on_offer: Any = None  # what can be chosen, and since which turn
        self._since = 0  # the serial of the first snapshot with that
        self._said: dict[int, str] = {}
        self._place: dict[str, Any] = {"stage": "connecting", "people": [], "missing": 0}
        self._verdict: dict[str, Any] | None = None
        self._again = False
        self.lobby: Lobby | None = None  # while a person decides where to go

    # --- what happens ---

    def hear(self, event: events.Event) -> None:
        """Say what there is to say."""
        super().hear(event)
        match event:
            case events.Welcomed():
                self._place["stage"] = "lobby"
            case events.Listed() if self.lobby is not None:
                self.lobby.listed(event)
            case events.Offered():
                self._place |= data.terms_data(event.terms, self.translate)
            case events.Waiting():
                people = data.people_data(event.people, None, self._contacts, self.translate)
                self._place |= {
                    "stage": "waiting",
                    "people": people,
                    "missing": event.seats - len(event.people),
                }
            case events.Recalled():
                self._own = event.seat
                self._note(event)
            case events.Said() if self._muting.hears(event.seat):
                self._heard(event.seat, event.remark)
        self.changed()

    def happened(self, event: events.Happened) -> None:
        """An entry stands."""
        for told in self._note(event):
            self.news.add("deed", told, told["entry"])

    def _lines(self, event: events.Event) -> list[str]:
        """What a page shows elsewhere is no notice, too."""
        shown = (events.Roster, events.Said, events.Waiting, events.Listed)
        greeted_again = isinstance(event, events.Welcomed) and self.lobby is not None
        if greeted_again or isinstance(event, shown):
            return []
        return super()._lines(event)

    def introduce(self, event: events.Started) -> None:
        """A match begins: who plays, and what."""
        setup = event.match.setup
        people = data.people_data(setup.people, event.seat, self._contacts, self.translate)
        terms = data.terms_data(setup.terms, self.translate, setup.games)
        self._place = {"stage": "match", "people": people, "missing": 0, **terms}
        self._verdict = None
        self._said = {}
        self._own = event.seat
        self._turn_to(event.match)

    def _turn_to(self, match: Match) -> None:
        """What follows is of this match: the deeds of another one go."""
        if self._deeds_of != match.match_id:
            self._deeds_of = match.match_id
            self.deeds = []
            self.news.begin()

    def _note(self, event: events.Happened | events.Recalled) -> list[dict[str, Any]]:
        """Keep what an entry came to."""
        self._turn_to(event.match)
        told = data.deeds_data(event, self._own, self.translate)
        self.deeds += told
        return told

    def _heard(self, seat: int, remark: str) -> None:
        self._said[seat] = remark
        self._dirty = True
        self.news.add("said", {"seat": seat, "text": remark}, self._number())

    def asked(self, match: Match) -> None:
        """It is for our person to choose."""
        self.changed()

    def ended(self, outcome: Outcome) -> None:
        """Say what it came to, here and at the terminal."""
        if self.client and self.client.playing:
            own = self.client.playing.own
        else:
            own = None
        self._verdict = data.verdict_data(outcome, own, self.translate)
        over = outcome.verdict in (Verdict.CLEAN, Verdict.FAULT)
        self._place["stage"] = "over" if over else "stopped"
        self._tell_terminal(self._verdict["lines"])
        self.changed()

    def show_lobby(self, lobby: Lobby | None) -> None:
        """From now on a person decides at these tables where to go, or (None) has decided."""
        self.lobby = lobby
        # why there was no match, if we come back from a table
        if lobby is not None and self._verdict is not None:
            self.say(self._verdict["lines"])
        self._verdict = None
        self._place = {"stage": "connecting", "people": [], "missing": 0}
        self.changed()

    async def stay(self) -> None:
        """Wait while somebody still looks at how it ended, and until they have had time to come
        back to it.
        """
        if self.stopped or not self.news.readers:
            return
        self._tell_terminal([self.words("web.stays")])
        while not self.stopped and await self.news.joined(RELOAD_SECONDS):
            await self.news.moved()

    def failed(self, why: str) -> None:
        """The program cannot go on, for a reason in words."""
        self._place["stage"] = "stopped"
        self._verdict = self._verdict or {"clean": False, "won": False, "lines": [why]}
        self.changed()

    def write(self, text: str, style: Style) -> None:
        """A line: an answer to what was typed on a page, or else a notice for all of them."""
        if self._answers is not None:
            self._answers.append(text)
        elif text:
            if style is Style.PLAIN:
                name = "plain"
            else:
                name = style.name.lower()
            self.news.add("notice", {"text": sanitize(text), "style": name}, self._number())

    def line(self, text: str, always: bool = False, style: Style = Style.PLAIN) -> None:
        """A line; what is always said is said at the terminal, too."""
        super().line(text, always, style)
        if always and self._answers is None:
            self._tell_terminal([text])

    def _tell_terminal(self, lines: list[str]) -> None:
        for text in lines:
            put(f"{text}\n")

    def _progress(self, match: Match) -> None:
        """How far a deal is is in the view."""

    # --- what is shown ---

    def changed(self) -> None:
        """Something has changed, or may have."""
        self._dirty = True
        self.news.changed()

    def newest(self) -> Snapshot:
        """All that is on the screen now."""
        status = self._status()
        if self._dirty or status != self._snapshot.data.get("status"):
            self._dirty = False
            view = self._present()
            if view is None:
                on_offer = None
            else:
                on_offer = (view.match, view.offers, view.sit, self._turn_since())
            serial = self._snapshot.serial + 1
            if on_offer != self._on_offer:
                self._on_offer = on_offer
                self._since = serial
            self._snapshot = Snapshot(
                serial, self._number(), {"serial": serial, **self._data(view), "status": status}
            )
        return self._snapshot

    def _data(self, view: View | None) -> dict[str, Any]:
        match = self._match()
        playing = self._playing()
        if match is None:
            say = phrase_renderer(self.translate, ())
        else:
            say = self._say_of(match)
        shown = None if view is None else data.view_data(view, say)
        away = self.client is not None and self.client.away
        return {
            "dealing": "",
            "trust": [],
            **self._place,
            "lobby": None if self.lobby is None else self.lobby.shown(),
            "view": shown,
            "connection": self._connection(away),
            "away": away,
            "behind": away or (playing is not None and not playing.caught_up),
            "verdict": self._verdict,
            "faults": data.faults_data(playing.faults, say) if playing else [],
            "again": self._again,
        }

    def _connection(self, away: bool) -> str:
        if self._place["stage"] == "connecting":
            return self.words("web.connecting")
        if away:
            return self.words("web.away")
        match = self._match()
        return self.words(
            "web.connected" if match is None or match.setup.has_table else "web.connected.no_table"
        )

    def _present(self) -> View | None:
        match = self._match()
        playing = self._playing()
        if match is None or playing is None:
            return None
        now = self._clock()
        seats = {duty.author for duty in match.duties()} - {TABLE}
        waited = {seat: int(self._waits.seconds(seat, now) * 1000) for seat in seats}
        unsure = frozenset(seat for seat in seats if not self._waits.sure(seat))
        connected = {seat: seat not in playing.absent for seat in range(match.setup.seats)}
        saved = str(playing.store.path) if playing.store else None
        return self._view(
            match,
            ClientKnowledge(
                waited=waited,
                unsure=unsure,
                last_met=self._last_matches(match),
                connected=connected,
                last_remarks=self._said,
                round_trips=playing.trips,
                log_path=saved,
            ),
        )

    def _last_matches(self, match: Match) -> dict[int, int]:
        people = enumerate(match.setup.people)
        known = (
            (seat, self._contacts.get(fingerprint(person.identity))) for seat, person in people
        )
        return {
            seat: contact.last for seat, contact in known if contact is not None and contact.last
        }

    def _status(self) -> str:
        told = self._waited_for()
        return "" if told is None else self._told(still(told))

    def _number(self) -> int:
        playing = self._playing()
        return playing.number if playing else 0

    def _turn_since(self) -> int | None:
        match = self._match()
        playing = self._playing()
        if match and playing and playing.own is not None:
            return match.duty_since(playing.own)
        return None
