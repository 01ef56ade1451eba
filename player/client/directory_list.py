"""The list of a directory, fetched and checked at home: the directory is trusted with nothing."""

import asyncio
from pathlib import Path
from urllib.parse import urlsplit

from player.storage.seen_lists import SeenLists
from protocol.directory.link import ListLink
from protocol.directory.table_list import TableList, check_against_seen, decode_list
from protocol.errors import LocalError, RemoteError
from protocol.identity.address import HTTP_PORTS
from protocol.identity.keys import short_letters
from protocol.limits import LIST_FETCH_SECONDS, MAX_DIRECTORY_LIST

OK = 200  # status of HTTP


async def read_list(link: ListLink, data: Path, now: float) -> TableList:
    """Fetch the list behind a link, and check it as `check_list` does. Raises: LocalError."""
    found = await _fetch(link)
    return check_list(found, link.url, data, now, link.fingerprint)


def check_list(
    encoded: bytes, source: str, data: Path, now: float, fingerprint: str | None = None
) -> TableList:
    """Return a list that is whole, signed, not expired and not older than one seen before; note its
    number in the data folder. `source`: where it is from, for errors; `now`: seconds since 1970;
    `fingerprint`: of the directory that must have signed it. Raises: LocalError.
    """
    try:
        found = decode_list(encoded)
    except RemoteError as error:
        raise LocalError("wrong.directory.damaged", source=source, why=error.phrase) from None
    if fingerprint is not None and found.fingerprint != fingerprint:
        raise LocalError("wrong.directory.fingerprint", found=short_letters(found.fingerprint))
    seen = SeenLists(data)
    before = seen.newest(found.fingerprint)
    newest = check_against_seen(found, before, now)
    if newest != before:
        seen.store(found.fingerprint, newest)
    return found


async def _fetch(link: ListLink) -> bytes:
    """Return the file behind a link. Raises: LocalError."""
    from net.page.fetch import NoAnswer, Place, fetch  # a tab has no sockets

    parts = urlsplit(link.url)
    folder, _, name = parts.path.rpartition("/")
    host = parts.hostname or ""
    place = Place(
        parts.scheme.lower(), host, parts.port or HTTP_PORTS[parts.scheme.lower()], f"{folder}/"
    )
    try:
        async with asyncio.timeout(LIST_FETCH_SECONDS):
            answer = await fetch(place, name, MAX_DIRECTORY_LIST)
    except (NoAnswer, TimeoutError) as error:
        why = str(error) or type(error).__name__
        raise LocalError("wrong.directory.answer", url=link.url, why=why) from None
    if answer.status != OK or not answer.whole:
        raise LocalError("wrong.directory.answer", url=link.url, why=f"HTTP {answer.status}")
    return answer.body
