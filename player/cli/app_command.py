"""`fairdeal app`: Home on a page in the browser, and in its place the match, the table, the replay
or the cards that the person opens there.

One program serves one page to this machine alone. Only one thing is open at a time.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from secrets import SystemRandom
from typing import Any

from commandline.rule_file import GAME as RULE_FILE_GAME
from commandline.stop_signals import call_when_stopped
from net.http.server import open_listener, serve
from player.cards.decks.deck_choice import FolderDecks
from player.cli import arguments
from player.cli.cards.card_pages import AppCards
from player.cli.join_command import prepared_visit, visit_table
from player.cli.screen_choice import Screen, Screens
from player.cli.table_browser import TableBrowser
from player.cli.table_search import find_tables, look_at_table
from player.cli.table_stay import OwnTables, TableStay
from player.client.environment import Environment
from player.client.outcome import CLEAN
from player.client.table_client import Plan
from player.lobby.table_programs import TablePrograms, TableRequest
from player.presenter.match_screen import MatchScreen
from player.storage.contacts import Contact, read_contacts
from player.storage.own_key import OwnKey
from player.storage.own_language import read_language
from player.storage.resumable_matches import ResumableMatches
from player.storage.settings import read_settings
from player.ui.console_lines import Typed, read_lines
from player.ui.web.browser import Links, Opener, open_browser
from player.ui.web.cards.card_requests import CardsRequests
from player.ui.web.home.app_pages import AppPages, Shown
from player.ui.web.home.history_requests import MOST_FILE
from player.ui.web.home.home_messages import HomeMessages, HomeOptions, OpenRequest
from player.ui.web.http.access import HEADERS, Access
from player.ui.web.http.app import Page, make_app
from player.ui.web.http.assets import APP
from player.ui.web.http.message_routes import changing_routes
from player.ui.web.lobby.people import LobbyPeople
from player.ui.web.messages import Spoken
from player.ui.web.page_messages import PageMessages
from player.ui.web.page_screen import PageScreen
from player.ui.web.replay.serving import LogFile, ReplayRequests
from player.ui.web.stream import News, Snapshot
from protocol.errors import LocalError
from protocol.i18n import best_language, labels, load_translator
from protocol.i18n.language_choice import environment_languages, page_languages
from protocol.identity.keys import JoinLink
from protocol.local_files import read_log
from protocol.view.phrase import phrase
from protocol.view.text import Translate, phrase_renderer, sanitize, translate_phrase

MODE = "app"
# plays a match against bots, as `fairdeal play` does with these words
PlayWords = Callable[[tuple[str, ...], Screens], Awaitable[int]]


class App:
    """The program behind Home. `play` plays against bots."""

    def __init__(
        self,
        asked: argparse.Namespace,
        play: PlayWords,
        opener: Opener = open_browser,
        read: Callable[[asyncio.AbstractEventLoop, Typed], None] = read_lines,
        most_file: int = MOST_FILE,
        tables: TablePrograms | None = None,
    ) -> None:
        """`read` reads what is typed at the terminal; `most_file`: bytes of a file from elsewhere.
        `tables` opens the person's own table, and seats bots.
        """
        self._asked = asked
        self._play = play
        self._opener = opener
        self._read = read
        self._tables = tables
        self._data = arguments.data_of(asked)
        passphrase = None
        with suppress(LocalError):  # a file that cannot be read: the page asks
            passphrase = arguments.passphrase_of(asked)
        self._key = OwnKey(self._data, SystemRandom(), passphrase)
        options = HomeOptions(
            self._data,
            asked.games,
            self._own_name,
            self._key,
            frozenset({RULE_FILE_GAME}),  # it needs a rule file, which Home does not ask for
            asyncio.to_thread,
            most_file,
            tables=tables,
            look=self._look,
            find=lambda: find_tables(self._data),
        )
        self.home = HomeMessages(options, self._usual_language(), self._open, self.go_home)
        self.pages = AppPages(self.home, self._home_shown())
        self._requests: asyncio.Queue[OpenRequest | None] = asyncio.Queue()
        self._screen: PageScreen | None = None
        self._replay: ReplayRequests | None = None
        self._cards = AppCards(self._data, lambda: self._key.passphrase, asyncio.to_thread)
        self._shows_cards = False
        self._left = asyncio.Event()  # set when the person leaves what is open
        self._stopped = False

    async def run(self) -> int:
        """Serve until the program is stopped, and return the exit code."""
        listener = open_listener()
        port = listener.getsockname()[1]
        access = Access()
        links = Links(access, port, self._asked.web_name, self._opener)
        page = Page(
            MODE,
            self._speak,
            lambda: self.home.translate,
            changing_routes(self.pages),
            links.used,
            access,
            parts=APP,
        )
        app = make_app(page, port, self._asked.web_name)
        call_when_stopped(self.stop, hangup=True)
        async with serve(app, listener, HEADERS):
            await self._invite(links)
            self._read(asyncio.get_running_loop(), lambda line: self._typed(line, links))
            try:
                await self._serve_requests()
            finally:
                if self._tables is not None:
                    await self._tables.end()
            links.used()
            self.pages.end()
        await self._cards.close()
        return CLEAN

    def stop(self) -> None:
        """End the program; an unfinished match can go on later."""
        self._stopped = True
        self._requests.put_nowait(None)
        self._close()

    def go_home(self) -> None:
        """Close what is open, and show Home."""
        shown = self._screen is not None or self._replay is not None or self._shows_cards
        if self._left.is_set() or not shown:
            return
        self._close()
        self.home.begin()
        self.pages.show(self._home_shown())

    def _close(self) -> None:
        self._left.set()
        if self._screen is not None:
            self._screen.stop()

    def _open(self, request: OpenRequest) -> None:
        self._requests.put_nowait(request)

    async def _serve_requests(self) -> None:
        """Open one thing after the other."""
        while not self._stopped and (request := await self._requests.get()) is not None:
            self._left.clear()
            notice = ""
            try:
                await self._serve_request(request)
            except LocalError as error:
                # else the screen has said it
                if self._screen is None or not self._screen.has_begun:
                    notice = translate_phrase(error.phrase, self.home.translate)
            finally:
                self._screen = None
                self._replay = None
                self._shows_cards = False
            # else the person has opened something else meanwhile
            if not self._stopped and self._requests.empty():
                self.home.begin(notice, request if notice else None)
                self.pages.show(self._home_shown())

    async def _serve_request(self, request: OpenRequest) -> None:
        """Raises: LocalError."""
        if request.words:
            folder = () if self._asked.data is None else ("--data", str(self._data))
            await self._play((*request.words, *folder), self.screen)
        elif request.log is not None:
            data = await asyncio.to_thread(read_log, request.log)
            await self._show_replay(LogFile(sanitize(request.log.name), data))
        elif request.file is not None:
            await self._show_replay(LogFile(request.file.name, request.file.data))
        elif request.table is not None:
            await self._host(request.table)
        elif request.cards:
            await self._show_cards()
        elif request.link is not None:
            await self._check_answer(request)
            await self._visit(str(await self._link_of(request.link)))

    async def _check_answer(self, request: OpenRequest) -> None:
        """Check that a table answers at a link that the person has typed, if a match of its table
        is not over: that match would wait for the table for ever. Raises: LocalError.
        """
        link = request.link
        if link is None or not request.typed or self._is_own(link):
            return
        identity = await asyncio.to_thread(self._key.identity)
        if ResumableMatches(self._data, identity).at(link) is None:
            return
        if not (await self._look(link))["answers"]:
            raise LocalError("home.no_answer", where=link.address_text)

    def _is_own(self, link: JoinLink) -> bool:
        earlier = None if self._tables is None else self._tables.earlier
        same = earlier is not None and earlier.fingerprint == link.fingerprint
        return same and link.fingerprint is not None

    async def _link_of(self, link: JoinLink) -> JoinLink:
        """Return the link of the table to visit. The person's own table opens first: the one that
        was open last has the same key, and may have another address by now. Raises: LocalError.
        """
        tables = self._tables
        if tables is None:
            return link
        if not self._is_own(link):
            await tables.bring_bots_back(link)
            return link
        opened = tables.own or await tables.open_again(self._own_name())
        return opened.link

    async def _look(self, link: JoinLink) -> dict[str, Any]:
        """Ask a table of an earlier visit who is there."""
        name = self._own_name()
        return await look_at_table(link, name, self._asked.games, self._data, SystemRandom())

    async def _host(self, request: TableRequest) -> None:
        """Open the person's own table, and sit down in its lobby. Raises: LocalError."""
        if self._tables is not None:
            opened = await self._tables.open(request, self._own_name())
            await self._visit(str(opened.link))

    async def _visit(self, link: str) -> None:
        """Visit a table, as `fairdeal join LINK --web` does. Raises: LocalError."""
        rng = SystemRandom()
        words = [link, "--web", "--data", str(self._data)]
        args = arguments.parser(self._asked.games).parse_args(words)
        args.passphrase = self._key.passphrase

        async def stay(
            link: JoinLink, environment: Environment, plan: Plan, screen: MatchScreen
        ) -> int:
            return await self._stay_of(link, environment, plan, screen).play(link)

        with prepared_visit(args, rng) as visit:
            await visit_table(args, visit.to_go_on(args), rng, self.screen, stay=stay)

    def _stay_of(
        self, link: JoinLink, environment: Environment, plan: Plan, screen: MatchScreen
    ) -> TableStay:
        """Return a stay at these tables. A person who has opened them is seen there at once."""
        assert isinstance(screen, PageScreen)
        data = self._data
        decks = FolderDecks(data, environment.identity.public, "", None)
        opened = None if self._tables is None else self._tables.own
        is_own = opened is not None and opened.link == link
        people = LobbyPeople(
            read_contacts(data),
            lambda: screen.translate,
            screen.changed,
            wants_seen=is_own,
        )
        browser = TableBrowser(environment, plan, data, screen, decks)
        return TableStay(browser, screen, people, OwnTables(self._tables, is_own))

    @asynccontextmanager
    async def screen(
        self, args: argparse.Namespace, contacts: dict[str, Contact]
    ) -> AsyncIterator[Screen]:
        """Show a match on the pages, until it is over and the person leaves it."""
        screen = PageScreen(contacts, self.home.translate, getattr(args, "spectate", False))
        messages = PageMessages(screen, args.games, asyncio.to_thread)
        self._screen = screen
        self.pages.show(Shown(messages, screen.news, screen.newest))
        if self._stopped:
            screen.stop()
        try:
            yield Screen(screen, None)
        except LocalError as error:
            if not screen.has_begun:  # there is nothing to be seen: Home says why
                self._left.set()
            screen.failed(translate_phrase(error.phrase, screen.translate))
            raise
        finally:
            await self._left.wait()

    async def _show_replay(self, log: LogFile) -> None:
        """Show a replay until the person leaves it."""
        self._replay = ReplayRequests(log, self._asked.games, self.home.translate)
        news = News()
        shown = Snapshot(1, 0, {"stage": "replay", "serial": 1, "view": None, "log": log.name})
        self.pages.show(Shown(self._replay, news, lambda: shown))
        await self._left.wait()

    async def _show_cards(self) -> None:
        """Show the cards until the person leaves them. Raises: LocalError if they cannot be read."""
        screen = await self._cards.open()
        screen.translate = self.home.translate
        self._shows_cards = True
        self.pages.show(Shown(CardsRequests(screen), screen.news, screen.newest))
        await self._left.wait()

    def _home_shown(self) -> Shown:
        return Shown(self.home, self.home.news, self.home.newest)

    # --- the person: language, terminal ---

    def _usual_language(self) -> Translate:
        chosen = read_language(self._data)
        return load_translator(*([chosen] if chosen else environment_languages(os.environ)))

    def _speak(self, header: str) -> Spoken:
        """Choose the language of all pages, for a browser with this Accept-Language."""
        chosen = read_language(self._data)
        languages = [chosen] if chosen else page_languages(os.environ, header)
        self.home.translate = load_translator(*languages)
        if self._screen is not None:
            self._screen.translate = self.home.translate
        if self._replay is not None:
            self._replay.say_in(self.home.translate)
        if self._cards.screen is not None:
            self._cards.screen.translate = self.home.translate
        return Spoken(
            best_language(*languages),
            labels(*languages, area="page") | labels(*languages, area="cardpage"),
            read_settings(self._data),
        )

    def _own_name(self) -> str:
        return arguments.name_of(self._asked, SystemRandom())

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


def run_command(
    asked: argparse.Namespace, play: PlayWords, tables: TablePrograms | None = None
) -> int:
    """Run the app, and return the exit code. Raises: LocalError."""

    async def run() -> int:
        return await App(asked, play, tables=tables).run()

    return asyncio.run(run())
