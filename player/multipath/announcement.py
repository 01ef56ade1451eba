"""Being found on the local network while nobody has come yet: only if the person has asked for
it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import NoReturn

from net.addresses import own_addresses
from net.lan.announcement import Announcement
from protocol.errors import LocalError
from protocol.view.phrase import Phrase

LOOK_SECONDS = 0.5  # between two looks whether somebody has come


@asynccontextmanager
async def found_on_lan(
    announcement: Announcement | None,
    where: tuple[str, int],
    waiting: Callable[[], bool],
    tell: Callable[[Phrase], None],
) -> AsyncIterator[None]:
    """Announce the own address on the local network while the caller is inside this context and
    `waiting`. None announces nothing.

    `tell` gets a sentence if the announcement is impossible; waiting goes on without it.
    """
    if announcement:
        announcing = asyncio.create_task(_announce(announcement, where, waiting, tell))
    else:
        announcing = None
    try:
        yield
    finally:
        if announcing is not None:
            announcing.cancel()
            await asyncio.wait({announcing})


async def _announce(
    announcement: Announcement,
    where: tuple[str, int],
    waiting: Callable[[], bool],
    tell: Callable[[Phrase], None],
) -> None:
    from net.lan.mdns import announce

    host, port = where
    announced = asyncio.create_task(announce(announcement, own_addresses(host), port))
    try:
        done: set[asyncio.Task[NoReturn]] = set()
        while waiting() and not done:
            done, _ = await asyncio.wait({announced}, timeout=LOOK_SECONDS)
        for failed in done:
            failed.result()
    except LocalError as error:
        tell(error.phrase)
    finally:
        announced.cancel()
        await asyncio.wait({announced})
