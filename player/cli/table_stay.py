"""A stay at the tables behind a link, on a page: the lobby with its people, matches one after the
other, and the way back to the lobby after each of them.

A person who is seen in the lobby has a connection there between matches. The next connection of the
same key takes over, so that a table that the person has put up stands meanwhile.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from player.cards.trades.table_trade import TableTrade
from player.cli.key_following import follow_key, watch_keys
from player.cli.table_browser import TableBrowser
from player.cli.table_search import listed_tables
from player.cli.table_visits import play_once
from player.client import events
from player.client.environment import Environment
from player.client.match_replica import MatchReplica
from player.client.outcome import CLEAN
from player.client.reconnect import see_through
from player.client.table_client import Plan, TableClient, explain
from player.lobby.lobby_client import LobbyClient
from player.lobby.meeting import Destination, LobbyPresence, Meeting, News
from player.lobby.roster import Guest
from player.lobby.table_programs import TablePrograms
from player.storage.known_tables import KnownTables
from player.storage.mute_list import MuteList
from player.ui.web.lobby.people import NO_PARTNERS, LobbyPeople
from player.ui.web.lobby.tables import MAIN, PAGE_SEARCH, Choice, Company, Lobby
from player.ui.web.page_screen import PageScreen
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import JoinLink
from protocol.limits import INVITING_SECONDS, MEETING_SECONDS
from protocol.match.terms import Terms
from protocol.messages.table_search import TableSearch
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import phrase_renderer, translate_phrase

BANNED = explain(Code.BANNED)
SENT_AWAY = phrase("lobby.sent_away")


@dataclass(frozen=True)
class OwnTables:
    """The programs for tables that the app starts. `is_own`: these tables are the person's own."""

    programs: TablePrograms | None = None
    is_own: bool = False

    @property
    def told(self) -> tuple[Phrase, ...] | None:
        """Return the sentences about the person's own table; None at somebody else's table."""
        if not self.is_own or self.programs is None:
            return None
        own = self.programs.own
        return () if own is None else own.told


class TableStay:
    """A stay of one person. `browser` has the person's environment, requirements and decks."""

    def __init__(
        self,
        browser: TableBrowser,
        screen: PageScreen,
        people: LobbyPeople,
        own: OwnTables,
        on_trade: Callable[[TableTrade], None],
    ) -> None:
        """`on_trade` gets the trade for which the person leaves the tables."""
        self._on_trade = on_trade
        self._browser = browser
        self._screen = screen
        self._people = people
        self._own = own
        self._name = browser.plan.name
        self._link: JoinLink | None = None  # of the lobby that is shown
        self._lobby: Lobby | None = None
        self._decision: asyncio.Future[Choice] | None = None
        self._wish = asyncio.Event()  # set when the person wants to be seen, or not any more
        self._standing: tuple[LobbyClient, asyncio.Task[None]] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._bots = 0  # bots that the person has added for this match
        self._returning = 0  # bots of the last match that shall play again
        self._news = asyncio.Event()  # set whenever something happens in the lobby
        people.on_wish = self._wish.set

    async def play(self, link: JoinLink) -> int:
        """Stay until the person leaves, and return the exit code of the last match. Raises:
        LocalError as `play_once`.
        """
        code = CLEAN
        trade: TableTrade | None = None
        first = self._browser.plan
        # a match that is not over goes first
        choice = None if first.browse else Choice(link, self._name, first)
        before: JoinLink | None = None
        try:
            while not self._screen.stopped:
                try:
                    choice = choice or await self._choose(link)
                except LocalError as error:
                    if before is None:
                        raise
                    self._screen.warn(translate_phrase(error.phrase, self._screen.translate))
                    link, before = before, None
                    continue
                if choice is None:
                    break
                if choice.partner is not None:
                    trade = self._trade_with(choice.link, choice.partner)
                    break
                self._name = choice.name
                if choice.plan is None:
                    link, before, choice = choice.link, link, None
                    await self._retire()
                    continue
                before = None
                code, choice = await self._go(choice, choice.plan)
        finally:
            await self._retire()
            for task in self._tasks:
                task.cancel()
            if self._tasks:
                await asyncio.wait(self._tasks)
        if trade is not None:
            self._on_trade(trade)
        return code

    def _trade_with(self, link: JoinLink, partner: Guest) -> TableTrade:
        known = KnownTables(self._browser.data)
        return TableTrade(known.resolved(link), partner.key, partner.name)

    # --- the lobby ---

    async def _choose(self, link: JoinLink) -> Choice | None:
        """Return the person's choice at the tables behind this link; None if the person leaves.

        Where the table ends the visit, the page says why, until the person tries again.
        """
        while True:
            choice = await self._look_around(link)
            if choice is not None or not await self._try_again():
                return choice

    async def _try_again(self) -> bool:
        """Show why the table has ended the last visit; True as soon as the person wants to try
        again.
        """
        client = self._screen.client
        if client is None or client.reason is None or self._screen.stopped:
            return False
        reason = SENT_AWAY if client.reason == BANNED else client.reason
        return bool(await self._screen.show_failed_visit(reason))

    async def _look_around(self, link: JoinLink) -> Choice | None:
        """Return the person's choice; None if the visit ends before."""
        lobby = self._show(link, choosing=True)
        decision = self._expect()
        asking = asyncio.create_task(self._keep_asking())
        try:
            while True:
                self._wish.clear()
                await self._retire()
                if self._people.wants_seen:
                    client, looking = self._stand(link, self._screen.hear)
                    others = KnownTables(self._browser.data).for_others(link)
                    self._screen.follow(client, str(others))
                else:
                    looking = asyncio.create_task(self._look(link))
                await self._first(looking, decision)
                if decision.done():
                    if not self._people.wants_seen and self._screen.client is not None:
                        self._screen.client.give_up(None)
                        await looking
                    return decision.result()
                if looking.done():
                    looking.result()
                    return None
                if self._screen.client is not None:  # the person appears, or vanishes
                    self._screen.client.give_up(None)
                await asyncio.wait([looking])
        finally:
            asking.cancel()
            lobby.choosing = False

    def _show(self, link: JoinLink, *, choosing: bool) -> Lobby:
        """Show the lobby of this link, until another one is shown."""
        browser = self._browser
        if link != self._link:
            self._link = link
            self._people.meeting = self._meeting(link)
            if self._own.is_own:
                self._begin(self._told(self._read_sent_away))
        programs = self._own.programs
        own = programs.own if programs is not None and self._own.is_own else None
        self._screen.page_link = None if own is None else own.page
        company = Company(
            self._people,
            (lambda: self._own.told or ()) if self._own.is_own else None,
            self._add_bot if programs is not None else None,
            self._screen.answer_onward,
            self._change if self._own.is_own else None,
            self._send_away if self._own.is_own else None,
            self._let_back if self._own.is_own else None,
            self._end_bots if programs is not None else None,
            self._bring_bots if programs is not None else None,
        )
        lobby = Lobby(
            link,
            replace(browser.plan, name=self._name, browse=False),
            browser.environment.games,
            phrase_renderer(self._screen.translate, ()),
            self._decide,
            browser.decks,
            company,
            self._ask_tables,
        )
        lobby.choosing = choosing
        self._lobby = lobby
        self._screen.show_lobby(lobby)
        return lobby

    def _meeting(self, link: JoinLink) -> Meeting:
        presence = LobbyPresence(self._name, (), link.invite)
        own = self._browser.environment.identity.public
        ignored = MuteList(self._browser.data)
        return Meeting(own, presence, ignored, self._hear, self._arrive)

    def _hear(self, news: News) -> None:
        self._people.hear(news)
        self._news.set()

    def _arrive(self, where: Destination) -> None:
        if where.partner is not None and self._link is not None:
            self._decide(Choice(self._link, self._name, partner=where.partner))
        elif self._lobby is not None and where.table_id is not None and where.terms is not None:
            self._lobby.arrive(where.table_id, where.terms)

    def _decide(self, choice: Choice) -> None:
        if self._decision is not None and not self._decision.done():
            self._decision.set_result(choice)

    def _expect(self) -> "asyncio.Future[Choice]":
        self._decision = asyncio.get_running_loop().create_future()
        return self._decision

    async def _first(self, *ends: "asyncio.Future[Any]") -> None:
        """Wait until one of these is done, or the person wants to be seen or not to be seen."""
        wish = asyncio.create_task(self._wish.wait())
        await asyncio.wait([*ends, wish], return_when=asyncio.FIRST_COMPLETED)
        wish.cancel()

    async def _look(self, link: JoinLink) -> None:
        """Look around unseen."""
        plan = Plan(
            self._name,
            browse=True,
            keep_trying=self._browser.plan.keep_trying,
            search=PAGE_SEARCH if self._lobby is None else self._lobby.search,
        )
        browser = self._browser
        await play_once(link, browser.stranger(), plan, browser.data, self._screen)

    async def _keep_asking(self) -> None:
        """Ask for the tables again while somebody looks at them."""
        while True:
            await asyncio.sleep(self._browser.look_seconds)
            if self._screen.has_viewer:
                self._ask_tables(None if self._lobby is None else self._lobby.search)

    def _ask_tables(self, search: TableSearch | None) -> None:
        """Ask for this page of the tables, over whichever connection stands."""
        client = self._screen.client
        if isinstance(client, TableClient | LobbyClient):
            client.look(search)

    # --- the connection in the lobby ---

    def _stand(
        self, link: JoinLink, tell: Callable[[events.Event], None]
    ) -> tuple[LobbyClient, "asyncio.Task[None]"]:
        """Be seen in the lobby, until another connection takes over or `_retire` ends it. Raises:
        LocalError from the task.
        """
        meeting = self._people.meeting
        assert meeting is not None, "a lobby is shown"
        client = LobbyClient(
            replace(self._browser.environment, tell=tell),
            meeting,
            PAGE_SEARCH if self._lobby is None else self._lobby.search,
        )
        task = asyncio.create_task(self._visit_lobby(client, link))
        self._standing = client, task
        return self._standing

    async def _visit_lobby(self, client: LobbyClient, link: JoinLink) -> None:
        try:
            try:
                await self._stay_in_lobby(client, link)
            except RemoteError as error:
                if error.code is not Code.WRONG_TABLE_KEY:
                    raise
                data = self._browser.data
                expected = KnownTables(data).expected(link)
                await follow_key(link, expected, client.environment, data, self._screen)
                await self._stay_in_lobby(client, link)
        except RemoteError as error:
            raise LocalError(phrase("explain.code", why=error.phrase)) from None
        finally:
            if client.reason is not None:
                self._people.ended(SENT_AWAY if client.reason == BANNED else client.reason)
            self._screen.changed()

    async def _stay_in_lobby(self, client: LobbyClient, link: JoinLink) -> None:
        """Raises: RemoteError, LocalError as `see_through`."""
        known = KnownTables(self._browser.data)

        def met(table_key: bytes) -> None:
            known.remember(link, table_key)

        keys = watch_keys(self._browser.data, partial(self._screen.tell, always=True))
        patience = self._browser.plan.keep_trying
        await see_through(client, link, known.expected(link), met, patience, keys)

    async def _retire(self) -> None:
        """End the connection in the lobby."""
        standing = self._standing
        self._standing = None
        if standing is not None:
            client, task = standing
            client.give_up(None)
            await asyncio.wait([task])

    # --- a table ---

    async def _go(self, choice: Choice, plan: Plan) -> tuple[int, Choice | None]:
        """Play match after match at a table. Return the exit code, and the next choice if the
        person has made one already.
        """
        link = choice.link
        browser = self._browser
        self._bots = self._returning = 0
        trade: Choice | None = None  # for which the person has left a seat
        while True:
            self._screen.presenter.watching = plan.spectate
            if plan.spectate:
                environment = browser.stranger()
            else:
                environment = browser.environment
                if plan.create is not None or plan.agreed is not None:
                    environment = browser.with_deck(choice, plan)
                environment = replace(environment, companion=self._companion())
            self._show(link, choosing=False)
            async with self._partners_watched(link, self._is_before_match):
                code, well = await self._visit(link, environment, plan)
            decision = self._decision
            decided = decision.result() if decision is not None and decision.done() else None
            if decided is not None and decided.partner is not None:
                seat = await self._begun(link, plan)
                if seat is not None:
                    plan, trade = seat, decided
                    continue
            client = self._screen.client
            playing = None if client is None else client.playing
            if playing is None:
                await self._send_bots_away(link)
            if decided is not None:
                return code, decided
            if playing is None and trade is not None:
                return code, trade  # the match is of others
            if playing is None and client is not None and client.reason == BANNED:
                await self._try_again()
            if playing is None or self._screen.stopped:
                return code, None
            after = await self._after(link, playing, again=well and not plan.spectate)
            if not isinstance(after, Plan):
                return code, after
            plan = after
            self._returning, self._bots = self._bots, 0

    async def _begun(self, link: JoinLink, plan: Plan) -> Plan | None:
        """Return the plan of a visit to the table where the person has just waited, if a match runs
        there; None if none does. It may have begun before the table heard that the person leaves.
        """
        at = None if self._lobby is None else self._lobby.at
        if at is None or plan.spectate:
            return None
        for table_id, played, _, running in await self._listed(link):
            if table_id == at and running:
                return replace(plan, table_id=at, create=None, agreed=played)
        return None

    async def _listed(self, link: JoinLink) -> tuple[tuple[Any, ...], ...]:
        """Return the tables behind a link, as `listed_tables` does; none if there is no answer."""
        browser = self._browser
        environment = browser.environment
        rows = await listed_tables(
            link,
            self._name,
            environment.games,
            browser.data,
            environment.rng,
            connect=environment.connect,
        )
        return rows or ()

    def _companion(self) -> Meeting | None:
        meeting = self._people.meeting
        if meeting is None or not self._people.wants_seen:
            return None
        meeting.gone_on = True  # the seat's connection takes over
        return meeting

    async def _visit(
        self, link: JoinLink, environment: Environment, plan: Plan
    ) -> tuple[int, bool]:
        """Play one match, or wait for one until the person accepts an invitation to another."""
        decision = self._expect()
        data = self._browser.data
        playing = asyncio.create_task(play_once(link, environment, plan, data, self._screen))
        ends: list[asyncio.Future[Any]] = [playing, decision]
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if not playing.done() and self._screen.client is not None:
                self._screen.client.give_up(phrase("stop.left"))
            return await playing
        finally:
            await self._retire()

    async def _after(
        self, link: JoinLink, playing: MatchReplica, *, again: bool
    ) -> Plan | Choice | None:
        """Ask what comes after a match, while the person is in the lobby. Return the plan of
        another match at the same table, another choice, or None for the lobby.
        """
        own = self._browser.environment.identity.public
        setup = playing.reader.match.setup if playing.reader is not None else None
        people = frozenset() if setup is None else frozenset(one.identity for one in setup.people)
        self._people.partners = people - {own}
        self._people.played = None if setup is None else setup.terms
        self._people.waiting = NO_PARTNERS
        decision = self._expect()
        async with self._seen_meanwhile(link), self._partners_watched(link, lambda: True):
            asked = asyncio.create_task(self._screen.onward(again=again and setup is not None))
            ends: list[asyncio.Future[Any]] = [asked, decision]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if decision.done():
                asked.cancel()
                await asyncio.wait([asked])
                return decision.result()
            way = asked.result()
            if way == "other":
                self._people.wants_seen = True
            elif way != "again":
                self._people.partners = frozenset()
            self._people.waiting = NO_PARTNERS
            if way != "again" or setup is None:
                return None
            plan = replace(self._browser.plan, name=self._name, log=None, browse=False)
            if setup.table.id == MAIN:
                return replace(plan, table_id=MAIN, agreed=setup.terms)
            return await self._again(plan, people - {own}, setup.terms, decision)

    async def _again(
        self,
        plan: Plan,
        partners: frozenset[bytes],
        terms: Terms,
        decision: "asyncio.Future[Choice]",
    ) -> Plan | Choice | None:
        """Play the same game with the same people at another table: the first one has gone with its
        match. A table where one of them waits already goes first, and then a new one.
        """
        link = self._link
        assert link is not None, "a match was played there"
        for table_id, played, people, running in await self._listed(link):
            if not running and played == terms and any(key in partners for _, key in people):
                return replace(plan, table_id=table_id, agreed=terms)
        guests = await self._met(partners)
        meeting = self._people.meeting
        if meeting is None or not guests:
            return replace(plan, create=terms)
        meeting.play_with(guests, terms)
        # the table may refuse, or the person may change their mind
        asked = asyncio.create_task(self._screen.onward(again=False))
        ends: list[asyncio.Future[Any]] = [decision, asked]
        try:
            await asyncio.wait(ends, timeout=INVITING_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        finally:
            asked.cancel()
        return decision.result() if decision.done() else None

    async def _met(self, partners: frozenset[bytes]) -> tuple[Guest, ...]:
        """Return the partners who are seen in the lobby. They take a moment to come from the
        match.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(MEETING_SECONDS if self._people.wants_seen else 0):
                while len(self._people.present(partners)) < len(partners):
                    self._news.clear()
                    await self._news.wait()
        return self._people.present(partners)

    @asynccontextmanager
    async def _seen_meanwhile(self, link: JoinLink) -> AsyncIterator[None]:
        """Be in the lobby as long as this lasts, whenever the person wants to be seen."""

        async def keep() -> None:
            while True:
                self._wish.clear()
                if self._people.wants_seen and self._standing is None:
                    self._stand(link, self._tell_lobby)
                elif not self._people.wants_seen:
                    await self._retire()
                await self._wish.wait()

        keeping = asyncio.create_task(keep())
        try:
            yield
        finally:
            keeping.cancel()
            await asyncio.wait([keeping])

    def _is_before_match(self) -> bool:
        client = self._screen.client
        return client is None or client.playing is None

    @asynccontextmanager
    async def _partners_watched(
        self, link: JoinLink, wanted: Callable[[], bool]
    ) -> AsyncIterator[None]:
        """Look every few seconds, while it is wanted, whether people of the last match wait for
        another one: of the same game, or of another.
        """

        async def watch() -> None:
            while True:
                if self._screen.has_viewer and self._people.partners and wanted():
                    rows = await self._listed(link)
                    lobby = self._lobby if self._is_before_match() else None
                    self._people.find_partners(rows, None if lobby is None else lobby.at)
                await asyncio.sleep(self._browser.look_seconds)

        watching = asyncio.create_task(watch())
        try:
            yield
        finally:
            watching.cancel()
            await asyncio.wait([watching])

    def _tell_lobby(self, event: events.Event) -> None:
        """Take in an event of the lobby while the page shows a match."""
        if isinstance(event, events.Listed) and self._lobby is not None:
            self._lobby.take_tables(event)

    # --- the person's own table, and bots ---

    def _change(self, terms: Terms) -> None:
        """Have the own table play something else. Those who look on come back by themselves."""
        self._begin(self._told(lambda programs: programs.change(terms, self._name)))

    def _send_away(self, key: str) -> None:
        self._begin(self._told(lambda programs: programs.send_away(key), self._read_sent_away))

    def _let_back(self, target: str) -> None:
        self._begin(self._told(lambda programs: programs.let_back(target), self._read_sent_away))

    async def _read_sent_away(self, programs: TablePrograms) -> None:
        self._people.sent_away = await programs.sent_away()

    def _bring_bots(self, table_id: str, terms: Terms, taken: tuple[str, ...]) -> None:
        """Add as many bots as the person had in the last match, which is played again."""
        link, count = self._link, self._returning
        assert link is not None, "the person waits there"
        self._returning = 0
        self._bots = count
        names = [*taken, self._name]

        async def bring(programs: TablePrograms) -> None:
            for _ in range(count):
                names.append(await programs.add_bot(link, table_id, terms, tuple(names)))

        if count:
            self._begin(self._told(bring))

    def _end_bots(self, table_id: str) -> None:
        self._bots = 0
        link = self._link
        assert link is not None, "the person waits there"
        self._begin(self._told(lambda programs: programs.send_bots_away(link, table_id)))

    async def _told(self, *acts: Callable[[TablePrograms], Awaitable[object]]) -> None:
        """Have the programs do this, and say why if they cannot."""
        assert self._own.programs is not None
        try:
            for act in acts:
                await act(self._own.programs)
        except LocalError as error:
            self._screen.warn(translate_phrase(error.phrase, self._screen.translate))
        self._screen.changed()

    def _begin(self, work: "Coroutine[Any, Any, None]") -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _add_bot(self, table_id: str, terms: Terms, taken: tuple[str, ...]) -> None:
        link = self._link
        assert link is not None, "the person waits there"
        names = (*taken, self._name)
        self._bots += 1
        self._begin(self._told(lambda programs: programs.add_bot(link, table_id, terms, names)))

    async def _send_bots_away(self, link: JoinLink) -> None:
        at = None if self._lobby is None else self._lobby.at
        if self._own.programs is not None and at is not None:
            await self._own.programs.send_bots_away(link, at)
