"""Ligretto at a terminal: a person plays by keys against bots, while a board changes above the
prompt.
"""

from contextlib import asynccontextmanager

import pytest

from protocol.audit.verdict import Verdict, audit
from tests.support.terminal import at_terminal, keys_of

pytestmark = [pytest.mark.process, pytest.mark.match]

SHORT = ("--option", "rounds=1", "--option", "row=5", "--name", "Ann")


@asynccontextmanager
async def ligretto(tmp_path, *words, **terminal):
    """Play a short match at a terminal."""
    play = ("-m", "fairdeal", "play", "ligretto", *SHORT, *words, "--logs", tmp_path / "logs")
    async with at_terminal(*play, **terminal) as ann:
        yield ann


async def play_by_keys(ann, until="Play again?", most=1000):
    """Press the first key that does something, at most `most` times. Return the number."""
    pressed = 0
    while until not in ann.text and pressed < most:
        if keys := keys_of(ann):
            ann.type(keys[0])
            pressed += 1
        await ann.look()
    return pressed


async def test_live_match_by_keys_with_stop_completes(tmp_path):
    async with ligretto(
        tmp_path, "--bots", "2", "--pace", "0.5"
    ) as ann:  # slow bots, so that the match can be stopped in the middle
        assert await play_by_keys(ann, most=8) == 8
        ann.type("\x03")
        assert await ann.end() == 1
        assert "The match is kept" in ann.text.replace("\n", " ") and ann.cooked
    async with ligretto(tmp_path, "--bots", "2", "--pace", "0.1") as ann:
        await play_by_keys(ann)
        ann.type("no\r")
        assert await ann.end() == 0
    (log,) = (tmp_path / "logs").glob("*.fairdeal")
    assert audit(log.read_bytes()).verdict is Verdict.CLEAN
    assert "the round is over" in ann.text and " lays " not in ann.text, "no line for each card"
