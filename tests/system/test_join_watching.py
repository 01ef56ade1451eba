"""Watching a match: the table is drawn, the program takes typed input, and none of it is left for
the shell.
"""

import asyncio
import os
import sys

import pytest

from protocol.match.state import MatchStage
from protocol.messages.table import ConnectionPhase
from tests.support.fake_table import FakeTable, listening
from tests.support.offline import Offline, make_offline
from tests.system.test_join import ROOT, person, take_terminal

pytestmark = pytest.mark.process


class Gallery(FakeTable):
    """Match of two bots that is in the middle of a hand when a spectator arrives."""

    played: Offline

    def on_spectate(self, wire, table_id):
        self.played = make_offline(seats=2)
        while self.played.live.match.stage is not MatchStage.PLAYING:
            self.go_on_playing()
        self.live = self.played.live
        wire.say("match", "main", self.live.log.match_id, None, len(self.live.records), None)
        wire.phase = ConnectionPhase.WATCHING

    def go_on_playing(self):
        assert sum(self.played.step(seat) for seat in self.played.seats)

    def show_more(self):
        self.go_on_playing()
        self.go_on(self.connections[-1])


@pytest.mark.parametrize("terminal", [False, True])
async def test_spectator_sees_board_and_can_type(tmp_path, terminal):
    table = Gallery()
    async with person(table, tmp_path, "--spectate", terminal=terminal) as zoe:
        before = await zoe.until("(no tile on the table yet)")
        assert "→ Ann" in before or "→ Bob" in before
        while not table.live.match.game.line:  # the seat with the highest double is asked first
            table.show_more()
        moved = await zoe.until("▸")
        assert "Your hand" not in zoe.said and " leads " in moved
        zoe.type("say hi")
        await zoe.until("You are watching, so you cannot talk")
        zoe.type("what now")
        await zoe.until("You are watching. Type board")
        zoe.type("board")
        assert "(no tile" not in await zoe.until("▸")
        zoe.type("leave")
        assert await zoe.end() == 1
    assert "You left" in zoe.said
    assert [message.name for message in table.received] == ["hello", "list", "spectate", "replay"]


async def test_watching_from_script_works_without_input(tmp_path):
    table = Gallery()
    async with person(table, tmp_path, "--spectate") as zoe:
        zoe.process.stdin.close()
        await zoe.until("(no tile on the table yet)")
        while not table.live.match.over:
            table.show_more()
        assert await zoe.end() == 0
    assert "Verdict: no cheating found" in zoe.said


SHELL = """
"$@" | grep --line-buffered . # the program; then what a shell would read next
if read -r -t 0.2 line; then echo "left: $line"; else echo "nothing is left"; fi
"""


async def test_unread_terminal_input_is_not_left_for_shell(tmp_path):
    """A bot does not read typed input."""
    ours, theirs = os.openpty()
    async with asyncio.timeout(120), listening(FakeTable()) as link:
        player = (
            sys.executable,
            "-u",
            "-m",
            "player",
            str(link),
            "--bot",
            "greedy",
            "--data",
            str(tmp_path),
        )
        shell = await asyncio.create_subprocess_exec(
            *("bash", "-c", SHELL, "bash", *player),
            cwd=ROOT,
            stdin=theirs,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
            preexec_fn=lambda: take_terminal(theirs),
        )
        assert shell.stdout is not None
        while "Check words" not in (line := (await shell.stdout.readline()).decode()):
            assert line
        os.write(ours, b"say hi\n")
        said = (await shell.communicate())[0].decode()
    os.close(ours)
    os.close(theirs)
    assert "Verdict: no cheating found" in said and said.endswith("nothing is left\n")
