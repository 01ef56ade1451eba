"""Requests about own matches: results and statistics, an audit, files for other programs, and a file
from elsewhere that is shown as a replay.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from player.presenter.match_data import harmless
from player.ui.web.home.log_files import is_against_bots, log_path
from player.ui.web.home.match_facts import MatchFacts, OwnPerson
from player.ui.web.home.match_history import hands_text, log_verdict, match_history, result_row
from player.ui.web.home.match_results import MatchResults
from player.ui.web.home.statistics import OwnMatch, statistics
from player.ui.web.messages import File, Reply, RequestSpec, RunWork, Value
from protocol.audit.history import MatchHistory
from protocol.audit.report_text import verdict_lines
from protocol.audit.verdict import replay_report
from protocol.errors import LocalError
from protocol.games.registry import Games
from protocol.limits import MAX_LOG_FILE
from protocol.local_files import check_log, read_log
from protocol.match.log_file import SUFFIX
from protocol.view.text import Translate, sanitize

MOST_FILE = MAX_LOG_FILE + 1  # bytes; of a larger file the page sends only these, as an audit reads

MOST_NAME = 80  # characters of a file's name that are shown


class NamedLog(NamedTuple):
    """A log that came from the page. No copy of it is stored."""

    name: str
    data: bytes


@dataclass(frozen=True)
class HistoryOptions:
    """The person to whom the logs in a data folder belong, and how they are read."""

    data: Path
    games: Games
    own: Callable[[], OwnPerson]
    run_work: RunWork
    most_file: int
    # names of the matches that can go on, by their logs
    unfinished: Callable[[], Mapping[Path, str]] = dict


class HistoryRequests:
    """Answers requests about the logs of a data folder. `on_file` gets a file to show."""

    def __init__(
        self,
        options: HistoryOptions,
        language: Callable[[], Translate],
        on_file: Callable[[NamedLog], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._data = options.data
        self._games = options.games
        self._own = options.own
        self._unfinished = options.unfinished
        self._run_work = options.run_work
        self._language = language
        self._on_file = on_file
        self._clock = clock
        self._results: MatchResults | None = None
        self._reading = asyncio.Lock()  # one piece of reading at a time, for all pages
        self.requests: Mapping[str, RequestSpec] = {
            "results": RequestSpec(self._read_results, {"known": int}),
            "check": RequestSpec(self._check, {"log": str}),
            "export": RequestSpec(self._export, {"log": str, "format": str}),
            "show": RequestSpec(self._show, {"name": str}, most_file=options.most_file),
        }

    def logs(self) -> list[dict[str, Any]]:
        """Return the newest matches."""
        return match_history(self._data, self._games, self._own(), self._unfinished())

    async def _read_results(self, fields: dict[str, Any]) -> Reply:
        """Return the results but the first `known`; a negative number begins anew. Each request
        reads more, until all logs have been read.
        """
        known = max(0, fields["known"])
        async with self._reading:
            if fields["known"] < 0 or self._results is None:
                self._results = MatchResults(self._data, self._games, self._clock)
            results = self._results
            await self._run_work(results.read)
        own = self._own()
        matches = [_own_match(name, facts, own) for name, facts in results.facts]
        return Value(
            {
                "read": len(matches),
                "total": results.total,
                "left_out": results.left_out,
                "results": [result_row(match) for match in matches[known:]],
                "statistics": harmless(statistics(reversed(matches)))
                if results.is_complete
                else None,
            }
        )

    async def _check(self, fields: dict[str, Any]) -> Reply:
        """Audit a log."""
        path = log_path(self._data, fields["log"])
        translate = self._language()
        return Value(await self._run_work(lambda: log_verdict(path, self._games, translate)))

    async def _export(self, fields: dict[str, Any]) -> Reply:
        """Return a log as it is, or its hands in a format of other programs."""
        path = log_path(self._data, fields["log"])
        form = fields["format"]
        if not form:
            return File(sanitize(path.name), await self._run_work(lambda: read_log(path)))
        text = await self._run_work(lambda: hands_text(path, self._games, form))
        return File(f"{sanitize(path.stem)}.{form}.txt", text.encode())

    async def _show(self, fields: dict[str, Any]) -> Reply:
        """Show a file from elsewhere as a replay."""
        name, data = sanitize(fields["name"])[:MOST_NAME] or SUFFIX, fields["file"]
        log = NamedLog(name, await self._run_work(lambda: check_log(data, name)))
        await self._run_work(lambda: self._check_beginning(log))
        self._on_file(log)
        return Value()

    def _check_beginning(self, log: NamedLog) -> None:
        """Raises: LocalError with the sentence of the audit, if nothing can be shown."""
        history = MatchHistory(log.data, self._games).read(0)
        if not history.steps:
            report = replay_report(history.replay)
            why = " ".join(line.strip() for line in verdict_lines(report, self._language()))
            raise LocalError("home.file", name=log.name, why=why)


def _own_match(log: str, facts: MatchFacts, own: OwnPerson) -> OwnMatch:
    bots = is_against_bots(log)
    return OwnMatch(log, facts, facts.own_seat(own, by_name=bots), bots)
