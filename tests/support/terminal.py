"""A program at its own pseudo-terminal, and the screen that a person would see, drawn by pyte."""

import asyncio
import fcntl
import os
import pty
import re
import struct
import sys
import termios
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pyte

ROOT = Path(__file__).parents[2]
COLUMNS, ROWS = 100, 800  # enough rows for a match of several hands without scrolling
SECONDS = 240.0  # seconds for the whole test on a busy machine
KEY = re.compile(r"\[(\d|space)\] (?!does nothing)")  # in the picture of a game without turns
PICTURE = 6  # rows that can name keys, with the prompt


class Terminal:
    """A screen and a keyboard."""

    def __init__(self, process: asyncio.subprocess.Process, descriptor: int) -> None:
        self.process, self._descriptor = process, descriptor
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)
        self.raw = ""  # all output so far
        self._news, self._gone = asyncio.Event(), False
        asyncio.get_running_loop().add_reader(descriptor, self._read)

    @property
    def rows(self) -> list[str]:
        """Return the rows of the screen, down to the cursor."""
        return [self._row(number) for number in range(self._screen.cursor.y + 1)]

    @property
    def text(self) -> str:
        """Return the whole text. A row that was too long for the screen is two lines."""
        return "\n".join(self.rows)

    def cell(self, row: int, column: int) -> pyte.screens.Char:
        """Return a character with its style."""
        return self._screen.buffer[row][column]

    @property
    def cooked(self) -> bool:
        """Check that the terminal echoes keys and edits lines, as a shell expects."""
        modes = termios.tcgetattr(self._descriptor)[3]
        return modes & (termios.ECHO | termios.ICANON) == termios.ECHO | termios.ICANON

    def type(self, keys: str) -> None:
        r"""Press keys. Enter is "\r"."""
        os.write(self._descriptor, keys.encode())

    async def until(self, words: str, times: int = 1) -> None:
        """Read output until these words are on the screen."""
        while self.text.count(words) < times:
            await self.look()

    async def look(self) -> None:
        """Wait for new output."""
        assert not self._gone, f"it has ended:\n{self.text}"
        self._news.clear()
        await self._news.wait()

    async def end(self) -> int:
        """Read output until the program ends. Return its exit code."""
        code = await self.process.wait()
        while not self._gone:
            await self.look()
        assert "Traceback" not in self.text, self.text
        return code

    def _row(self, number: int) -> str:
        row = self._screen.buffer[number]
        return "".join(row[column].data for column in range(COLUMNS)).rstrip()

    def _read(self) -> None:
        try:
            data = os.read(self._descriptor, 65536)
        except OSError:  # all processes have closed the other side
            data = b""
        self.raw += data.decode(errors="replace")
        self._stream.feed(data)
        if not data:
            self._gone = True
            asyncio.get_running_loop().remove_reader(self._descriptor)
        self._news.set()


@asynccontextmanager
async def at_terminal(
    *words: object, term: str = "xterm", **environ: str
) -> AsyncIterator[Terminal]:
    """Run `python WORDS` at a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *map(str, words),
        cwd=ROOT,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        env=os.environ | {"TERM": term} | environ,
    )
    os.close(theirs)
    terminal = Terminal(process, ours)
    try:
        async with asyncio.timeout(SECONDS):
            yield terminal
    except TimeoutError:  # so that the error shows the screen
        raise AssertionError(
            f"not within {SECONDS:g} s; what stands there:\n{terminal.text}"
        ) from None
    finally:
        asyncio.get_running_loop().remove_reader(ours)
        if process.returncode is None:
            process.kill()
            await process.wait()
        os.close(ours)


def keys_of(terminal: Terminal) -> list[str]:
    """Return the keys that do something now, according to the board of a game without turns."""
    found = KEY.findall("\n".join(terminal.rows[-PICTURE:]))
    return [" " if key == "space" else key for key in found]
