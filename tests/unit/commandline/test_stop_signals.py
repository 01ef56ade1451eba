"""Signals that ask a program to end reach it, also on a loop that takes no signal handlers."""

import asyncio
import os
import signal

import pytest

from commandline.stop_signals import call_when_stopped


class Bare(asyncio.SelectorEventLoop):
    """Loop without signal handlers, as on Windows."""

    def add_signal_handler(self, *handler):
        raise NotImplementedError


@pytest.fixture(autouse=True)
def handlers():
    """Put the handlers of this process back."""
    names = [name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {name: signal.getsignal(getattr(signal, name)) for name in names}
    yield
    for name, handler in before.items():
        signal.signal(getattr(signal, name), handler)


@pytest.mark.parametrize("loop_type", [asyncio.SelectorEventLoop, Bare])
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_signal_ends_the_program_on_any_loop(loop_type, name):
    async def run() -> None:
        stopped = asyncio.Event()
        call_when_stopped(stopped.set, hangup=True)
        asyncio.get_running_loop().call_soon(os.kill, os.getpid(), getattr(signal, name))
        async with asyncio.timeout(10):
            await stopped.wait()

    with asyncio.Runner(loop_factory=loop_type) as runner:
        runner.run(run())


def test_hangup_is_left_alone_unless_asked():
    async def run() -> None:
        call_when_stopped(lambda: None)
        assert signal.getsignal(signal.SIGHUP) is before

    before = signal.getsignal(signal.SIGHUP)
    with asyncio.Runner(loop_factory=Bare) as runner:
        runner.run(run())
