"""Limited places: the address with most makes room with its own oldest."""

from table.net.fair_slots import FairSlots

HERE, THERE, ELSEWHERE = "192.0.2.1", "192.0.2.2", "2001:db8:1:2::/64"


def test_extra_connection_replaces_oldest_of_largest_address():
    places: FairSlots[int] = FairSlots(4)
    assert places.take(0, THERE) is None  # the oldest of all, but not of the largest address
    assert [places.take(number, HERE) for number in (1, 2, 3)] == [None] * 3
    assert places.take(4, ELSEWHERE) == 1
    assert places.take(5, HERE) == 2


def test_connection_from_largest_address_displaces_its_own():
    places: FairSlots[int] = FairSlots(3)
    for number, address in enumerate((THERE, HERE, ELSEWHERE)):
        assert places.take(number, address) is None
    assert [places.take(number, HERE) for number in range(3, 9)] == [1, 3, 4, 5, 6, 7]


def test_released_places_are_free_again():
    places: FairSlots[int] = FairSlots(2)
    places.take(0, HERE)
    places.take(1, HERE)
    places.keep(lambda peer: peer == 1)
    assert places.take(2, THERE) is None


def test_address_with_own_bound_gives_up_its_oldest():
    places = FairSlots(10, 2)
    assert [places.take(number, "here") for number in range(3)] == [None, None, 0]
    assert places.take(9, "there") is None
    assert len(places) == 3 and 0 not in places
    places.free(1)
    assert places.take(4, "here") is None
