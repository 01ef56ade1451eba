"""The tables of one process: what is played at each, who waits for a seat, which match runs."""

from collections.abc import Callable, Container
from dataclasses import dataclass, field
from typing import Any, cast

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.games.scripted.rule_file.built_in import rule_digest
from protocol.identity.names import name_skeleton
from protocol.limits import MAX_MESSAGE
from protocol.match.setup import Setup
from protocol.match.terms import Terms, encode_terms
from protocol.messages.table import encode
from protocol.messages.table_search import TablePage, TableSearch
from table.config import Bounds
from table.lobby.peer import Peer
from table.match.hosted_match import HostedMatch
from table.match.log_broadcaster import LogBroadcaster

Row = list[object]  # of `tables` and `found`
DEFAULT_TABLE = "main"
_PAGE_ROOM = MAX_MESSAGE - 256  # bytes of rows: without the other fields of `found`
_CREATED = "table-"


class Declined(RemoteError):
    """A request in good form that cannot be granted: answered with `error`, and nothing else
    happens.
    """


@dataclass
class LobbyTable:
    """One table. `creator` is the identity that made it; None for the default table, which
    stays.
    """

    number: int  # of created tables; 0: the default table
    terms: Terms
    creator: bytes | None = None
    # of hosts that are sure to know its game, if there are several (`NewTable.rules`)
    rules: str = ""
    # from which it was created; empty: not known, as before a restart or at another host
    address: str = ""
    waiting: list[Peer] = field(default_factory=list)  # reserved seats, in order of joining
    room: HostedMatch | None = None  # the match that runs
    # by match id: matches that run here, and are being folded after a restart or a claim
    loading: dict[bytes, Setup] = field(default_factory=dict)
    # text of the rule file that the terms name, for whoever asks; empty: nobody has given it
    rule_text: bytes = field(default=b"", repr=False)

    @property
    def table_id(self) -> str:
        """Its name in messages, never used for another table."""
        return f"{_CREATED}{self.number}" if self.number else DEFAULT_TABLE

    @property
    def played(self) -> Terms:
        """The terms of the match that runs, or of the next one: a table that was started anew may
        have others.
        """
        if self.room is not None:
            return self.room.setup.terms
        return next((setup.terms for setup in self.loading.values()), self.terms)

    @property
    def is_free(self) -> bool:
        """No match runs at this table, and none of it is being folded."""
        return self.room is None and not self.loading

    def give_rules(self, text: bytes) -> None:
        """Store the rule file for whoever asks. Raises: Declined for another one than the terms
        name.
        """
        if self.rule_text:
            return
        try:
            named = rule_digest(text.decode())
        except UnicodeDecodeError:
            named = ""
        if named != dict(self.played.game.options).get("rules"):
            raise Declined(Code.OTHER_TERMS)
        self.rule_text = text

    def people(self) -> list[list[object]]:
        """Who waits, as messages say it."""
        return [[peer.name, peer.identity] for peer in self.waiting]

    def listing(self) -> Row:
        """This table's row of `tables`."""
        return [self.table_id, encode_terms(self.played), self.people(), int(not self.is_free)]


class Lobby:
    """All tables. `reserved` is, for each peer that waits, the table it waits at."""

    def __init__(self, terms: Terms, name: str, bounds: Bounds) -> None:
        self.tables = {DEFAULT_TABLE: LobbyTable(0, terms)}
        self.reserved: dict[Peer, LobbyTable] = {}
        self._name, self._bounds = name, bounds
        self.last_number = 0  # of a created table
        self.crowded: list[
            LobbyTable
        ] = []  # second matches at one table: two hosts took it for theirs, and one is gone

    def configure(self, name: str, bounds: Bounds) -> None:
        """Take a new name and new bounds; tables and seats that there are stay."""
        self._name, self._bounds = name, bounds

    def find(self, table_id: str | None) -> LobbyTable:
        """A table by its id, None for the default one. Raises: Declined."""
        table = self.tables.get(table_id or DEFAULT_TABLE)
        if table is None:
            raise Declined(Code.NO_SUCH_TABLE)
        return table

    def seat_of(self, identity: bytes) -> LobbyTable | None:
        """The table at which this identity has a seat in a running match."""
        for table in self.everything():
            if table.room is not None and table.room.seat_of(identity) is not None:
                return table
            people = [person for setup in table.loading.values() for person in setup.people]
            if identity in (person.identity for person in people):
                return table
        return None

    def create(self, terms: Terms, creator: bytes, address: str, rules: str = "") -> LobbyTable:
        """A new table, created from this address. Raises: Declined(TOO_MANY)."""
        tables, bounds = self.tables.values(), self._bounds
        if (
            len(tables) >= bounds.tables
            or sum(table.creator == creator for table in tables) >= bounds.tables_per_identity
            or sum(table.address == address for table in tables) >= bounds.tables_per_address
        ):
            raise Declined(Code.TOO_MANY)
        self.last_number += 1
        return self.add(LobbyTable(self.last_number, terms, creator, rules, address))

    def returned(self, creator: bytes, address: str) -> None:
        """Count somebody's tables of which no address is known for the one where it is now."""
        for table in self.tables.values():
            if table.creator == creator and not table.address:
                table.address = address

    def seats_from(self, address: str) -> int:
        """The number of seats taken from an address, where matches run or are to begin."""
        kept = sum(peer.address == address for peer in self.reserved)
        rooms = [table.room for table in self.everything() if table.room is not None]
        return kept + sum(room.seats_from(address) for room in rooms)

    def add(self, table: LobbyTable) -> LobbyTable:
        """Put a table up, as it is."""
        self.tables[table.table_id] = table
        return table

    def restored(self, setup: Setup) -> LobbyTable:
        """The table at which a match of before a restart was begun."""
        table = self.tables.get(setup.table.id)
        if table is None:
            table = self.add(
                LobbyTable(int(setup.table.id.removeprefix(_CREATED)), setup.terms, creator=b"")
            )
            # a crash may have taken the table's own record
            self.last_number = max(self.last_number, table.number)
        return table

    @property
    def seats(self) -> tuple[int, int]:
        """Seats at all tables: taken, and free."""
        taken = free = 0
        for table in self.everything():
            waits = len(table.waiting) if table.is_free else table.played.seats
            taken += waits
            free += table.played.seats - waits
        return taken, free

    def everything(self) -> list[LobbyTable]:
        """All tables, those that are not listed, too."""
        return [*self.tables.values(), *self.crowded]

    def crowd(self, table: LobbyTable) -> LobbyTable:
        """A place for one more match at a table, which is not listed."""
        self.crowded.append(LobbyTable(table.number, table.terms, table.creator, table.rules))
        return self.crowded[-1]

    def free(self, feed: LogBroadcaster) -> None:
        """Nobody plays this match any more: its table is free, unless another one is played there
        by now.
        """
        self.crowded = [table for table in self.crowded if table.room is not feed]
        table = self.tables.get(feed.table_id)
        if table is not None and table.room is feed:
            table.room = None

    def loaded(self, match_id: bytes) -> None:
        """A match has been folded, or cannot be."""
        for table in self.everything():
            table.loading.pop(match_id, None)

    def reserve(self, table: LobbyTable, peer: Peer) -> None:
        """Keep a seat for a peer; whether all are taken now is for the caller to see. Raises:
        Declined.
        """
        if not table.is_free or len(table.waiting) >= table.terms.seats:
            raise Declined(Code.TABLE_FULL)
        if self.seats_from(peer.address) >= self._bounds.seats_per_address:
            raise Declined(Code.TOO_MANY)
        names = {
            name_skeleton(name) for name in (self._name, *(other.name for other in table.waiting))
        }
        if name_skeleton(peer.name) in names:
            raise Declined(Code.NAME_TAKEN)
        table.waiting.append(peer)
        self.reserved[peer] = table

    def release(self, peer: Peer) -> LobbyTable | None:
        """Free the seat kept for a peer; the table it was at, if any."""
        table = self.reserved.pop(peer, None)
        if table is not None:
            table.waiting.remove(peer)
        return table

    def clear(self, table: LobbyTable) -> list[Peer]:
        """End all reservations at a table; who had them."""
        people, table.waiting = table.waiting, []
        for peer in people:
            del self.reserved[peer]
        return people

    def sweep(self, present: Container[bytes]) -> list[LobbyTable]:
        """Take away created tables at which nobody is and whose creator is not `present`; those
        that are gone.
        """
        gone = []
        for table in list(self.tables.values()):
            deserted = table.creator is not None and table.creator not in present
            if deserted and table.is_free and not table.waiting:
                gone.append(self.tables.pop(table.table_id))
        return gone

    def rows(self) -> list[Row]:
        """Rows for `tables`."""
        return [table.listing() for table in self.tables.values()]

    def page(self, search: TableSearch, row_of: Callable[[LobbyTable], Row]) -> TablePage:
        """A page of tables in the order in which they were created; their numbers are the places.

        A text that is a table's id finds this table alone.
        """
        exact = self.tables.get(search.text or "")
        rows: list[Row] = []
        before = total = 0
        following: int | None = None
        room = _PAGE_ROOM
        for table in sorted(self.tables.values(), key=lambda table: table.number):
            if exact is not None and table is not exact:
                continue
            row = row_of(table)
            if exact is None and not search.finds(table.table_id, *_names(row)):
                continue
            total += 1
            if table.number < search.start:
                before += 1
            elif following is None:
                room -= len(wire.encode(row))
                if room < 0 or len(rows) == search.most:
                    following = table.number
                else:
                    rows.append(row)
        return TablePage(search.text, search.start, before, total, rows, following)

    def fitting(self, given: list[Row]) -> list[Row]:
        """As many of these rows as fit into one message."""
        rows: list[Row] = []
        room = MAX_MESSAGE - 64  # the message's name and the heads of its lists
        for row in given:
            room -= len(wire.encode(row))
            if room < 0:
                break
            rows.append(row)
        return rows


def _names(row: Row) -> tuple[str, list[str]]:
    """The game of a row, and the names of those who wait."""
    _, terms, people, _ = cast(Any, row)
    return terms[0][0], [name for name, _ in people]


def dismiss(people: list[Peer], why: Code) -> None:
    """They wait no more: they are in the lobby again."""
    for peer in people:
        peer.connection.send_error(why)
        peer.send(encode("left"))
        peer.dismissed()
