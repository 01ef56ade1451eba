"""Arrival times of two seats in one match: which seat waits longer or hears later, and the limits
of this comparison.
"""

import json
from functools import cache
from pathlib import Path
from random import Random

import pytest

from protocol.__main__ import main
from protocol.audit.fairness.arrival_comparison import (
    ArrivalComparison,
    compare_arrivals,
    entry_authors,
    seat_of_times,
)
from protocol.audit.fairness.arrival_times import Arrival, ArrivalTimes, parse_times
from protocol.audit.fairness.text import arrival_lines
from protocol.audit.report_text import match_phrase_renderer
from protocol.limits import FAIRNESS_LEAST
from tests.support.guest_games.offline_match import GUESTS, guest_match, until_playing
from tests.support.race import Favours, Race, Way

pytestmark = pytest.mark.match

# clocks that nobody has set
CLOCKS = (Way(offset=3.0, drift=5e-5), Way(), Way(offset=-9.0, drift=-5e-5))
HONEST = Favours()
TWENTIETH = 0.05  # of a second
NEWS_TO_BOB = Favours(send=lambda seat, author: TWENTIETH * (seat == 1 != author))
ALL_TO_BOB = Favours(send=lambda seat, author: TWENTIETH * (seat == 1))
FROM_BOB = Favours(take=lambda seat: TWENTIETH * (seat == 1))


@cache
def raced(ways: tuple[Way, ...] = CLOCKS, favours: Favours = HONEST) -> Race:
    match = guest_match("scramble", len(ways))
    until_playing(match)
    return Race(match, list(ways), favours).run()


def compared(race: Race, pair: tuple[int, int] = (0, 1)) -> ArrivalComparison:
    authors = entry_authors(race.match.file())
    one, other = (parse_times(race.text(seat)) for seat in pair)
    assert (seat_of_times(one, authors), seat_of_times(other, authors)) == pair
    return compare_arrivals(authors, pair, (one, other), b"")


def noticed(found: ArrivalComparison) -> list[bool | None]:
    return [news and news.is_significant for news in found.news]


def test_honest_table_is_not_suspected_despite_wrong_clocks():
    found = compared(raced())
    assert found.slower_seat is None and noticed(found) == [False, False]
    assert all(abs(news.later) < 5 and 0.35 < news.share < 0.65 for news in found.news)


def test_table_delaying_one_seat_is_detected():
    race = raced(favours=NEWS_TO_BOB)
    for pair in ((0, 1), (1, 0), (2, 1)):
        found = compared(race, pair)
        place = pair.index(1)
        assert noticed(found) == [place == 0, place == 1]
        assert 40 < found.news[place].later < 60 and found.news[place].share > 0.95
        assert found.slower_seat is None  # its own entries return as fast as before
    text = "\n".join(arrival_lines(compared(race), match_phrase_renderer(race.match.live.match)))
    assert "Bob gets the others' entries later" in text and "this accuses nobody" in text


@pytest.mark.parametrize("favours", [ALL_TO_BOB, FROM_BOB])
def test_table_delaying_everything_is_detected_by_own_entries(favours):
    found = compared(raced(favours=favours))
    assert found.slower_seat == 1 and noticed(found) == [False, False]
    assert 40 < found.trips[1].usual - found.trips[0].usual < 60


def test_longer_distance_is_no_suspicion():
    far = (CLOCKS[0], Way(up=0.045, down=0.045), CLOCKS[2])
    found, held = compared(raced(far)), compared(raced(favours=ALL_TO_BOB))
    assert found.slower_seat == held.slower_seat == 1 and noticed(found) == [False, False]


def test_comparison_of_two_shows_delay_without_culprit():
    honest, later = compared(raced(CLOCKS[:2])), compared(raced(CLOCKS[:2], NEWS_TO_BOB))
    assert honest.two_seats_only and later.two_seats_only
    assert noticed(honest) == [False, False] and noticed(later) == [True, True]


def drawn(seed: int, entries: int = 120) -> tuple[list[int], tuple[ArrivalTimes, ArrivalTimes]]:
    """Draw times at an honest table, with a far seat, a restarted program, and unreliable lines."""
    rng, both = Random(seed), ({}, {})
    authors = [rng.randrange(4) for _ in range(entries)]
    for number in range(entries):
        for seat, times in enumerate(both):
            late = (20 + 40 * seat) * rng.lognormvariate(0, 0.4) + (rng.random() < 0.05) * 500
            waited = round(2 * late) if authors[number] == seat else None
            times[number] = Arrival(
                1 + (number > 70) * seat, round(250 * number + late + 10**6 * seat), waited
            )
    return authors, both


def test_honest_table_is_suspected_in_one_percent_at_most():
    found = [
        compare_arrivals(authors, (0, 1), both, b"") for authors, both in map(drawn, range(40))
    ]
    suspected = sum(any(noticed(one)) for one in found)
    assert suspected <= 2  # of 40; a higher count has a chance of 1 in 700
    assert sum(one.slower_seat == 1 for one in found) > 37  # the farther seat is identified


def test_comparison_needs_enough_data_and_own_times():
    authors, both = drawn(1)
    little = tuple({number: times[number] for number in range(FAIRNESS_LEAST)} for times in both)
    found = compare_arrivals(authors, (0, 1), little, b"")
    assert (found.trips, found.trips_p, found.news, found.slower_seat) == (
        (None, None),
        None,
        (None, None),
        None,
    )
    assert seat_of_times({}, authors) is None
    assert seat_of_times({0: Arrival(1, 0, 5), 1: Arrival(1, 0, 5)}, [0, 1]) is None
    assert seat_of_times({7: Arrival(1, 0, 5)}, [0, 1]) is None


def test_line_may_state_how_long_own_entry_was_pending():
    assert parse_times("run\n1 5\n2 70 60\n") == {1: Arrival(1, 5), 2: Arrival(1, 70, 60)}


def files(folder: Path, race: Race, *seats: int) -> list[str]:
    for seat in seats:
        (folder / f"{seat}.fairdeal").write_bytes(race.match.file())
        (folder / f"{seat}.times").write_text(race.text(seat))
    return [str(folder / f"{seat}.fairdeal") for seat in seats]


def test_command_prints_audit_and_time_comparison(tmp_path, capsys):
    log, other = files(tmp_path, raced(favours=NEWS_TO_BOB), 0, 1)
    assert main(["audit", log, "--compare", other], GUESTS) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("clean: ") and any("Bob gets the others" in line for line in lines)
    assert main(["audit", log, "--compare", other, "--json"], GUESTS) == 0
    times = json.loads(capsys.readouterr().out)["times"]
    assert [one["seat"] for one in times["seats"]] == [0, 1] and times["seats"][1]["news"][
        "later"
    ] > 40


def test_command_requires_times_of_two_seats_of_one_match(tmp_path, capsys):
    log, other = files(tmp_path, raced(), 0, 1)
    assert main(["audit", log, "--compare", log], GUESTS) == 2
    assert "not from two seats of this match" in capsys.readouterr().err
    Path(other).with_suffix(".times").unlink()
    assert main(["audit", log, "--compare", other], GUESTS) == 2
    (another,) = files(tmp_path, raced(favours=FROM_BOB), 2)
    # the table signed two logs of this match
    assert main(["audit", log, "--compare", another], GUESTS) == 1
    assert "forked" in capsys.readouterr().out
