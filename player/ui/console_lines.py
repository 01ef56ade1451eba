"""Typed and printed lines: a plain reader, for pipes and for simple terminals.

`player.ui.terminal.prompt` is the other one, for a terminal with an editable line.
"""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

MAX_LINE = 4096  # bytes of one typed line; a terminal gives no more
# lines that are read before the program has taken them; people type one, and pipes never end
MAX_LINES_AHEAD = 16
Typed = Callable[[str | None], None]  # hears every line, and None at the end of the input


class LineHandler(Protocol):
    """The receiver of typed lines, which also says what is to be shown."""

    def typed(self, line: str | None) -> None:
        """A line; None at the end of the input."""

    def status(self) -> str:
        """Return the present status in a line; empty for none."""

    def picture(self, typing: bool) -> list[list[tuple[str, str]]]:
        """Lines that stand above it and change, in parts, each with how it looks; the last lines
        matter most.

        `typing`: something has been typed that is not sent yet.
        """

    def acts(self, key: str) -> bool:
        """Return True if this key acts by itself when nothing has been typed before it."""

    def pressed(self, key: str) -> None:
        """Take such a key."""


class Lines(Protocol):
    """Lines in and out."""

    lively: bool  # whether status and picture are shown, all the time

    def open(self, handler: LineHandler) -> AbstractAsyncContextManager[None]:
        """Read lines while this is open; when it closes, all that was printed is there."""

    def refresh(self) -> None:
        """Status and picture may be others."""

    def print(self, text: str) -> None:
        """Print whole lines, with their ends; control sequences are ours."""


class PlainLines:
    """Lines as they come. News come between what is being typed."""

    lively = False

    @asynccontextmanager
    async def open(self, handler: LineHandler) -> AsyncIterator[None]:
        """Read; who reads stays at it until the program ends."""
        read_lines(asyncio.get_running_loop(), handler.typed)
        yield

    def refresh(self) -> None:
        """Do nothing: plain lines show no status."""

    def print(self, text: str) -> None:
        """Print."""
        put(text)


def put(text: str) -> None:
    """Write to standard output, now. What a full disk does not take is lost, and the match goes on.

    Raises: BrokenPipeError: nobody reads there any more.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError:
        pass


def read_lines(
    loop: asyncio.AbstractEventLoop, typed: Typed, descriptor: int | None = None
) -> None:
    """Call `typed` in the loop for every line of standard input, or of another file, and with None
    at its end.

    A thread reads, because the loop cannot wait for files, and because a terminal set to
    non-blocking would be non-blocking for output too. The thread reads the descriptor itself: a
    daemon thread inside `sys.stdin` at the program's end would hold its lock.

    The thread reads no further than `MAX_LINES_AHEAD` lines before the loop: a pipe may never
    end.
    """
    source = sys.stdin.fileno() if descriptor is None else descriptor
    ahead = threading.Semaphore(MAX_LINES_AHEAD)

    def take(line: str | None) -> None:
        ahead.release()
        typed(line)

    def tell(line: str | None) -> bool:
        ahead.acquire()
        try:
            loop.call_soon_threadsafe(take, line)
        except RuntimeError:  # the loop has ended
            return False
        return True

    def run() -> None:
        buffer = b""
        while chunk := _chunk(source):
            *lines, buffer = (buffer + chunk).split(b"\n")
            if not all(tell(line[:MAX_LINE].decode(errors="replace")) for line in lines):
                return
            buffer = buffer[:MAX_LINE]
        tell(None)

    threading.Thread(target=run, daemon=True, name="stdin").start()


def _chunk(descriptor: int) -> bytes:
    """Return the bytes that can be read now; empty at the end, which a terminal that is gone
    reports as an error.
    """
    try:
        return os.read(descriptor, MAX_LINE)
    except OSError:
        return b""
