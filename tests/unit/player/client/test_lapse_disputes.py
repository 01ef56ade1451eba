"""Doubts of a player's program about the table's wait: only with certain knowledge."""

import pytest

from player.client.lapse_disputes import LapseDisputes
from protocol.match.log import Entry, decode_entry
from protocol.match.state import Match
from tests.support.offline import Offline, make_offline

pytestmark = pytest.mark.match

SILENT, WAIT = 2, 300.0


class Program:
    """One seat's doubts, with clocks set by the test."""

    def __init__(self) -> None:
        self.steady, self.wall = 1000.0, 1_700_000_000.0
        self.doubts = LapseDisputes(lambda: self.steady, lambda: self.wall)

    def pass_by(self, seconds: float) -> None:
        self.steady += seconds
        self.wall += seconds

    def posts(self, number: int, after: float = 0.0) -> None:
        """Send an entry, which stands with this number after some seconds."""
        self.doubts.note_sent()
        self.pass_by(after)
        self.doubts.note_accepted(number)


def lapse() -> tuple[int, Match, Entry]:
    """Return a lapse of a step: the entry since which its duty stands, the match before it, and the
    table's entry.
    """
    match: Offline = make_offline(
        4, 3, "draw-dominoes", {}, {"leavers": "threshold"}, dealing="verified"
    )
    while not (match.live.match.deal and match.live.match.deal.stage == "shares"):
        assert any(match.step(seat) for seat in match.seats)
    since = match.live.match.duty_since(SILENT)
    match.lapse(SILENT)
    reader = match.readers[0]
    for record in match.live.records[reader.log.next_number : -1]:
        reader.feed(record.entry, record.head)
    return since, reader.match, decode_entry(match.live.records[-1].entry)


def test_impossible_wait_is_doubted_once() -> None:
    since, before, entry = lapse()
    program = Program()
    program.posts(since - 1)
    program.pass_by(3.5)
    program.doubts.check_lapse(before, entry)
    post = program.doubts.take_doubt()
    assert post is not None and (post.kind, post.body) == ("doubt", [before.next_number, 3500])
    assert program.doubts.take_doubt() is None


@pytest.mark.parametrize("number", [0, -1, -5])
def test_doubt_uses_entries_before_the_duty_as_upper_bound(number: int) -> None:
    since, before, entry = lapse()
    program = Program()
    program.posts(
        since + number, after=40.0
    )  # sent 40 s before the table reports the entry: it may have stood at once
    program.pass_by(20.0)
    program.doubts.check_lapse(before, entry)
    post = program.doubts.take_doubt()
    assert post is not None and post.body[1] == 60_000


def test_entry_posted_after_the_duty_causes_no_doubt() -> None:
    since, before, entry = lapse()
    program = Program()
    program.posts(since + 1)
    program.doubts.check_lapse(before, entry)
    assert program.doubts.take_doubt() is None


@pytest.mark.parametrize("passed", [WAIT, WAIT + 1, 0.95 * WAIT, 10 * WAIT])
def test_honest_table_on_bad_line_is_not_doubted(passed: float) -> None:
    """Every message of the table may have come at once when the line was back: the time has passed
    nevertheless.
    """
    since, before, entry = lapse()
    program = Program()
    program.posts(since)
    program.pass_by(passed)
    program.doubts.check_lapse(before, entry)
    assert program.doubts.take_doubt() is None


def test_no_doubt_after_machine_sleep() -> None:
    since, before, entry = lapse()
    program = Program()
    program.posts(since)
    program.wall += WAIT  # the steady clock of some systems stops in sleep too
    program.doubts.check_lapse(before, entry)
    assert program.doubts.take_doubt() is None


def test_wall_clock_set_back_causes_no_doubt() -> None:
    since, before, entry = lapse()
    program = Program()
    program.posts(since)
    program.pass_by(WAIT)
    program.wall -= 86_400
    program.doubts.check_lapse(before, entry)
    assert program.doubts.take_doubt() is None


def test_restarted_program_does_not_doubt() -> None:
    """Earlier entries come from the disk, without the time at which they were sent."""
    since, before, entry = lapse()
    program = Program()
    program.doubts.note_accepted(since)
    program.doubts.check_lapse(before, entry)
    assert program.doubts.take_doubt() is None
