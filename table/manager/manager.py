"""Manager of the people at a table manager: the newest connection of each identity, reserved seats,
and the tables of the lobby.
"""

import asyncio
import logging
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.games.scripted.rule_file.built_in import rule_digest
from protocol.identity.keys import Identity, JoinLink
from protocol.limits import MAX_HOSTS
from protocol.match.terms import Terms
from protocol.messages.table import ConnectionPhase, encode
from protocol.messages.table_search import TablePage, TableSearch
from table.config import Config
from table.lobby.bans import BANS_FILE, BanList
from table.lobby.chat import Chat
from table.lobby.matches import Matches
from table.lobby.peer import Peer
from table.lobby.tables import Declined, Lobby, LobbyTable, dismiss
from table.manager.drain import Drain
from table.manager.moderation import Moderation
from table.metrics import Metrics
from table.net.token_bucket import TokenBuckets
from table.signer.signer import Key
from table.storage.disk.mute_list import MUTED_FILE, MuteList
from table.storage.interface import NewTable, SavedTable, Storage, TableRemoved

if TYPE_CHECKING:
    from table.cluster.cluster import Cluster
    from table.cluster.redirects import Redirects
    from table.witness.certifier import Certifier

log = logging.getLogger(__name__)


class TableManager:
    """The lobby of a table manager, its people, and their matches, on top of a store."""

    def __init__(
        self,
        identity: Key,
        config: Config,
        storage: Storage,
        metrics: Metrics,
        matches: type[Matches] = Matches,
    ) -> None:
        self.identity, self.config, self.metrics, self.storage = identity, config, metrics, storage
        self.link: JoinLink | None = None  # for players; None: the table does not listen yet
        self.since = config.now()  # seconds since 1970
        self.invite = b""  # secret that peers must show; empty: there is none
        self.key_history = b""  # encoded, for peers; empty: there is none
        self.lobby = Lobby(config.terms, config.name, config.bounds)
        self._give_own_rules(self.lobby.find(None))
        self.matches = matches(identity, config, self.lobby, storage, metrics, self._on_vacancy)
        self._count_requests()
        # by sender, and the seat to which talk goes
        self.relays = TokenBuckets(config.bounds.relays, config.bounds.addresses_kept)
        self.people: dict[bytes, Peer] = {}  # by identity
        self.chat = Chat(self.lobby, self.people, config.bounds, MuteList(config.data / MUTED_FILE))
        self.certifier: Certifier | None = None  # if this table is a witness
        # people who have created a table, and may come back after a restart
        self._awaited: set[bytes] = set()
        self.cluster: Cluster | None = None  # if this table has several hosts
        self.redirects: Redirects | None = None  # likewise
        self.moderation = Moderation(self, BanList(config.data / BANS_FILE), config.now)
        self.drain = Drain(self)
        self.closing = False
        self.time = asyncio.get_running_loop().time  # seconds, of a clock that cannot be set

    def _count_requests(self) -> None:
        bounds = self.config.bounds
        # of requests to the lobby, by identity
        self.requests = TokenBuckets(bounds.requests, bounds.addresses_kept)
        # of new tables, by address
        self.creations = TokenBuckets(bounds.creations_per_address, bounds.addresses_kept)

    def configure(self, config: Config) -> None:
        """Take over what may change while the table runs (`TableServer.configure`)."""
        self.config = self.matches.config = config
        self.lobby.configure(config.name, config.bounds)
        self._count_requests()
        for feed in self.matches.feeds.values():
            feed.bounds = config.bounds
        if self.cluster is not None:
            self.cluster.watching.configure(config)
            self.cluster.pruning.configure(config.bounds)

    def join_cluster(self, cluster: "Cluster") -> None:
        """Become a host of a table with several hosts."""
        from table.cluster.redirects import Redirects

        self.cluster, self.redirects = cluster, Redirects(cluster)

    def addresses(self) -> list[str]:
        """Return the other addresses of this table, for `welcome`."""
        live = self.cluster.addresses() if self.cluster is not None else []
        return list(dict.fromkeys((*live, *self.config.addresses)))[:MAX_HOSTS]

    def listing(self) -> list[list[object]]:
        """Return rows for `tables`, as many as fit into one message."""
        return self.lobby.fitting(
            self.lobby.rows() if self.cluster is None else self.cluster.shared.rows()
        )

    def page(self, search: TableSearch) -> TablePage:
        """A page of the tables, of those of all hosts."""
        row_of = LobbyTable.listing if self.cluster is None else self.cluster.shared.row_of()
        return self.lobby.page(search, row_of)

    # --- people ---

    def identified(self, peer: Peer) -> None:
        """Keep the newest connection of an identity, and close the other one. Raises: RemoteError.

        The newest one is the one that was admitted last, and not the one that proved the key last: the
        end of a handshake may be delayed, and its peer may be back meanwhile.
        """
        if peer.identity == self.identity.public:
            raise RemoteError(Code.BAD_IDENTITY)
        other = self.people.get(peer.identity)
        if other is not None and other.connection.ordinal > peer.connection.ordinal:
            peer.connection.end(Code.TAKEN_OVER)
            return
        self.people[peer.identity] = peer
        self.lobby.returned(peer.identity, peer.address)
        if other is not None:
            other.connection.end(Code.TAKEN_OVER)
        if self.key_history:
            peer.send(encode("keys", self.key_history))

    def ended(self, peer: Peer) -> None:
        """Free everything that an ended connection has held."""
        if self.people.get(peer.identity) is peer:
            del self.people[peer.identity]
        self.chat.leave(peer)
        if self.certifier is not None:
            self.certifier.leave(peer)
        peer.leave()
        if self.redirects is not None:
            self.redirects.forget(peer)
        self.release(peer)

    def people_of(self, match_id: bytes) -> Sequence[bytes] | None:
        """Return the identities of a running match by seat, empty if they are not known here, as of
        a match of another host; None if there is no such match.
        """
        people = self.matches.people_of(match_id)
        if people is None and self.cluster is not None and self.cluster.has_match(match_id):
            return ()
        return people

    # --- seats and tables ---

    def reserve(self, table: LobbyTable, peer: Peer) -> None:
        """Keep a seat; the last one begins the match. Raises: Declined."""
        self.drain.check()
        self.lobby.reserve(table, peer)
        peer.phase, peer.forgiven = ConnectionPhase.WAITING, None
        _tell_waiting(table)
        if len(table.waiting) == table.terms.seats:
            self.matches.begin(table)

    def release(self, peer: Peer) -> None:
        """Free a seat that was kept."""
        table = self.lobby.release(peer)
        if table is not None:
            _tell_waiting(table)
        self._on_vacancy()

    def create(self, terms: Terms, peer: Peer) -> None:
        """Create a table. Its creator is told once it is on disk. Raises: Declined."""
        self.drain.check()
        table = self.lobby.create(terms, peer.identity, peer.address, self.matches.rules)
        self._give_own_rules(table)
        change = NewTable(table.number, terms, peer.identity, table.rules)
        self.storage.submit(
            change,
            partial(self._announce_created, table, peer),
            partial(self._retry_creation, table, peer),
        )

    def _give_own_rules(self, table: LobbyTable) -> None:
        """Give a table the host's own rule file, if it plays by that, to answer requests for it."""
        text = self.config.rule_text
        if text and dict(table.terms.game.options).get("rules") == rule_digest(text):
            table.give_rules(text.encode())

    def _announce_created(self, table: LobbyTable, peer: Peer) -> None:
        peer.send(encode("created", table.table_id))
        if table.table_id not in self.lobby.tables:  # its creator left before it was on disk
            self._forget(table)

    def _retry_creation(self, table: LobbyTable, peer: Peer) -> None:
        """Create a table again under the next number, since another host has used its number.

        People who wait at the table are sent back to the lobby. A match that has begun there goes on
        with the table as its own. A person who has created tables at two hosts at once has both: the
        one that is here under the number is the other one.
        """
        if self.cluster is None or not self.cluster.shared.stands(table):
            dismiss(self.lobby.clear(table), Code.NO_SUCH_TABLE)
            if table.room is None and self.lobby.tables.get(table.table_id) is table:
                del self.lobby.tables[table.table_id]
        try:
            taken = self.cluster is not None and self.cluster.shared.last_number >= table.number
            if not taken or not peer.open or peer.phase is not ConnectionPhase.LOBBY:
                raise Declined(Code.TOO_MANY)
            self.create(table.terms, peer)  # under the next number
        except Declined as declined:
            peer.connection.send_error(declined.code)

    def _on_vacancy(self) -> None:
        """Clean up after somebody has gone. Of several hosts each sweeps in its own time, since it must
        look through the tables of all.
        """
        self.moderation.match_over()
        if self.cluster is None:
            self.sweep()

    def sweep(self) -> None:
        """Remove tables that nobody needs. A closing table keeps them, since their creators may come
        back.
        """
        if self.closing:
            return
        if self.cluster is not None:
            gone = self.cluster.shared.deserted(self.time())
        else:
            gone = self.lobby.sweep(self.people.keys() | self._awaited)
        for table in gone:
            self._forget(table)

    def _forget(self, table: LobbyTable) -> None:
        self.storage.submit(TableRemoved(table.number), lambda: None, lambda: None)

    # --- from before a restart ---

    async def restore(self) -> None:
        """Restore the state from before the table was stopped. Raises: LocalError if the store cannot be
        used.
        """
        kept = await self.storage.start()
        self.lobby.last_number = kept.last_number
        for number, terms, creator, rules in kept.tables:
            self._give_own_rules(self.lobby.add(LobbyTable(number, terms, creator, rules)))
        self.matches.stopped.update(kept.stopped)
        if self.cluster is None:
            await self.matches.restore()
        else:
            await self.cluster.start()
        self._awaited = {table.creator for table in kept.tables}
        if self.config.witness:
            self._restore_witness(kept)

    def _restore_witness(self, kept: SavedTable) -> None:
        # few tables are witnesses, and the code that judges records is slow to load
        from table.witness.certifier import Certifier

        if not isinstance(self.identity, Identity):
            raise LocalError("wrong.choose.signer_witness")
        if kept.restored and kept.words:
            raise LocalError("wrong.witness.restored", path=str(self.config.data))
        try:
            self.certifier = Certifier(
                self.identity, self.storage, kept, self.config.bounds, self.config.witness_for
            )
        except RemoteError:
            raise LocalError("wrong.witness.damaged", path=str(self.config.data)) from None
        log.info("a witness, of %d cards' trades so far", self.certifier.size)

    def stop_awaiting_creators(self) -> None:
        """Remove the tables whose creators have not come back after the restart."""
        self._awaited = set()
        self.sweep()


def _tell_waiting(table: LobbyTable) -> None:
    """Tell the people who wait at a table who waits there now."""
    message = encode("waiting", table.table_id, table.terms.seats, table.people())
    for peer in list(table.waiting):
        peer.send(message)
