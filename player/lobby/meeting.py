"""A person among the people of a table's lobby: presence, remarks and requests, on whichever
connection stands. It has no socket and no clock.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from player.client.companion import Post
from player.client.muted_keys import MutedKeys
from player.lobby.roster import Call, Guest, LobbyRoster, Remark, RosterChange
from protocol.codes import Code, parse_code
from protocol.errors import LocalError, RemoteError
from protocol.limits import MAX_CALLS_SHOWN
from protocol.match.terms import Terms, decode_terms, encode_terms
from protocol.messages.lobby import TRADE, Purpose, encode_wants, make_remark
from protocol.messages.table_search import TablePage, TableSearch
from protocol.messages.table_talk import printable_remark

NOT_CREATED = (
    Code.BAD_OPTIONS,
    Code.UNKNOWN_RULES,
    Code.HOST_ONLY,
    Code.NOT_OFFERED,
    Code.TOO_MANY,
)


@dataclass(frozen=True)
class CallReceived:
    """A person asks something of the own person. `terms`: the terms of the table in question, if
    the table manager lists it.
    """

    call: Call
    terms: Terms | None = None


@dataclass(frozen=True)
class RequestRefused:
    """The table manager refuses a request, or shows this player to nobody any more."""

    code: Code


@dataclass(frozen=True)
class Destination:
    """The person's way from the lobby: to a table with its terms, or to a trade with a partner."""

    table_id: str | None = None
    terms: Terms | None = None
    partner: Guest | None = None


Invitation = tuple[Terms, tuple[Guest, ...]]  # to a table of ours: who is asked there
News = RosterChange | Remark | CallReceived | RequestRefused


@dataclass(frozen=True)
class LobbyPresence:
    """The name and the wishes under which a person is in the lobby."""

    name: str
    wants: tuple[Purpose, ...] = ()
    # the secret that the table's link has; empty: none
    invite: bytes = field(default=b"", repr=False)


class Meeting:
    """A person's part in the lobby, until the person has decided where to go.

    It outlives connections: a client in the lobby has it, and a client that waits at a table.
    """

    def __init__(
        self,
        own: bytes,
        presence: LobbyPresence,
        ignored: MutedKeys,
        news: Callable[[News], None],
        decided: Callable[[Destination], None],
    ) -> None:
        """`own` is the person's key. `decided` gets each decision to go somewhere."""
        self.presence = presence
        self.roster = LobbyRoster(own, ignored)
        self.gone_on = False  # the person has decided, and the next connection takes over
        self._news = news
        self._decided = decided
        self._post: Post | None = None
        self._tables: dict[str, Terms] = {}  # to which somebody asks us, as the table lists them
        # asked to tables of which we do not know yet what is played there
        self._unsure: list[Call] = []
        # those of which the person has been told; the newest is last
        self._shown: list[CallReceived] = []
        self._asking: set[str] = set()  # tables that we have asked for
        self._inviting: Invitation | None = None  # to the table that we put up
        self._doubtful: Invitation | None = None  # the one that the table may have refused
        self._knocked: Guest | None = None  # whom we have asked to trade
        # whom we ask no more, and the table has not said that it knows
        self._closing: set[bytes] = set()

    # --- the connection ---

    @property
    def is_here(self) -> bool:
        """Return True while a connection stands on which the person is seen."""
        return self._post is not None

    @property
    def asked_to_trade(self) -> Guest | None:
        """Return the guest whom the person has asked to trade, until that one answers."""
        return self._knocked

    def begin(self, post: Post) -> None:
        """Be seen, over a connection that stands in the lobby or waits at a table."""
        self._post = post
        self.gone_on = False
        post("appear", encode_wants(*self.presence.wants))

    def end(self, post: Post) -> None:
        """Forget all people: this connection is gone, or in a match. The table lists them anew.
        A newer connection may have begun already, and goes on.
        """
        if self._post != post:
            return
        self._post = None
        self.roster.clear()
        self._inviting = self._doubtful = None
        self._knocked = None
        self._asking.clear()
        self._closing.clear()

    def received(self, name: str, values: Sequence[Any]) -> bool:
        """Take a message of the table; False if it is none of the lobby. Raises: RemoteError."""
        if name not in HANDLERS:
            return False
        HANDLERS[name](self, *values)
        return True

    def refused(self, code: Code) -> None:
        """Take the table's refusal of a request."""
        self._asking.clear()  # with the next page of tables they are asked for again
        if code in NOT_CREATED and self._inviting is not None:
            # a refusal does not say of what, so the table that we wanted may come all the same
            self._doubtful, self._inviting = self._inviting, None
        self._news(RequestRefused(code))

    # --- the person ---

    def say(self, remark: str) -> None:
        """Say something to all. Raises: LocalError if it cannot be said."""
        text = make_remark(remark)
        self._check_here()
        self._send("talk", text)

    def play_with(self, guests: tuple[Guest, ...], terms: Terms) -> None:
        """Put up a table, ask these there, and go. Raises: LocalError."""
        self._check_here()
        if self._inviting is None:
            self._inviting = terms, guests
            self._send("create", encode_terms(terms))

    def trade_with(self, guest: Guest) -> None:
        """Ask somebody to trade, or accept to: one goes as soon as both want it. Raises:
        LocalError.
        """
        self._check_here()
        if self._knocked is not None and self._knocked.key == guest.key:
            return
        if guest.key in self._closing:
            raise LocalError("wrong.lobby.soon")
        self._withdraw()
        self._knocked = guest
        self.roster.answered(guest)
        self._send("open", guest.key, TRADE)

    def accept(self, call: Call) -> None:
        """Go where somebody asks us to: on the terms that were shown with it, and no others.

        Raises: LocalError if that is not known to be possible."""
        self._check_here()
        if call.purpose == TRADE:
            self.trade_with(call.guest)
            return
        terms = self.terms_of(call)
        if terms is None or terms != self._tables.get(call.table_id or ""):
            raise LocalError("wrong.lobby.no_table")
        self.roster.answered(call.guest)
        self._go(Destination(call.table_id, terms))

    def go_to(self, table_id: str, terms: Terms) -> None:
        """Go to a table that was shown with these terms. Raises: LocalError."""
        self._check_here()
        self._go(Destination(table_id, terms))

    def terms_of(self, call: Call) -> Terms | None:
        """Return the terms that were shown with an invitation; None if they are not known."""
        return next((shown.terms for shown in self._shown if shown.call is call), None)

    def decline(self, call: Call) -> None:
        """Do not. Whoever asks for a trade is told so."""
        self.roster.answered(call.guest)
        if call.purpose is not None:
            self._send("close", call.guest.key, call.purpose)

    def call(self, guest: Guest, table_id: str) -> None:
        """Ask somebody to come to a table. Raises: LocalError."""
        self._check_here()
        self._send("call", guest.key, table_id)

    def ignore(self, guest: Guest) -> None:
        """Hear somebody no more, and trade with them no more if they were asked to. Raises:
        LocalError.
        """
        self.roster.ignore(guest)
        if self._knocked is not None and self._knocked.key == guest.key:
            self._withdraw()

    def _withdraw(self) -> None:
        """Ask nobody to trade any more."""
        if self._knocked is not None:
            self._closing.add(self._knocked.key)
            self._send("close", self._knocked.key, TRADE)
            self._knocked = None

    def _check_here(self) -> None:
        if self._post is None:
            raise LocalError("wrong.unheard")

    def _send(self, name: str, *values: object) -> None:
        if self._post is not None:
            self._post(name, *values)

    def _go(self, where: Destination) -> None:
        self.gone_on = True
        self._send("vanish")
        self._decided(where)

    # --- messages, one method each ---

    def _found(self, *values: Any) -> None:
        page = TablePage(*values)
        listed = {row[0]: row[1] for row in page.rows}
        if page.text in self._asking:
            self._asking.remove(page.text)
            self._tables.pop(page.text, None)
        else:  # of a page nothing is taken but news of the tables that are asked about
            listed = {name: terms for name, terms in listed.items() if name in self._tables}
        self._tables |= {name: decode_terms(terms) for name, terms in listed.items()}
        self._show_calls(page.text or "")
        self._look_up()

    def _show_calls(self, table_id: str) -> None:
        """Tell the person of those who ask to this table."""
        unsure = self._unsure
        self._unsure = [call for call in unsure if call.table_id != table_id]
        for call in unsure:
            if call.table_id == table_id and self.roster.call_of(call.guest) is call:
                shown = CallReceived(call, self._tables.get(table_id))
                self._shown = [*self._shown, shown][-MAX_CALLS_SHOWN:]
                self._news(shown)
        named = {shown.call.table_id for shown in self._shown}
        self._tables = {name: terms for name, terms in self._tables.items() if name in named}

    def _look_up(self) -> None:
        """Ask for the tables to which people ask us, of which nothing is known yet."""
        for call in self._unsure:
            if call.table_id is not None and call.table_id not in self._asking:
                self._asking.add(call.table_id)
                self._send("find", *TableSearch(call.table_id, most=1).values())

    def _created(self, table_id: str) -> None:
        invitation = self._inviting or self._doubtful
        if invitation is None:
            raise RemoteError(Code.BAD_MESSAGE)
        terms, guests = invitation
        self._inviting = self._doubtful = None
        for guest in guests:
            self._send("call", guest.key, table_id)
        self._go(Destination(table_id, terms))

    def _people(self, came: list[list[Any]], went: list[bytes]) -> None:
        self._news(self.roster.people(came, went))

    def _hidden(self, code: str) -> None:
        self.roster.clear()
        self._news(RequestRefused(parse_code(code)))

    def _said(self, key: bytes, text: str) -> None:
        remark = self.roster.said(key, printable_remark(text))
        if remark is not None and remark.text:
            self._news(remark)

    def _called(self, key: bytes, table_id: str) -> None:
        call = self.roster.asked(key, table_id=table_id)
        if call is not None:
            self._unsure = [*self._unsure, call][-MAX_CALLS_SHOWN:]
            self._look_up()

    def _knock(self, key: bytes, purpose: int) -> None:
        if purpose != TRADE:  # a match without a table is begun by those who have agreed on one
            return
        call = self.roster.asked(key, purpose=TRADE)
        if call is not None:
            self._news(CallReceived(call))

    def _opened(self, key: bytes, purpose: int) -> None:
        guest = self._knocked
        # else we have closed it meanwhile
        if guest is not None and (key, purpose) == (guest.key, TRADE):
            self._knocked = None
            self._go(Destination(partner=guest))

    def _closed(self, key: bytes, purpose: int, code: str | None) -> None:
        guest = self._knocked
        if purpose == TRADE and key in self._closing:
            self._closing.remove(key)
        elif guest is not None and (key, purpose) == (guest.key, TRADE):
            self._knocked = None
            self._news(RequestRefused(Code.NOT_INVITED if code is None else parse_code(code)))


HANDLERS: dict[str, Callable[..., None]] = {
    "found": Meeting._found,
    "created": Meeting._created,
    "people": Meeting._people,
    "hidden": Meeting._hidden,
    "said": Meeting._said,
    "called": Meeting._called,
    "knock": Meeting._knock,
    "opened": Meeting._opened,
    "closed": Meeting._closed,
}
