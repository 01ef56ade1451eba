"""From the lobby to a table and back: visits that only look around, until the person has decided,
and then the one.
"""

import asyncio
from dataclasses import dataclass, replace
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from player.cli.table_visits import play_matches, play_once
from player.client.environment import Environment
from player.client.loadouts import DeckChoices
from player.client.outcome import CLEAN
from player.client.requirements import without_unused_rules
from player.client.table_client import Plan, TableClient
from player.presenter.match_screen import TableScreen
from player.ui.web.lobby.tables import PAGE_SEARCH, Choice, Lobby
from protocol.errors import LocalError
from protocol.identity.keys import KEY_SIZE, Identity, JoinLink
from protocol.limits import PAGE_LOOK_SECONDS
from protocol.messages.table_search import TableSearch
from protocol.view.text import phrase_renderer, translate_phrase


@dataclass(frozen=True)
class TableBrowser:
    """A visit that looks around: the person's environment, the requirements for tables (`plan`),
    the data folder and the screen.
    """

    environment: Environment
    plan: Plan
    data: Path
    screen: TableScreen
    decks: DeckChoices | None = None  # to choose from
    look_seconds: float = PAGE_LOOK_SECONDS

    async def play(self, link: JoinLink) -> int:
        """Show the tables behind a link, and play where the person wants to; the exit code.

        Where that does not come to a match (the table is full, or plays something else by now) they
        are shown again. Raises: LocalError, as `play_matches`.
        """
        name = self.plan.name
        while (choice := await self._choose(link, name)) is not None and choice.plan is not None:
            link = choice.link
            name = choice.name
            plan = choice.plan
            self.screen.presenter.watching = plan.spectate
            if plan.spectate:
                environment = self.stranger()
            else:
                environment = self.with_deck(choice, plan)
            # the file that was named has a match in it then
            plans = chain([plan], repeat(replace(plan, log=None)))
            code = await play_matches(link, environment, plans, self.data, self.screen)
            client = self.screen.client
            if self.screen.stopped or (client is not None and client.playing is not None):
                return code
        return CLEAN

    def with_deck(self, choice: Choice, plan: Plan) -> Environment:
        """Return an environment with the chosen deck. Raises: LocalError if the deck cannot be
        brought any more.
        """
        terms = plan.create or plan.agreed
        brings = self.environment.brings
        if self.decks:
            brings = self.decks.brings(choice.deck, terms)
        else:
            brings = without_unused_rules(terms, brings)
        return replace(self.environment, brings=brings)

    async def _choose(self, link: JoinLink, name: str) -> Choice | None:
        """Return the person's choice at the tables behind this link, or behind another link that
        the person gave; None to leave.
        """
        before: JoinLink | None = None
        while True:
            try:
                choice = await self._look_around(link, name)
            except LocalError as error:
                if before is None:
                    raise
                self.screen.warn(translate_phrase(error.phrase, self.screen.translate))
                link = before
                before = None
                continue
            if choice is None or choice.plan is not None:
                return choice
            link, name, before = choice.link, choice.name, link

    async def _look_around(self, link: JoinLink, name: str) -> Choice | None:
        """Return the person's choice at the tables behind this link; None if the visit ends before."""
        decided: asyncio.Future[Choice] = asyncio.get_running_loop().create_future()

        def decide(choice: Choice) -> None:
            if not decided.done():
                decided.set_result(choice)

        say = phrase_renderer(self.screen.translate, ())
        self.screen.show_lobby(
            Lobby(
                link,
                replace(self.plan, name=name),
                self.environment.games,
                say,
                decide,
                self.decks,
                look=self._look,
            )
        )
        looking = asyncio.create_task(self._visit(link))
        asking = asyncio.create_task(self._keep_asking())
        either: list[asyncio.Future[Any]] = [looking, decided]
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if decided.done() and self.screen.client is not None:
                self.screen.client.give_up(None)
            await looking
        finally:
            for task in (asking, looking):
                task.cancel()
            self.screen.show_lobby(None)
        return decided.result() if decided.done() else None

    async def _visit(self, link: JoinLink) -> None:
        plan = Plan(
            self.plan.name,
            browse=True,
            keep_trying=self.plan.keep_trying,
            search=PAGE_SEARCH,
        )
        await play_once(link, self.stranger(), plan, self.data, self.screen)

    def _look(self, search: TableSearch | None = None) -> None:
        """Ask for this page of the tables, or for the last one again."""
        if isinstance(self.screen.client, TableClient):
            self.screen.client.look(search)

    async def _keep_asking(self) -> None:
        """Ask for the tables again while somebody looks at them."""
        while True:
            await asyncio.sleep(self.look_seconds)
            if self.screen.has_viewer:
                self._look()

    def stranger(self) -> Environment:
        """Return an environment with another key: a visitor that takes no seat does not show the
        person's key.
        """
        rng = self.environment.rng
        return replace(self.environment, identity=Identity(rng.randbytes(KEY_SIZE)))
