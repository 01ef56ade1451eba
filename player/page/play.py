"""A match on a page: the server as long as it lasts, a browser opened on it, and a terminal that gives out links."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from player.disk.contacts import Contact
from player.page.http.access import Access
from player.page.http.app import Page, make_app
from player.page.http.server import serve
from player.page.opening import Links, Opener, open_browser
from player.page.requests import MatchRequests
from player.page.screen import PageScreen
from player.screen.lines import read_lines
from protocol.errors import LocalError
from protocol.games.registry import Games
from protocol.locale import labels, language_of, translator
from protocol.locale.wishes import languages_of
from protocol.view.phrase import phrase
from protocol.view.words import speaker

PLAY = "play"


@dataclass(frozen=True)
class PageOptions:
    """What the command line says about a page. `name`: what a proxy of the person's own calls it."""

    games: Games
    watching: bool = False
    name: str | None = None
    opener: Opener = open_browser


@asynccontextmanager
async def page_screen(options: PageOptions, contacts: dict[str, Contact]) -> AsyncIterator[PageScreen]:
    """A screen that is shown on pages as long as this lasts, and then as long as one is open.

    Raises: LocalError if nothing can be served.
    """
    languages = languages_of(os.environ)
    translate, access = translator(*languages), Access()
    links = Links(access, options.name, options.opener)
    screen = PageScreen(contacts, translate, options.watching)
    page = Page(
        PLAY, language_of(*languages), labels(*languages, area="page"), translate,
        MatchRequests(screen, options.games).routes(), links.used, access,
    )  # fmt: skip
    async with serve(lambda port: make_app(page, port, options.name)) as port:
        links.port = port
        opening = asyncio.create_task(_invite(links, screen))
        _read_terminal(links, screen)
        try:
            yield screen
        except LocalError as error:
            screen.failed(error.said(screen.translate))
            raise
        finally:
            await screen.stay()
            opening.cancel()
            links.used()
            screen.news.end()


async def _invite(links: Links, screen: PageScreen) -> None:
    if await links.open():
        _print(screen.words("web.open"))
    else:
        _print_link(links, screen)


def _read_terminal(links: Links, screen: PageScreen) -> None:
    """Enter gives a new link; the end of what a person types, as everywhere, stops and keeps the match."""

    def typed(line: str | None) -> None:
        if line is None:
            if sys.stdin.isatty():
                screen.stop()
        elif line.strip():
            _print(screen.words("web.more"))
        else:
            _print_link(links, screen)

    read_lines(asyncio.get_running_loop(), typed)


def _print_link(links: Links, screen: PageScreen) -> None:
    _print(speaker(screen.translate, ())(phrase("web.link", link=links.new())))


def _print(text: str) -> None:
    print(text, flush=True)
