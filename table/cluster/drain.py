"""A host that is told to stop leaves its matches to others, one named for each, and its people are
told where.
"""

import asyncio
import logging

from protocol.limits import HOST_LEAVE_SECONDS
from table.cluster.cluster import Cluster
from table.cluster.release import released
from table.match.hosted_match import HostedMatch
from table.storage.interface import Storage

SAY_SECONDS = 1.0  # for the store to take what is said to the others, who notice otherwise
IDLE_SECONDS = 1.0  # for log files that are being written

log = logging.getLogger(__name__)


async def drain(cluster: Cluster, storage: Storage) -> None:
    """Take nothing more, and release every match to a host that is there; what finds none stays as
    it is.
    """
    if not cluster.view.takes:
        return
    cluster.view.takes = False
    cluster.matches.leaving = True
    await _said(cluster)
    cluster.shared.send_on_who_waits()
    running = _running(cluster)
    left = [(room, host) for room in running if (host := cluster.heir(room)) is not None]
    releases = [asyncio.ensure_future(released(room, host, storage)) for room, host in left]
    for kept in cluster.matches.loading:
        cluster.matches.give_back(kept.match_id)
        cluster.claims.pass_on(cluster.give, kept)
    done = (await asyncio.wait(releases, timeout=HOST_LEAVE_SECONDS))[0] if releases else set()
    given = [pair for pair, release in zip(left, releases, strict=True) if release in done]
    for room, host in given:
        cluster.give(room.match_id, host.name)
    if given:
        await _said(cluster)  # before anybody is sent there
    for room, host in given:
        room.leave_to(host.address)
    for release in releases:
        release.cancel()
    cluster.matches.metrics.released += len(given)
    log.info("%d of %d matches are left to other hosts", len(given), len(running))
    if len(left) < len(running):
        log.warning(
            "%d matches wait in the store: no host is there that has their rules",
            len(running) - len(left),
        )
    await cluster.store.idle(IDLE_SECONDS)


async def _said(cluster: Cluster) -> None:
    """Say how it stands, if the store takes it in time."""
    saying = asyncio.ensure_future(cluster.announce())
    await asyncio.wait([saying], timeout=SAY_SECONDS)
    if not saying.done():
        saying.cancel()
    elif (error := saying.exception()) is not None:
        log.error(
            "the other hosts could not be told that this one stops (%s)", type(error).__name__
        )


def _running(cluster: Cluster) -> list[HostedMatch]:
    feeds = cluster.matches.feeds.values()
    return [
        feed
        for feed in feeds
        if isinstance(feed, HostedMatch) and not feed.live.status.over and feed.stored
    ]
