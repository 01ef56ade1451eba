"""Programs that are forked: what they say, how they end, and that they hear, as if they had been
started.
"""

import asyncio
import signal

import pytest

from tests.support.ready import ready

pytestmark = pytest.mark.process

SECONDS = 60
ECHO = "tests.support.echo"


async def test_program_error_text_and_exit_code_are_heard():
    async with asyncio.timeout(SECONDS):
        wrong = await ready("player", "--no-such-word")
        said, _ = await wrong.communicate()
    assert wrong.returncode == 2 and b"--no-such-word" in said


async def test_program_errors_go_to_file_and_not_output(tmp_path):
    errors = tmp_path / "errors"
    errors.write_bytes(b"before\n")
    async with asyncio.timeout(SECONDS):
        wrong = await ready("player", "--no-such-word", errors=errors)
        said, _ = await wrong.communicate()
    assert (said, wrong.returncode) == (b"", 2)
    assert errors.read_bytes().startswith(b"before\n") and b"--no-such-word" in errors.read_bytes()


async def test_it_hears_what_is_written_and_the_end_of_it():
    async with asyncio.timeout(SECONDS):
        echo = await ready(ECHO, typed=True)
        assert echo.stdin is not None and echo.stdout is not None
        echo.stdin.write(b"one\n")
        assert await echo.stdout.readline() == b"one\n"
        echo.stdin.close()
        assert await echo.communicate() == (b"the end\n", None)
    assert echo.returncode == 0


async def test_who_writes_nothing_is_not_waited_for():
    async with asyncio.timeout(SECONDS):
        assert await (await ready(ECHO)).communicate() == (b"the end\n", None)


@pytest.mark.parametrize(
    ("how", "number"), [("kill", signal.SIGKILL), ("terminate", signal.SIGTERM)]
)
async def test_a_signal_ends_it_and_once_more_harms_nobody(how, number):
    async with asyncio.timeout(SECONDS):
        echo = await ready(ECHO, typed=True)
        getattr(echo, how)()
        assert await echo.wait() == -number == echo.returncode
    getattr(echo, how)()
