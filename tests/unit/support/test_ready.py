"""Forked programs behave like started ones: output, exit codes, input and signals."""

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


async def test_forked_program_reads_input_and_its_end():
    async with asyncio.timeout(SECONDS):
        echo = await ready(ECHO, typed=True)
        assert echo.stdin is not None and echo.stdout is not None
        echo.stdin.write(b"one\n")
        assert await echo.stdout.readline() == b"one\n"
        echo.stdin.close()
        assert await echo.communicate() == (b"the end\n", None)
    assert echo.returncode == 0


async def test_forked_program_without_input_does_not_block():
    async with asyncio.timeout(SECONDS):
        assert await (await ready(ECHO)).communicate() == (b"the end\n", None)


@pytest.mark.parametrize(
    ("how", "number"), [("kill", signal.SIGKILL), ("terminate", signal.SIGTERM)]
)
async def test_signal_ends_forked_program_and_repeats_safely(how, number):
    async with asyncio.timeout(SECONDS):
        echo = await ready(ECHO, typed=True)
        getattr(echo, how)()
        assert await echo.wait() == -number == echo.returncode
    getattr(echo, how)()
