"""Messages of Home: its lists, and what a person opens from there. No HTTP is known here."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from player.storage.identity_file import read_keyfile
from player.storage.known_tables import KnownTables
from player.storage.own_language import read_language, store_language
from player.storage.own_name import store_name
from player.ui.web.home.game_list import game_list, game_rules
from player.ui.web.home.match_history import OwnPerson, log_path, log_verdict, match_history
from player.ui.web.home.unfinished import unfinished_matches
from player.ui.web.messages import Reply, RequestSpec, Responder, Value
from player.ui.web.stream import News, Snapshot
from protocol.errors import LocalError
from protocol.games.registry import Games
from protocol.i18n import available_languages
from protocol.identity.keys import Identity, JoinLink
from protocol.identity.names import name_problem, tidy_name
from protocol.view.text import Translate, sanitize

RunWork = Callable[[Callable[[], Any]], Awaitable[Any]]


class OpenRequest(NamedTuple):
    """A person's request to open a match against bots (`words` of `fairdeal play`), the table of a
    `link`, the replay of a `log`, or the person's `cards`.
    """

    words: tuple[str, ...] = ()
    link: JoinLink | None = None
    log: Path | None = None
    cards: bool = False


@dataclass(frozen=True)
class HomeOptions:
    """The person to whom Home belongs. `name` is the name under which the person plays, `identity`
    the person's key, if there is one that needs no passphrase. `without` names the games that Home
    does not list.
    """

    data: Path
    games: Games
    name: Callable[[], str]
    identity: Callable[[], Identity | None]
    without: frozenset[str]
    run_work: RunWork  # does work that takes a while: reading logs


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
        self.requests = {
            "home": RequestSpec(self._home),
            "open": RequestSpec(self._open, {"what": str, "name": str}, {"bots": int}),
            "list": RequestSpec(self._list, {"of": str}),
            "check": RequestSpec(self._check, {"log": str}),
            "profile": RequestSpec(self._profile, optional={"name": str, "language": str}),
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
        }
        return Snapshot(self._serial, 0, shown)

    def begin(self, notice: str = "") -> None:
        """Begin anew, after what was open. `notice` says why it ended, if it failed."""
        self.news = News()
        self._opening = False
        self._notice = sanitize(notice)
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
        request = self._open_request(fields["what"], fields["name"], fields.get("bots", 0))
        self._opening = True
        self._notice = ""
        self._change()
        self._on_open(request)
        return Value()

    def _open_request(self, what: str, name: str, bots: int) -> OpenRequest:
        """Raises: LocalError if nothing of this name can be opened."""
        match what:
            case "play":
                if name not in self._options.games.specs:
                    raise LocalError("home.no_game")
                return OpenRequest((name, "--bots", str(bots)))
            case "continue":
                found = self._unfinished().get(name)
                if found is None:
                    raise LocalError("home.no_match")
                if found.link:
                    return OpenRequest(link=JoinLink.parse(found.link))
                return OpenRequest(found.words)
            case "join":
                link = JoinLink.parse(name)
                if link.direct:
                    raise LocalError("home.direct", link=str(link))
                return OpenRequest(link=link)
            case "replay":
                return OpenRequest(log=log_path(self._options.data, name))
            case "cards":
                return OpenRequest(cards=True)
        raise self.wrong()

    async def _list(self, fields: dict[str, Any]) -> Reply:
        """Return one of the lists."""
        lists: dict[str, Callable[[], Any]] = {
            "games": lambda: game_list(self._options.games, self._options.without, self.translate),
            "unfinished": self._shown_unfinished,
            "tables": self._tables,
            "logs": self._logs,
            "profile": self._shown_profile,
        }
        if fields["of"] not in lists:
            raise self.wrong()
        return Value(await self._options.run_work(lists[fields["of"]]))

    def _unfinished(self) -> dict[str, Any]:
        return unfinished_matches(self._options.data, self._options.games, self._options.identity())

    def _shown_unfinished(self) -> list[dict[str, str]]:
        return [
            {"name": name, "game": found.game, "link": sanitize(found.link)}
            for name, found in self._unfinished().items()
        ]

    def _tables(self) -> list[dict[str, str]]:
        return [
            {"link": str(link), "address": sanitize(link.address_text)}
            for link in KnownTables(self._options.data).links()
        ]

    def _logs(self) -> list[dict[str, Any]]:
        own = OwnPerson(self._options.name(), self._fingerprint())
        return match_history(self._options.data, self._options.games, own)

    async def _check(self, fields: dict[str, Any]) -> Reply:
        """Audit a log."""
        path = log_path(self._options.data, fields["log"])
        return Value(
            await self._options.run_work(
                lambda: log_verdict(path, self._options.games, self.translate)
            )
        )

    async def _profile(self, fields: dict[str, Any]) -> Reply:
        """Keep the person's name and language."""
        if "name" in fields:
            name = tidy_name(fields["name"])
            if (why := name_problem(name)) is not None:
                raise LocalError("wrong.name.typed", why=why)
            store_name(self._options.data, name)
        if "language" in fields:
            if fields["language"] not in ("", *available_languages()):
                raise self.wrong()
            store_language(self._options.data, fields["language"])
        return Value(self._shown_profile())

    def _shown_profile(self) -> dict[str, Any]:
        return {
            "name": self._options.name(),
            "language": read_language(self._options.data) or "",
            "languages": available_languages(),
            "fingerprint": self._fingerprint(),
            "folder": sanitize(str(self._options.data)),
        }

    def _fingerprint(self) -> str | None:
        file = read_keyfile(self._options.data)
        return None if file is None else file.fingerprint

    async def _rules(self, fields: dict[str, Any]) -> Reply:
        """Return the rules of a game."""
        return Value(game_rules(self._options.games, fields["game"], self.translate))
