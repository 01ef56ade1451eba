"""Time in which the table holds a seat back, and how much of it is the seat's own."""

from protocol.limits import HELD_FREE_SECONDS
from table.match.held_time import HeldTime


def held(*spans: tuple[float, float], seat: int = 0) -> HeldTime:
    found = HeldTime()
    found.set_duties((3, 3), 100.0)
    for began, ended in spans:
        found.begin(seat, "unread", began)
        found.end(seat, "unread", ended)
    return found


def test_time_without_hold_is_the_seats():
    assert held().counted(0, 7.0, 107.0) == 7.0


def test_held_time_is_not_the_seats():
    assert held((101, 103), (104, 105)).counted(0, 7.0, 107.0) == 4.0


def test_hold_that_lasts_counts_already():
    time = held()
    time.begin(0, "unread", 101.0)
    assert time.counted(0, 7.0, 107.0) == 1.0


def test_hold_of_other_seat_does_not_count():
    assert held((101, 105), seat=1).counted(0, 7.0, 107.0) == 7.0


def test_hold_before_the_duty_does_not_count():
    time = held((101, 105))
    time.set_duties((9, 3), 106.0)
    assert time.counted(0, 1.0, 107.0) == 1.0
    assert time.counted(1, 7.0, 107.0) == 7.0


def test_two_reasons_count_once():
    time = held()
    time.begin(0, "unread", 101.0)
    time.begin(0, "unchecked", 102.0)
    time.end(0, "unread", 103.0)
    time.end(0, "unread", 103.5)
    time.end(0, "unchecked", 104.0)
    assert time.counted(0, 7.0, 107.0) == 4.0


def test_nobody_stops_the_clock_by_sending_too_much():
    time = held((100, 1100))
    assert time.counted(0, 1000.0, 1100.0) == 500.0
    assert time.counted(0, HELD_FREE_SECONDS, 1100.0) == 0.0
