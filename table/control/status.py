"""Answer to `fairdeal table status`: tables, matches and people, with their processor time."""

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from math import ceil

from protocol.identity.keys import short_fingerprint
from table.control.messages import BanRow, ConnectionRow, HeadRow, HostRow, MatchRow, Row, TableRow
from table.lobby.bans import FOR_GOOD
from table.lobby.peer import Peer
from table.lobby.tables import LobbyTable
from table.manager.manager import TableManager
from table.manager.moderation import MATCH_DIGITS
from table.match.hosted_match import HostedMatch
from table.match.log_broadcaster import LogBroadcaster
from table.standby.primary import shown


def status_rows(manager: TableManager) -> Iterator[Row]:
    """Return the head, and the rows of tables, matches, connections, bans and other hosts."""
    yield _head_row(manager)
    for table in manager.lobby.everything():
        yield _table_row(table)
    present: dict[LogBroadcaster, list[Peer]] = defaultdict(list)
    for peer in manager.people.values():
        if peer.feed is not None and peer.open:
            present[peer.feed].append(peer)
    for feed in manager.matches.feeds.values():
        if isinstance(feed, HostedMatch) and not feed.live.status.over:
            yield _match_row(feed, present.get(feed, ()))
    now = manager.time()
    for peer in manager.people.values():
        yield _connection_row(peer, now)
    moderation = manager.moderation
    for ban in moderation.bans.holding(moderation.now):
        yield BanRow(ban.target.text, 0 if ban.until == FOR_GOOD else ban.until // 1000, ban.name)
    if manager.cluster is not None:
        for beat in manager.cluster.view.others:
            yield HostRow(beat.host.name, sum(bool(row.match_id) for row in beat.rows))


def _head_row(manager: TableManager) -> HeadRow:
    config = manager.config
    heard = manager.metrics.standby_heard
    return HeadRow(
        version("fairdeal"),
        config.name,
        str(manager.link or ""),
        int(manager.since),
        manager.drain.active,
        shown(config.standby) if config.standby is not None else "",
        None if heard is None else int(time.monotonic() - heard),
    )


def _short(match_id: bytes) -> str:
    return match_id.hex()[:MATCH_DIGITS]


def _table_row(table: LobbyTable) -> TableRow:
    return TableRow(
        table.table_id,
        table.played.game.name,
        table.played.seats,
        short_fingerprint(table.creator) if table.creator else "",
        [peer.name for peer in table.waiting],
        _short(table.room.match_id) if table.room is not None else "",
    )


def _match_row(feed: HostedMatch, present: Sequence[Peer]) -> MatchRow:
    status, people = feed.live.status, feed.setup.people
    connected = {peer.identity for peer in present}
    seats = [
        [
            person.name,
            short_fingerprint(person.identity),
            person.identity in connected,
            seat in status.gone,
        ]
        for seat, person in enumerate(people)
    ]
    watching = sum(peer.seat is None for peer in present)
    return MatchRow(
        _short(feed.match_id),
        feed.table_id,
        feed.setup.terms.game.name,
        feed.setup.created,
        status.next_number,
        seats,
        watching,
        ceil(feed.spent * 1000),
    )


def _connection_row(peer: Peer, now: float) -> ConnectionRow:
    connection = peer.connection
    return ConnectionRow(
        short_fingerprint(peer.identity),
        peer.name,
        peer.address,
        peer.phase.value,
        _short(peer.feed.match_id) if peer.feed is not None else "",
        int(now - connection.since),
        connection.records_in,
        connection.bytes_in,
        connection.refused_posts,
        ceil(connection.payer.spent * 1000),
        peer.banned,
    )
