"""Measurement of a seat's round trip, and the delay that levels all seats: pure functions of
times.
"""

import pytest

from protocol.limits import MAX_TIMED, TRIP_SECONDS
from table.match.latency_equalizer import LatencyEqualizer
from table.match.rtt import RoundTrip, WindowMinimum

NOW = 1000.0


def trip_of(question: float, answer: float | None = None) -> RoundTrip:
    """Return the trip of a seat that answers a question, and an entry, after these seconds."""
    trip = RoundTrip()
    trip.asked(b"1", NOW)
    trip.sent(7, NOW)
    trip.answered(b"1", NOW + question)
    if answer is not None:
        trip.posted(7, NOW + answer, NOW + answer)
    return trip


def test_smaller_time_of_question_and_entry_counts():
    assert trip_of(0.04, 0.5).seconds(NOW + 1) == pytest.approx(0.04)
    # the seat only pretends to be distant
    assert trip_of(0.3, 0.05).seconds(NOW + 1) == pytest.approx(0.05)


def test_seat_answering_no_question_is_unknown():
    trip = RoundTrip()
    trip.sent(7, NOW)
    trip.posted(7, NOW + 0.5, NOW + 0.5)
    assert trip.seconds(NOW + 1) is None


def test_answer_to_another_question_is_ignored():
    trip = RoundTrip()
    trip.answered(b"1", NOW)
    trip.asked(b"2", NOW)
    trip.answered(b"1", NOW + 0.01)
    assert trip.waits and trip.seconds(NOW + 1) is None
    trip.answered(b"2", NOW + 0.02)
    trip.answered(b"2", NOW + 0.01)
    assert not trip.waits and trip.seconds(NOW + 1) == pytest.approx(0.02)


def test_trip_ignores_entries_after_unsent_or_old_messages():
    trip = trip_of(0.3)
    trip.posted(8, NOW + 1, NOW + 1)
    for number in range(10, 10 + MAX_TIMED):
        trip.sent(number, NOW)
    trip.posted(7, NOW + 0.1, NOW + 1)
    trip.sent(9, NOW + 2)
    trip.posted(9, NOW + 1, NOW + 2)
    assert trip.seconds(NOW + 2) == pytest.approx(0.3)


def test_old_measurements_expire():
    least = WindowMinimum()
    least.note(0.1, NOW)
    least.note(0.3, NOW + TRIP_SECONDS)
    assert least.value(NOW + TRIP_SECONDS) == 0.1
    assert least.value(NOW + 2 * TRIP_SECONDS) == 0.3
    assert least.value(NOW + 5 * TRIP_SECONDS) == float("inf")


@pytest.mark.parametrize("trip", [0.0, 0.02, 0.1, 0.2])
def test_round_trips_plus_holding_are_equal_for_all(trip):
    """The time runs from the release of a record to the acceptance of an immediate answer."""
    level = LatencyEqualizer(0.2)
    level.stored(10, NOW)
    sent = level.due_out(10, trip)
    assert level.due_in(0, trip, sent + trip) == pytest.approx(NOW + 0.2)
    assert sent + trip / 2 == pytest.approx(NOW + 0.1)  # all receive it at the same moment


def test_far_seat_is_not_held_and_unknown_is_as_nearest():
    level = LatencyEqualizer(0.2)
    assert level.each_way(0.5) == 0 and level.each_way(None) == level.each_way(0.0) == 0.1


def test_seat_entries_stay_ordered_and_held_half_at_most():
    level = LatencyEqualizer(0.2)
    first = level.due_in(0, None, NOW)
    assert level.due_in(0, 0.2, NOW + 0.01) == first == NOW + 0.1
    assert level.due_in(1, 0.2, NOW + 0.01) == NOW + 0.01  # each seat separately


def test_old_records_are_never_delayed():
    level = LatencyEqualizer(0.2)
    assert level.due_out(3, None) == 0.0
    for number in range(10):
        level.stored(10 * number, NOW + number)
    assert level.due_out(89, None) == 0.0
    assert level.due_out(95, None) == level.due_out(90, None) == NOW + 9.1


def test_level_zero_delays_nothing():
    level = LatencyEqualizer(0.0)
    level.stored(10, NOW)
    assert level.due_out(10, None) <= NOW and level.due_in(0, None, NOW) == NOW
