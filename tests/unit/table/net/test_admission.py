"""Admission of connections: each bound is reached and exceeded by one, without harm to other
addresses.
"""

import sys

from table.config import Bounds
from table.net.admission import Admission, Refusal
from table.net.tickets import TicketSeat

HERE, THERE = "192.0.2.1", "2001:db8:1:2::/64"
SEAT = TicketSeat(b"m", 0)


def entered(
    admission: Admission[int], count: int, address: str = HERE, first: int = 0
) -> list[int | None]:
    """Let several peers enter; return the evicted connection for each."""
    return [admission.enter(number, address) for number in range(first, first + count)]


def test_total_connections_are_bounded():
    admission = Admission(Bounds(connections=100), 3)  # the descriptors suffice for only 3
    entered(admission, 2)
    entered(admission, 1, THERE, first=2)
    assert admission.count_arrival(HERE, 0.0) is Refusal.FULL
    admission.leave(2, THERE)
    assert admission.count_arrival(HERE, 0.0) is None


def test_connections_from_one_address_are_bounded():
    admission = Admission(Bounds(per_address=3), 100)
    entered(admission, 2)
    assert admission.count_arrival(HERE, 0.0) is None
    entered(admission, 1, first=2)
    assert admission.count_arrival(HERE, 0.0) is Refusal.CROWDED
    assert admission.crowded(HERE) is Refusal.CROWDED
    assert admission.count_arrival(THERE, 0.0) is None
    admission.leave(0, HERE)
    assert admission.count_arrival(HERE, 0.0) is None


def test_arrivals_from_one_address_are_bounded():
    admission = Admission(Bounds(arrivals_per_address=(3, 2)), 100)
    assert [admission.count_arrival(HERE, 10.0) for _ in range(4)] == [
        None,
        None,
        None,
        Refusal.HASTY,
    ]
    assert admission.count_arrival(THERE, 10.0) is None
    assert [admission.count_arrival(HERE, 10.5) for _ in range(2)] == [None, Refusal.HASTY]


def test_total_arrivals_are_bounded():
    admission = Admission(Bounds(arrivals=(3, 2), rare_arrivals=(0.5, 1e-6)), 100)
    assert [admission.count_arrival(f"192.0.2.{number}", 10.0) for number in range(4)] == [
        None,
        None,
        None,
        Refusal.RUSH,
    ]
    assert admission.count_arrival(THERE, 10.5) is None


def test_refused_address_uses_no_total_budget():
    admission = Admission(Bounds(arrivals=(5, 1), arrivals_per_address=(3, 1)), 100)
    assert [admission.count_arrival(HERE, 0.0) for _ in range(50)].count(None) == 3
    assert [admission.count_arrival(THERE, 0.0) for _ in range(2)] == [None, None]


def test_half_open_of_one_address_are_bounded():
    admission = Admission(Bounds(half_open_per_address=3), 100)
    entered(admission, 1, THERE, first=9)
    assert entered(admission, 3) == [None] * 3
    # its own oldest, although another address has an older one
    assert admission.enter(3, HERE) == 0
    assert admission.enter(8, THERE) is None


def test_total_half_open_are_bounded():
    admission = Admission(Bounds(half_open=4, half_open_per_address=3), 100)
    entered(admission, 1, "192.0.2.9", first=9)
    entered(admission, 3)
    assert admission.enter(8, THERE) == 0  # the oldest of the address with most


def test_greeted_connections_leave_no_state():
    admission = Admission(Bounds(half_open_per_address=2), 100)
    entered(admission, 2)
    admission.end_half_open(0, HERE)
    admission.end_half_open(0, HERE)
    assert admission.half_open == 1
    assert admission.enter(2, HERE) is None
    for peer in range(3):
        admission.leave(peer, HERE)
    assert (admission.peers, admission.half_open) == (0, 0)
    assert entered(admission, 2) == [None, None]


def test_memory_is_bounded_when_addresses_are_free():
    admission = Admission(Bounds(arrivals=(1e6, 1e6), addresses_kept=50), 100)
    for number in range(1_000):
        admission.count_arrival(f"2001:db8:0:{number:x}::/64", 0.0)
    assert len(admission._arrivals_of) == 50


def test_flood_of_some_addresses_takes_no_arrivals_of_others():
    admission = Admission(Bounds(), 100_000)
    for second in range(61):
        for number in range(40):
            for _ in range(40):
                admission.count_arrival(f"198.51.100.{number}", float(second))
    assert admission._arrivals.wait(60.0)
    assert [admission.count_arrival(HERE, 60.0) for _ in range(33)] == [None] * 33


def test_arrivals_of_one_organisation_are_bounded_together():
    rates = {"arrivals_per_customer": (3, 1), "arrivals_per_organisation": (5, 1)}
    admission = Admission(Bounds(**rates), 100)
    one = [admission.count_arrival(f"2001:db8:0:{number:x}::/64", 0.0) for number in range(5)]
    assert one == [None] * 3 + [Refusal.HASTY] * 2
    two = [admission.count_arrival(f"2001:db8:0:1{number:02x}::/64", 0.0) for number in range(5)]
    assert two == [None] * 2 + [Refusal.HASTY] * 3
    assert admission.count_arrival("2001:db8:1:1::/64", 0.0) is None


def test_connections_of_one_customer_and_organisation_and_one_more():
    admission = Admission(Bounds(per_customer=2, per_organisation=3), 100)
    first, second = "2001:db8:0:1::/64", "2001:db8:0:2::/64"
    admission.enter(1, first)
    admission.enter(2, second)
    assert admission.crowded("2001:db8:0:3::/64") is Refusal.CROWDED
    assert admission.crowded("2001:db8:0:100::/64") is None
    admission.enter(3, "2001:db8:0:100::/64")
    assert admission.crowded("2001:db8:0:200::/64") is Refusal.CROWDED
    assert admission.crowded("2001:db8:1::/64") is None
    admission.leave(1, first)
    assert admission.crowded("2001:db8:0:3::/64") is None
    admission.leave(2, second)
    admission.leave(3, "2001:db8:0:100::/64")
    assert not admission._connected


def test_seat_takes_usual_place_if_there_is_one():
    admission = Admission(Bounds(), 2)
    entered(admission, 2)
    assert admission.wait_outside(7, THERE) is None and admission.is_outside(7)
    assert admission.accept_ticket(7, THERE, SEAT) == [] and not admission.is_outside(7)
    admission.leave(0, HERE)
    assert admission.give_place(7, THERE) is None
    assert admission.peers == 2 and not admission.has_ticket_place(7)
    assert admission.crowded(THERE) is Refusal.FULL


def test_seat_takes_place_in_reserve_if_there_is_no_other():
    admission = Admission(Bounds(reserve=1), 1)
    entered(admission, 1)
    for peer in (7, 8):
        admission.wait_outside(peer, f"192.0.2.{peer}")
        admission.accept_ticket(peer, f"192.0.2.{peer}", TicketSeat(b"m", peer))
    assert admission.give_place(7, "192.0.2.7") is None
    assert admission.give_place(8, "192.0.2.8") == 7  # the oldest of those with as many
    assert admission.peers == 1 and admission.has_ticket_place(8)


def test_address_with_most_in_reserve_gives_way():
    admission = Admission(Bounds(reserve=3), 0)
    for peer in range(3):
        admission.wait_outside(peer, HERE)
        admission.accept_ticket(peer, HERE, TicketSeat(b"m", peer))
        admission.give_place(peer, HERE)
    admission.wait_outside(7, THERE)
    admission.accept_ticket(7, THERE, SEAT)
    assert admission.give_place(7, THERE) == 0
    admission.leave(0, HERE)
    admission.wait_outside(8, HERE)
    admission.accept_ticket(8, HERE, TicketSeat(b"m", 8))
    assert admission.give_place(8, HERE) == 1  # not the one from elsewhere


def test_newer_bearer_of_a_seat_ends_the_one_before():
    admission = Admission(Bounds(), 0)
    for peer in (1, 2):
        admission.wait_outside(peer, HERE)
    assert admission.accept_ticket(1, HERE, SEAT) == []
    assert admission.accept_ticket(2, HERE, SEAT) == [1]


def test_bearers_are_no_half_open_newcomers():
    admission = Admission(Bounds(half_open=2, half_open_per_address=2), 10)
    entered(admission, 1)
    admission.accept_ticket(0, HERE, SEAT)
    assert entered(admission, 4, THERE, first=1)[:2] == [None, None]
    admission.leave(0, HERE)


def test_outside_is_bounded_by_address():
    admission = Admission(Bounds(outside=4, outside_of_address=2, outside_per_address=(3, 1)), 0)
    assert [admission.wait_outside(peer, HERE) for peer in range(3)] == [None, None, 0]
    assert admission.wait_outside(7, THERE) is None
    assert [admission.may_wait(HERE, 0.0) for _ in range(4)] == [True] * 3 + [False]
    assert admission.may_wait(THERE, 0.0)


def test_connections_beyond_the_bounds_leave_no_state():
    admission = Admission(Bounds(), 0)
    for peer in range(4):
        admission.wait_outside(peer, HERE)
    admission.accept_ticket(1, HERE, SEAT)
    admission.accept_ticket(2, HERE, TicketSeat(b"m", 1))
    admission.give_place(2, HERE)
    for peer in range(4):
        admission.leave(peer, HERE)
    assert not admission._origins and not admission._uncounted and not admission._bearer_of
    assert admission.peers == admission.half_open == 0


def test_who_makes_room_is_found_among_half_open_alone():
    admission = Admission(Bounds(half_open=3), 1_000)
    for number in range(500):
        address = f"10.0.{number // 250}.{number % 250}"
        admission.enter(number, address)
        admission.end_half_open(number, address)
    for number in range(500, 503):
        admission.enter(number, f"192.0.2.{number % 250}")
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        gives_way = admission.enter(503, "192.0.2.9")
    finally:
        sys.setprofile(None)
    assert gives_way == 500 and calls < 50
