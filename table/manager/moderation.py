"""Moderation of a table by its host: bans, kicks, announcements and the removal of tables.

Nothing here takes a seat in a running match from anybody: people who are kicked or banned may come
back to it. Only `remove` with `end` ends a match, by an entry of the table in the log.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.limits import BANNED_SECONDS
from protocol.messages.lobby import make_remark
from protocol.messages.table import ConnectionPhase, encode
from table.lobby.bans import BanList, Target
from table.lobby.peer import Peer
from table.lobby.tables import DEFAULT_TABLE, Lobby, LobbyTable, dismiss
from table.match.hosted_match import HostedMatch
from table.storage.interface import Storage, TableRemoved

if TYPE_CHECKING:
    from table.cluster.cluster import Cluster

log = logging.getLogger(__name__)

MATCH_DIGITS = 8  # hexadecimal digits of a match's id that name it
# messages that banned people may send: those that a running match needs
ALLOWED = frozenset(
    {"hello", "invite", "resume", "join", "tail", "replay", "post", "relay", "pong"}
)


class ModeratedTable(Protocol):
    """The table manager that a host moderates: `table.manager.manager.TableManager`."""

    people: dict[bytes, Peer]  # by identity
    lobby: Lobby
    storage: Storage
    cluster: "Cluster | None"


class Removal(NamedTuple):
    """A table that is removed, and its match that is to end first."""

    table_id: str
    over: asyncio.Event | None  # set when the match is over; None: none ran


class Moderation:
    """The host's decisions, and their effect on the people of one table manager."""

    def __init__(self, manager: ModeratedTable, bans: BanList, now: Callable[[], float]) -> None:
        """`now`: Unix seconds."""
        self._manager, self.bans, self._now = manager, bans, now
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._edition = -1  # of the bans at the last look
        self._idle: set[Peer] = set()  # banned, and in no match at the last look
        self._ending: dict[HostedMatch, asyncio.Event] = {}  # matches that the host ends
        self._removed: set[str] = set()  # tables to remove when their match is over
        self._close_idle()

    def close(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()

    # --- bans ---

    @property
    def now(self) -> int:
        """Unix milliseconds."""
        return int(self._now() * 1000)

    def is_banned(self, peer: Peer) -> bool:
        """Tell if the key or the address of a peer is banned."""
        return len(self.bans) > 0 and self.bans.covers(peer.identity, peer.address, self.now)

    def check(self, peer: Peer, name: str) -> None:
        """Check a message of somebody who is banned. Raises: RemoteError(BANNED)."""
        if name not in ALLOWED and peer.phase is not ConnectionPhase.SEATED:
            raise RemoteError(Code.BANNED)

    def ban(self, target: Target, until: int) -> int:
        """Ban a target until then (Unix milliseconds). Return the number of closed connections.

        Raises: LocalError.
        """
        here = {peer.name for peer in self._manager.people.values() if self._is(peer, target)}
        # of several people behind one address, no name tells which one was meant
        name = here.pop() if len(here) == 1 else ""
        self.bans.decide(target, until, self.now, name)
        log.info("banned: %s", _log_name(target), extra=_log_address(target))
        return self.apply_bans()

    @staticmethod
    def _is(peer: Peer, target: Target) -> bool:
        return bool(peer.name) and target.fits(peer.identity, peer.address)

    def unban(self, target: Target) -> bool:
        """Lift the bans of a target, whose fingerprint may be shortened. Return False if there are none.
        Raises: LocalError.
        """
        found = [ban.target for ban in self.bans.holding(self.now) if ban.target.same_as(target)]
        for each in found:
            self.bans.decide(each, 0, self.now)
            log.info("not banned any more: %s", _log_name(each), extra=_log_address(each))
        if found:
            self.apply_bans()
        return bool(found)

    def apply_bans(self) -> int:
        """Close the connections of banned people without a seat, after a decision here or at another
        host. Return the number of closed connections.
        """
        closed = 0
        for peer in list(self._manager.people.values()):
            peer.banned = self.is_banned(peer)
            if peer.banned and not self._has_seat(peer):
                peer.connection.end(Code.BANNED, error=True)
                closed += 1
        self._close_idle()
        return closed

    def _has_seat(self, peer: Peer) -> bool:
        """Tell if somebody has a seat in a running match, here or at another host."""
        cluster = self._manager.cluster
        return (
            peer.phase is ConnectionPhase.SEATED
            or self._manager.lobby.seat_of(peer.identity) is not None
            or (cluster is not None and cluster.view.of_seat(peer.identity) is not None)
        )

    def _close_idle(self) -> None:
        """Close connections of people who are banned and have no seat, now and at the last look."""
        self.close()
        if len(self.bans):  # set before the work, so that no error in it ends the enforcement
            self._timer = self._loop.call_later(BANNED_SECONDS, self._close_idle)
        idle = set()
        edition = self.bans.current_edition(self.now)
        for peer in list(self._manager.people.values()) if len(self.bans) else ():
            if edition != self._edition:
                peer.banned = self.is_banned(peer)
            if peer.banned and not self._has_seat(peer):
                idle.add(peer)
        self._edition = edition
        for peer in idle & self._idle:
            peer.connection.end(Code.BANNED, error=True)
        self._idle = idle - self._idle

    # --- connections ---

    def kick(self, target: Target) -> int:
        """Close the connections of a key or an address. Return their number."""
        found = [
            peer
            for peer in self._manager.people.values()
            if target.fits(peer.identity, peer.address)
        ]
        for peer in found:
            peer.connection.end(Code.KICKED)
        log.info(
            "kicked: %s, %d connections", _log_name(target), len(found), extra=_log_address(target)
        )
        return len(found)

    def say(self, line: str) -> int:
        """Send a line to everybody. Return the number of people who receive it. Raises: LocalError."""
        message = encode("announced", make_remark(line))
        heard = [
            peer
            for peer in self._manager.people.values()
            if peer.phase is not ConnectionPhase.GREETING and peer.takes_talk
        ]
        for peer in heard:
            peer.send(message)
        return len(heard)

    # --- tables and matches ---

    def remove(self, named: str, end: bool) -> Removal:
        """Remove a table from the lobby. `named`: its id, or the beginning of its match's id.

        With `end` the match that runs there is ended first, by an entry of the table.
        Raises: LocalError.
        """
        table = self._find(named)
        room, over = table.room, None
        if room is not None:
            if not end:
                raise LocalError("wrong.control.runs", table=table.table_id)
            if not room.live.status.over and not room.live.status.may_end:
                raise LocalError("wrong.control.decided", table=table.table_id)
            if table.number:
                self._removed.add(table.table_id)
            over = self._ending.setdefault(room, asyncio.Event())
            room.end()
        elif not table.number:
            raise LocalError("wrong.control.default")
        else:
            self._remove_table(table)
        log.info("removed: table %s", table.table_id)
        return Removal(table.table_id, over)

    def match_over(self) -> None:
        """Remove the tables that have waited for the end of their match."""
        for room in [room for room in self._ending if room.over]:
            self._ending.pop(room).set()
        for table_id in list(self._removed):
            table = self._manager.lobby.tables.get(table_id)
            if table is None or table.room is None:
                self._removed.discard(table_id)
                if table is not None:
                    self._remove_table(table)

    def _remove_table(self, table: LobbyTable) -> None:
        lobby, storage = self._manager.lobby, self._manager.storage
        dismiss(lobby.clear(table), Code.NO_SUCH_TABLE)
        lobby.tables.pop(table.table_id, None)
        storage.submit(TableRemoved(table.number), lambda: None, lambda: None)

    def _find(self, named: str) -> LobbyTable:
        """Raises: LocalError."""
        lobby, cluster = self._manager.lobby, self._manager.cluster
        for table in lobby.everything():
            short = table.room.match_id.hex() if table.room is not None else ""
            if len(named) >= MATCH_DIGITS and short.startswith(named.lower()):
                return table
        found = cluster.view.of_table(named) if cluster is not None else None
        table_here = lobby.tables.get(named)
        if found is not None and (table_here is None or table_here.room is None):
            raise LocalError(
                "wrong.control.elsewhere",
                table=named,
                host=found.host.name if found.host is not None else "?",
            )
        if table_here is None:
            raise LocalError("wrong.control.table", table=named, usual=DEFAULT_TABLE)
        return table_here


def _log_name(target: Target) -> str:
    """Return a target for the log, which has addresses only if the host asks for them."""
    return target.text if target.is_key else "an address"


def _log_address(target: Target) -> dict[str, str]:
    return {} if target.is_key else {"address": target.text}
