"""A prompt that stays below all that is printed, under a line that says what is going on. What is
typed is kept.
"""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from string import ascii_letters, digits

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.completion import Completer
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import AnyFormattedText
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import Style
from prompt_toolkit.utils import is_dumb_terminal

from player.ui.console_lines import MAX_LINE, LineHandler
from protocol.view.terminal_output import encodable_text

PROMPT = "> "
REFRESH = 1.0  # seconds between two states of the status, which counts seconds
REDRAW = 0.03  # seconds at least between two pictures, however much happens
KEYS = ascii_letters + digits + " "  # that may act by themselves
# rows of the terminal that are not for the picture: status, prompt, and one of what was printed
BESIDE = 3
STYLE = Style.from_dict({"status": "reverse"})


def can_prompt() -> bool:
    """Return True if input and output are one terminal whose cursor can be moved."""
    return sys.stdin.isatty() and sys.stdout.isatty() and not is_dumb_terminal()


class Prompt:
    """A `player.ui.console_lines.Lines` for a terminal. To be made in a running loop."""

    lively = True

    def __init__(
        self,
        source: Input | None = None,
        output: Output | None = None,
        completer: Completer | None = None,
    ) -> None:
        """Without `source` and `output`: standard input and output. `completer`: what the tabulator
        key completes.
        """
        self._output = output or _output()
        self._handler: LineHandler | None = None
        self._session: PromptSession[str] = PromptSession(
            self._message,
            refresh_interval=REFRESH,
            style=STYLE,
            enable_suspend=True,
            input=source,
            output=self._output,
            key_bindings=self._bindings(),
            completer=completer,
            complete_while_typing=False,
        )
        self._session.app.min_redraw_interval = REDRAW
        self._waiting: list[str] = []  # printed, and not on the screen yet
        self._closed = False

    @asynccontextmanager
    async def open(self, handler: LineHandler) -> AsyncIterator[None]:
        """Prompt for lines. At the end, what was being typed goes, and all that was printed stands
        there.
        """
        self._handler = handler
        asking = asyncio.create_task(self._ask(handler))
        try:
            yield
        finally:
            self._closed = True
            self._end()
            with suppress(OSError):
                await asking
            self._write()

    def print(self, text: str) -> None:
        """Print above the prompt."""
        self._waiting.append(text)
        if not self._session.app.is_running:
            self._write()
        elif len(self._waiting) == 1:
            run_in_terminal(self._write)

    def refresh(self) -> None:
        """Draw status and picture anew."""
        if self._session.app.is_running:
            self._session.app.invalidate()

    def _bindings(self) -> KeyBindings:
        bindings = KeyBindings()
        for key in KEYS:
            bindings.add(key, filter=Condition(partial(self._acts, key)))(self._press)
        return bindings

    def _acts(self, key: str) -> bool:
        """Return True if this key acts by itself now. After the first letter of a word a key is the
        word's next letter.
        """
        buffer = self._session.default_buffer
        here = self._session.app.current_buffer is buffer and not buffer.text
        return here and self._handler is not None and self._handler.acts(key)

    def _press(self, event: KeyPressEvent) -> None:
        if self._handler is not None:
            asyncio.get_running_loop().call_soon(self._handler.pressed, event.data)

    def _write(self) -> None:
        """Put all that waits on the screen."""
        text = "".join(self._waiting)
        self._waiting = []
        self._output.write_raw(self._shown(text))
        with suppress(OSError):  # the terminal is gone
            self._output.flush()

    async def _ask(self, handler: LineHandler) -> None:
        """Line after line. Ctrl-C is the interrupt that it is without a prompt."""
        loop = asyncio.get_running_loop()
        while not self._closed:
            try:
                line = await self._session.prompt_async(
                    pre_run=lambda: loop.set_exception_handler(None), handle_sigint=False
                )
            except KeyboardInterrupt:
                signal.raise_signal(signal.SIGINT)
                continue
            except EOFError:
                loop.call_soon(handler.typed, None)
                return
            if self._closed:
                return
            for part in line.splitlines() or [""]:  # several, if they were pasted
                loop.call_soon(handler.typed, part[:MAX_LINE])

    def _end(self) -> None:
        app = self._session.app
        if app.is_running and not app.is_done:
            app.erase_when_done = True
            app.exit(result="")

    def _message(self) -> AnyFormattedText:
        """Picture, status and prompt; what was typed is left with the prompt alone."""
        if self._session.app.is_done or self._handler is None:
            return PROMPT
        rows = max(self._output.get_size().rows - BESIDE, 0)
        picture = self._handler.picture(bool(self._session.default_buffer.text))
        lines = [[*line, ("", "\n")] for line in picture[max(len(picture) - rows, 0) :]]
        drawn = [(style, self._shown(text)) for line in lines for style, text in line]
        status = self._handler.status()
        return [
            *drawn,
            *([("class:status", f" {self._shown(status)} "), ("", "\n")] if status else []),
            ("", PROMPT),
        ]

    def _shown(self, text: str) -> str:
        return encodable_text(text, self._output.encoding())


def _output() -> Output:
    """Standard output. Where the cursor stands is not asked for: the answer would come among what
    is typed.
    """
    measured = Vt100_Output.from_pty(sys.stdout)
    # which knows NO_COLOR
    term = os.environ.get("TERM")
    depth = ColorDepth.from_env()
    return Vt100_Output(sys.stdout, measured.get_size, term, depth, enable_cpr=False)
