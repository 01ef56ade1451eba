"""A disk that takes nothing more costs a person neither the end of their match nor the match."""

import io
import os
from contextlib import redirect_stdout
from random import Random

import pytest

from bots.registry import BOTS
from player import events
from player.at_table.client import Plan
from player.disk.contacts import FILE, read_contacts
from player.disk.store import Store, read_log
from player.outcome import Outcome
from player.program import play_at
from player.screen.announcer import Announcer, Style
from player.screen.lines import PlainLines
from player.seat.environment import Environment
from player.seat.seat import Seat
from protocol.audit.verdict import Verdict
from protocol.identity.keys import Identity
from tests.support.fake_table import FakeTable, listening

ME = Identity(b"z" * 32)
WRITERS = {
    "a bot": lambda: Announcer({}).line("Bob plays 6-6."),
    "a person at a pipe": lambda: PlainLines().print("Bob plays 6-6.\n"),
}


class Noted(Announcer):
    """What is said, in order; it stops at the first move if it is to."""

    def __init__(self, stops: bool = False) -> None:
        super().__init__({})
        self.stops, self.said = stops, ""

    def hear(self, event: events.Event) -> None:
        super().hear(event)
        if self.stops and isinstance(event, events.Happened) and event.entry.kind == "move":
            self.stop()

    def write(self, text: str, style: Style) -> None:
        self.said += text + "\n"


async def play(screen: Announcer, link, data) -> Outcome:
    environment = Environment(ME, Random(3), Seat, BOTS["greedy"], screen.hear)
    return await play_at(link, environment, Plan("Zoe"), data, screen)


@pytest.mark.match
async def test_who_stops_and_goes_on_has_played_once(tmp_path):
    async with listening(FakeTable()) as link:
        assert (await play(Noted(stops=True), link, tmp_path)).verdict is Verdict.INCOMPLETE
        assert not read_contacts(tmp_path)
        assert (await play(Noted(), link, tmp_path)).verdict is Verdict.CLEAN
    assert [contact.matches for contact in read_contacts(tmp_path).values()] == [1]


@pytest.mark.match
async def test_the_verdict_is_said_whatever_the_disk_does_with_what_depends_on_nothing(tmp_path):
    """Nobody can be noted, and no time of arrival kept."""
    (tmp_path / FILE).write_text("nonsense")
    screen = Noted()
    async with listening(FakeTable()) as link:
        assert (await play(screen, link, tmp_path)).verdict is Verdict.CLEAN
    assert "move it away" in screen.said.partition("verdict: clean")[2]


def test_times_that_a_full_disk_does_not_take_leave_the_log_whole(tmp_path):
    (tmp_path / "a.times").symlink_to("/dev/full")
    store = Store(tmp_path / "a.fairdeal")
    store.append(b"0", bytes(64), live=True)
    store.close()
    assert store._file.closed
    assert [record.entry for record in read_log(store.path)] == [b"0"]


@pytest.mark.parametrize("writer", WRITERS)
def test_an_output_that_a_full_disk_does_not_take_ends_nothing(writer):
    output = io.TextIOWrapper(io.FileIO("/dev/full", "w"), write_through=True)
    with output, redirect_stdout(output):
        WRITERS[writer]()


@pytest.mark.parametrize("writer", WRITERS)
def test_a_reader_who_has_had_enough_ends_it(writer):
    reads, writes = os.pipe()
    os.close(reads)
    output = io.TextIOWrapper(io.FileIO(writes, "w"), write_through=True)
    with output, redirect_stdout(output), pytest.raises(BrokenPipeError):
        WRITERS[writer]()
