"""The trace of a case: bytes sent and received, opened and decoded, and the words of the program.

A connection of the kit notes its frames in a `LineTrace`, and each program that the kit starts
notes its output. Nothing is decoded before a case has failed. A trace has the kit's own secrets and
no others: the secret of an invitation to a table (5.3) belongs to the table's host, and is left out.
"""

import re
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, runtime_checkable

from conformance.case import Case
from conformance.decoded import decode_payload
from protocol import wire
from protocol.limits import FRAME_HEADER

MOST_EVENTS = 4_000  # newest events of a case that a trace keeps
MOST_BYTES = 16_384  # of one frame; a flood says nothing more by its length
LAST_LINES = 12  # lines of the program's output in a report
SHARED_LINES = 3  # the same for a program that serves other cases at the same time
LINE_LENGTH = 300  # characters of one such line
_UNPRINTABLE = re.compile(r"[^\x20-\x7e\u00a1-\u1fff\u2030-\u205e\u20a0-\ud7ff\uf900-\ufdff]")
_UNSAFE_NAME = re.compile(r"[^A-Za-z0-9.-]+")


@dataclass
class TraceEvent:
    """An event of a case: bytes in one direction, or some words."""

    seconds: float  # since the case began
    line: str  # name of the connection or program
    what: str  # `sent`, `received`, `sealed`, or words of the kit
    data: bytes = b""
    size: int = 0  # bytes before the cut to `MOST_BYTES`
    opened: bytes | None = None  # the payload that the frame seals; None: the kit cannot open it
    hidden: bool = False  # leave the bytes out


class Trace:
    """Everything that a case and the programs under test have said to each other."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self.events: deque[TraceEvent] = deque(maxlen=MOST_EVENTS)
        self.output: list[OutputLines] = []  # of the case's programs, in order of their start
        self.shared: Sequence[OutputLines] = ()  # of the program that all cases share

    def note(self, line: str, what: str, data: bytes = b"") -> TraceEvent:
        """Add an event."""
        event = TraceEvent(
            self._clock() - self._began, line, what, bytes(data[:MOST_BYTES]), len(data)
        )
        self.events.append(event)
        return event

    def line(self, name: str) -> "LineTrace":
        """Return the trace of a new connection."""
        return LineTrace(self, name)

    def add(self, other: "Trace") -> None:
        """Add the events of a later trace."""
        later = other._began - self._began
        for event in other.events:
            self.events.append(replace(event, seconds=event.seconds + later))
        self.output += other.output

    def last_words(self) -> tuple[str, ...]:
        """Return the last lines of output of the program under test, made printable."""
        words = [line for output in self.output for line in output.lines()]
        shared = [line for output in self.shared for line in output.lines()]
        return tuple(words[-LAST_LINES:] or shared[-SHARED_LINES:])

    def to_text(self, case: Case, why: str) -> str:
        """Return the trace as text for people."""
        head = [
            f"{case.group}/{case.name}",
            f"section {case.section}, expected: {case.expects}",
            f"failed: {why}",
            "",
            "Times are seconds since the case began. A sealed frame is followed by its opened",
            "payload and the message in it, where the kit has the keys.",
            "",
        ]
        rows = [row for event in self.events for row in _rows(event)]
        words = [f"    {line}" for line in self.last_words()]
        return "\n".join([*head, *rows, "", "last output of the program:", *words, ""])


class LineTrace:
    """Trace of one connection. It splits the bytes into frames, and notes their opened payloads."""

    def __init__(self, trace: Trace, name: str) -> None:
        self._trace = trace
        self._name = name
        self._unopened: deque[TraceEvent] = deque(maxlen=MOST_EVENTS)
        self._sealed: dict[bytes, bytes] = {}  # payloads by frames that are not sent yet
        self._rest = b""  # received beginning of a frame

    def sealed(self, payload: bytes, frame: bytes) -> bytes:
        """Note the payload that a frame seals, and return the frame; it may be sent later."""
        if len(self._sealed) < MOST_EVENTS:
            self._sealed[frame] = payload
        return frame

    def sent(self, data: bytes) -> None:
        """Note bytes that the kit has sent."""
        frames, rest = split_frames(data)
        if rest or not all(frame in self._sealed for frame in frames):
            frames = [data]
        for frame in frames:
            event = self._trace.note(self._name, "sent", frame)
            event.opened = self._sealed.pop(frame, None)
            event.hidden = event.opened is not None and _is_secret(event.opened)

    def received(self, data: bytes) -> None:
        """Note bytes that have come."""
        frames, rest = split_frames(self._rest + data)
        self._rest = rest[: 4 * MOST_BYTES]
        for frame in frames:
            self._unopened.append(self._trace.note(self._name, "received", frame))
        if not data:
            if self._rest:
                self._trace.note(self._name, "received, not a whole frame", self._rest)
            self._trace.note(self._name, "the other side ended the connection")

    def opened(self, payload: bytes) -> None:
        """Note the payload of the oldest received frame that is not opened yet."""
        if self._unopened:
            self._unopened.popleft().opened = payload

    def closed(self, code: str | None) -> None:
        """Note that the oldest received frame that is not opened yet is a close record."""
        if self._unopened:
            self._unopened.popleft().what = f"received a close record with {code or 'no code'}"

    def handshake_done(self, frames: int) -> None:
        """Note that the first `frames` received frames were those of the handshake: they seal no
        payload.
        """
        for _ in range(min(frames, len(self._unopened))):
            self._unopened.popleft()

    def note(self, what: str) -> None:
        """Note some words of the kit."""
        self._trace.note(self._name, what)


class OutputLines:
    """Output of a program: the last lines, printable, and each line in the trace."""

    def __init__(self, trace: Trace | None, name: str) -> None:
        self._trace = trace
        self._name = name
        self._lines: deque[str] = deque(maxlen=LAST_LINES)
        self._rest = b""

    def feed(self, data: bytes) -> None:
        """Add bytes of output."""
        *whole, rest = (self._rest + data).split(b"\n")
        self._rest = rest[-MOST_BYTES:]
        for line in whole:
            self._lines.append(printable_line(line))
            if self._trace is not None:
                self._trace.note(self._name, f"said: {self._lines[-1]}")

    def lines(self) -> list[str]:
        """Return the last lines; the last one may have no end."""
        rest = [printable_line(self._rest)] if self._rest.strip() else []
        return [line for line in [*self._lines, *rest] if line]


@runtime_checkable
class Traced(Protocol):
    """An environment of a case with a trace."""

    trace: Trace


def printable_line(data: bytes) -> str:
    """Return a line of a program's output without anything that steers a terminal."""
    return _UNPRINTABLE.sub("?", data.decode(errors="replace").rstrip())[:LINE_LENGTH]


def write_trace(folder: Path, case: Case, trace: Trace, why: str) -> Path:
    """Write the trace of a failed case, and return its file."""
    path = folder / _UNSAFE_NAME.sub("-", case.group) / f"{_UNSAFE_NAME.sub('-', case.name)}.trace"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(trace.to_text(case, why), "utf-8")
    return path


def split_frames(data: bytes) -> tuple[list[bytes], bytes]:
    """Split bytes into whole frames, with their lengths (3.1), and the rest."""
    frames = []
    at = 0
    while len(data) - at >= FRAME_HEADER:
        end = at + FRAME_HEADER + int.from_bytes(data[at : at + FRAME_HEADER], "big")
        if end > len(data):
            break
        frames.append(data[at:end])
        at = end
    return frames, data[at:]


def _is_secret(payload: bytes) -> bool:
    return payload.startswith(wire.encode(["invite", b""])[:-2])


def _rows(event: TraceEvent) -> list[str]:
    head = f"{event.seconds:9.4f}  {event.line}  {event.what}"
    if not event.size:
        return [head]
    indent = " " * 11
    rows = [f"{head}  {event.size} bytes"]
    rows.append(f"{indent}hex     {_hex(event.data, event.size)}")
    if event.hidden:
        return [*rows, f"{indent}opened  left out: the secret of an invitation"]
    if event.opened is not None:
        rows.append(f"{indent}opened  {_hex(event.opened[:MOST_BYTES], len(event.opened))}")
        rows += [f"{indent}is      {row}" for row in decode_payload(event.opened)]
    return rows


def _hex(data: bytes, size: int) -> str:
    more = f" … {size - len(data)} bytes more" if size > len(data) else ""
    return data.hex() + more
