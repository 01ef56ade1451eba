"""A match on a page: the server as long as it lasts, a browser opened on it, and a terminal that
gives out links.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from net.http.server import ServerBounds, open_listener, serve
from player.storage.contacts import Contact
from player.storage.files import read_json, write_json
from player.storage.settings import read_settings
from player.ui.console_lines import Typed, put, read_lines
from player.ui.web.browser import Links, Opener, open_browser
from player.ui.web.http.access import HEADERS, Access
from player.ui.web.http.app import Page, make_app
from player.ui.web.match_requests import match_routes
from player.ui.web.page_messages import PLAY, speak
from player.ui.web.page_screen import PageScreen
from protocol.errors import LocalError
from protocol.games.registry import Games
from protocol.i18n import load_translator
from protocol.i18n.language_choice import environment_languages
from protocol.view.phrase import phrase
from protocol.view.text import phrase_renderer, translate_phrase

FILE = "open-page.json"
RETURN_SECONDS = 3.0  # for an open page to find this program; it tries every two seconds


@dataclass(frozen=True)
class PageOptions:
    """The options of the command line for a page. `name`: the host name under which the person's own
    proxy serves it.
    """

    games: Games
    data: Path  # folder for the values with which a page can come back
    watching: bool = False
    name: str | None = None
    opener: Opener = open_browser
    # reads the lines of the terminal
    read: Callable[[asyncio.AbstractEventLoop, Typed], None] = read_lines
    bounds: ServerBounds | None = None  # of the server; None: the usual ones
    only_bots: bool = False  # bots have all other seats


class StoredAccess(NamedTuple):
    """The port and the secret of a run, with which its pages can return to the next run."""

    port: int = 0
    secret: str | None = None

    @classmethod
    def read(cls, data: Path) -> "StoredAccess":
        """Return an earlier run's stored values; none if they cannot be read."""
        try:
            value = read_json(data / FILE)
            kept = cls(value["port"], value["secret"])
        except (LocalError, KeyError):
            return cls()
        fits = type(kept.port) is int and 0 < kept.port < 65536 and type(kept.secret) is str
        return kept if fits else cls()

    def write(self, data: Path) -> None:
        """Store the values in a file that only this person can read. Raises: LocalError."""
        write_json(data / FILE, self._asdict())


@asynccontextmanager
async def page_screen(
    options: PageOptions, contacts: dict[str, Contact]
) -> AsyncIterator[PageScreen]:
    """Show a screen on pages during the context, and afterwards for as long as a page is open.

    Raises: LocalError if nothing can be served.
    """
    screen = PageScreen(
        contacts,
        load_translator(*environment_languages(os.environ)),
        options.watching,
        only_bots=options.only_bots,
    )
    async with serve_screen(options, screen) as (links, expected):
        opening = asyncio.create_task(_open_page(links, screen, expected))
        options.read(asyncio.get_running_loop(), _typed(links, screen))
        try:
            yield screen
        except LocalError as error:
            screen.failed(translate_phrase(error.phrase, screen.translate))
            raise
        finally:
            await screen.stay()
            opening.cancel()
            links.remove_file()
            screen.news.end()
            if not screen.stopped:
                (options.data / FILE).unlink(missing_ok=True)


@asynccontextmanager
async def serve_screen(
    options: PageOptions, screen: PageScreen
) -> AsyncIterator[tuple[Links, bool]]:
    """Serve a screen. The context has the links, and True if pages of an earlier run may come back.

    They can come back only at the same port, because they know no other one.
    """
    stored = StoredAccess.read(options.data)
    try:
        listener = open_listener(stored.port)
    except LocalError:
        stored, listener = StoredAccess(), open_listener(0)
    access = Access(stored.secret)
    port = listener.getsockname()[1]
    links = Links(access, port, options.name, options.opener)

    speak(screen, "")  # loads the language now, so that the first page does not wait
    page = Page(
        PLAY,
        lambda header: speak(screen, header)._replace(settings=read_settings(options.data)),
        lambda: screen.translate,
        match_routes(screen, options.games),
        links.remove_file,
        access,
    )
    async with serve(make_app(page, port, options.name), listener, HEADERS, options.bounds):
        StoredAccess(port, access.secret).write(options.data)
        yield links, stored.secret is not None


async def _open_page(links: Links, screen: PageScreen, expected: bool) -> None:
    """Open the browser, unless an open page of an earlier run comes back by itself."""
    if expected and await screen.news.wait_for_page(RETURN_SECONDS):
        _print(screen.presenter.words("web.more"))
    elif await links.open():
        _print(screen.presenter.words("web.open"))
    else:
        _print_link(links, screen)


def _typed(links: Links, screen: PageScreen) -> Typed:
    """Return the reader of typed lines. An empty line prints a new link; the end of the input stops
    the program, which keeps the match.
    """

    def typed(line: str | None) -> None:
        if line is None:
            if sys.stdin.isatty():
                screen.stop()
        elif line.strip():
            _print(screen.presenter.words("web.more"))
        else:
            _print_link(links, screen)

    return typed


def _print_link(links: Links, screen: PageScreen) -> None:
    _print(phrase_renderer(screen.translate, ())(phrase("web.link", link=links.new())))


def _print(text: str) -> None:
    put(f"{text}\n")
