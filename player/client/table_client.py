"""A player's side of the message flow: from the greeting over the lobby into a match, as a state
machine.

No socket and no clock here: `attach`, `received` and `detached` tell it what the connection does,
and it sends through the function it was attached with. `protocol.messages.table` says what may come
in which phase.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from player.client import events, presence, tail_upload
from player.client.client_base import MENDABLE, ClientBase
from player.client.environment import Environment
from player.client.lost_remarks import LostRemarks
from player.client.requirements import NO_REQUIREMENTS, Requirements
from player.client.rule_supply import rules_to_give
from player.client.table_list import TableList
from player.client.table_match import TableMatch
from player.client.table_pages import TablePages
from player.client.table_protocol import TableProtocol
from player.storage.agreement import Agreement
from protocol.codes import Code, code_phrase, parse_code
from protocol.dealing import TABLE
from protocol.errors import LocalError, RemoteError
from protocol.match.refusal import Refusal
from protocol.match.setup import Person
from protocol.match.terms import Terms, encode_terms
from protocol.messages import table as messages
from protocol.messages.claim import SignedClaim, check_claim
from protocol.messages.table import ConnectionPhase
from protocol.messages.table_search import FIRST_PAGE, TablePage, TableSearch
from protocol.messages.table_talk import printable_remark
from protocol.session.ticket import Ticket
from protocol.view.phrase import Phrase, phrase


@dataclass(frozen=True)
class Plan:
    """The purpose of a visit: to join or watch the table `table_id` (None: the default one), to create
    a table and join it, or to look around.

    A visitor that looks around takes no seat: `only_list` reports the list of tables once, `browse`
    one page of it after each call of `look`. `search` is the first search of both.
    """

    name: str  # the name that the others see
    table_id: str | None = None
    create: Terms | None = None
    spectate: bool = False
    only_list: bool = False
    # seconds for which a lost table is tried again; None: `KEEP_TRYING_SECONDS`
    keep_trying: float | None = None
    log: Path | None = None  # the log file of the match; None: one in the usual folder
    requires: Requirements = NO_REQUIREMENTS  # of the terms, before a seat is taken
    # the secret of the table's link; empty: none
    invite: bytes = field(default=b"", repr=False)
    browse: bool = False
    search: TableSearch = FIRST_PAGE
    # the terms that the person saw when choosing the table: with other terms no seat is taken
    agreed: Terms | None = None

    @property
    def takes_seat(self) -> bool:
        """Return True if the visit is for an own seat. A spectator must not take over the seat that
        the person has elsewhere.
        """
        return not (self.spectate or self.only_list or self.browse)

    @property
    def is_open(self) -> bool:
        """Return True if the plan is for a seat at any table."""
        return self.takes_seat and self.table_id is None and self.create is None


# codes that refuse a request to the lobby, and not the seat that waits
OF_THE_LOBBY = frozenset({Code.TOO_MANY, Code.MUTED, Code.NOT_HERE})
ADVICE = {
    Code.TABLE_FULL: "advice.table_full",
    Code.NO_SUCH_TABLE: "advice.no_such_table",
    Code.NAME_TAKEN: "advice.name",
    Code.BAD_NAME: "advice.name",
    Code.ALREADY_SEATED: "advice.data",
    Code.TAKEN_OVER: "advice.data",
    Code.WRONG_MATCH: "advice.wrong_match",
    Code.WRONG_VERSION: "advice.wrong_version",
    Code.BY_INVITATION: "advice.by_invitation",
    Code.BAD_OPTIONS: "advice.bad_options",
    Code.UNKNOWN_RULES: "advice.unknown_rules",
    Code.HOST_ONLY: "advice.host_only",
    Code.NOT_OFFERED: "advice.not_offered",
    Code.TOO_MANY: "advice.too_many",
    Code.NO_SPECTATORS: "advice.no_spectators",
    Code.DRAINING: "advice.draining",
    Code.MATCH_STOPPED: "advice.match_stopped",
    Code.KICKED: "advice.kicked",
    Code.BANNED: "advice.banned",
    Code.TOO_MANY_HERE: "advice.too_many_here",
}
BACK = phrase("notice.table_back")
GONE = phrase("stop.table.gone")
UNKNOWN = phrase("notice.match_unknown")
WAITS = phrase("notice.table_waits")
WRITES = phrase("notice.table_writes")


def explain(code: Code) -> Phrase:
    """Return a code as a sentence, with advice if there is any."""
    if code not in ADVICE:
        return phrase("explain.code", why=code_phrase(code))
    return phrase("explain.advice", why=code_phrase(code), advice=phrase(ADVICE[code]))


# reasons for which a match may never go on at its table
LOST = GONE, explain(Code.MATCH_STOPPED)


class TableClient(ClientBase):
    """One visit to a table manager, for one match at most."""

    mendable = MENDABLE
    playing: TableMatch | None

    def __init__(
        self, plan: Plan, environment: Environment, playing: TableMatch | None = None
    ) -> None:
        """`playing`: a match that an earlier run of this program had begun, to go on with."""
        super().__init__(environment)
        self.plan = plan
        self.playing = playing
        self._protocol = TableProtocol(plan.name, plan.invite)
        self.finished = playing is not None and playing.over
        self._table_key = b""
        self.lobby = TableList(
            environment, None if plan.spectate else plan.requires, self.give_up, plan.agreed
        )
        self._table_id = playing.agreement.table_id if playing else plan.table_id
        self._greeted = playing is not None
        self._remarks = LostRemarks(environment.steady)
        self._table_waits = False  # the table has said that it cannot write
        # the pages that a visitor has requested
        self._pages = TablePages(plan.search, collect=plan.only_list)
        self._looked_up = False  # on this connection, the wanted table was not listed
        self._listed_again = False  # on this connection, because the terms had changed
        self._rules_given = False  # on this connection, the table has our signed rule file

    # --- the connection ---

    @property
    def phase(self) -> ConnectionPhase:
        """Return the phase of the connection to the table."""
        return self._protocol.phase

    @property
    def ticket(self) -> Ticket | None:
        """Return the newest ticket of the own seat."""
        return self.playing.ticket if self.playing else None

    @property
    def complaint(self) -> Code | None:
        """Return the table's fault, for the own close record; None if there is none."""
        faults = self.playing.faults if self.playing else ()
        return next((fault.code for fault in faults if fault.seat == TABLE), None)

    def attach(self, send: Callable[[bytes], None], table_key: bytes) -> None:
        """Begin with a session. `table_key`: the identity key of the table."""
        self._send = send
        self._table_key = table_key
        self._listed_again = False
        self._looked_up = False
        self._rules_given = False
        self.sign_of_life = b""
        self._table_waits = False
        self._protocol.attach(send)

    def detached(self, code: Code | None) -> None:
        """Note the end of the connection. `code`: the table's reason, if it gave one; CUT_OFF if it
        did not close the connection.
        """
        self._send = None
        self._protocol.detach()
        self._leave_lobby()
        self.lobby.supply.detached()
        self._remarks.note_end()
        if self.finished:
            return
        if self.redirect_address is not None:
            self._away = True  # `report_redirect` reports it
        elif not self._mendable(code):
            self.give_up(explain(code) if code else phrase("stop.table.ended"))
        else:
            self._set_away(True, phrase("notice.table_lost"))

    def _mendable(self, code: Code | None) -> bool:
        """Check that the client continues over another connection after this code. It does not if no
        table has greeted it; it does while it leaves.
        """
        full = code in (Code.TOO_MANY, Code.TOO_MANY_HERE)
        later = full and (self._away or self.playing is not None)
        # a kick closes the connection, and takes nobody's seat
        kicked = code is Code.KICKED and self.playing is not None and not self.plan.spectate
        elsewhere = code is Code.WRONG_MATCH and self._away and self.match_may_be_elsewhere
        return (
            (later or elsewhere or kicked or code in self.mendable)
            and self._greeted
            and not self.plan.only_list
        )

    def received(self, payload: bytes) -> None:
        """Take a message of the table. Raises: RemoteError if it is none, or not allowed now."""
        if self.finished:
            return
        self._remarks.note_message()
        name, values = self._protocol.receive(payload)
        companion = self.environment.companion
        waits = self.phase is ConnectionPhase.WAITING
        heard = waits and companion is not None and companion.received(name, values)
        if name in HANDLERS:
            HANDLERS[name](self, *values)
        elif not heard:
            raise RemoteError(Code.BAD_MESSAGE)

    def go_on(self) -> None:
        """Post what the own seat has to post, and finish when the match has finished."""
        playing = self.playing
        if playing is None or self._send is None:
            return
        seated = self.phase is ConnectionPhase.SEATED  # False until the table has taken us back
        try:
            if seated and not playing.over:
                raw = playing.next_post()
            else:
                raw = None
        except LocalError as error:  # an entry that the disk does not have must not be sent
            self.give_up(error.phrase)
            return
        if raw is not None:
            self._protocol.post("post", playing.agreement.match_id, raw)
        if playing.over:
            self.give_up(playing.stopped)

    # --- the person ---

    def say(self, remark: str) -> None:
        """Send a remark to all other seats. Raises: LocalError if it cannot be sent."""
        if self.playing is None or self._send is None:
            raise LocalError("wrong.unheard")
        for seat, envelope in self.playing.say(remark):
            self._protocol.post("relay", self.playing.agreement.match_id, seat, envelope)
        self._remarks.add(remark)

    def leave(self) -> None:
        """Leave a match with an entry; leave anything else by closing the connection."""
        if self.playing is None or self.playing.agreement.seat is None:
            self.give_up(phrase("stop.left"))
            return
        if self._send is None:
            self.give_up(phrase("stop.silent.kept" if self.playing.remembered else "stop.silent"))
            return
        self.playing.leaving = True
        self.go_on()

    def stop(self) -> None:
        """Finish without an entry. The match is kept, and the others wait for as long as its clock
        allows.
        """
        kept = self.playing is not None and self.playing.remembered and not self.playing.settled
        self.give_up(phrase("stop.stopped.kept" if kept else "stop.stopped"))

    def look(self, search: TableSearch | None = None) -> None:
        """Request a page of the tables, which comes as `events.Listed`. None: the last page again.
        Without a connection, or with a seat, nothing happens.
        """
        if self.phase is ConnectionPhase.LOBBY and self.playing is None:
            self._protocol.post("find", *self._pages.ask(search))

    # --- messages, one method each ---

    def _keys(self, history: bytes) -> None:
        self.key_history = history

    def _welcome(self, version: int, table_name: str, addresses: list[str]) -> None:
        self._greeted = True
        self.other_addresses = addresses
        if self.playing is None:
            if not self._away:
                self.environment.tell(events.Welcomed(table_name, self._table_key))
            if self.plan.only_list or self.plan.browse:
                self.look()
            else:
                self._protocol.post("list")
        elif self.plan.spectate:
            self._take_place()
        else:
            holds = tail_upload.newest(self.playing.reader)
            met = self.playing.newest_claim
            shown = [None if each is None else list(each) for each in (holds, met)]
            self._protocol.post("resume", self.playing.agreement.match_id, *shown)

    def _moved(self, address: str, place: str | bytes) -> None:
        if self.playing is not None and place not in (
            self.playing.agreement.match_id,
            self.playing.agreement.table_id,
        ):
            raise RemoteError(Code.WRONG_MATCH)
        self.redirect_address = address

    def _tables(self, rows: list[list[Any]]) -> None:
        self.lobby.listed(rows)
        self._looked_up = False
        if self.phase is ConnectionPhase.LOBBY and self.playing is None:
            self._start()

    def _found(self, *values: Any) -> None:
        page = TablePage(*values)
        if self.plan.only_list or self.plan.browse:
            self._take_page(page)
        elif self._looked_up and page.text == self._table_id and self.playing is None:
            self.lobby.found(page.rows)
            if self.phase is ConnectionPhase.LOBBY:
                self._take_place()

    def _take_page(self, page: TablePage) -> None:
        if not self._pages.take(page):
            return
        following = self._pages.following()
        if following is not None:
            self.look(following)
            return
        self.lobby.listed(self._pages.listed)
        self._tell_listed()

    def _look_up(self, table_id: str) -> bool:
        """Ask for a table that was not listed. True: the answer is awaited."""
        asks = not self._looked_up and self.lobby.terms(table_id) is None
        if asks:
            self._looked_up = True
            self._protocol.post("find", *TableSearch(table_id, most=1).values())
        return asks

    def _tell_listed(self) -> None:
        """Report the page of tables, and fetch their signed rule sets one after another."""
        asks = any(self._ask_rules(row[0]) for row in self._pages.rows)
        if self.plan.browse or not asks:
            environment = self.environment
            self.environment.tell(
                events.Listed(
                    self._pages.rows, environment.games, environment.rule_sets, self._pages.page
                )
            )
            if self.plan.only_list:
                self.give_up(None)

    def _start(self) -> None:
        if self.plan.create is None or self.lobby.created:
            self._take_place()
        else:
            self._protocol.post("create", encode_terms(self.plan.create))

    def _created(self, table_id: str) -> None:
        if self.plan.create is None:
            raise RemoteError(Code.BAD_MESSAGE)
        self._table_id = table_id
        self.lobby.create(table_id, self.plan.create)
        self._take_place()

    def _take_place(self) -> None:
        if self._table_id is not None and self._look_up(self._table_id):
            return
        if not self.plan.spectate and self._ask_rules(self._table_id or self.lobby.default):
            return
        if not self.lobby.accept_terms(self._table_id or self.lobby.default):
            return
        if self.plan.spectate:
            self._protocol.post("spectate", self._table_id)
        else:
            self._protocol.post("join", self.lobby.place(self._table_id))

    def _ask_rules(self, table_id: str) -> bool:
        """Ask for the rule file of a table if it is not here. Return True if the answer is awaited."""
        asks = self.lobby.supply.begin_request(self.lobby.terms(table_id), self.lobby.brings)
        if asks:
            self._protocol.post("ask_rules", table_id)
        return asks

    def _rules(self, table_id: str, text: bytes) -> None:
        """Store the rule file of a table. The next step checks whether the person can play by it."""
        self.lobby.supply.received(text)
        if self.phase is not ConnectionPhase.LOBBY or self.playing is not None:
            return
        if self.plan.only_list or self.plan.browse:
            self._tell_listed()
        else:
            self._take_place()

    def _waiting(self, table_id: str, seats: int, people: list[list[Any]]) -> None:
        if self.playing is not None or self.plan.browse:
            raise RemoteError(Code.BAD_MESSAGE)
        if not self.lobby.accept_terms(table_id):  # the table may have seated us at another one
            return
        if self._protocol.phase is not ConnectionPhase.WAITING:
            self._protocol.phase = ConnectionPhase.WAITING
            if self.environment.companion is not None:
                self.environment.companion.begin(self._protocol.post)
        self._table_id = table_id
        self._set_away(False, BACK)
        self.environment.tell(
            events.Waiting(table_id, seats, tuple(Person(*person) for person in people))
        )
        if self._rules_given:
            return
        if (text := rules_to_give(self.lobby.terms(table_id), self.lobby.brings)) is not None:
            self._rules_given = True
            self._protocol.post("give_rules", text)

    def _match(
        self,
        table_id: str,
        match_id: bytes,
        seat: int | None,
        entries: int,
        claimed: list[bytes] | None,
    ) -> None:
        if self.plan.browse or (seat is None) is not self.plan.spectate:
            raise RemoteError(Code.BAD_MESSAGE)
        if self.phase not in (ConnectionPhase.LOBBY, ConnectionPhase.WAITING):
            raise RemoteError(Code.BAD_MESSAGE)
        self._leave_lobby()
        claim = None if claimed is None else SignedClaim(*claimed)
        if claim is not None:
            check_claim(claim, match_id, self._table_key)
        if seat is None:
            self._protocol.phase = ConnectionPhase.WATCHING
        else:
            self._protocol.phase = ConnectionPhase.SEATED
        if self.playing is None:
            agreed_id = self._table_id or table_id
            if not self.lobby.accept_terms(agreed_id):
                return
            files = self.environment.files
            if seat is not None and files is not None and files.has_ended(match_id):
                # its secrets are gone: our seat would sign a number a second time
                self.give_up(phrase("stop.match_ended"))
                return
            person = Person(self.plan.name, self.environment.identity.public)
            agreement = Agreement(
                match_id, self._table_key, agreed_id, seat, person, self.lobby.terms(agreed_id)
            )
            environment = replace(self.environment, brings=self.lobby.brings)
            self.playing = TableMatch(agreement, entries, environment)
            self._table_id = agreed_id
        elif self.playing.agreement.match_id != match_id or self.playing.agreement.seat != seat:
            self.give_up(GONE)
            return
        else:
            self.playing.rejoin(entries)
        if claim is not None and seat is not None:
            self.playing.take_claim(claim)
        self._set_away(False, BACK)
        self._remarks.report(self.environment.tell)
        self._protocol.post(
            "replay",
            match_id,
            self.playing.number if seat is not None else min(self.playing.number, entries),
        )
        self._repeat()
        self.go_on()  # perhaps no further entry comes that would have us post

    def _entry(self, match_id: bytes, number: int, raw: bytes, head: bytes) -> None:
        playing = self._in(match_id)
        behind = not playing.caught_up
        playing.read(number, raw, head)
        self._keep_ticket()
        if behind and playing.caught_up:
            self._repeat()
        if not behind:
            self._set_table_waits(False)
        self.go_on()

    def _take_ticket(self, match_id: bytes, shown: bytes, secret: bytes) -> None:
        self._in(match_id).take_ticket(Ticket(shown, secret))
        self._keep_ticket()

    def _keep_ticket(self) -> None:
        """Tell the table that the newest ticket is stored, once it is. The earlier ones are void
        then.
        """
        playing = self.playing
        if playing is not None and (ticket := playing.keep_ticket()) is not None:
            self._protocol.post("kept", playing.agreement.match_id, ticket.shown)

    def _repeat(self) -> None:
        """Send again, after a reconnection, what was pending when the connection broke, once it is
        known to be lost.
        """
        assert self.playing is not None
        if (raw := self.playing.unanswered()) is not None:
            self._protocol.post("post", self.playing.agreement.match_id, raw)

    def _refused(self, match_id: bytes, *said: Any) -> None:
        if self._in(match_id).refused(Refusal(*said)):
            self._repeat()
        self.go_on()

    def _error(self, code: str) -> None:
        known = parse_code(code)
        if known is Code.OTHER_TERMS and self.playing is None and not self._listed_again:
            # the terms have changed since we read them; they do so only when the table starts anew
            self._listed_again = True
            self._protocol.post("list")
            return
        if known is Code.TOO_SLOW:
            return  # the table closes the connection next, and `detached` decides what follows
        companion = self.environment.companion
        if known is Code.CANNOT_WRITE:
            self._set_table_waits(True)
        elif (
            companion is not None
            and self.phase is ConnectionPhase.WAITING
            and known in OF_THE_LOBBY
        ):
            companion.refused(known)
        elif self.playing is None:
            self.give_up(explain(known))
        elif self.phase is not ConnectionPhase.LOBBY:
            self.environment.tell(
                events.Notice(phrase("notice.table_says", why=code_phrase(known)))
            )
        elif known is Code.TOO_MANY:  # the table cannot take us back now; we try again
            self._away = True
            raise RemoteError(known)  # which ends the connection
        elif known is Code.WRONG_MATCH and self.match_may_be_elsewhere and not self.plan.spectate:
            self._ask_elsewhere()
            raise RemoteError(known)
        else:
            self.give_up(GONE if known is Code.WRONG_MATCH else explain(known))

    def _leave_lobby(self) -> None:
        """End the companion's use of this connection."""
        if self.environment.companion is not None:
            self.environment.companion.end(self._protocol.post)

    def _in(self, match_id: bytes) -> TableMatch:
        """Return our match. Raises: RemoteError if a message is about another one."""
        if self.playing is None or self.playing.agreement.match_id != match_id:
            raise RemoteError(Code.WRONG_MATCH)
        return self.playing

    def _set_table_waits(self, waits: bool) -> None:
        """Note that the match waits, because the table cannot write, or goes on. Report each change
        once.
        """
        if self._table_waits is not waits:
            self._table_waits = waits
            self.environment.tell(events.Notice(WAITS if waits else WRITES))

    def _ask_elsewhere(self) -> None:
        """Go on at another host: the present one does not know the match, as after a restore from an
        older backup. The notice comes once.
        """
        self._away = True
        if UNKNOWN not in self._reported:
            self._reported.add(UNKNOWN)
            self.environment.tell(events.Notice(UNKNOWN))

    def _ping(self, match_id: bytes, token: bytes) -> None:
        """Answer a ping at once, before anything else: it measures the distance of the table."""
        self._in(match_id)
        self._protocol.post("pong", match_id, token)

    def _relayed(self, match_id: bytes, sender: int, envelope: bytes) -> None:
        self._in(match_id).hear(sender, envelope)

    def _left(self) -> None:
        self.give_up(phrase("stop.table.early" if self.playing else "stop.table.seat"))

    def _announced(self, said: str) -> None:
        """Report a line of the table's host."""
        self.environment.tell(events.Announced(printable_remark(said)))

    def _present(self, match_id: bytes, seats: list[int]) -> None:
        """Handle `present`. If it reports no change, it is a sign of life, and this client sends its
        own from now on.
        """
        if not presence.hear(self._in(match_id), seats, self.environment.tell):
            self.sign_of_life = messages.encode("pong", match_id, messages.SIGN_OF_LIFE)

    def _missing(self, match_id: bytes, number: int) -> None:
        """Give the table entries that it had signed and has lost."""
        for tail in tail_upload.give_back(self._in(match_id), number):
            self._protocol.post("tail", match_id, *tail.values())

    def _trips(self, match_id: bytes, trips: list[int | None]) -> None:
        presence.hear_trips(self._in(match_id), trips, self.environment.tell)

    def _waited(self, match_id: bytes, waited: list[list[int] | None]) -> None:
        presence.hear_waited(self._in(match_id), waited, self.environment.tell)


HANDLERS: dict[str, Callable[..., None]] = {
    "keys": TableClient._keys,
    "welcome": TableClient._welcome,
    "moved": TableClient._moved,
    "tables": TableClient._tables,
    "found": TableClient._found,
    "created": TableClient._created,
    "rules": TableClient._rules,
    "waiting": TableClient._waiting,
    "match": TableClient._match,
    "ticket": TableClient._take_ticket,
    "entry": TableClient._entry,
    "ping": TableClient._ping,
    "trips": TableClient._trips,
    "waited": TableClient._waited,
    "missing": TableClient._missing,
    "present": TableClient._present,
    "relayed": TableClient._relayed,
    "refused": TableClient._refused,
    "left": TableClient._left,
    "announced": TableClient._announced,
    "error": TableClient._error,
}
