"""Signals that end a program, on systems with different ones and on loops that know none."""

import asyncio
import signal
from collections.abc import Callable

STOPS = ("SIGINT", "SIGTERM")
# the terminal is gone, where there is such a signal; Ctrl-Break on Windows
HANGUPS = ("SIGHUP", "SIGBREAK")


def call_when_stopped(stop: Callable[[], object], *, hangup: bool = False) -> None:
    """Call `stop` in the running loop for each signal that asks the program to end; with `hangup`
    also when its terminal is gone.
    """
    loop = asyncio.get_running_loop()
    for name in (*STOPS, *(HANGUPS if hangup else ())):
        number = getattr(signal, name, None)
        if number is None:
            continue
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:  # on Windows
            signal.signal(number, lambda number, frame: loop.call_soon_threadsafe(stop))
