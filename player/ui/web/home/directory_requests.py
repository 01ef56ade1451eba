"""Requests about directories: which ones the person browses, their tables, and a seat at one."""

import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from random import Random
from secrets import SystemRandom
from typing import Any, NamedTuple

from player.client.connection import Connect
from player.storage.own_directories import OwnDirectories
from player.ui.web.messages import BadRequest, Reply, RequestSpec, Value
from protocol.directory.link import ListLink
from protocol.directory.reachable import is_callable
from protocol.directory.report import TableReport
from protocol.directory.selection import (
    Order,
    first_valid,
    is_valid,
    matching,
    ordered,
    seat_anywhere,
)
from protocol.directory.table_list import TableList
from protocol.errors import LocalError
from protocol.games.registry import Games
from protocol.identity.address import Address
from protocol.identity.keys import JoinLink, short_letters
from protocol.limits import MAX_TABLES_SHOWN
from protocol.view.text import sanitize

FILTER = {"game": str, "name": str, "all": bool}


class Directories(NamedTuple):
    """Ways to read lists and to call their tables. `read` raises LocalError; `connect` calls an
    address from a list only if the address is public; `may_call` says so before.
    """

    read: Callable[[ListLink], Awaitable[TableList]]
    connect: Connect
    may_call: Callable[[Address], bool] = is_callable
    now: Callable[[], float] = time.time  # seconds since 1970
    rng: Random = SystemRandom()


class DirectoryRequests:
    """Answers requests about directories, and keeps the list that was read last. `wrong` makes the
    error for what no page of ours sends.
    """

    def __init__(
        self,
        data: Path,
        games: Games,
        directories: Directories,
        wrong: Callable[[], BadRequest],
    ) -> None:
        self._own = OwnDirectories(data)
        self._games = games
        self._directories = directories
        self._wrong = wrong
        self._held: tuple[ListLink, TableList] | None = None
        self.requests: Mapping[str, RequestSpec] = {
            "add_directory": RequestSpec(self._add, {"link": str}),
            "remove_directory": RequestSpec(self._remove, {"link": str}),
            "directory": RequestSpec(
                self._tables, {"link": str}, {**FILTER, "order": str, "anew": bool}
            ),
            "seat_anywhere": RequestSpec(self._seat, {"link": str}, FILTER),
        }

    def shown(self) -> list[dict[str, str]]:
        """Return the directories of this person."""
        return [{"link": str(link), "url": sanitize(link.url)} for link in self._own.links()]

    def link_of(self, text: str) -> JoinLink:
        """Return the link of a table that the person has chosen from the list that was read last.
        Raises: LocalError if it has no such table that may be called.
        """
        reports = () if self._held is None else self._held[1].reports
        for report in reports:
            if report.fingerprint in text and is_valid(report) and str(report.link) == text:
                if self._directories.may_call(report.where):
                    return report.link
                break
        raise LocalError("wrong.directory.gone")

    async def _add(self, fields: dict[str, Any]) -> Reply:
        """Read the list of a directory, and keep its link if the list can be trusted."""
        link = ListLink.parse(fields["link"])
        await self._read(link, anew=True)
        self._own.add(link)
        return Value({"link": str(link)})

    async def _remove(self, fields: dict[str, Any]) -> Reply:
        """Forget the link of a directory. What was seen of it stays, so that it cannot go back."""
        self._own.remove(ListLink.parse(fields["link"]))
        return Value()

    async def _read(self, link: ListLink, *, anew: bool) -> TableList:
        there = self._directories
        if not anew and self._held is not None and self._held[0] == link:
            found = self._held[1]
            if found.expires > there.now():
                return found
        found = await there.read(link)
        self._held = link, found
        return found

    async def _tables(self, fields: dict[str, Any]) -> Reply:
        """Return the tables that fit, the first `MAX_TABLES_SHOWN` of them."""
        order = fields.get("order", str(Order.FREE))
        if order not in list(Order):
            raise self._wrong()
        found = await self._read(self._own_link(fields), anew=fields.get("anew", False))
        counting = matching(found.reports, self._directories.now(), only_free=False)
        offered = {game for report in counting for game in report.games}
        fitting = ordered(self._matching(found, fields), Order(order))
        shown, dropped = first_valid(fitting, MAX_TABLES_SHOWN)
        return Value(
            {
                "games": [game for game in self._games.specs if game in offered],
                "tables": list(map(self._row, shown)),
                "dropped": dropped,
                "more": max(0, len(fitting) - MAX_TABLES_SHOWN),
            }
        )

    async def _seat(self, fields: dict[str, Any]) -> Reply:
        """Draw a table by lot, and call nobody: the page asks first."""
        there = self._directories
        found = await self._read(self._own_link(fields), anew=False)
        chosen = seat_anywhere(self._matching(found, fields), there.rng, there.may_call)
        if chosen is None:
            raise LocalError("wrong.directory.none")
        return Value(self._row(chosen))

    def _own_link(self, fields: Mapping[str, Any]) -> ListLink:
        """Return the link of one of the person's directories. Raises: LocalError, BadRequest."""
        link = ListLink.parse(fields["link"])
        if link not in self._own.links():
            raise self._wrong()
        return link

    def _matching(self, found: TableList, fields: Mapping[str, Any]) -> list[TableReport]:
        return matching(
            found.reports,
            self._directories.now(),
            fields.get("game", ""),
            only_free=not fields.get("all", False),
            name=fields.get("name", ""),
        )

    def _row(self, report: TableReport) -> dict[str, Any]:
        where = report.where
        return {
            "name": sanitize(report.name),
            "games": [sanitize(game) for game in report.games],
            "address": str(where),
            "short": short_letters(report.fingerprint),
            "link": str(report.link) if self._directories.may_call(where) else None,
            "taken": report.taken,
            "free": report.free,
        }
