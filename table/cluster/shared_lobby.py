"""One lobby over all hosts: which tables there are, where each is, and who may be sent there."""

import asyncio
from collections.abc import Callable

from protocol.codes import Code
from protocol.limits import MAX_TABLES_LISTED
from protocol.match.terms import encode_terms
from table.cluster.heartbeats import Host, prefix
from table.cluster.membership import Membership
from table.lobby.peer import Peer
from table.lobby.tables import Lobby, LobbyTable, Row, dismiss
from table.storage.interface import NewTable, TableRemoved
from table.storage.shared.store import SharedStore

FOLLOW_SECONDS = 0.5  # between two looks at which tables were created elsewhere


class SharedLobby:
    """What this host's lobby has to do with those of the others."""

    def __init__(
        self,
        lobby: Lobby,
        view: Membership,
        store: SharedStore,
        people: dict[bytes, Peer],
        stay: float,
    ) -> None:
        """`stay`: for how many seconds a table stays whose creator is nowhere."""
        self._lobby, self._view, self._store, self._people, self._stay = (
            lobby,
            view,
            store,
            people,
            stay,
        )
        self._seen: dict[bytes, float] = {}  # when each creator was last seen anywhere
        self._stored: dict[int, NewTable] = {}  # what the store has, by number
        self.last_number = 0  # the greatest that the store has had
        store.follow(self._changed)

    async def follow(self) -> None:
        """Take in what others create and take away, until this is stopped."""
        while True:
            await self._store.look()
            await asyncio.sleep(FOLLOW_SECONDS)

    def rows(self) -> list[Row]:
        """Rows for `tables`, as the table's home has them."""
        return list(map(self.row_of(), self._lobby.tables.values()))[:MAX_TABLES_LISTED]

    def row_of(self) -> Callable[[LobbyTable], Row]:
        """A function that gives a table's row as its home has it, by what the hosts say now."""
        told = {row.table_id: row for beat in self._view.others for row in beat.rows}

        def row_of(table: LobbyTable) -> Row:
            row = told.get(table.table_id)
            if row is None or table.room is not None:
                return table.listing()
            terms = encode_terms(table.terms) if row.terms is None else row.terms
            return [row.table_id, terms, row.waiting, int(bool(row.match_id))]

        return row_of

    def home(self, table_id: str) -> Host | None:
        """Where a table is at which no match runs; None: nobody takes tables."""
        table = self._lobby.tables.get(table_id)
        return self._view.home(table_id, table.rules if table is not None else "")

    def stands(self, table: LobbyTable) -> bool:
        """Whether the store has exactly this one under its number, whoever put it there."""
        known = self._stored.get(table.number)
        return known is not None and (known.creator, known.terms) == (table.creator, table.terms)

    def send_on_who_waits(self) -> int:
        """Whoever waits at a table that is another host's now is told, and comes there; how many
        those are.
        """
        moved = 0
        for table in [
            table for table in self._lobby.tables.values() if table.waiting and table.room is None
        ]:
            found = self._view.of_table(table.table_id)
            host = found.host if found is not None else self.home(table.table_id)
            if host is not None and host != self._view.me and host.address:
                for peer in self._lobby.clear(table):
                    moved += 1
                    peer.sent_on(host.address, table.table_id)
        return moved

    def deserted(self, now: float) -> list[LobbyTable]:
        """The tables at home here whose creators have been nowhere for too long; they are gone."""
        here = {prefix(identity) for identity in self._people}
        here.update(*(beat.creators for beat in self._view.others))
        makers = {
            table.creator for table in self._lobby.tables.values() if table.creator is not None
        }
        self._seen = {
            each: now if prefix(each) in here else self._seen.get(each, now) for each in makers
        }
        stays = {each for each, when in self._seen.items() if now - when < self._stay}
        stays |= {
            table.creator
            for table in self._lobby.tables.values()
            if table.creator is not None and not self._is_ours(table)
        }
        return self._lobby.sweep(stays)

    def _is_ours(self, table: LobbyTable) -> bool:
        return (
            self._view.of_table(table.table_id) is None
            and self.home(table.table_id) == self._view.me
        )

    def _changed(self, change: NewTable | TableRemoved) -> None:
        """A table was created or taken away, here or elsewhere."""
        lobby = self._lobby
        self.last_number = max(self.last_number, change.number)
        lobby.last_number = max(lobby.last_number, change.number)
        known = next(
            (table for table in lobby.tables.values() if table.number == change.number), None
        )
        if isinstance(change, NewTable):
            self._stored[change.number] = change
            self._put_up(change, known)
            return
        self._stored.pop(change.number, None)
        if known is not None and known.number and known.room is None:
            dismiss(lobby.clear(known), Code.NO_SUCH_TABLE)
            del lobby.tables[known.table_id]

    def _put_up(self, stored: NewTable, known: LobbyTable | None) -> None:
        """A table as the store has it. `known`: what is here under its number.

        That is another's, if both were created at the same time, and a match may have begun there:
        it goes on.
        """
        number, terms, creator, rules = stored
        if known is None or (known.creator, known.terms) not in ((creator, terms), (b"", terms)):
            if known is not None:
                dismiss(self._lobby.clear(known), Code.NO_SUCH_TABLE)
                self._lobby.crowded += [known] if known.room is not None else []
            self._lobby.add(LobbyTable(number, terms, creator, rules))
        else:
            known.creator, known.rules = creator, rules
