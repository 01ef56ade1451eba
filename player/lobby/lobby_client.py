"""The client of a table's lobby, as a state machine: its connection, with the person's part in the
lobby. It has no socket and no clock.
"""

from collections.abc import Callable
from typing import Any

from player.client import events
from player.client.client_base import MENDABLE, ClientBase
from player.client.environment import Environment
from player.client.rule_supply import RuleSupply
from player.client.table_client import explain
from player.client.table_pages import TablePages
from player.client.table_protocol import TableProtocol
from player.lobby.meeting import Meeting
from protocol.codes import Code, parse_code
from protocol.errors import RemoteError
from protocol.messages.table import ConnectionPhase
from protocol.messages.table_search import FIRST_PAGE, TablePage, TableSearch
from protocol.messages.table_talk import printable_remark
from protocol.view.phrase import phrase


class LobbyClient(ClientBase):
    """A visit to the lobby, for all to see, until the person leaves or has decided where to go.

    It stays there while they go, until their next connection takes over: so a table that they have
    put up stands.
    """

    playing = None

    def __init__(
        self, environment: Environment, meeting: Meeting, search: TableSearch = FIRST_PAGE
    ) -> None:
        """`search`: for the tables that are asked for first."""
        super().__init__(environment)
        self.meeting = meeting
        self._protocol = TableProtocol(meeting.presence.name, meeting.presence.invite)
        self._greeted = False
        self._pages = TablePages(search)
        self._supply = RuleSupply(environment.rule_sets)

    # --- the connection ---

    @property
    def complaint(self) -> Code | None:
        """Return None: a lobby gives no reason for a complaint."""
        return None

    @property
    def search(self) -> TableSearch:
        """Return the search for the page of tables that was asked for last."""
        return self._pages.search

    def attach(self, send: Callable[[bytes], None], peer: bytes) -> None:
        """A session stands with the table of this identity."""
        self._send = send
        self._table_key = peer
        self._protocol.attach(send)

    def detached(self, code: Code | None) -> None:
        """The connection is gone: with this reason, if the table gave one (CUT_OFF: it did not
        close).
        """
        self._send = None
        self._protocol.detach()
        self._supply.detached()
        self.meeting.end(self._protocol.post)
        if self.finished:
            return
        if self.meeting.gone_on:
            self.give_up(None)
        elif self.redirect_address is not None:
            self._away = True
        elif self._greeted and code in MENDABLE:
            closed = code is Code.CLOSING
            self._set_away(True, phrase("notice.table_closed" if closed else "notice.table_lost"))
        else:
            self.give_up(explain(code or Code.CUT_OFF))

    def received(self, payload: bytes) -> None:
        """A message of the table. Raises `RemoteError` if it is none, or not allowed now."""
        name, values = self._protocol.receive(payload)
        if self.finished:
            return
        if name in HANDLERS:
            HANDLERS[name](self, *values)
        self.meeting.received(name, values)

    def go_on(self) -> None:
        """Do nothing: a lobby has no match."""

    # --- the person ---

    def say(self, remark: str) -> None:
        """Say something to all. Raises: LocalError if it cannot be said."""
        self.meeting.say(remark)

    def leave(self) -> None:
        """Leave the lobby."""
        self.give_up(phrase("stop.left"))

    def stop(self) -> None:
        """Leave the lobby, as `leave` does, for any other end of the program."""
        self.give_up(None)

    def look(self, search: TableSearch | None = None) -> None:
        """Ask for a page of the tables, or for the last one again; `events.Listed` says it."""
        if self._protocol.phase is ConnectionPhase.LOBBY:
            self._protocol.post("find", *self._pages.ask(search))

    # --- messages, one method each ---

    def _keys(self, history: bytes) -> None:
        self.key_history = history

    def _welcome(self, version: int, table_name: str, addresses: list[str]) -> None:
        if not self._away:
            self.environment.tell(events.Welcomed(table_name, self._table_key))
        self._greeted = True
        self.other_addresses = addresses
        self._set_away(False, phrase("notice.table_back"))
        self.look()
        self.meeting.begin(self._protocol.post)

    def _moved(self, address: str, place: str | bytes) -> None:
        self.redirect_address = address

    def _found(self, *values: Any) -> None:
        if self._pages.take(TablePage(*values)):
            self._supply.listed()
            self._tell_listed()

    def _tell_listed(self) -> None:
        """Say which tables there are. Their signed rule sets are fetched, one after another."""
        environment, pages = self.environment, self._pages
        for table_id, terms, _, _ in pages.rows:
            if self._supply.begin_request(terms, environment.brings):
                self._protocol.post("ask_rules", table_id)
        environment.tell(
            events.Listed(pages.rows, environment.games, environment.rule_sets, pages.page)
        )

    def _rules(self, table_id: str, text: bytes) -> None:
        self._supply.received(text)
        self._tell_listed()

    def _announced(self, said: str) -> None:
        self.environment.tell(events.Announced(printable_remark(said)))

    def _error(self, code: str) -> None:
        if not self._greeted:
            raise RemoteError(parse_code(code))
        known = parse_code(code)
        if known is Code.BANNED:
            # it is no answer to a request: the table has nothing for us any more
            self.give_up(explain(known))
        else:
            self.meeting.refused(known)


HANDLERS: dict[str, Callable[..., None]] = {
    "keys": LobbyClient._keys,
    "welcome": LobbyClient._welcome,
    "moved": LobbyClient._moved,
    "found": LobbyClient._found,
    "rules": LobbyClient._rules,
    "announced": LobbyClient._announced,
    "error": LobbyClient._error,
}
