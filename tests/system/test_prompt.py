"""Person at a terminal: the prompt, the clock above it, and a half-typed line during new output."""

import re
from contextlib import asynccontextmanager
from random import Random

import pytest

from protocol.audit.verdict import Verdict, audit
from tests.support.fake_table import FakeTable, listening
from tests.support.terminal import at_terminal

pytestmark = pytest.mark.process

BACK, UP, KILL, ENTER = "\x7f", "\x1b[A", "\x15", "\r"
MOVED = r"\nYou (lead|play|pass)"  # the first seat to move is random
CLOCK = re.compile(r"^ Your move: (\d+) s left, then 3 extensions\.$", re.MULTILINE)


class Talker(FakeTable):
    """Table at which seat 2 makes remarks when the test wants."""

    wire = talk = None

    def on_replay(self, wire, match_id, number):
        self.wire = wire
        super().on_replay(wire, match_id, number)

    def says(self, remark):
        self.talk = self.talk or self.bots[0][0].talk(self.live.match)
        for seat, envelope in self.talk.seal_remark(remark, self.rng):
            assert seat == 0
            self.wire.say("relayed", self.live.log.match_id, 1, envelope)


@asynccontextmanager
async def sitting(table, tmp_path, **terminal):
    """Run Zoe's program at a terminal, at this table."""
    async with listening(table) as link:
        own = ("--name", "Zoe", "--data", tmp_path / "data", "--log", tmp_path / "a.fairdeal")
        async with at_terminal("-m", "fairdeal", "join", link, *own, **terminal) as zoe:
            yield zoe


def offered(zoe):
    """Return the printed words of each turn's first choice."""
    return re.findall(r"^  1  (.+)\n", zoe.text, re.MULTILINE)


def torn_by_nothing(zoe, told, typed):
    """Check that the news is above the clock, and the typed text below it."""
    *_, above, clock, below = ["", "", *zoe.rows]
    return above.startswith(told) and CLOCK.match(clock) and below == typed


def seconds_left(zoe):
    """Return the seconds on the clock."""
    return int(CLOCK.search(zoe.text)[1])


async def test_prompt_survives_news_while_clock_runs_and_choice_is_typed(tmp_path):
    table = Talker()
    async with sitting(table, tmp_path) as zoe:
        await zoe.until("Your move: ")
        choice = offered(zoe)[-1]
        zoe.type(choice[:2])
        await zoe.until(f"\n> {choice[:2]}")
        table.says("good evening")
        await zoe.until("  | Bob says: good evening")
        while not torn_by_nothing(zoe, "  | Bob says: ", f"> {choice[:2]}"):
            await zoe.look()
        left = seconds_left(zoe)
        assert 30 < left <= 120
        while not CLOCK.search(zoe.text) or seconds_left(zoe) > left - 2:
            await zoe.look()
        assert len(CLOCK.findall(zoe.text)) == 1
        zoe.type(f"x{BACK}{choice[2:]}{ENTER}")
        while not re.search(MOVED, zoe.text):
            await zoe.look()
        assert f"> {choice}\n" in zoe.text
        await zoe.until("\nYour turn:", times=2)
        zoe.type(UP)
        await zoe.until(f"\n> {choice}", times=2)  # the text typed before
        zoe.type(f"{KILL}nonsense{ENTER}")
        await zoe.until("Type help to see")
        await zoe.until("\nYour turn:", times=3)


class Reopening(FakeTable):
    """Table at which a seat is free again after the match."""

    def on_join(self, wire, table_id):
        if self.live is not None and self.live.match.over:
            self.live, self.bots = None, []
        super().on_join(wire, table_id)


class Stale(Reopening):
    """Table that shows the match again, as a host does that has lost what came after it began."""

    def plain_setup(self):
        self.nonces = Random(5)
        return super().plain_setup()


async def play_to_the_end(zoe):
    """Take the first choice at every turn, in the printed words."""
    turns = 0
    while "Play again?" not in zoe.text:
        if len(offered(zoe)) == turns:
            await zoe.look()
        else:
            turns += 1
            zoe.type(f"{offered(zoe)[-1]}{ENTER}")


async def test_prompt_plays_whole_match_and_starts_another_only_on_yes(tmp_path):
    async with sitting(FakeTable(), tmp_path) as zoe:
        await play_to_the_end(zoe)
        zoe.type(f"perhaps{ENTER}")
        assert await zoe.end() == 0
        assert zoe.rows[-2] == "> perhaps" and re.search("You (won|lost) the match", zoe.text)
        assert zoe.text.index("Verdict: no cheating found. Winner: ") < zoe.text.index(
            "Play again?"
        )
        assert "Left in hand: " in zoe.text
    assert audit((tmp_path / "a.fairdeal").read_bytes()).verdict is Verdict.CLEAN


async def test_another_match_with_a_yes_and_both_logs_are_kept(tmp_path):
    async with sitting(Reopening(), tmp_path) as zoe:
        await play_to_the_end(zoe)
        zoe.type(f"Yes{ENTER}")
        await zoe.until("Dealing hand 1.", times=2)
        zoe.type("\x03")
        assert await zoe.end() == 1
    logs = [tmp_path / "a.fairdeal", *(tmp_path / "data" / "logs").glob("*.fairdeal")]
    assert [audit(log.read_bytes()).verdict for log in logs] == [Verdict.CLEAN, Verdict.INCOMPLETE]


async def test_nothing_is_signed_in_a_match_that_has_ended(tmp_path):
    table = Stale()
    async with sitting(table, tmp_path) as zoe:
        await play_to_the_end(zoe)
        ended = table.live.log.match_id
        zoe.type(f"Yes{ENTER}")
        assert await zoe.end() == 1
        assert "still playing a match that has ended" in zoe.text.replace("\r\n", " ")
    assert table.live.log.match_id == ended and table.live.log.sequence(0) == 0


async def test_prompt_shows_lost_connection_until_return(tmp_path):
    table = Talker()
    async with sitting(table, tmp_path) as zoe:
        await zoe.until("Your move: ")
        table.silent = True
        table.wire.transport.abort()
        while not re.search(r" No connection to the table, [1-9]\d* s\.", zoe.text):
            await zoe.look()
        assert "Your move: " not in zoe.text


STOPS = {
    "Ctrl-C": lambda zoe: zoe.type("\x03"),
    "Ctrl-D": lambda zoe: zoe.type("\x04"),
    "SIGTERM": lambda zoe: zoe.process.terminate(),
}


@pytest.mark.parametrize("stop", STOPS)
async def test_prompt_interrupted_keeps_match_and_restores_terminal(tmp_path, stop):
    async with sitting(FakeTable(), tmp_path) as zoe:
        await zoe.until("Your move: ")
        STOPS[stop](zoe)
        assert await zoe.end() == 1
        assert "The match is kept: start the program" in zoe.text.replace("\n", " ")
        assert "Verdict: the match is incomplete" in zoe.text and zoe.cooked
    assert audit((tmp_path / "a.fairdeal").read_bytes()).verdict is Verdict.INCOMPLETE


@pytest.mark.parametrize(
    "terminal",
    [{"term": "dumb"}, {"NO_COLOR": "1"}, {"PYTHONIOENCODING": "ascii"}],
    ids=["dumb", "no colour", "ASCII"],
)
async def test_terminals_that_can_do_less(tmp_path, terminal):
    async with sitting(FakeTable(), tmp_path, **terminal) as zoe:
        while not offered(zoe):
            await zoe.look()
        zoe.type(f"{offered(zoe)[-1]}\n")
        while not re.search(MOVED, zoe.text):
            await zoe.look()
        if "term" in terminal:
            assert "\x1b" not in zoe.raw and "Your move:" not in zoe.text
        if "NO_COLOR" in terminal:
            assert not re.search(r"\x1b\[(3[0-7]|4[0-7]|9[0-7]|10[0-7]|38|48)[;m]", zoe.raw)
        if "PYTHONIOENCODING" in terminal:
            assert zoe.raw.isascii() and re.search(r"Your hand: .*\[\d\|", zoe.text)
