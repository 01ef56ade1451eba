"""A deal has many steps, each with its own time: a seat that uses nearly all of it can delay the
others only a few times.
"""

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import Fault, Post
from protocol.errors import Refused
from protocol.limits import MAX_SLOW_STEPS, SLOW_SECONDS
from protocol.match.clock import Allowance, slow_step_seconds
from protocol.match.state import MatchStage
from tests.support.offline import Offline, make_offline

SLOW_SEAT = 1
STEP = 1000 * Allowance().step
QUICK = 1000 * SLOW_SECONDS


def until_owing(match: Offline) -> bool:
    """Let the others post until the slow seat owes a step of a deal; return False if the match ends
    first.
    """
    others = [seat for seat in match.seats if seat.number != SLOW_SEAT]
    while not match.live.match.over:
        now = match.live.match
        if now.next_clock_entry(SLOW_SEAT) is not None:
            if now.stage is MatchStage.DEALING:
                return True
            match.step(match.seats[SLOW_SEAT])
        elif not any(match.step(seat) for seat in others):
            return False
    return False


def say(match: Offline, kind: str, waited: int) -> None:
    match.live.post_clock(Post(kind, [SLOW_SEAT, waited]))


def dawdle(match: Offline) -> int:
    """Use all the allowed time of a step; return the milliseconds."""
    after = match.live.match.slow_due_after(SLOW_SEAT)
    if after is not None:
        say(match, "slow", after)
    due = match.live.match.next_clock_entry(SLOW_SEAT)
    assert due is not None and due.kind == "warning"
    say(match, "warning", due.after)
    due = match.live.match.next_clock_entry(SLOW_SEAT)
    assert due is not None and due.kind == "lapse"
    assert match.step(match.seats[SLOW_SEAT])
    return due.after


def dawdled(match: Offline) -> list[int]:
    """Return the time of each step of the slow seat in the first deal."""
    taken = []
    while until_owing(match) and match.live.match.deal_number == 0:
        taken.append(dawdle(match))
    return taken


@pytest.mark.match
@pytest.mark.parametrize(("seats", "dealing"), [(2, "layered"), (4, "layered"), (3, "verified")])
def test_slowest_allowed_seat_delays_deal_only_so_long(seats, dealing):
    match = make_offline(seats, 1, "draw-dominoes", {"hand": 3}, dealing=dealing)
    taken = dawdled(match)
    match.play()
    assert taken[:MAX_SLOW_STEPS] == [STEP] * len(taken[:MAX_SLOW_STEPS])
    assert set(taken[MAX_SLOW_STEPS:]) <= {QUICK}
    assert dealing == "verified" or len(taken) > MAX_SLOW_STEPS
    assert audit(match.file()).verdict is Verdict.CLEAN  # the seat is slow, and has no fault
    for reader in match.readers:
        match.catch_up(reader)
        assert reader.match.clock == match.live.match.clock


@pytest.mark.match
def test_repeatedly_slow_seat_lapses_after_quick_step_time():
    match = make_offline(2, 1, "draw-dominoes", {"hand": 3})
    for _ in range(MAX_SLOW_STEPS):
        assert until_owing(match)
        dawdle(match)
    assert until_owing(match)
    assert match.live.match.slow_due_after(SLOW_SEAT) is None
    assert match.lapse(SLOW_SEAT) == ["warning", "lapse"]
    end = match.live.match
    assert end.faults == (Fault(SLOW_SEAT, end.next_number - 1, Code.LAPSED),)


@pytest.mark.match
def test_slow_step_count_restarts_with_next_deal():
    match = make_offline(2, 1, "draw-dominoes", {"hand": 3, "target": 200})
    dawdled(match)
    assert match.live.match.deal_number == 1 and until_owing(match)
    assert match.live.match.clock.slow_steps == (0, 0)
    assert match.live.match.next_clock_entry(SLOW_SEAT) == ("warning", STEP - 10_000)


def test_step_becomes_slow_once_and_turn_never_does():
    match = make_offline(2, 1, "draw-dominoes", {"hand": 3})
    with pytest.raises(Refused) as refusal:  # taking seats is no deal
        say(match, "slow", STEP)
    assert refusal.value.code is Code.NOT_NOW
    assert until_owing(match)
    with pytest.raises(Refused) as refusal:
        say(match, "slow", QUICK - 1)
    assert refusal.value.code is Code.TOO_EARLY
    say(match, "slow", QUICK)
    with pytest.raises(Refused) as refusal:
        say(match, "slow", STEP)
    assert refusal.value.code is Code.NOT_NOW
    match.step(match.seats[SLOW_SEAT])
    while match.live.match.stage is not MatchStage.PLAYING:
        assert any(match.step(seat) for seat in match.seats)
    assert [match.live.match.slow_due_after(seat) for seat in range(2)] == [None, None]


@pytest.mark.parametrize(
    ("step", "slow"), [(1, 30), (30, 30), (300, 30), (3_000, 300), (86_400, 8_640)]
)
def test_slow_step_threshold_scales_with_step_time(step, slow):
    assert slow_step_seconds(Allowance(step=step)) == slow
