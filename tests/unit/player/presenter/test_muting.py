"""Muting of people by name or by the number of the seat."""

from player.presenter.muting import Muting
from protocol.match.setup import Person

PEOPLE = [Person(name, bytes(32)) for name in ("Ann", "2", "Bob")]


def test_mute_accepts_name_in_any_case_or_seat_number():
    for whom in ("bob", "Bob", " BOB ", "3"):
        muting = Muting()
        assert muting.obey("/mute", whom, PEOPLE).key == "typed.muted"
        assert [muting.hears(seat) for seat in range(3)] == [True, True, False]
        assert muting.obey("/unmute", whom, PEOPLE).key == "typed.unmuted"
        assert all(map(muting.hears, range(3)))


def test_mute_accepts_number_of_the_tenth_seat():
    muting, ten = Muting(), [Person(f"P{number}", bytes(32)) for number in range(10)]
    assert muting.obey("/mute", "10", ten).key == "typed.muted"
    assert [seat for seat in range(10) if not muting.hears(seat)] == [9]


def test_mute_prefers_name_over_number():
    muting = Muting()
    muting.obey("/mute", "2", PEOPLE)
    assert not muting.hears(1)


def test_mute_of_unknown_name_mutes_nobody():
    muting = Muting()
    for whom in ("", "0", "4", "Cleo", "²"):
        assert muting.obey("/mute", whom, PEOPLE).key == "typed.mute"
    assert all(map(muting.hears, range(3)))
