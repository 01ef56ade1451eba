"""Late seats and the age of their views: counted from the log, and compared with chance."""

import json
from functools import cache

import pytest

from protocol.audit.fairness.attempts import Attempt, AttemptSample
from protocol.audit.report_text import report_lines
from protocol.audit.verdict import Verdict, audit, report_data
from protocol.limits import FAIRNESS_SAMPLE
from protocol.match.log import decode_entry
from tests.support.guest_games.offline_match import GUESTS, guest_match, until_playing
from tests.support.log_files import clean
from tests.support.race import Favours, Race, Way

TENTH = 0.1  # of a second: a fifth of the seats' think time


pytestmark = pytest.mark.match

HONEST = Favours()
HOLDS_BACK = Favours(take=lambda seat: TENTH * (seat == 1))
TELLS_LATER = Favours(send=lambda seat, author: TENTH * (seat == 1 != author))


@cache
def raced(seed: int = 1, favours: Favours = HONEST, seats: int = 3) -> Race:
    match = guest_match("scramble", seats, seed)
    until_playing(match)
    return Race(match, [Way()] * seats, favours, seed=seed).run()


def report(race: Race):
    found = audit(race.match.file(), GUESTS)
    assert found.verdict is Verdict.CLEAN and not race.refused
    return found


def test_attempt_counts_match_the_log():
    race = raced()
    found = report(race).fairness
    end = race.match.live.match
    entries = [decode_entry(record.entry) for record in race.match.live.records]
    for seat, share in enumerate(found.seats):
        own = [
            (at, entry)
            for at, entry in enumerate(entries)
            if (entry.author, entry.kind) == (seat, "move")
        ]
        ages = [at - 1 - entry.seen_number for at, entry in own]
        assert (share.attempts, share.late, share.age) == (
            len(own),
            end.late_counts[seat],
            sum(ages) / len(ages),
        )
    assert sum(share.late for share in found.seats) > 0


def test_equal_seats_give_no_small_p_value():
    for seed in range(1, 4):
        found = report(raced(seed)).fairness
        assert found.late_p > 0.01 and found.age_p > 0.01


def test_table_delaying_entries_of_one_seat_is_detected():
    """The table logs the later of two plays first: the delayed entry is overtaken, which the
    statistics show.
    """
    found = report(raced(favours=HOLDS_BACK)).fairness
    assert found.late_p < 0.01 and found.age_p < 0.01
    assert max(range(3), key=lambda seat: found.seats[seat].late) == 1


def test_late_informed_seat_is_detected_by_age_of_entries():
    found = report(raced(favours=TELLS_LATER)).fairness
    assert found.age_p < 0.01
    assert max(range(3), key=lambda seat: found.seats[seat].age) == 1


def test_same_log_gives_same_report_as_text_and_json():
    file = raced(favours=HOLDS_BACK).match.file()
    first, again = audit(file, GUESTS), audit(file, GUESTS)
    assert report_lines(first) == report_lines(again)
    assert json.dumps(report_data(first)) == json.dumps(report_data(again))
    assert report_data(first)["fairness"]["seats"][1]["late"] == first.fairness.seats[1].late
    text = "\n".join(report_lines(first))
    assert "p = 0.001" in text and "not why. A slower hand, a longer way" in text
    assert "Chance alone does that too" in "\n".join(report_lines(report(raced())))


def test_match_in_turns_has_no_attempt_statistics():
    found = audit(clean())
    assert (
        found.fairness is None
        and report_data(found)["fairness"] is None
        and len(report_lines(found)) == 1
    )


def test_very_long_log_is_sampled_and_fully_counted():
    attempts = AttemptSample()
    for number in range(FAIRNESS_SAMPLE * 3):
        attempts.add(Attempt(number % 2, "take", 0, number % 2 == 1 and number % 7 == 0))
    assert len(attempts._drawn) == FAIRNESS_SAMPLE
    found = attempts.report(2, b"")
    assert sum(share.attempts for share in found.seats) == 3 * FAIRNESS_SAMPLE
    assert found.late_p < 0.01 and found.age_p is None
