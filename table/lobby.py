"""The tables of one process: what is played at each, who waits for a seat, which match runs."""

from collections.abc import Container
from dataclasses import dataclass, field

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import MAX_MESSAGE
from protocol.names import name_skeleton
from protocol.setup import Terms
from table.config import Bounds
from table.connection import Connection
from table.room import Room

DEFAULT_TABLE = "main"


class Declined(RemoteError):
    """A request in good form that cannot be granted: answered with `error`, and nothing else happens."""


@dataclass
class LobbyTable:
    """One table. `creator` is the identity that made it; None for the default table, which stays."""

    table_id: str
    terms: Terms
    creator: bytes | None = None
    waiting: list[Connection] = field(default_factory=list)  # reserved seats, in order of joining
    room: Room | None = None  # the match that runs

    def people(self) -> list[list[object]]:
        """Who waits, as messages say it."""
        return [[connection.name, connection.identity] for connection in self.waiting]

    def listing(self) -> list[object]:
        """This table's row of `tables`."""
        return [
            self.table_id,
            self.terms.game,
            [list(option) for option in self.terms.options],
            self.terms.dealing,
            [list(option) for option in self.terms.dealing_options],
            self.terms.seats,
            self.people(),
            int(self.room is not None),
        ]


class Lobby:
    """All tables. `reserved` is, for each connection that waits, the table it waits at."""

    def __init__(self, terms: Terms, name: str, bounds: Bounds) -> None:
        self.tables = {DEFAULT_TABLE: LobbyTable(DEFAULT_TABLE, terms)}
        self.reserved: dict[Connection, LobbyTable] = {}
        self._name, self._bounds = name, bounds
        self._created = 0

    def find(self, table_id: str | None) -> LobbyTable:
        """A table by its id, None for the default one. Raises: Declined."""
        table = self.tables.get(table_id or DEFAULT_TABLE)
        if table is None:
            raise Declined(Code.NO_SUCH_TABLE)
        return table

    def seat_of(self, identity: bytes) -> LobbyTable | None:
        """The table at which this identity has a seat in a running match."""
        for table in self.tables.values():
            if table.room is not None and table.room.seat_of(identity) is not None:
                return table
        return None

    def create(self, terms: Terms, creator: bytes) -> LobbyTable:
        """A new table. Raises: Declined(TOO_MANY)."""
        own = sum(table.creator == creator for table in self.tables.values())
        if len(self.tables) >= self._bounds.tables or own >= self._bounds.tables_per_identity:
            raise Declined(Code.TOO_MANY)
        self._created += 1
        table = LobbyTable(f"table-{self._created}", terms, creator)
        self.tables[table.table_id] = table
        return table

    def reserve(self, table: LobbyTable, connection: Connection) -> None:
        """Keep a seat for a connection; whether all are taken now is for the caller to see. Raises: Declined."""
        if table.room is not None or len(table.waiting) >= table.terms.seats:
            raise Declined(Code.TABLE_FULL)
        names = {name_skeleton(name) for name in (self._name, *(other.name for other in table.waiting))}
        if name_skeleton(connection.name) in names:
            raise Declined(Code.NAME_TAKEN)
        table.waiting.append(connection)
        self.reserved[connection] = table

    def release(self, connection: Connection) -> LobbyTable | None:
        """Free the seat kept for a connection; the table it was at, if any."""
        table = self.reserved.pop(connection, None)
        if table is not None:
            table.waiting.remove(connection)
        return table

    def clear(self, table: LobbyTable) -> list[Connection]:
        """End all reservations at a table; who had them."""
        people, table.waiting = table.waiting, []
        for connection in people:
            del self.reserved[connection]
        return people

    def sweep(self, present: Container[bytes]) -> None:
        """Take away created tables at which nobody is and whose creator is not `present`."""
        for table in list(self.tables.values()):
            deserted = table.creator is not None and table.creator not in present
            if deserted and table.room is None and not table.waiting:
                del self.tables[table.table_id]

    def listing(self) -> list[list[object]]:
        """Rows for `tables`, as many as fit into one message."""
        rows: list[list[object]] = []
        room = MAX_MESSAGE - 64  # the message's name and the heads of its lists
        for table in self.tables.values():
            row = table.listing()
            room -= len(wire.encode(row))
            if room < 0:
                break
            rows.append(row)
        return rows
