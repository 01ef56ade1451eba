"""`fairdeal lobby LINK`: be seen in a table's lobby, talk, and go from there to a match or a trade,
and back.
"""

import argparse
import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import SystemRandom
from typing import Any

from commandline.stop_signals import call_when_stopped
from player.cards.decks.loadout import FolderLoadouts
from player.cards.rule_sets import FolderRuleSets
from player.cli import arguments
from player.cli.key_following import explain_other_key, watch_keys
from player.cli.table_visits import play_once
from player.client.environment import Environment
from player.client.outcome import CLEAN, FAILED
from player.client.reconnect import see_through
from player.client.requirements import Requirements, without_unused_rules
from player.client.seat import Seat
from player.client.table_client import Plan
from player.lobby.lobby_client import LobbyClient
from player.lobby.meeting import Destination, LobbyPresence, Meeting
from player.lobby.roster import Guest
from player.storage import contacts
from player.storage.identity_file import load_identity
from player.storage.known_tables import KnownTables
from player.storage.mute_list import MuteList
from player.storage.resumable_matches import ResumableMatches
from player.ui.console_lines import LineHandler, Lines, PlainLines
from player.ui.terminal.lobby_screen import LobbyScreen
from player.ui.terminal.prompt import Prompt, can_prompt
from player.ui.terminal.terminal_screen import TerminalScreen
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.i18n.language_choice import own_language
from protocol.identity.keys import JoinLink
from protocol.messages.lobby import TRADE
from protocol.view.phrase import phrase


class LineSwitch:
    """The receiver of typed lines: the lobby, or the match or trade to which the person has gone. A
    `LineHandler` for one terminal.
    """

    def __init__(self, lines: Lines, handler: LineHandler) -> None:
        self.lines = lines
        self.handler = handler
        self.over = False  # nothing more will be typed

    def typed(self, line: str | None) -> None:
        """See `LineHandler`."""
        self.over = self.over or line is None
        self.handler.typed(line)

    def status(self) -> str:
        """See `LineHandler`."""
        return self.handler.status()

    def picture(self, typing: bool) -> list[list[tuple[str, str]]]:
        """See `LineHandler`."""
        return self.handler.picture(typing)

    def acts(self, key: str) -> bool:
        """See `LineHandler`."""
        return self.handler.acts(key)

    def pressed(self, key: str) -> None:
        """See `LineHandler`."""
        self.handler.pressed(key)


@dataclass(frozen=True)
class LobbyPlace:
    """A lobby: its link, the data folder, and the requirements for its tables."""

    link: JoinLink
    data: Path
    requires: Requirements


Trade = Callable[
    [LobbyPlace, Environment, LobbyPresence, Guest, LineSwitch], Awaitable[int]
]  # the exit code


def run(args: argparse.Namespace, trade: Trade | None = None) -> int:
    """Meet people; the exit code. `trade`: how two of them trade. Raises: LocalError."""
    rng = SystemRandom()
    link = JoinLink.parse(args.link)
    if link.direct:
        raise LocalError("wrong.direct_link", link=str(link))
    with arguments.held_data(args) as data:
        identity = load_identity(data, arguments.passphrase_of(args), rng)
        if ResumableMatches(data, identity).at(link) is not None:
            raise LocalError("wrong.lobby.unfinished", link=str(link))
        loadouts = FolderLoadouts(data)
        environment = Environment(
            identity,
            rng,
            Seat,
            None,
            lambda event: None,
            games=args.games,
            brings=loadouts.load(identity.public, args.deck, arguments.rules_text(args)),
            loadouts=loadouts,
            rule_sets=FolderRuleSets(data, identity.public, games=args.games),
        )
        return asyncio.run(
            _meet(args, LobbyPlace(link, data, arguments.requirements_of(args)), environment, trade)
        )


async def _meet(
    args: argparse.Namespace, place: LobbyPlace, environment: Environment, trade: Trade | None
) -> int:
    translate = own_language()
    known = contacts.read_contacts(place.data)
    lines = Prompt() if can_prompt() else PlainLines()
    terms = arguments.terms_of(args, has_table=True)
    place.requires.check(terms)
    lobby = LobbyScreen(lines, known, translate, terms)
    name = arguments.name_of(args, environment.rng)
    presence = LobbyPresence(name, (TRADE,) if args.trade else (), place.link.invite)
    switch = LineSwitch(lines, lobby)
    session = LobbySession(place, environment, presence, lobby, switch, trade)
    call_when_stopped(session.stop)
    async with lines.open(switch):
        return await session.run(args.keep_trying, TerminalScreen(known, lines, translate))


class LobbySession:
    """From the lobby to a match or a trade and back, as often as the person likes."""

    def __init__(
        self,
        place: LobbyPlace,
        environment: Environment,
        presence: LobbyPresence,
        lobby: LobbyScreen,
        switch: LineSwitch,
        trade: Trade | None,
    ) -> None:
        self._place = place
        self._environment = environment
        self._presence = presence
        self._lobby = lobby
        self._switch = switch
        self._trade = trade
        self._terminal: TerminalScreen | None = None  # while the person is at a table
        self._stopped = False

    def stop(self) -> None:
        """End, and keep a match that is under way."""
        self._stopped = True
        if self._terminal is not None:
            self._terminal.stop()
        else:
            self._switch.handler.typed(None)

    async def run(self, keep_trying: float | None, terminal: TerminalScreen) -> int:
        """The exit code: of the last match or trade, if there was one. Raises: LocalError."""
        code = CLEAN
        while not (self._stopped or self._switch.over):
            decided: asyncio.Future[Destination] = asyncio.get_running_loop().create_future()
            visit = self._visit(decided)
            staying = asyncio.create_task(self._stay_at(visit, keep_trying))
            ends: list[asyncio.Future[Any]] = [staying, decided]
            try:
                await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
                if not decided.done():
                    staying.result()
                    return code
                code = await self._go(decided.result(), terminal)
                if self._unfinished():
                    return code
            finally:
                visit.give_up(None)
                await asyncio.wait([staying])
                self._switch.handler = self._lobby
        return code

    def _unfinished(self) -> bool:
        """Return True if a match was left in the middle: that match goes first."""
        return (
            ResumableMatches(self._place.data, self._environment.identity).at(self._place.link)
            is not None
        )

    def _visit(self, decided: "asyncio.Future[Destination]") -> LobbyClient:
        def decide(where: Destination) -> None:
            if not decided.done():
                decided.set_result(where)

        ignored = MuteList(self._place.data)
        environment = replace(self._environment, tell=self._lobby.event)
        own = environment.identity.public
        meeting = Meeting(own, self._presence, ignored, self._lobby.hear, decide)
        visit = LobbyClient(environment, meeting)
        self._lobby.visit = visit
        return visit

    async def _stay_at(self, visit: LobbyClient, keep_trying: float | None) -> None:
        link = self._place.link
        known = KnownTables(self._place.data)

        def met(table_key: bytes) -> None:
            known.remember(link, table_key)

        try:
            keys = watch_keys(self._place.data, self._lobby.line)
            await see_through(visit, link, known.expected(link), met, keep_trying, keys)
        except RemoteError as error:
            if error.code is Code.WRONG_TABLE_KEY:
                raise await explain_other_key(link, self._environment, self._place.data) from None
            raise LocalError(phrase("explain.code", why=error.phrase)) from None
        if visit.reason is not None:
            self._lobby.line(visit.reason)

    async def _go(self, where: Destination, terminal: TerminalScreen) -> int:
        """Go to a table or a trade, and through it. The lobby's connection stays until the next one
        takes over.
        """
        try:
            if where.partner is not None:
                return await self._trade_with(where.partner)
            self._terminal = terminal
            self._switch.handler = terminal
            plan = Plan(
                self._presence.name,
                where.table_id,
                requires=self._place.requires,
                agreed=where.terms,
            )
            environment = replace(
                self._environment,
                brings=without_unused_rules(where.terms, self._environment.brings),
            )
            return (
                await play_once(self._place.link, environment, plan, self._place.data, terminal)
            )[0]
        except (LocalError, RemoteError) as error:
            self._lobby.line(
                error.phrase
                if isinstance(error, LocalError)
                else phrase("meet.refused", why=error.phrase)
            )
            return FAILED
        finally:
            self._terminal = None
            self._stopped = self._stopped or terminal.stopped

    async def _trade_with(self, guest: Guest) -> int:
        if self._trade is None:
            raise LocalError("meet.no_trade")
        return await self._trade(
            self._place, self._environment, self._presence, guest, self._switch
        )
