"""Giving a running match up at the store, for another host."""

import asyncio
from functools import partial

from table.cluster.heartbeats import Host
from table.match.hosted_match import HostedMatch
from table.storage.interface import Storage


async def released(room: HostedMatch, host: Host, storage: Storage) -> None:
    """Release a match, and return when nothing of ours can be appended to it any more."""
    answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def done() -> None:
        if not answer.done():
            answer.set_result(None)

    room.stop(partial(storage.release, room.match_id, room.live.claim, host.name, done))
    await answer
