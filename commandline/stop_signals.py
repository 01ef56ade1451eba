"""Signals that end a program, on systems with different ones and on loops that know none."""

import asyncio
import signal
from collections.abc import Callable
from types import FrameType

STOPS = ("SIGINT", "SIGTERM")
# the terminal is gone, where there is such a signal; Ctrl-Break on Windows
HANGUPS = ("SIGHUP", "SIGBREAK")


def call_when_stopped(
    stop: Callable[[], object],
    *,
    hangup: bool = False,
    interrupt: Callable[[], object] | None = None,
) -> None:
    """Call `stop` in the running loop for each signal that asks the program to end; with `hangup`
    also when its terminal is gone. `interrupt` is called for Ctrl-C in place of `stop`.
    """
    loop = asyncio.get_running_loop()
    for name in (*STOPS, *(HANGUPS if hangup else ())):
        number = getattr(signal, name, None)
        if number is None:
            continue
        act = interrupt if interrupt is not None and name == "SIGINT" else stop
        try:
            loop.add_signal_handler(number, act)
        except NotImplementedError:  # on Windows
            signal.signal(number, _handler(loop, act))


def _handler(
    loop: asyncio.AbstractEventLoop, act: Callable[[], object]
) -> Callable[[int, FrameType | None], object]:
    return lambda number, frame: loop.call_soon_threadsafe(act)
