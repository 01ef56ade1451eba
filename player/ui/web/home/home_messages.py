"""Messages of Home: its lists, and what a person opens from there. No HTTP is known here."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from player.cards.trades.table_trade import TableTrade
from player.client.loadouts import DeckList
from player.client.requirements import Requirements
from player.lobby.table_programs import TablePrograms, TableRequest
from player.storage.known_tables import KnownTables
from player.storage.own_key import OwnKey
from player.storage.own_name import read_earlier_names
from player.storage.recovery_state import RecoveryState
from player.storage.settings import read_settings
from player.ui.web.home.directory_requests import Directories, DirectoryRequests
from player.ui.web.home.game_list import (
    PACES,
    STRENGTHS,
    USUAL,
    bot_words,
    game_list,
    game_rules,
)
from player.ui.web.home.history_requests import (
    MOST_FILE,
    HistoryOptions,
    HistoryRequests,
    NamedLog,
)
from player.ui.web.home.log_files import is_against_bots, log_path
from player.ui.web.home.match_facts import OwnPerson
from player.ui.web.home.profile_requests import ProfileRequests
from player.ui.web.home.unfinished import (
    MatchesNow,
    UnfinishedMatch,
    logs_of,
    stored_state,
    unfinished_matches,
    unfinished_row,
)
from player.ui.web.lobby.decks import DeckChoice
from player.ui.web.lobby.forms import Form, read_form
from player.ui.web.messages import (
    Refusal,
    RefusalCode,
    Reply,
    RequestSpec,
    Responder,
    RunWork,
    Value,
)
from player.ui.web.stream import News, Snapshot
from protocol.errors import LocalError
from protocol.games.registry import Games
from protocol.identity.keys import JoinLink
from protocol.limits import TABLES_ASKED
from protocol.view.phrase import phrase
from protocol.view.text import Translate, sanitize

LOCKED = {"locked": True}  # with a refusal: the page asks for the passphrase, and tries again

SCHEMES = ("fairdeal://", "fairdeal+ws://", "fairdeal+wss://")  # with which links of tables begin


class OpenRequest(NamedTuple):
    """A person's request to open a match against bots (`words` of `fairdeal play`), the table of a
    `link`, the replay of a `log` or of a `file` that came from the page, a `table` of the person's
    own, the person's `cards`, or a `trade` through a table. `listed`: the link is from the list of
    a directory. `seen`: the person is seen at the table of the link at once.
    """

    words: tuple[str, ...] = ()
    link: JoinLink | None = None
    log: Path | None = None
    table: TableRequest | None = None
    file: NamedLog | None = None
    cards: bool = False
    # who the person is in the log, by key, or also by name; None: nobody is looked for
    own: OwnPerson | None = None
    by_name: bool = False
    # what is stored of the person's seat, if the match of the log can go on
    state: RecoveryState | None = None
    listed: bool = False
    trade: TableTrade | None = None
    seen: bool = False
    typed: str = ""  # the link as the person gave it: it stays in its field if nobody answers


@dataclass(frozen=True)
class HomeOptions:
    """The person to whom Home belongs. `name` is the name under which the person plays. `without`
    names the games that Home does not list.
    """

    data: Path
    games: Games
    name: Callable[[], str]
    key: OwnKey
    without: frozenset[str]
    run_work: RunWork  # does work that takes a while: reading logs
    directories: Directories
    most_file: int = MOST_FILE  # bytes of a file from elsewhere; the page sends no more of it
    tables: TablePrograms | None = None  # None: the person cannot open a table from here
    # asks a table who is there; None: nobody can be asked from here
    look: Callable[[JoinLink], Awaitable[dict[str, Any]]] | None = None
    # finds the tables on the local network. Raises: LocalError
    find: Callable[[], Awaitable[list[dict[str, str]]]] | None = None
    # names the decks that fit each game against bots; None: nobody can choose one from here
    decks: Callable[[], dict[str, tuple[str, ...]]] | None = None
    listed: DeckList | None = None  # decks for a table; None: nobody can choose one from here


class HomeMessages(Responder):
    """Answers the pages of Home. `on_open` gets each request to open something; `go_home` closes it."""

    def __init__(
        self,
        options: HomeOptions,
        translate: Translate,
        on_open: Callable[[OpenRequest], None],
        go_home: Callable[[], None],
    ) -> None:
        self._options = options
        self._on_open = on_open
        self._go_home = go_home
        self.translate = translate
        self.news = News()
        self._serial = 0
        self._opening = False
        self._notice = ""
        self._failed: dict[str, str] | None = None  # what could not be opened, for another attempt
        self._matches = MatchesNow(options.games)
        self._looks = 0  # tables that are being asked who is there
        self._history = HistoryRequests(
            HistoryOptions(
                options.data,
                options.games,
                self._own,
                options.run_work,
                options.most_file,
                lambda: logs_of(self._unfinished(held=True)),
            ),
            self.language,
            self._show_file,
        )
        self._profile = ProfileRequests(
            options.data, options.key, options.name, options.run_work, self.wrong
        )
        self._directories = DirectoryRequests(
            options.data, options.games, options.directories, self.wrong
        )
        self.requests = {
            **self._history.requests,
            **self._profile.requests,
            **self._directories.requests,
            "home": RequestSpec(self._home),
            "open": RequestSpec(
                self._open,
                {"what": str, "name": str},
                {
                    "bots": int,
                    "pace": str,
                    "strength": str,
                    "deck": str,
                    "near": bool,
                    "invited": bool,
                    "anew": bool,
                    "form": dict,
                    "options": dict,
                },
            ),
            "form": RequestSpec(self._form, optional={"form": dict}),
            "drop": RequestSpec(self._drop, {"name": str}),
            "close": RequestSpec(self._close),
            "look": RequestSpec(self._look, {"link": str}),
            "find": RequestSpec(self._find),
            "list": RequestSpec(self._list, {"of": str}),
            "rules": RequestSpec(self._rules, {"game": str}),
        }

    def language(self) -> Translate:
        """Return the language of the newest page."""
        return self.translate

    def newest(self) -> Snapshot:
        """Return the state of Home. Its lists are requests of their own."""
        shown = {
            "stage": "home",
            "serial": self._serial,
            "view": None,
            "opening": self._opening,
            "notice": self._notice,
            "failed": self._failed,
        }
        return Snapshot(self._serial, 0, shown)

    def begin(self, notice: str = "", failed: OpenRequest | None = None) -> None:
        """Begin anew, after what was open. `notice` says why it ended, if it failed. `failed`: the
        request that came to nothing, and can be made again.
        """
        self.news = News()
        self._opening = False
        self._notice = sanitize(notice)
        self._failed = None
        if failed is not None and failed.typed:
            self._failed = {"link": sanitize(failed.typed)}
        self._change()

    def _change(self) -> None:
        self._serial += 1
        self.news.changed()

    async def _home(self, fields: dict[str, Any]) -> Reply:
        """Close what is open. An unfinished match stays, and can go on."""
        self._go_home()
        return Value()

    async def _open(self, fields: dict[str, Any]) -> Reply:
        """Open a match, a table or a replay. Only one thing is opened at a time."""
        if self._opening:
            raise LocalError("home.busy")
        request = self._open_request(fields["what"], fields["name"], fields)
        needs_key = request.link is not None or request.table is not None or request.cards
        if needs_key and await self._is_locked():
            return Refusal(RefusalCode.REFUSED, self.say(phrase("home.key.locked")), LOCKED)
        self._begin_opening(request)
        return Value()

    async def _is_locked(self) -> bool:
        """Check that a passphrase is missing, or wrong. Raises: LocalError."""
        await self._options.run_work(self._options.key.identity)
        return self._options.key.is_locked

    def _begin_opening(self, request: OpenRequest) -> None:
        self._opening = True
        self._notice = ""
        self._failed = None
        self._change()
        self._on_open(request)

    def _show_file(self, file: NamedLog) -> None:
        """Show a file in place of what is open. Raises: LocalError."""
        self._go_home()
        if self._opening:
            raise LocalError("home.busy")
        self._begin_opening(OpenRequest(file=file))

    def _open_request(self, what: str, name: str, fields: Mapping[str, Any]) -> OpenRequest:
        """Raises: LocalError if nothing of this name can be opened."""
        match what:
            case "table":
                if name not in self._options.games.specs or self._options.tables is None:
                    raise LocalError("home.no_game")
                return OpenRequest(table=self._table_request(name, fields))
            case "play":
                return OpenRequest(self._play_words(name, fields))
            case "continue":
                found = self._unfinished().get(name)
                if found is None:
                    raise LocalError("home.no_match")
                if found.link:
                    return OpenRequest(link=JoinLink.parse(found.link))
                return OpenRequest(found.words)
            case "join":
                return _join_request(name)
            case "listed":
                return OpenRequest(link=self._directories.link_of(name), listed=True)
            case "replay":
                path = log_path(self._options.data, name)
                return OpenRequest(
                    log=path,
                    own=self._own(),
                    by_name=is_against_bots(name),
                    state=stored_state(self._unfinished(held=True), path),
                )
            case "cards":
                return OpenRequest(cards=True)
        raise self.wrong()

    def _play_words(self, name: str, fields: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the words of `fairdeal play` for a match against bots. Raises: LocalError."""
        row = self._options.games.specs.get(name)
        if row is None:
            raise LocalError("home.no_game")
        pace = fields.get("pace", USUAL)
        strength = fields.get("strength", USUAL)
        if pace not in PACES or strength not in STRENGTHS:
            raise self.wrong()
        deck = fields.get("deck", "")
        bots = fields.get("bots", row.default_seats - 1 if deck else 0)
        chosen = (f"--deck={deck}",) if deck else ()
        words = (name, "--bots", str(bots), *bot_words(row, pace, strength), *chosen)
        return (*words, *self._option_words(name, bots, fields.get("options", {})))

    def _option_words(self, name: str, bots: int, options: Mapping[str, Any]) -> Iterator[str]:
        """Yield the words of `fairdeal play` for options of a game. Raises: WrongField."""
        if options:
            terms = self._form_of({"game": name, "seats": bots + 1, "options": options}).terms()
            for option, value in terms.game.options:
                if option in options:
                    yield f"--option={option}={value}"

    def _decks(self) -> dict[str, tuple[str, ...]]:
        return {} if self._options.decks is None else self._options.decks()

    def _table_request(self, name: str, fields: Mapping[str, Any]) -> TableRequest:
        """Return a request for the person's own table. Raises: LocalError."""
        form = fields.get("form")
        return TableRequest(
            name,
            fields.get("near", False),
            None if form is None else self._form_of({**form, "game": name}).terms(),
            fields.get("invited", False),
            fields.get("anew", False),
            "" if form is None else read_form(form).deck or "",
        )

    def _form_of(self, form: Mapping[str, Any]) -> Form:
        """Raises: WrongField."""
        games = self._options.games
        listed = self._options.listed
        decks = DeckChoice(listed, games, self.say)
        asked = read_form(form)
        own = listed is not None and listed.has_own(asked.game)
        return Form(asked, games, self.say, Requirements(), decks, hosts=True, own_cards=own)

    async def _form(self, fields: dict[str, Any]) -> Reply:
        """Make the form of the person's own table anew, for what is in it."""
        return Value({"form": self._form_of(fields.get("form", {})).shown()})

    async def _drop(self, fields: dict[str, Any]) -> Reply:
        """Forget an unfinished match; its log stays."""
        found = self._unfinished().get(fields["name"])
        if found is None:
            raise LocalError("home.no_match")
        await self._options.run_work(found.drop)
        return Value()

    async def _list(self, fields: dict[str, Any]) -> Reply:
        """Return one of the lists."""
        lists: dict[str, Callable[[], Any]] = {
            "games": lambda: game_list(self._options.games, self._options.without, self.translate),
            "unfinished": self._shown_unfinished,
            "tables": self._tables,
            "directories": self._directories.shown,
            "logs": self._history.logs,
            "profile": self._profile.shown,
            "settings": lambda: read_settings(self._options.data),
            "limits": self._limits,
            "decks": self._decks,
            "own_table": self._own_table,
        }
        if fields["of"] not in lists:
            raise self.wrong()
        return Value(await self._options.run_work(lists[fields["of"]]))

    def _limits(self) -> dict[str, Any]:
        """Return the size of the largest file from elsewhere, and what can be done from here."""
        options = self._options
        return {
            "file": options.most_file,
            "hosts": options.tables is not None,
            "finds": options.find is not None,
            "decks": options.decks is not None,
        }

    def _unfinished(self, *, held: bool = False) -> dict[str, UnfinishedMatch]:
        """See `unfinished_matches`."""
        identity = None
        with suppress(LocalError):  # a key that cannot be read is named when it is needed
            identity = self._options.key.identity()
        return unfinished_matches(self._options.data, self._options.games, identity, held=held)

    def _shown_unfinished(self) -> list[dict[str, Any]]:
        """Return the matches that can go on, the newest first."""
        tables = self._options.tables
        own = None if tables is None else tables.earlier
        rows = [
            unfinished_row(name, found, own, self._matches)
            for name, found in self._unfinished().items()
        ]
        shown = [row for row in rows if row is not None]
        return sorted(shown, key=lambda row: (not row["turn"], -row["changed"]))

    def _tables(self) -> list[dict[str, Any]]:
        return [
            {"link": str(link), "address": sanitize(link.address_text), "asked": at < TABLES_ASKED}
            for at, link in enumerate(KnownTables(self._options.data).links())
        ]

    def _own_table(self) -> dict[str, Any] | None:
        own = None if self._options.tables is None else self._options.tables.own
        if own is None:
            return None
        return {"link": str(own.page or own.link), "told": [self.say(told) for told in own.told]}

    async def _close(self, fields: dict[str, Any]) -> Reply:
        """End the person's own table."""
        if self._options.tables is not None:
            await self._options.tables.close()
        return Value()

    async def _look(self, fields: dict[str, Any]) -> Reply:
        """Ask one of the tables of earlier visits who is there."""
        link = JoinLink.parse(fields["link"])
        visited = [str(each) for each in KnownTables(self._options.data).links()]
        if self._options.look is None or str(link) not in visited:
            raise self.wrong()
        if self._looks >= TABLES_ASKED:
            raise LocalError("home.busy")
        self._looks += 1
        try:
            return Value(await self._options.look(link))
        finally:
            self._looks -= 1

    async def _find(self, fields: dict[str, Any]) -> Reply:
        """Find tables on the local network."""
        if self._options.find is None:
            raise self.wrong()
        return Value(await self._options.find())

    def _own(self) -> OwnPerson:
        names = (self._options.name(), *read_earlier_names(self._options.data))
        return OwnPerson(self._fingerprint(), names)

    def _fingerprint(self) -> str | None:
        file = self._options.key.file
        return None if file is None else file.fingerprint

    async def _rules(self, fields: dict[str, Any]) -> Reply:
        """Return the rules of a game."""
        return Value(game_rules(self._options.games, fields["game"], self.translate))


def _join_request(text: str) -> OpenRequest:
    """Return the request to visit the table of a link that the person has typed. Raises:
    LocalError.
    """
    try:
        link = JoinLink.parse(text)
    except LocalError:
        begun = text.strip().lower().startswith(SCHEMES)
        raise LocalError("home.no_link.end" if begun else "home.no_link") from None
    if link.direct:
        raise LocalError("home.direct", link=str(link))
    return OpenRequest(link=link, typed=str(link))
