"""The requests of a replay's page, with a token: the part of the replay that has been read, frames,
the log.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from net.http.requests import HttpError, file_response, query_number
from player.ui.web.snapshot import rules_data
from protocol.audit.compare import Comparison, ForkProof, compare, comparison_lines
from protocol.audit.history import MatchHistory
from protocol.audit.replay_frames import ALL_SEATS, Viewpoint, replay_data, replay_frame, step_marks
from protocol.games.registry import Games
from protocol.limits import PAGE_READ_SECONDS
from protocol.match.log_file import count_records
from protocol.match.match_rules import MatchRules
from protocol.view.text import Translate

SIDES = {"none": None, "all": ALL_SEATS}


@dataclass(frozen=True)
class LogFile:
    """A log as it was found."""

    name: str  # fit to be printed
    data: bytes


class ReplayRequests:
    """The handlers, over one log; and over another copy of it, if they are to be compared."""

    def __init__(
        self,
        log: LogFile,
        games: Games,
        translate: Translate,
        other: LogFile | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.history = MatchHistory(log.data, games)
        self._log = log
        self._other = other
        self._games = games
        self._clock = clock
        self.translate = translate
        self._entries = count_records(log.data)
        self.marks: list[dict[str, Any]] = []
        self._marked = 0  # entries that have been looked at for that
        self._compared: dict[str, Any] | None = None

    def say_in(self, translate: Translate) -> None:
        """From now on it is told in this language."""
        if translate is not self.translate:
            self.translate = translate
            self.marks = []
            self._marked = 0
            self._compared = None

    def routes(self) -> list[Route]:
        """All of them."""
        gets = {
            "replay": self.replay,
            "frame": self.frame,
            "log": self.log,
            "rules": self.rules,
        }
        return [Route(f"/api/{name}", handler, methods=["GET"]) for name, handler in gets.items()]

    async def replay(self, request: Request) -> Response:
        """Return everything but the frames. A long log is read in pieces: each request returns more
        of it.
        """
        self.read()
        marks = self.marks[query_number(request, "marks") :]
        found = replay_data(self.history, self._entries, marks, self.translate)
        return JSONResponse(found | {"compared": self._comparison()})

    async def frame(self, request: Request) -> Response:
        """One frame."""
        entry = query_number(request, "entry")
        whose = self._whose(request.query_params.getlist("seat"))
        if entry >= len(self.history.steps):
            raise HttpError(404, "web.nothing")
        return JSONResponse(replay_frame(self.history, entry, whose, self.translate))

    async def log(self, request: Request) -> Response:
        """The file, as it is."""
        return file_response(self._log.name, self._log.data)

    async def rules(self, request: Request) -> Response:
        """The rules of the match, as far as it has been read."""
        if not self.history.steps:
            raise HttpError(404, "web.nothing")
        match = self.history.steps[-1].after
        return JSONResponse(rules_data(MatchRules.of_match(match), self.translate))

    def read(self) -> None:
        """Read for a moment; one entry at least, however slow the machine is. The proofs of one may
        take a second.
        """
        until = self._clock() + PAGE_READ_SECONDS
        while not self.history.read(len(self.history.steps)).is_complete and self._clock() < until:
            pass
        for step in self.history.steps[self._marked :]:
            self.marks += step_marks(step, self.translate)
        self._marked = len(self.history.steps)

    def _whose(self, given: list[str]) -> Viewpoint:
        if self.history.steps:
            seats = self.history.steps[0].after.setup.seats
        else:
            seats = 0
        sides = SIDES | {str(seat): seat for seat in range(seats)}
        if len(given) != 1 or given[0] not in sides:
            raise HttpError(400, "web.wrong")
        return sides[given[0]]

    def _comparison(self) -> dict[str, Any] | None:
        if self._compared is None and self._other is not None:
            result = compare(self._log.data, self._other.data, self._games)
            self._compared = compared_data(
                result, (self._log.name, self._other.name), self.translate
            )
        return self._compared


def compared_data(
    result: Comparison, names: tuple[str, str], translate: Translate
) -> dict[str, Any]:
    """Return lines about how two copies agree, and the two heads that prove a fork, if there are
    any.
    """
    heads = result.heads if isinstance(result, ForkProof) else ()
    return {
        "lines": comparison_lines(result, names, translate)[:1]
        if heads
        else comparison_lines(result, names, translate),
        "names": list(names),
        "number": heads[0].number if heads else None,
        "heads": [{"hash": head.hash.hex(), "signature": head.signature.hex()} for head in heads],
    }
