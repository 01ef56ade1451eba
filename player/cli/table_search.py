"""Questions about tables that the person has not opened: who is there, and which tables are on the
local network.
"""

import asyncio
from pathlib import Path
from random import Random
from typing import Any

from commandline.optional_packages import require_lan
from net.addresses import own_addresses
from net.lan.announcement import AnnouncementKind
from player.client import events
from player.client.connection import Connect, connect
from player.client.environment import Environment
from player.client.reconnect import see_through
from player.client.seat import Seat
from player.client.table_client import Plan, TableClient
from player.storage.contacts import read_contacts
from player.storage.known_tables import KnownTables
from protocol.errors import LocalError, RemoteError
from protocol.games.registry import Games
from protocol.identity.keys import KEY_SIZE, Identity, JoinLink
from protocol.limits import MAX_TABLES_LISTED, TABLE_LOOK_SECONDS, TABLE_NAMES_SHOWN
from protocol.view.text import sanitize

ALL = "0.0.0.0"  # noqa: S104  # asked about, not listened at


async def listed_tables(
    link: JoinLink,
    name: str,
    games: Games,
    data: Path,
    rng: Random,
    *,
    connect: Connect = connect,
) -> tuple[tuple[Any, ...], ...] | None:
    """Return the tables behind a link, as `events.Listed` has them; None if there is no answer in
    time. The visitor has a new key, so that the host does not learn who asks.
    """
    found: list[events.Listed] = []

    def tell(event: events.Event) -> None:
        if isinstance(event, events.Listed):
            found.append(event)

    visitor = Identity(rng.randbytes(KEY_SIZE))
    environment = Environment(visitor, rng, Seat, None, tell, games=games, connect=connect)
    client = TableClient(Plan(name, only_list=True, invite=link.invite), environment)
    expected = KnownTables(data).expected(link)
    try:
        async with asyncio.timeout(TABLE_LOOK_SECONDS):
            await see_through(client, link, expected, keep_trying=0)
    except (TimeoutError, LocalError, RemoteError):
        """The table does not answer, or is another one."""
    return found[0].rows[:MAX_TABLES_LISTED] if found else None


async def look_at_table(
    link: JoinLink,
    name: str,
    games: Games,
    data: Path,
    rng: Random,
    *,
    connect: Connect = connect,
) -> dict[str, Any]:
    """Return who waits at the tables behind a link, and how many matches there are."""
    rows = await listed_tables(link, name, games, data, rng, connect=connect)
    if rows is None:
        return {"answers": False, "people": [], "open": 0, "running": 0}
    people = [person[0] for _, _, waiting, _ in rows for person in waiting]
    return {
        "answers": True,
        "people": [sanitize(str(each)) for each in people[:TABLE_NAMES_SHOWN]],
        "open": sum(not running for *_, running in rows),
        "running": sum(bool(running) for *_, running in rows),
    }


async def find_tables(data: Path) -> list[dict[str, str]]:
    """Return the tables that announce themselves on the local network. Raises: LocalError, also if
    the library for it is not installed.
    """
    with require_lan():
        from net.lan.mdns import discover
    addresses = own_addresses(ALL)
    if not addresses:
        raise LocalError("wrong.lan")
    found = await discover(addresses)
    known = read_contacts(data)
    return [
        {
            "link": str(one.link),
            "address": sanitize(one.link.address_text),
            "game": sanitize(one.announcement.game),
            "name": sanitize(known[key].names[-1])
            if (key := one.announcement.fingerprint) in known
            else "",
        }
        for one in found
        if one.announcement.want is AnnouncementKind.TABLE
    ]
