"""Warnings and lapses claim that the table has waited: the claims are compared with the times at
which entries reached two seats.
"""

import pytest

from protocol.audit.clock_claims import (
    ClaimFinding,
    ClockClaim,
    clock_claims,
    judge_claim,
    observed_wait,
)
from protocol.audit.fairness.arrival_times import parse_times
from protocol.errors import LocalError
from protocol.limits import CLOCK_TOLERANCE_SECONDS
from tests.support.offline import make_offline

CLAIM = ClockClaim(number=9, kind="lapse", seat=1, since=7, waited=60_000)
SLACK = 1000 * CLOCK_TOLERANCE_SECONDS


def times(waited: int, run: int = 1):
    return parse_times("run\n" * run + f"7 500\n8 600\n9 {500 + waited}\n")


@pytest.mark.parametrize(
    ("first", "second", "finding"),
    [
        (60_000, 60_000, ClaimFinding.JUSTIFIED),
        (60_000 - SLACK, 0, ClaimFinding.JUSTIFIED),  # one witness is enough
        (0, 75_000, ClaimFinding.JUSTIFIED),
        (60_000 - SLACK - 1, 60_000 - SLACK - 1, ClaimFinding.NOT_JUSTIFIED),
        (5_000, 5_000, ClaimFinding.NOT_JUSTIFIED),
    ],
)
def test_table_is_believed_when_one_seat_saw_time_pass(first, second, finding):
    assert judge_claim(CLAIM, (times(first), times(second))) is finding


def test_one_seat_alone_convicts_no_table():
    absent = parse_times("run\n1 5\n")
    assert judge_claim(CLAIM, (times(5_000), absent)) is ClaimFinding.OPEN
    assert judge_claim(CLAIM, (absent, absent)) is ClaimFinding.OPEN
    assert judge_claim(CLAIM, (absent, times(60_000))) is ClaimFinding.JUSTIFIED


def test_times_of_two_runs_of_a_program_are_not_compared():
    restarted = parse_times("run\n7 900000\nrun\n9 1000\n")
    assert observed_wait(CLAIM, restarted) is None
    assert observed_wait(CLAIM, parse_times("run\n1 1\nrun\n7 1000\n9 3500\n")) == 2500


def test_torn_last_line_is_skipped_and_damaged_file_refused():
    assert parse_times("run\n7 500\n9") == parse_times("run\n7 500\n")
    # perhaps the beginning of "9 1234"
    assert parse_times("run\n7 500\n9 12") == parse_times("run\n7 500\n")
    assert parse_times("") == {}
    for damaged in (
        "run\nx\n7 500\n",
        "run\n7 500 9 1\n8 1\n",
        "7 5000000000000000000\n8 1\n",
        "\ufffd\n7 1\n",
    ):
        with pytest.raises(LocalError):
            parse_times(damaged)


def test_claims_of_log_are_those_of_its_clock():
    match = make_offline(2, 1)
    match.step(match.seats[0])
    match.lapse(1)
    _, found = clock_claims(match.file())
    assert [(claim.number, claim.kind, claim.seat, claim.since) for claim in found] == [
        (2, "warning", 1, 0),
        (3, "lapse", 1, 0),
    ]
    assert found[1].waited >= 1000 * match.live.match.setup.allowance.step
    assert clock_claims(match.file()[:40]) == (None, [])
