"""A table may end a match: nobody wins, nobody is named, and no seat can do it."""

import pytest

from protocol.audit.report_text import report_lines
from protocol.audit.transcript import transcript_lines
from protocol.audit.verdict import Verdict, audit, report_data
from protocol.codes import Code
from protocol.dealing import TABLE, Post
from protocol.errors import Refused
from protocol.i18n import load_translator
from protocol.match.fold import apply
from protocol.match.log import ENDED, EntryContent, Log, make_entry
from protocol.match.state import MatchStage
from tests.support.offline import Offline, make_offline

pytestmark = pytest.mark.match
END = Post(ENDED, [])


def played(steps: int, game: str = "block-dominoes") -> Offline:
    """Return a match after so many turns of everybody."""
    match = make_offline(2, 1, game)
    match.play(steps)
    return match


@pytest.mark.parametrize("steps", [0, 1, 2, 4, 8])
def test_table_ends_match_at_any_stage_without_fault(steps):
    match = played(steps)
    assert not match.live.match.over
    match.live.post_clock(END)
    after = match.live.match
    assert (after.over, after.faults, after.winners, after.winner) == (True, (), (), None)
    report = audit(match.file())
    assert report.verdict is Verdict.CLEAN
    assert report_data(report)["ended"] == after.next_number - 1 == after.ended_at


def test_end_by_a_seat_is_refused():
    match = played(2)
    seat = match.seats[0]
    with pytest.raises(Refused) as refused:
        match.live.offer(seat.entry(match.live.log, END), seat.number)
    assert refused.value.code is Code.WRONG_AUTHOR and not match.live.match.over


def test_end_by_a_seat_in_a_log_names_seat_and_table():
    match = played(2)
    seat, reader = match.seats[0], match.readers[1]
    match.catch_up(reader)
    raw = seat.entry(match.live.log, END)
    reader.feed(raw, match.live.log.next_head(match.live._identity, raw))
    assert {fault.seat for fault in reader.faults} == {TABLE, seat.number}


def test_end_of_decided_game_is_refused():
    match = make_offline(2, 1)
    while match.live.match.stage is not MatchStage.RECEIPTS:
        assert any(match.step(seat) for seat in match.seats)
    assert not match.live.status.may_end
    with pytest.raises(Refused) as refused:
        match.live.post_clock(END)
    assert refused.value.code is Code.NOT_NOW


def test_end_that_has_not_seen_newest_entry_is_refused():
    match = played(2)
    log: Log = match.live.log
    seen = log.next_number - 2
    content = EntryContent(TABLE, log.sequence(TABLE), (seen, log.chain_hashes[seen]), ENDED, [])
    raw = make_entry(match.live._identity, log.match_id, content)
    with pytest.raises(Refused) as refused:
        apply(match.live.match, log.check(raw))
    assert refused.value.code is Code.STALE


def test_entry_after_the_end_is_refused():
    match = played(2)
    match.live.post_clock(END)
    seat = match.seats[0]
    with pytest.raises(Refused) as refused:
        match.live.offer(seat.entry(match.live.log, Post("leave", [])), seat.number)
    assert refused.value.code is Code.MATCH_OVER


@pytest.mark.parametrize(
    ("language", "told"), [("en", "host ended"), ("de", "Betreiber des Tisches hat")]
)
def test_report_and_transcript_say_who_ended_it(language, told):
    match = played(4)
    match.live.post_clock(END)
    translate = load_translator(language)
    assert any(told in line for line in report_lines(audit(match.file()), translate))
    assert any(told in line for line in transcript_lines(match.file(), translate))


def test_fault_stays_the_verdict_of_ended_match():
    match = make_offline(4, 3, "draw-dominoes", {}, {"leavers": "threshold"}, dealing="verified")
    match.play(6)
    seat = match.seats[0]
    match.live.offer(seat.entry(match.live.log, Post("leave", [])), seat.number)
    if not match.live.match.over:
        match.live.post_clock(END)
    assert audit(match.file()).verdict is Verdict.FAULT
