"""A match against bots without a server: the table and the bots run in the tab, each with its own
key, as they would elsewhere.

Their files lie in the folder of the match, so a later tab continues it (`player.storage.play_command`).
"""

import argparse
import asyncio
import logging
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from itertools import count
from pathlib import Path
from random import Random
from secrets import SystemRandom

from bots.pace import SPREAD, ThinkTime
from bots.registry import available_bots, best_bot
from bots.think_limits import SearchStrength, ThinkDeadline
from commandline.terms_flags import add_terms_flags, parse_terms
from net.listener import AdmissionCheck, ProtocolFactory
from player.cli.screen_choice import Screens
from player.cli.table_visits import play_matches
from player.client.bot_pace import ThinkingBot
from player.client.connection import Connection, Listener
from player.client.environment import Environment
from player.client.seat import Seat
from player.client.table_client import Plan
from player.storage.contacts import read_contacts
from player.storage.files import own_folder
from player.storage.identity_file import load_identity
from player.storage.play_command import LOGS, PERSON, UNFINISHED, StoredCommand
from player.storage.recovery_state import any_recovery_states
from player.ui.terminal.plain_screen import PlainScreen
from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN
from protocol.games.spec import TurnOrder
from protocol.identity.keys import Identity, JoinLink
from protocol.identity.names import name_skeleton
from protocol.match.log_file import SUFFIX
from protocol.match.terms import Terms
from protocol.session.session import PROLOGUE, Role, Session
from protocol.session.ticket import Ticket
from table.config import Config
from table.manager.server import TableServer
from table.storage.disk import keys
from table.storage.disk.journal import Journal
from web.tab.journal_storage import JournalStorage
from web.tab.pipe import HERE, connect_pipe

NAMES = ("Bob", "Cleo", "Dan", "Eve", "Finn", "Gil", "Hana", "Ivo", "Jane", "Kim")
NAME_FLAG = "--name"  # of the person, in the words of a match that is continued
# mean seconds of a bot's thought, if all act at once, or one after the other
AT_ONCE = 2.5
IN_TURN = 0.5
# The effort of bots that look ahead. All seats share one processor, which is several times slower
# than a program outside a browser.
NODES = 2_000
SIMULATIONS = 50


class PipeListener:
    """The listening socket of a table that is called from the same event loop."""

    def __init__(
        self, host: str, port: int, admits: AdmissionCheck, factory: ProtocolFactory
    ) -> None:
        self.host = host
        self.port = port
        self.open = True
        self._admits = admits
        self._factory = factory

    def close(self) -> None:
        """Accept nobody any more."""
        self.open = False

    def call(self, protocol: asyncio.Protocol) -> bool:
        """Connect a protocol to the table. Return False if the table lets nobody in."""
        answer = self._admits(HERE)
        if not self.open or isinstance(answer, bytes):
            return False
        connect_pipe(protocol, (answer or self._factory)())
        return True


class OwnTable:
    """A table in this tab. `connect` is the way there: see `player.client.connection.Connect`."""

    def __init__(self, folder: Path, terms: Terms) -> None:
        self._listeners: list[PipeListener] = []
        keys.load_identity(folder)  # first: a journal without its table's key is refused
        config = Config(folder, terms=terms, host=HERE[0], port=1)
        self.server = TableServer(config, JournalStorage(Journal(folder)), self._listen)

    def _listen(
        self, host: str, port: int, admits: AdmissionCheck, factory: ProtocolFactory
    ) -> PipeListener:
        made = PipeListener(host, port, admits, factory)
        self._listeners.append(made)
        return made

    async def connect(
        self,
        link: JoinLink,
        identity: Identity,
        rng: Random,
        expected: str | None,
        listener: Listener,
        /,
        *,
        ticket: Ticket | None = None,
    ) -> Connection:
        """Connect, and begin the handshake. Raises: LocalError if the table has ended."""
        session = Session(
            Role.PLAYER, identity, rng.randbytes(32), rng, expected, PROLOGUE, ticket=ticket
        )
        connection = Connection(session, listener)
        if not any(each.call(connection) for each in self._listeners):
            raise LocalError("wrong.no_answer", where=link.address_text)
        return connection


@dataclass(frozen=True)
class BotMatch:
    """A person's match against bots. `data`: the person's data folder."""

    data: Path
    name: str
    game: str
    bots: int

    @classmethod
    def parse(cls, data: Path, name: str, words: Sequence[str]) -> "BotMatch":
        """Read the words of `fairdeal play` that Home has, or those of a match that is continued, which
        end with the person's name at its beginning.

        Bots think here as fast and as well as they can, so nothing else in the words counts.
        """
        game, _, bots, *more = words
        if NAME_FLAG in more:
            name = more[-1]
        return cls(data, name, game, int(bots))

    async def play(self, screens: Screens) -> int:
        """Play match after match, and return the exit code. Raises: LocalError."""
        logging.getLogger("table").setLevel(logging.ERROR)  # the person has no use for the others
        words = (self.game, "--bots", str(self.bots), NAME_FLAG, self.name)
        match = sha256(repr(words).encode()).hexdigest()[:12]
        with own_folder(self.data / LOGS / UNFINISHED / match) as folder:
            try:
                StoredCommand(self.game, words).write(folder)
                return await self._play(folder, screens)
            finally:
                if not any_recovery_states(folder / PERSON):
                    shutil.rmtree(folder, ignore_errors=True)

    async def _play(self, folder: Path, screens: Screens) -> int:
        table = OwnTable(folder / "table", _terms(self.game, self.bots + 1))
        async with table.server as server:
            others = [name for name in NAMES if name_skeleton(name) != name_skeleton(self.name)]
            playing = [
                asyncio.create_task(self._seat_bot(table, folder / name, name))
                for name in others[: self.bots]
            ]
            try:
                return await self._sit_down(table, server.link, folder / PERSON, screens)
            finally:
                for task in playing:
                    task.cancel()
                await asyncio.gather(*playing, return_exceptions=True)

    async def _sit_down(self, table: OwnTable, link: JoinLink, data: Path, screens: Screens) -> int:
        rng = SystemRandom()
        args = argparse.Namespace(games=BUILT_IN, spectate=False, only_bots=True)
        async with screens(args, read_contacts(self.data)) as (screen, _):
            environment = Environment(
                load_identity(data, None, rng),
                rng,
                Seat,
                None,
                screen.hear,
                connect=table.connect,
            )
            plans = (Plan(self.name, log=self._free_log()) for _ in count())
            return await play_matches(link, environment, plans, data, screen)

    async def _seat_bot(self, table: OwnTable, data: Path, name: str) -> None:
        """Have a bot play match after match."""
        spec = BUILT_IN.specs[self.game]
        pace = AT_ONCE if spec.dynamics is TurnOrder.INDEPENDENT else IN_TURN
        patience = ThinkDeadline(ThinkTime(pace, SPREAD))
        strength = SearchStrength(NODES, SIMULATIONS, patience.is_over)
        bot = available_bots(BUILT_IN, strength)[best_bot(spec)]
        screen = PlainScreen(
            {}, quiet=True, bot=ThinkingBot(bot, patience), write=lambda text: None
        )
        rng = SystemRandom()
        environment = Environment(
            load_identity(data, None, rng), rng, Seat, None, screen.hear, connect=table.connect
        )
        plans = (Plan(name) for _ in count())
        with suppress(LocalError):  # the table has ended
            await play_matches(table.server.link, environment, plans, data, screen, always=True)

    def _free_log(self) -> Path:
        """Return the path of a new log file."""
        stem = f"{self.game}-{datetime.now():%Y%m%d-%H%M%S}"
        names = (f"{stem}{f'-{number}' if number else ''}{SUFFIX}" for number in count())
        (self.data / LOGS).mkdir(parents=True, exist_ok=True)
        return next(path for name in names if not (path := self.data / LOGS / name).exists())


def _terms(game: str, seats: int) -> Terms:
    """Return the usual terms of a game for so many seats. Raises: LocalError."""
    parser = argparse.ArgumentParser()
    add_terms_flags(parser, has_table=True)
    words = ["--game", game, "--seats", str(seats)]
    return parse_terms(parser.parse_args(words), BUILT_IN, has_table=True)
