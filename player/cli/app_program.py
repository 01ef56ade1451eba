"""The program of a person on a page: Home, and in its place the match, the table, the replay or the
cards that the person opens there. Only one thing is open at a time.

The same program runs on a person's machine, behind a server for its pages (`player.cli.app_command`),
and in a tab of a browser (`web.tab`).
"""

import argparse
import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from secrets import SystemRandom
from typing import Any

from commandline.rule_file import GAME as RULE_FILE_GAME
from player.cards.decks.deck_choice import FolderDecks, ListedDecks
from player.cards.trades.table_trade import TableTrade
from player.cli import arguments
from player.cli.cards.app_cards import AppCards
from player.cli.join_command import prepared_visit, visit_table
from player.cli.screen_choice import Screen, Screens
from player.cli.table_browser import TableBrowser
from player.cli.table_search import look_at_table
from player.cli.table_stay import OwnTables, TableStay
from player.client.connection import Connect, connect
from player.client.environment import Environment
from player.client.own_hands import NO_HANDS, own_hands
from player.client.table_client import Plan
from player.lobby.table_programs import TablePrograms, TableRequest
from player.presenter.match_screen import MatchScreen
from player.storage.contacts import Contact, read_contacts
from player.storage.known_tables import KnownTables
from player.storage.own_key import OwnKey
from player.storage.own_language import read_language
from player.storage.recovery_state import RecoveryState
from player.storage.resumable_matches import ResumableMatches
from player.storage.settings import read_settings
from player.ui.web.home.app_pages import AppPages, Shown
from player.ui.web.home.directory_requests import Directories
from player.ui.web.home.history_requests import MOST_FILE
from player.ui.web.home.home_messages import HomeMessages, HomeOptions, OpenRequest
from player.ui.web.home.match_facts import players_of, seat_of
from player.ui.web.lobby.people import LobbyPeople
from player.ui.web.match_talk import MatchTalk
from player.ui.web.messages import PageLanguage, RunWork
from player.ui.web.page_messages import PageMessages
from player.ui.web.page_screen import PageScreen
from player.ui.web.replay.serving import LogFile, OwnHands, OwnSeat, ReplayRequests
from player.ui.web.stream import News, Snapshot
from protocol.audit.history import MatchHistory
from protocol.errors import LocalError
from protocol.games import Hand
from protocol.games.registry import Games
from protocol.i18n import best_language, labels, load_translator
from protocol.i18n.language_choice import environment_languages, page_languages
from protocol.identity.keys import JoinLink
from protocol.local_files import read_log
from protocol.match.state import Match
from protocol.view.text import Translate, sanitize, translate_phrase

MODE = "app"
# plays a match against bots, as `fairdeal play` does with these words
PlayWords = Callable[[tuple[str, ...], Screens], Awaitable[int]]


@dataclass(frozen=True)
class Surroundings:
    """The place where the program runs, and what the program can do there.

    `play` plays against bots. `run_work` does work that takes a while. `tables` opens the person's
    own table, and seats bots; None: nobody can open a table from here. `find` finds the tables on
    the local network; None: nobody can look for them from here. `decks` names the decks that fit
    each game against bots; None: bots play with the deck of the rules here. `directories` reads
    lists of tables, and calls these. `calls`: the program can call people and shops by their links,
    and wait for people.
    """

    data: Path
    games: Games
    name: Callable[[], str]  # of the person
    key: OwnKey
    play: PlayWords
    run_work: RunWork
    directories: Directories
    most_file: int = MOST_FILE  # bytes of a file from elsewhere
    tables: TablePrograms | None = None
    find: Callable[[], Awaitable[list[dict[str, str]]]] | None = None
    connect: Connect = connect  # how a table is reached
    decks: Callable[[], dict[str, tuple[str, ...]]] | None = None
    calls: bool = True


class AppProgram:
    """The program behind Home, without a way to its pages. `pages` answers them."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._around = surroundings
        options = HomeOptions(
            surroundings.data,
            surroundings.games,
            surroundings.name,
            surroundings.key,
            frozenset({RULE_FILE_GAME}),  # it needs a rule file, which Home does not ask for
            surroundings.run_work,
            surroundings.directories,
            surroundings.most_file,
            tables=surroundings.tables,
            look=self._look,
            find=surroundings.find,
            decks=surroundings.decks,
            listed=ListedDecks(surroundings.data),
        )
        self.home = HomeMessages(options, self._usual_language(), self.open, self.go_home)
        self.pages = AppPages(self.home, self._home_shown())
        self._requests: asyncio.Queue[OpenRequest | None] = asyncio.Queue()
        self._screen: PageScreen | None = None
        self._replay: ReplayRequests | None = None
        key = surroundings.key
        self._cards = AppCards(
            surroundings.data,
            lambda: key.passphrase,
            surroundings.run_work,
            surroundings.connect,
            calls=surroundings.calls,
            leave=self._go_back,
        )
        self._shows_cards = False
        self._talk = MatchTalk()
        self._left = asyncio.Event()  # set when the person leaves what is open
        self._stopped = False

    async def serve_requests(self) -> None:
        """Open one thing after the other, until the program is stopped."""
        try:
            await self._serve_requests()
        finally:
            if self._around.tables is not None:
                await self._around.tables.end()

    async def close(self) -> None:
        """Close what stays open between requests."""
        await self._cards.close()

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

    def open(self, request: OpenRequest) -> None:
        """Open this when what was open before is closed."""
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
            await self._around.play(request.words, self.screen)
        elif request.log is not None:
            data = await self._around.run_work(partial(read_log, request.log))
            await self._show_replay(
                LogFile(sanitize(request.log.name), data),
                partial(_seat_in, request),
                None if request.state is None else partial(self._own_hands, request.state),
            )
        elif request.file is not None:
            await self._show_replay(LogFile(request.file.name, request.file.data))
        elif request.table is not None:
            await self._host(request.table)
        elif request.cards or request.trade is not None:
            await self._show_cards(request.trade)
        elif request.listed and request.link is not None:
            await self._visit(str(request.link), self._around.directories.connect)
        elif request.link is not None:
            await self._check_answer(request)
            await self._visit(str(await self._link_of(request.link)), seen=request.seen)

    async def _check_answer(self, request: OpenRequest) -> None:
        """Check that a table answers at a link that the person has typed, if a match of its table
        is not over: that match would wait for the table for ever. Raises: LocalError.
        """
        link = request.link
        if link is None or not request.typed or self._is_own(link):
            return
        around = self._around
        identity = await around.run_work(around.key.identity)
        if ResumableMatches(around.data, identity).at(link) is None:
            return
        if not (await self._look(link))["answers"]:
            raise LocalError("home.no_answer", where=link.address_text)

    def _is_own(self, link: JoinLink) -> bool:
        """Check that this is a link of the table that the person has opened last."""
        tables = self._around.tables
        earlier = None if tables is None else tables.earlier
        same = earlier is not None and earlier.fingerprint == link.fingerprint
        return same and link.fingerprint is not None

    async def _link_of(self, link: JoinLink) -> JoinLink:
        """Return the link of the table to visit. The person's own table opens first: the one that
        was open last has the same key, and may have another address by now. Raises: LocalError.
        """
        tables = self._around.tables
        if tables is None:
            return link
        if not self._is_own(link):
            await tables.bring_bots_back(link)
            return link
        opened = tables.own or await tables.open_again(self._around.name())
        return opened.link

    async def _look(self, link: JoinLink) -> dict[str, Any]:
        """Ask a table of an earlier visit who is there."""
        name = self._around.name()
        around = self._around
        rng = SystemRandom()
        return await look_at_table(
            link, name, around.games, around.data, rng, connect=around.connect
        )

    async def _host(self, request: TableRequest) -> None:
        """Open the person's own table, and sit down in its lobby. Raises: LocalError."""
        if self._around.tables is not None:
            opened = await self._around.tables.open(request, self._around.name())
            await self._visit(str(opened.link), deck=request.deck)

    async def _visit(
        self, link: str, connect: Connect | None = None, *, deck: str = "", seen: bool = False
    ) -> None:
        """Visit a table, as `fairdeal join LINK --web` does. `connect` calls it in place of the usual
        way. `deck`: the deck to bring unless the person chooses another. `seen`: the person is seen
        in its lobby at once. A trade through this table that is not over goes first, unless a match
        there is not over. Raises: LocalError.
        """
        if await self._trade_goes_first(JoinLink.parse(link)):
            await self._show_cards()
            return
        rng = SystemRandom()
        words = [link, "--web", "--data", str(self._around.data)]
        args = arguments.parser(self._around.games).parse_args(words)
        args.passphrase = self._around.key.passphrase

        async def stay(
            link: JoinLink, environment: Environment, plan: Plan, screen: MatchScreen
        ) -> int:
            stayed = self._stay_of(link, environment, plan, screen, deck=deck, seen=seen)
            return await stayed.play(link)

        with prepared_visit(args, rng) as visit:
            await visit_table(
                args,
                visit.to_go_on(args),
                rng,
                self.screen,
                stay=stay,
                connect=connect or self._around.connect,
            )

    async def _trade_goes_first(self, link: JoinLink) -> bool:
        """Return True if a trade at this table is not over: the table keeps one connection of a key.
        A match there has a clock, and goes before it. Raises: LocalError.
        """
        trade = self._cards.unfinished_trade()
        around = self._around
        if trade is None or not trade.is_at(KnownTables(around.data).resolved(link)):
            return False
        identity = await around.run_work(around.key.identity)
        return ResumableMatches(around.data, identity).at(link) is None

    def _stay_of(
        self,
        link: JoinLink,
        environment: Environment,
        plan: Plan,
        screen: MatchScreen,
        *,
        deck: str,
        seen: bool,
    ) -> TableStay:
        """Return a stay at these tables. A person who has opened them is seen there at once."""
        assert isinstance(screen, PageScreen)
        data = self._around.data
        decks = FolderDecks(data, environment.identity.public, "", deck or None)
        opened = None if self._around.tables is None else self._around.tables.own
        is_own = opened is not None and opened.link == link
        people = LobbyPeople(
            read_contacts(data),
            lambda: screen.translate,
            screen.changed,
            wants_seen=is_own or seen,
        )
        browser = TableBrowser(environment, plan, data, screen, decks)
        tables = OwnTables(self._around.tables, is_own)
        return TableStay(browser, screen, people, tables, self._trade)

    def _trade(self, trade: TableTrade) -> None:
        """Leave the table for a trade with somebody there."""
        self.open(OpenRequest(trade=trade))
        self._close()

    def _go_back(self, link: JoinLink) -> None:
        """Go back to a table after a trade there, if the cards are shown."""
        if self._shows_cards:
            self.open(OpenRequest(link=link, seen=True))
            self._close()

    @asynccontextmanager
    async def screen(
        self, args: argparse.Namespace, contacts: dict[str, Contact]
    ) -> AsyncIterator[Screen]:
        """Show a match on the pages, until it is over and the person leaves it."""
        watching = getattr(args, "spectate", False)
        only_bots = getattr(args, "only_bots", False)
        screen = PageScreen(contacts, self.home.translate, watching, self._talk, only_bots)
        messages = PageMessages(screen, args.games, self._around.run_work)
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

    async def _own_hands(self, state: RecoveryState, history: MatchHistory) -> Mapping[int, Hand]:
        """Return the person's hands in a match that can go on; none if the key is locked."""

        def read() -> Mapping[int, Hand]:
            around = self._around
            is_own = state.data.resolve() == around.data.resolve()
            key = around.key if is_own else OwnKey(state.data, SystemRandom())
            identity = key.identity()
            return NO_HANDS if identity is None else own_hands(history, state, identity)

        with suppress(LocalError):
            found: Mapping[int, Hand] = await self._around.run_work(read)
            return found
        return NO_HANDS

    async def _show_replay(
        self,
        log: LogFile,
        own: OwnSeat = lambda match: None,
        hands: OwnHands | None = None,
    ) -> None:
        """Show a replay until the person leaves it."""
        self._replay = ReplayRequests(
            log, self._around.games, self.home.translate, own=own, hands=hands
        )
        news = News()
        shown = Snapshot(1, 0, {"stage": "replay", "serial": 1, "view": None, "log": log.name})
        self.pages.show(Shown(self._replay, news, lambda: shown))
        await self._left.wait()

    async def _show_cards(self, begun: TableTrade | None = None) -> None:
        """Show the cards until the person leaves them. A trade through a table that is not over goes
        on there, or a trade is `begun`. Raises: LocalError if the cards cannot be read.
        """
        # whoever only plays needs none of it, and a tab starts sooner
        from player.ui.web.cards.card_requests import CardsRequests

        screen = await self._cards.open()
        screen.translate = self.home.translate
        self._shows_cards = True
        trade = begun or self._cards.unfinished_trade()
        if trade is not None and (begun is not None or screen.open_table_trade is None):
            await screen.meet(trade)
        self.pages.show(Shown(CardsRequests(screen), screen.news, screen.newest))
        await self._left.wait()

    def _home_shown(self) -> Shown:
        return Shown(self.home, self.home.news, self.home.newest)

    def _usual_language(self) -> Translate:
        chosen = read_language(self._around.data)
        return load_translator(*([chosen] if chosen else environment_languages(os.environ)))

    def speak(self, header: str) -> PageLanguage:
        """Choose the language of all pages, for a browser with this Accept-Language."""
        chosen = read_language(self._around.data)
        languages = [chosen] if chosen else page_languages(os.environ, header)
        self.home.translate = load_translator(*languages)
        if self._screen is not None:
            self._screen.translate = self.home.translate
        if self._replay is not None:
            self._replay.say_in(self.home.translate)
        if self._cards.screen is not None:
            self._cards.screen.translate = self.home.translate
        return PageLanguage(
            best_language(*languages),
            labels(*languages, area="page") | labels(*languages, area="cardpage"),
            read_settings(self._around.data),
        )


def _seat_in(request: OpenRequest, match: Match) -> int | None:
    """Return the person's seat in the match of a log; None if there is none."""
    if request.own is None:
        return None
    return seat_of(players_of(match), request.own, request.by_name)
