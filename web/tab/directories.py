"""Directories in a tab: lists at the page's own web server, and calls to the tables in them."""

import asyncio
import time
from pathlib import Path
from typing import Any

import js
from pyodide.ffi import JsException, to_js

from player.client.connection import Connect
from player.client.directory_list import OK, check_list
from player.ui.web.home.directory_requests import Directories
from protocol.directory.link import ListLink
from protocol.directory.reachable import is_callable
from protocol.directory.table_list import TableList
from protocol.errors import LocalError
from protocol.identity.address import Address
from protocol.limits import LIST_FETCH_SECONDS, MAX_DIRECTORY_LIST

# nothing of the person goes along, nothing is followed, and the newest list is wanted
FETCH = {"cache": "no-cache", "credentials": "omit", "redirect": "error"}


def tab_directories(data: Path, connect: Connect) -> Directories:
    """Return the ways in which a tab reads lists and calls their tables.

    The browser looks names up, so a tab cannot know whether a name leads to a public address. From a
    page over https, a host without a certificate for the name gets the first message of TLS alone.
    """

    async def read(link: ListLink) -> TableList:
        return check_list(await _fetch(link), link.url, data, time.time(), link.fingerprint)

    return Directories(read, connect, _may_call)


def _may_call(address: Address) -> bool:
    """Check that this page can call an address of a list, and may."""
    secure = js.location.protocol == "https:"
    schemes = ("wss",) if secure else ("ws", "wss")
    return address.web_scheme in schemes and is_callable(address)


async def _fetch(link: ListLink) -> bytes:
    """Return the file behind a link. Raises: LocalError."""
    stop = js.AbortController.new()
    options = to_js({**FETCH, "signal": stop.signal}, dict_converter=js.Object.fromEntries)
    try:
        if js.URL.new(link.url).origin != js.location.origin:
            raise LocalError("wrong.tab.directory", origin=str(js.location.origin))
        async with asyncio.timeout(LIST_FETCH_SECONDS):
            answer = await js.fetch(link.url, options)
            if answer.status != OK:
                raise LocalError(
                    "wrong.directory.answer", url=link.url, why=f"HTTP {answer.status}"
                )
            return await _read_body(answer, link.url)
    except (JsException, TimeoutError) as error:
        why = error.name if isinstance(error, JsException) else type(error).__name__
        raise LocalError("wrong.directory.answer", url=link.url, why=str(why)) from None
    finally:
        stop.abort()


async def _read_body(answer: Any, url: str) -> bytes:
    """Return the body of an answer, of which no more is read than a list may have. Raises: LocalError,
    JsException.
    """
    reader = answer.body.getReader()
    found = bytearray()
    while not (part := await reader.read()).done:
        found += part.value.to_bytes()
        if len(found) > MAX_DIRECTORY_LIST:
            raise LocalError("wrong.directory.answer", url=url, why=f"> {MAX_DIRECTORY_LIST} B")
    return bytes(found)
