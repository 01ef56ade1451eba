"""The programs that `fairdeal app` starts for tables: the person's own table, as
`fairdeal host --play` opens it, and bots for one match each.
"""

import asyncio
import os
import shutil
import socket
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bots.registry import best_bot
from fairdeal.host_arguments import make_parser, table_words
from fairdeal.host_play import HERE, TRUSTLESS, HostedSeat, page_port, page_reach, prepare
from fairdeal.play import NAMES
from fairdeal.play_arguments import SIMULTANEOUS_PACE, TURN_PACE
from fairdeal.processes import OWN_TERMS, Programs
from net.addresses import is_loopback, parse_address, reach_phrase
from net.page.folder import installed_page
from player.lobby.table_programs import OpenedTable, SentAway, TableRequest
from player.storage.data_directory import default_data
from player.storage.files import read_json, write_json
from player.storage.identity_file import read_keyfile
from player.storage.own_language import read_language
from player.storage.recovery_state import any_recovery_states
from protocol.dealing.registry import DEALINGS
from protocol.errors import LocalError
from protocol.games.registry import Games
from protocol.games.spec import TurnOrder
from protocol.i18n import load_translator
from protocol.i18n.language_choice import environment_languages
from protocol.identity.keys import JoinLink
from protocol.identity.names import name_skeleton
from protocol.limits import MAX_NAME, MAX_PAGE_BOTS, MAX_STORED_BOTS, SENT_AWAY_SECONDS
from protocol.match.terms import Terms
from protocol.view.phrase import Phrase, phrase
from protocol.view.text import translate_phrase
from table.__main__ import LISTEN
from table.config import PAGE_PORT, WEB_PORT
from table.control.command import ask
from table.control.messages import BanRow, Failed, Request, Row
from table.lobby.bans import Target

EVERYWHERE = "0.0.0.0"  # noqa: S104  # the person opens the table for others
FOLDER = "table"  # of the person's table, in the data folder
STORED = "own-table.json"  # in the data folder: the table that the person has opened last
BOTS = "table-bots"  # in the data folder: a folder for each bot whose match is not over
BOT = "bot.json"  # in the folder of a bot: how it is started again
CLOCK = {"turn": "turn-seconds", "extensions": "extensions", "step": "step-seconds"}


@dataclass(frozen=True)
class StoredTable:
    """The table that the person has opened last: its link, its folder, and the words of `fairdeal
    host` for what is played there and who can come.
    """

    link: JoinLink
    folder: str
    near: bool
    words: tuple[str, ...]

    @classmethod
    def read(cls, data: Path) -> "StoredTable | None":
        """Read the table of a data folder; None if there is none, or none that can be read."""
        try:
            value = read_json(data / STORED)
            link = JoinLink.parse(value["link"])
            folder = value["folder"]
            words = value["words"]
        except (LocalError, KeyError, TypeError, AttributeError):
            return None
        texts = isinstance(words, list) and all(isinstance(word, str) for word in words)
        if not texts or not isinstance(folder, str) or Path(folder).name != folder:
            return None
        return cls(link, folder, value.get("near") is True, tuple(words))

    def write(self, data: Path) -> None:
        """Store the table. Raises: LocalError."""
        value = {"link": str(self.link), "folder": self.folder, "near": self.near}
        write_json(data / STORED, {**value, "words": list(self.words)})


class AppTables:
    """See `player.lobby.table_programs.TablePrograms`. `data` is the folder of the person's data;
    None: the usual one.
    """

    def __init__(self, games: Games, plugins: Sequence[str], data: Path | None) -> None:
        self._games = games
        self._plugins = tuple(plugins)
        self._folder = default_data() if data is None else data
        self._table: Programs | None = None
        self._opened: OpenedTable | None = None
        self._bots: Programs | None = None
        # names and folders of running bots, by link and table
        self._guests: dict[tuple[str, str], list[tuple[str, Path]]] = {}

    @property
    def own(self) -> OpenedTable | None:
        """See `TablePrograms`."""
        if self._table is None or not self._table.is_running("table"):
            return None
        return self._opened

    async def open(self, request: TableRequest, name: str) -> OpenedTable:
        """See `TablePrograms`."""
        if (own := self.own) is not None:
            return own
        words = [f"--game={request.game}"]
        if request.terms is not None:
            words += terms_words(request.terms, self._games)
        if request.invited:
            words.append("--invite")
        elif not request.near and find_spec("zeroconf") is not None:
            words.append("--lan")
        before = StoredTable.read(self._folder)
        folder = FOLDER if before is None else before.folder
        if request.anew:
            folder = self._new_folder()
        return await self._start(folder, words, name, near=request.near, port=_usual_port())

    @property
    def earlier(self) -> JoinLink | None:
        """See `TablePrograms`."""
        stored = self._earlier
        return None if stored is None else stored.link

    @property
    def _earlier(self) -> StoredTable | None:
        """Return the table that the person has opened last: in the app or, if there is none, by
        `fairdeal host --play`, which plays what a table usually does until its match goes on.
        """
        stored = StoredTable.read(self._folder)
        if stored is None:
            with suppress(LocalError):
                key = read_keyfile(self._folder / FOLDER)
                if key is not None:
                    link = JoinLink(HERE, _usual_port(), key.fingerprint)
                    return StoredTable(link, FOLDER, False, ())
        return stored

    async def open_again(self, name: str) -> OpenedTable:
        """See `TablePrograms`."""
        stored = self._earlier
        if self.own is not None or stored is None:
            raise LocalError("home.no_match")
        words = list(stored.words)
        return await self._start(
            stored.folder, words, name, near=stored.near, port=stored.link.port
        )

    async def change(self, terms: Terms, name: str) -> OpenedTable:
        """See `TablePrograms`."""
        stored = StoredTable.read(self._folder)
        if self.own is None or stored is None:
            raise LocalError("home.no_match")
        kept = [word for word in stored.words if word in ("--invite", "--lan")]
        words = [f"--game={terms.game.name}", *terms_words(terms, self._games), *kept]
        # what cannot be opened is found before the table ends
        self._prepare(stored.folder, words, name, near=stored.near, port=stored.link.port)
        await self.close()
        return await self._start(
            stored.folder, words, name, near=stored.near, port=stored.link.port
        )

    async def _start(
        self, folder: str, words: list[str], name: str, *, near: bool, port: int
    ) -> OpenedTable:
        """Start the program of the table. Raises: LocalError."""
        hosted = self._prepare(folder, words, name, near=near, port=port)
        try:
            hosted.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise LocalError(
                "wrong.write", path=str(hosted.data), why=str(error.strerror)
            ) from None
        self._table = Programs(hosted.data, self._plugins)
        # a long journal takes a while to read
        link = JoinLink.parse(await self._table.open_table(*hosted.table, patience=None))
        page = await self._table.read_page_link() if hosted.serves_page else None
        notes = [_reach(link), *map(_without_flag, hosted.dealing)]
        if page is not None and not is_loopback(link.host):
            notes.append(page_reach(page))
        if link.port != port:
            notes.insert(0, phrase("host.app.port", usual=port, port=link.port))
        self._opened = OpenedTable(link, tuple(notes), page)
        StoredTable(link, folder, near, tuple(words)).write(self._folder)
        await self.bring_bots_back(link)
        return self._opened

    def _prepare(
        self, folder: str, words: list[str], name: str, *, near: bool, port: int
    ) -> HostedSeat:
        """Return the arguments of the table, after all checks. `near`: only this machine reaches the
        table. `port`: the wanted port; any other if it is taken. Raises: LocalError.
        """
        host = HERE if near else EVERYWHERE
        # a table that is open now ends before the new one listens at its port
        listen_port = port if self.own is not None else _free_port(host, port)
        words = [f"--listen={host}:{listen_port}", *words, "--play", f"--as={name}"]
        words.append(f"--name={self._table_name(name)}")
        words += [f"--data={self._folder / folder}", f"--player-data={self._folder}"]
        options = make_parser(self._games).parse_args(words)
        hosted = prepare(options, self._games, self._plugins, table_words(words))
        if installed_page() is None:
            return hosted
        own = self.own
        if own is not None and own.page is not None:  # these ports become free
            web_port, ws_port = page_port(own.page), own.page.port
        else:
            web_port, ws_port = _free_port(host, PAGE_PORT), _free_port(host, WEB_PORT)
        flags = (f"--web={host}:{web_port}", f"--ws={host}:{ws_port}")
        return replace(hosted, table=(*hosted.table, *flags), serves_page=True)

    def _table_name(self, name: str) -> str:
        """Return a name for the table that tells guests whose table it is."""
        chosen = read_language(self._folder)
        languages = [chosen] if chosen else environment_languages(os.environ)
        table_name = phrase("host.app.name", name=name)
        text = translate_phrase(table_name, load_translator(*languages))
        return text if len(text) <= MAX_NAME else name

    def _new_folder(self) -> str:
        """Return the name of a folder for a table with another key."""
        number = 2
        while (self._folder / f"{FOLDER}-{number}").exists():
            number += 1
        return f"{FOLDER}-{number}"

    async def close(self) -> None:
        """See `TablePrograms`."""
        if self._table is not None:
            await self._table.stop()
        self._table = None
        self._opened = None

    async def add_bot(
        self, link: JoinLink, table_id: str, terms: Terms, taken: tuple[str, ...]
    ) -> str:
        """See `TablePrograms`."""
        game = self._games.specs.get(terms.game.name)
        if game is None or not game.version:
            raise LocalError("lobby.bot.none")
        running = self._running()
        if len(running) >= MAX_PAGE_BOTS:
            raise LocalError("lobby.bot.many", most=MAX_PAGE_BOTS)
        name = _bot_name((*taken, *running))
        usual = SIMULTANEOUS_PACE if game.dynamics is TurnOrder.INDEPENDENT else TURN_PACE
        # a folder of its own for each match: an unfinished match of another one must not go first
        folder = self._folder / BOTS
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            data = Path(tempfile.mkdtemp(dir=folder))
        except OSError as error:
            raise LocalError("wrong.write", path=str(folder), why=str(error.strerror)) from None
        words = ["--bot", best_bot(game), "--pace", str(usual), OWN_TERMS]
        write_json(data / BOT, {"link": str(link), "table": table_id, "name": name, "words": words})
        await self._start_bot(link, table_id, name, data, "--table", table_id, *words)
        return name

    async def send_away(self, key: str) -> None:
        """See `TablePrograms`."""
        await self._ask(Request("ban", [key, SENT_AWAY_SECONDS]))

    async def sent_away(self) -> tuple[SentAway, ...]:
        """See `TablePrograms`."""
        rows = await self._ask(Request("status", []))
        bans = [row for row in rows if isinstance(row, BanRow)]
        return tuple(
            SentAway(ban.target, ban.name, ban.until, Target(ban.target).is_key) for ban in bans
        )

    async def let_back(self, target: str) -> None:
        """See `TablePrograms`."""
        await self._ask(Request("unban", [target]))

    async def _ask(self, request: Request) -> list[Row]:
        """Ask the program of the own table. Raises: LocalError."""
        stored = StoredTable.read(self._folder)
        if self.own is None or stored is None:
            raise LocalError("home.no_match")
        rows, answer = await asyncio.to_thread(ask, self._folder / stored.folder, request)
        if isinstance(answer, Failed):
            raise LocalError(answer.why)
        return rows

    async def bring_bots_back(self, link: JoinLink) -> None:
        """See `TablePrograms`."""
        running = [data for guests in self._guests.values() for _, data in guests]
        folders = sorted((self._folder / BOTS).glob("*"))
        for data in [each for each in folders if each not in running][:MAX_STORED_BOTS]:
            stored = _stored_bot(data)
            if stored is None or not any_recovery_states(data):
                shutil.rmtree(data, ignore_errors=True)
                continue
            at, table_id, name, words = stored
            same = at.fingerprint == link.fingerprint and link.fingerprint is not None
            taken = self._running()
            if same and name not in taken and len(taken) < MAX_PAGE_BOTS:
                await self._start_bot(link, table_id, name, data, *words)

    async def _start_bot(
        self, link: JoinLink, table_id: str, name: str, data: Path, *words: str
    ) -> None:
        if self._bots is None:
            self._bots = Programs(self._folder / BOTS, self._plugins)
        own = ("--name", name, "--data", str(data), "--quiet")
        await self._bots.start_guest(name, "join", str(link), *own, *words)
        self._guests.setdefault((str(link), table_id), []).append((name, data))

    def _running(self) -> list[str]:
        """Return the names of the running bots."""
        names = [name for guests in self._guests.values() for name, _ in guests]
        return [name for name in names if self._bots is not None and self._bots.is_running(name)]

    async def send_bots_away(self, link: JoinLink, table_id: str) -> None:
        """See `TablePrograms`."""
        guests = self._guests.pop((str(link), table_id), [])
        if self._bots is not None and guests:
            await self._bots.stop(*(name for name, _ in guests))
        _remove_finished(guests)

    async def end(self) -> None:
        """See `TablePrograms`."""
        if self._bots is not None:
            await self._bots.stop()
        await self.close()
        for guests in self._guests.values():
            _remove_finished(guests)


def terms_words(terms: Terms, games: Games) -> list[str]:
    """Return the words of `fairdeal host` for terms, after the game. They do not name the dealing
    that `prepare` chooses for a host who plays: then the table says why that is chosen.
    """
    words = [f"--seats={terms.seats}"]
    words += [f"--option={name}={value}" for name, value in terms.game.options]
    usual = games.specs[terms.game.name].dealing
    needs_table = DEALINGS[usual.name].needs_table
    default = (TRUSTLESS, ()) if needs_table else tuple(usual)
    if tuple(terms.dealing) != default:
        words.append(f"--deal={terms.dealing.name}")
        words += [f"--deal-option={name}={value}" for name, value in terms.dealing.options]
    return [*words, *(f"--{CLOCK.get(name, name)}={value}" for name, value in terms.clock)]


def _stored_bot(data: Path) -> tuple[JoinLink, str, str, list[str]] | None:
    """Return the link, the table, the name and the words with which a bot is started again; None if
    the folder does not have them.
    """
    try:
        value: dict[str, Any] = read_json(data / BOT)
        link = JoinLink.parse(value["link"])
        words = value["words"]
        texts = [value["table"], value["name"], *words]
    except (LocalError, KeyError, TypeError, AttributeError):
        return None
    if not all(isinstance(text, str) for text in texts):
        return None
    return link, value["table"], value["name"], words


def _remove_finished(guests: Sequence[tuple[str, Path]]) -> None:
    """Remove the folders of bots whose matches are over."""
    for _, data in guests:
        if not any_recovery_states(data):
            shutil.rmtree(data, ignore_errors=True)


def _bot_name(taken: Sequence[str]) -> str:
    """Return a name that nobody at the table has, and that shows that it is a bot's."""
    used = {name_skeleton(name) for name in taken}
    names = [f"{name} (bot)" for name in NAMES]
    return next((name for name in names if name_skeleton(name) not in used), names[0])


def _usual_port() -> int:
    return parse_address(LISTEN)[1]


def _free_port(host: str, port: int) -> int:
    """Return this port, or 0 for any other if another program has it."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return 0
    return port


def _reach(link: JoinLink) -> Phrase:
    """Return a sentence about who can reach a link. It names no command."""
    return phrase("host.app.here") if is_loopback(link.host) else reach_phrase(link.host, link.port)


def _without_flag(note: Phrase) -> Phrase:
    """Return a sentence about the dealing that names no flag of the command line."""
    if note.key == "host.play.verified":
        return phrase("host.app.verified")
    return note
