"""The programs that `fairdeal app` starts for tables: the person's own table, as
`fairdeal host --play` opens it, and bots for one match each.
"""

import shutil
import socket
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from bots.registry import best_bot
from fairdeal.host_arguments import make_parser, table_words
from fairdeal.host_play import prepare
from fairdeal.play import NAMES
from fairdeal.play_arguments import AT_ONCE, IN_TURN
from fairdeal.processes import OWN_TERMS, Programs
from net.addresses import is_loopback, parse_address, reach_phrase
from player.lobby.table_programs import OpenedTable, TableRequest
from protocol.errors import LocalError
from protocol.games.registry import Games
from protocol.games.spec import TurnOrder
from protocol.identity.keys import JoinLink
from protocol.identity.names import name_skeleton
from protocol.limits import MAX_PAGE_BOTS
from protocol.match.terms import Terms
from protocol.view.phrase import Phrase, phrase
from table.__main__ import LISTEN

HERE = "127.0.0.1"
EVERYWHERE = "0.0.0.0"  # noqa: S104  # the person opens the table for others


class AppTables:
    """See `player.lobby.table_programs.TablePrograms`. `data` is the folder of the person's data;
    None: the usual one.
    """

    def __init__(self, games: Games, plugins: Sequence[str], data: Path | None) -> None:
        self._games = games
        self._plugins = tuple(plugins)
        self._data = data
        self._table: Programs | None = None
        self._opened: OpenedTable | None = None
        self._bots: Programs | None = None
        self._folder: Path | None = None  # of the bots
        # names of running bots, by link and table
        self._guests: dict[tuple[str, str], list[str]] = {}

    @property
    def own(self) -> OpenedTable | None:
        """See `TablePrograms`."""
        if self._table is None or not self._table.runs("table"):
            return None
        return self._opened

    async def open(self, request: TableRequest, name: str) -> OpenedTable:
        """See `TablePrograms`."""
        if (own := self.own) is not None:
            return own
        host = HERE if request.near else EVERYWHERE
        words = [f"--listen={host}:{_free_port(host)}", f"--game={request.game}", "--play"]
        words += [f"--as={name}"]
        if not request.near and find_spec("zeroconf") is not None:
            words.append("--lan")
        if self._data is not None:
            words += [f"--data={self._data / 'table'}", f"--player-data={self._data}"]
        options = make_parser(self._games).parse_args(words)
        hosted = prepare(options, self._games, self._plugins, table_words(words))
        try:
            hosted.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise LocalError(
                "wrong.write", path=str(hosted.data), why=str(error.strerror)
            ) from None
        self._table = Programs(hosted.data, self._plugins)
        # a long journal takes a while to read
        link = JoinLink.parse(await self._table.table(*hosted.table, patience=None))
        self._opened = OpenedTable(link, (_reach(link), *map(_for_page, hosted.dealing)))
        return self._opened

    async def close(self) -> None:
        """See `TablePrograms`."""
        if self._table is not None:
            await self._table.end()
        self._table = None
        self._opened = None

    async def add_bot(
        self, link: JoinLink, table_id: str, terms: Terms, taken: tuple[str, ...]
    ) -> str:
        """See `TablePrograms`."""
        game = self._games.specs.get(terms.game.name)
        if game is None or not game.version:
            raise LocalError("lobby.bot.none")
        if self._bots is None or self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="fairdeal-bots-"))
            self._bots = Programs(self._folder, self._plugins)
        running = [name for names in self._guests.values() for name in names]
        running = [name for name in running if self._bots.runs(name)]
        if len(running) >= MAX_PAGE_BOTS:
            raise LocalError("lobby.bot.many", most=MAX_PAGE_BOTS)
        name = _bot_name((*taken, *running))
        usual = AT_ONCE if game.dynamics is TurnOrder.INDEPENDENT else IN_TURN
        # a folder of its own for each match: an unfinished match of another one must not go first
        data = Path(tempfile.mkdtemp(dir=self._folder))
        await self._bots.guest(
            name,
            *("join", str(link), "--table", table_id, "--name", name, "--data", str(data)),
            *("--quiet", "--bot", best_bot(game), "--pace", str(usual), OWN_TERMS),
        )
        self._guests.setdefault((str(link), table_id), []).append(name)
        return name

    async def send_bots_away(self, link: JoinLink, table_id: str) -> None:
        """See `TablePrograms`."""
        names = self._guests.pop((str(link), table_id), [])
        if self._bots is not None and names:
            await self._bots.end(*names)

    async def end(self) -> None:
        """See `TablePrograms`."""
        if self._bots is not None:
            await self._bots.end()
        await self.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _bot_name(taken: Sequence[str]) -> str:
    """Return a name for a bot that no person here has. It says that it is a bot's."""
    used = {name_skeleton(name) for name in taken}
    names = [f"{name} (bot)" for name in NAMES]
    return next((name for name in names if name_skeleton(name) not in used), names[0])


def _free_port(host: str) -> int:
    """Return the usual port of tables, or 0 for any other if another program has that one."""
    port = parse_address(LISTEN)[1]
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return 0
    return port


def _reach(link: JoinLink) -> Phrase:
    """Return who can reach a link, for a person who has no command line at hand."""
    return phrase("host.app.here") if is_loopback(link.host) else reach_phrase(link.host, link.port)


def _for_page(told: Phrase) -> Phrase:
    """Return a sentence about the dealing without an option of the command line."""
    if told.key == "host.play.verified":
        return phrase("host.app.verified")
    return told
