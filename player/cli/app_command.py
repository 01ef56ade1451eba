"""`fairdeal app`: the program of a person on a page, with a server for its pages.

One program serves one page to this machine alone.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from secrets import SystemRandom

from commandline.stop_signals import call_when_stopped
from net.http.server import open_listener, serve
from player.cli import arguments
from player.cli.app_program import MODE, AppProgram, PlayWords, Surroundings
from player.cli.screen_choice import Screens
from player.cli.table_search import find_tables
from player.client.connection import connect
from player.client.directory_list import read_list
from player.client.outcome import CLEAN
from player.client.public_hosts import find_public_host
from player.lobby.table_programs import TablePrograms
from player.storage.own_key import OwnKey
from player.ui.console_lines import Typed, read_lines
from player.ui.web.browser import Links, Opener, open_browser
from player.ui.web.home.directory_requests import Directories
from player.ui.web.home.history_requests import MOST_FILE
from player.ui.web.http.access import HEADERS, Access
from player.ui.web.http.app import Page, make_app
from player.ui.web.http.assets import APP
from player.ui.web.http.message_routes import changing_routes
from protocol.directory.link import ListLink
from protocol.directory.table_list import TableList
from protocol.errors import LocalError
from protocol.view.phrase import phrase
from protocol.view.text import phrase_renderer


class App(AppProgram):
    """The program on this machine. `play` plays against bots."""

    def __init__(
        self,
        asked: argparse.Namespace,
        play: PlayWords,
        opener: Opener = open_browser,
        read: Callable[[asyncio.AbstractEventLoop, Typed], None] = read_lines,
        most_file: int = MOST_FILE,
        tables: TablePrograms | None = None,
        directories: Directories | None = None,
    ) -> None:
        """`read` reads what is typed at the terminal; `most_file`: bytes of a file from elsewhere.
        `tables` opens the person's own table, and seats bots. `directories` reads lists of tables
        in place of the usual way.
        """
        self._asked = asked
        self._opener = opener
        self._read = read
        data = arguments.data_of(asked)
        passphrase = None
        with suppress(LocalError):  # a file that cannot be read: the page asks
            passphrase = arguments.passphrase_of(asked)
        folder = () if asked.data is None else ("--data", str(data))

        def decks() -> dict[str, tuple[str, ...]]:
            from player.cards.decks.practice import fitting_decks  # takes a while to import

            return fitting_decks(data)

        async def play_here(words: tuple[str, ...], screens: Screens) -> int:
            return await play((*words, *folder), screens)

        super().__init__(
            Surroundings(
                data,
                asked.games,
                lambda: arguments.name_of(asked, SystemRandom()),
                OwnKey(data, SystemRandom(), passphrase),
                play_here,
                asyncio.to_thread,
                directories or _directories(data),
                most_file,
                tables,
                find=lambda: find_tables(data),
                decks=decks,
            )
        )

    async def run(self) -> int:
        """Serve until the program is stopped, and return the exit code."""
        listener = open_listener()
        port = listener.getsockname()[1]
        access = Access()
        links = Links(access, port, self._asked.web_name, self._opener)
        page = Page(
            MODE,
            self.speak,
            lambda: self.home.translate,
            changing_routes(self.pages),
            links.remove_file,
            access,
            parts=APP,
        )
        app = make_app(page, port, self._asked.web_name)
        call_when_stopped(self.stop, hangup=True)
        async with serve(app, listener, HEADERS):
            await self._invite(links)
            self._read(asyncio.get_running_loop(), lambda line: self._typed(line, links))
            await self.serve_requests()
            links.remove_file()
            self.pages.end()
        await self.close()
        return CLEAN

    # --- the terminal ---

    async def _invite(self, links: Links) -> None:
        if await links.open():
            self._print("app.open")
        else:
            self._print("web.link", link=links.new())

    def _typed(self, line: str | None, links: Links) -> None:
        """Enter gives a new link; the end of what a person types stops the program."""
        if line is not None:
            self._print("web.link", link=links.new())
        elif sys.stdin.isatty():
            self.stop()

    def _print(self, key: str, **values: str) -> None:
        say = phrase_renderer(self.home.translate, ())
        print(say(phrase(key, **values)), flush=True)


def _directories(data: Path) -> Directories:
    """Return the usual way: lists from the web, and calls to public addresses alone."""

    async def read(link: ListLink) -> TableList:
        return await read_list(link, data, time.time())

    return Directories(read, partial(connect, find=find_public_host))


def run_command(
    asked: argparse.Namespace, play: PlayWords, tables: TablePrograms | None = None
) -> int:
    """Run the app, and return the exit code. Raises: LocalError."""

    async def run() -> int:
        return await App(asked, play, tables=tables).run()

    return asyncio.run(run())
