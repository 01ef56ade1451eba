"""The lines to one other person, as a state machine: which lines there are, and which one is in
use. It has no socket and no clock.

Messages are taken from every line. Own messages go out on the best line that is not silent. For the
user of the lines, a move to another line is a new connection: the user sends everything that the
other side may lack, and repeated messages do no harm. A line may therefore break at any byte, and
both sides may choose differently.

With a program that has not said which run of it speaks (it knows nothing of lines), only the newest
line counts.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from typing import Protocol

from player.client.client_base import MENDABLE
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import (
    LINE_BEAT_SECONDS,
    LINE_KEPT_SECONDS,
    LINE_SILENT_SECONDS,
    MAX_LINES,
    MAX_RUNS,
)
from protocol.messages.lines import AliveMessage, Endpoint, WaysMessage, decode_line, encode_line

# Reasons why a line ends, and nothing else does. To hang up without one may mean that all has
# arrived.
PASSING = (*(code for code in MENDABLE if code is not None), Code.TAKEN_OVER)


class LineKind(IntEnum):
    """The path of a line; a smaller value is better."""

    LAN = 0
    DIRECT = 1
    RELAY = 2


class Carrier(Protocol):
    """The connection under a line, with a session of its own, whose other end has proven its key."""

    def send(self, payload: bytes) -> None:
        """Send a message; dropped if the line is ending."""

    def close(self, code: Code | None = None) -> None:
        """Say goodbye, with a reason if there is one."""


class LineUser(Protocol):
    """The user of the lines: a match without a table, or a trade. After `attach` it sends all that
    the other side may lack.
    """

    @property
    def finished(self) -> bool:
        """Return True if nothing is left to do."""

    @property
    def complaint(self) -> Code | None:
        """Return the code for the close record; None if nothing is wrong."""

    def attach(self, send: Callable[[bytes], None], peer: bytes, /) -> None:
        """Take a line, or another one, to this identity."""

    def detached(self, code: Code | None, /) -> None:
        """Note that no line stands any more, for this reason."""

    def received(self, payload: bytes, /) -> None:
        """A message. Raises: RemoteError, which ends the line that it came on."""


@dataclass(frozen=True)
class LineCallbacks:
    """The own side's part. `about`: purpose of the lines (32 bytes), or None while it is unknown.

    `ways`: own addresses for incoming calls; None if the person does not share them, and only the
    newest line is used. `found` gets the other side's addresses, `moved` the kind of the line in
    use. `restarted`: the other program is another run than before, and knows nothing but what it
    has on disk. `came` gets the other side's key before any message.
    """

    run: bytes
    about: Callable[[], bytes | None]
    ways: Callable[[], tuple[Endpoint, ...]] | None = None
    found: Callable[[tuple[Endpoint, ...]], None] = lambda _: None
    moved: Callable[[LineKind], None] = lambda _: None
    restarted: Callable[[], None] = lambda: None
    came: Callable[[bytes], None] = lambda _: None


@dataclass(slots=True, eq=False)
class _Line:
    carrier: Carrier
    kind: LineKind
    heard: float  # when something came last, seconds
    said: float  # when something went out last
    run: bytes | None = None  # which run of the other program is at its end
    introduced: bool = False  # whether we have said ours

    def send(self, now: Callable[[], float], payload: bytes) -> None:
        self.said = now()
        self.carrier.send(payload)


class LineSet:
    """All lines to one identity. `now`: a clock that nobody can set, in seconds."""

    def __init__(self, user: LineUser, plan: LineCallbacks, now: Callable[[], float]) -> None:
        self._user = user
        self._plan = plan
        self._now = now
        self._lines: dict[Carrier, _Line] = {}
        self._used: _Line | None = None
        self._peer = b""
        self._run: bytes | None = None  # of the other program, if it knows of lines
        self._retired: list[bytes] = []  # earlier runs of it
        self._last: LineKind | None = None  # over what we went

    @property
    def kind(self) -> LineKind | None:
        """Return the kind of the line in use; None if every line is silent."""
        return self._used.kind if self._used else None

    @property
    def standing(self) -> frozenset[LineKind]:
        """Return the kinds of all lines, silent ones too."""
        return frozenset(line.kind for line in self._lines.values())

    # --- what happens ---

    def add(self, carrier: Carrier, kind: LineKind, peer: bytes) -> None:
        """A session stands, with this identity: the same one on all lines, or it is sent away."""
        if self._peer and peer != self._peer:
            carrier.close(Code.TABLE_FULL)
            return
        self._peer, now = peer, self._now()
        self._plan.came(peer)
        line = self._lines[carrier] = _Line(carrier, kind, now, now)
        if self._plan.ways is None:
            self._only(line)
        elif len(self._lines) > MAX_LINES:
            self._drop(
                max(self._unused(), key=lambda one: (one.run is not None, one.kind, -one.heard)),
                Code.TOO_MANY,
            )
        self._introduce()
        self._choose()

    def received(self, carrier: Carrier, payload: bytes) -> None:
        """A message came. Raises: RemoteError, which ends this line."""
        line = self._lines.get(carrier)
        if line is None:  # it was closed here, and what is still under way counts no more
            return
        line.heard = self._now()
        message = decode_line(payload)
        if isinstance(message, WaysMessage):
            self._met(line, message)
        elif not isinstance(message, AliveMessage):
            self._spoke(line)
            self._user.received(payload)
        self._introduce()
        self._choose()

    def gone(self, carrier: Carrier, code: Code | None) -> None:
        """A line has ended: with this reason, if the other side gave one (CUT_OFF: it did not
        close).
        """
        line = self._lines.pop(carrier, None)
        if line is None:
            return
        was_used = line is self._used
        if was_used:
            self._used = None
        if code not in PASSING and self._counts(line):
            self._tell_detached(code)
        if not self._user.finished:
            self._choose()
        if was_used and self._used is None and code in PASSING:
            self._tell_detached(code)

    def beat(self) -> None:
        """Time has passed: to be called twice a second or so."""
        now = self._now()
        for line in list(self._lines.values()):
            if (
                self._run is not None
                and line.run is not None
                and now - line.said >= LINE_BEAT_SECONDS
            ):
                line.send(self._now, encode_line(AliveMessage()))
            if self._run is not None and now - line.heard > LINE_KEPT_SECONDS:
                self._drop(line, Code.TOO_SLOW)
        self._choose()
        if self._used is None and (mute := self._mute(now)):
            # the other program was started anew, without lines, and it is our turn to speak
            self._spoke(mute[-1])
            self._choose()

    def tell_ways(self) -> None:
        """Tell the other side the changed own addresses."""
        for line in self._lines.values():
            line.introduced = False
        self._introduce()

    def close(self) -> None:
        """Hang up everywhere."""
        for line in list(self._lines.values()):
            line.carrier.close(self._user.complaint if self._counts(line) else Code.CLOSING)

    # --- who is there ---

    def _introduce(self) -> None:
        """Send on each line its purpose, the own run and, if the person allows it, the own
        addresses.
        """
        about = self._plan.about()
        if self._plan.ways is None or about is None or self._user.finished:
            return
        for line in self._lines.values():
            if not line.introduced:
                line.introduced = True
                line.send(
                    self._now, encode_line(WaysMessage(about, self._plan.run, self._plan.ways()))
                )

    def _met(self, line: _Line, said: WaysMessage) -> None:
        if said.about != self._plan.about():
            raise RemoteError(Code.WRONG_MATCH)
        if self._plan.ways is None:
            return
        if said.run in self._retired:
            raise RemoteError(Code.TAKEN_OVER)
        line.run = said.run
        # another run of it, or the first: what leads to an earlier one counts no more
        if said.run != self._run:
            self._retire()
            self._run = said.run
            for other in self._others(line):
                if other.run is not None:
                    self._drop(other, Code.TAKEN_OVER)
        self._plan.found(said.ways)

    def _spoke(self, line: _Line) -> None:
        """A message that is not about lines: where nobody has said which run it is, that is a
        program without lines.
        """
        if line.run is None and (self._run is not None or line is self._newest()):
            self._retire()
            self._only(line)

    def _only(self, line: _Line) -> None:
        for other in self._others(line):
            self._drop(other, Code.TAKEN_OVER)

    def _retire(self) -> None:
        if self._run is not None:
            self._retired = [*self._retired, self._run][-MAX_RUNS:]
            self._run = None
            self._plan.restarted()

    # --- which line is used ---

    def _counts(self, line: _Line) -> bool:
        return self._run is None or line.run == self._run

    def _live(self, line: _Line) -> bool:
        silent = self._run is not None and self._now() - line.heard >= LINE_SILENT_SECONDS
        return self._counts(line) and not silent

    def _choose(self) -> None:
        """Use the best line; one that is as good as the present one is no reason to move."""
        live = [line for line in self._lines.values() if self._live(line)]
        best = min(live, key=lambda line: (line.kind, line is not self._used), default=None)
        if self._run is None:
            best = self._newest()
        if best is self._used or self._user.finished:
            return
        self._used = best
        if best is None:
            self._tell_detached(Code.CUT_OFF)
            return
        if self._last not in (None, best.kind):
            self._plan.moved(best.kind)
        self._last = best.kind
        self._user.attach(partial(best.send, self._now), self._peer)

    def _tell_detached(self, code: Code | None) -> None:
        self._used = None
        self._user.detached(code)

    def _mute(self, now: float) -> list[_Line]:
        """Lines whose other end might have said for some time which run it is, and has not."""
        lines = self._lines.values() if self._run is not None else ()
        return [
            line for line in lines if line.run is None and now - line.heard >= LINE_SILENT_SECONDS
        ]

    def _newest(self) -> _Line | None:
        return next(reversed(self._lines.values()), None)

    def _others(self, line: _Line) -> list[_Line]:
        return [other for other in self._lines.values() if other is not line]

    def _unused(self) -> list[_Line]:
        return [line for line in self._lines.values() if line is not self._used]

    def _drop(self, line: _Line, code: Code) -> None:
        self._lines.pop(line.carrier, None)
        if line is self._used:
            self._used = None
        line.carrier.close(code)
