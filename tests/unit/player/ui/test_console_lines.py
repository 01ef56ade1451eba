"""Reading of typed lines: what comes faster than the program takes it waits in the pipe."""

import asyncio
import os

from player.ui.console_lines import MAX_LINES_AHEAD, read_lines


async def test_lines_arrive_in_order_and_the_end_last():
    reading, writing = os.pipe()
    got: list[str | None] = []
    ended = asyncio.Event()

    def typed(line: str | None) -> None:
        got.append(line)
        if line is None:
            ended.set()

    read_lines(asyncio.get_running_loop(), typed, reading)
    os.write(writing, b"one\ntwo\n")
    os.close(writing)
    async with asyncio.timeout(10):
        await ended.wait()
    os.close(reading)
    assert got == ["one", "two", None]


async def test_endless_input_waits_for_the_program():
    """The pipe takes 64 kB; the program must not take the rest of it while it is busy."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    got: list[str | None] = []
    read_lines(asyncio.get_running_loop(), got.append, reading)
    written, is_full = 0, False
    while written < 1 << 20 and not is_full:  # the loop is busy with this, and takes no line
        try:
            written += os.write(writing, b"\n" * 512)
        except BlockingIOError:
            is_full = True
    assert is_full and got == []
    async with asyncio.timeout(30):
        while len(got) < MAX_LINES_AHEAD + 1:
            await asyncio.sleep(0)
    os.close(writing)
    async with asyncio.timeout(30):
        while got[-1:] != [None]:
            await asyncio.sleep(0)
    os.close(reading)
    assert len(got) == written + 1
