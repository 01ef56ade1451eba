"""Requests of the page of a replay: the part that has been read, single frames, the log and the rules."""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from player.presenter.match_data import rules_data
from player.ui.web.messages import File, RefusalCode, Reply, RequestSpec, Responder, Value
from protocol.audit.compare import Comparison, ForkProof, compare, comparison_lines
from protocol.audit.history import MatchHistory
from protocol.audit.replay_frames import ALL_SEATS, Viewpoint, replay_data, replay_frame, step_marks
from protocol.audit.verdict import Verdict, replay_report
from protocol.games import Hand
from protocol.games.registry import Games
from protocol.limits import PAGE_READ_SECONDS
from protocol.match.log_file import count_records
from protocol.match.match_rules import MatchRules
from protocol.match.state import Match
from protocol.view.phrase import phrase
from protocol.view.text import Translate

OwnSeat = Callable[[Match], int | None]  # the seat of the person who looks on, if there is one
# the person's own hand after each entry of a deal that no log opens
OwnHands = Callable[[MatchHistory], Awaitable[Mapping[int, Hand]]]
SIDES = {"none": None, "all": ALL_SEATS}


@dataclass(frozen=True)
class LogFile:
    """A log as it was found."""

    name: str  # fit to be printed
    data: bytes


class ReplayRequests(Responder):
    """Answers pages about one log. `other`: another copy of the log to compare with it."""

    def __init__(
        self,
        log: LogFile,
        games: Games,
        translate: Translate,
        other: LogFile | None = None,
        clock: Callable[[], float] = time.monotonic,
        own: OwnSeat = lambda match: None,
        hands: OwnHands | None = None,
    ) -> None:
        """`hands`: of a match of the person that can go on; None for all others."""
        self._own = own
        self._hands = hands
        self._known: Mapping[int, Hand] | None = None  # by entry
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
        self.requests = {
            "replay": RequestSpec(self._replay, {"marks": int}),
            "frame": RequestSpec(self._frame, {"entry": int, "seat": str}),
            "log": RequestSpec(self._file),
            "rules": RequestSpec(self._rules),
        }

    def language(self) -> Translate:
        """Return the language in which the match is told."""
        return self.translate

    def say_in(self, translate: Translate) -> None:
        """Use this language from now on."""
        if translate is not self.translate:
            self.translate = translate
            self.marks = []
            self._marked = 0
            self._compared = None

    async def _replay(self, fields: dict[str, Any]) -> Reply:
        """Return everything but the frames. A long log is read a piece at a time: each request
        reads more of it.
        """
        self.read()
        marks = self.marks[max(0, fields["marks"]) :]
        found = replay_data(self.history, self._entries, marks, self.translate)
        steps = self.history.steps
        own = self._own(steps[0].after) if steps else None
        if own is not None and found["verdict"]:
            found["verdict"] |= self._told_to_player(own)
        return Value(found | {"compared": self._comparison(), "own": own})

    def _told_to_player(self, own: int) -> dict[str, Any]:
        """Return the lines for a player in place of the verdict, if the own match is not over: to the
        player its log is not incomplete. Otherwise return nothing.
        """
        report = replay_report(self.history.replay)
        if report.verdict is not Verdict.INCOMPLETE or self.history.replay.cut_short:
            return {}
        if self._hands is not None:
            key = "replay.paused"
        elif own in self.history.steps[-1].after.gone:
            key = "replay.left"
        else:
            key = "replay.dropped"
        return {"lines": [self.say(phrase(key))]}

    async def _frame(self, fields: dict[str, Any]) -> Reply:
        """Return one frame."""
        entry = fields["entry"]
        side = self._side(fields["seat"])
        if not 0 <= entry < len(self.history.steps):
            return self.refuse(RefusalCode.NOTHING, "web.nothing")
        hand = None
        if side == self._own(self.history.steps[0].after):
            hand = (await self._own_hands()).get(entry)
        return Value(replay_frame(self.history, entry, side, self.translate, hand))

    async def _own_hands(self) -> Mapping[int, Hand]:
        """Return the hands that the person's own keys tell, once the log has been read."""
        if self._hands is None or not self.history.is_complete:
            return {}
        if self._known is None:
            self._known = await self._hands(self.history)
        return self._known

    async def _file(self, fields: dict[str, Any]) -> Reply:
        """Return the log as it is."""
        return File(self._log.name, self._log.data)

    async def _rules(self, fields: dict[str, Any]) -> Reply:
        """Return the rules of the match, as far as it has been read."""
        if not self.history.steps:
            return self.refuse(RefusalCode.NOTHING, "web.nothing")
        match = self.history.steps[-1].after
        return Value(rules_data(MatchRules.of_match(match), self.translate))

    def read(self) -> None:
        """Read for `PAGE_READ_SECONDS`, and at least one entry: the proofs of one may take a second."""
        until = self._clock() + PAGE_READ_SECONDS
        while not self.history.read(len(self.history.steps)).is_complete and self._clock() < until:
            pass
        for step in self.history.steps[self._marked :]:
            self.marks += step_marks(step, self.translate)
        self._marked = len(self.history.steps)

    def _side(self, given: str) -> Viewpoint:
        """Return the viewpoint of a frame. Raises: BadRequest if there is no such seat."""
        if self.history.steps:
            seats = self.history.steps[0].after.setup.seats
        else:
            seats = 0
        sides = SIDES | {str(seat): seat for seat in range(seats)}
        if given not in sides:
            raise self.wrong()
        return sides[given]

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
