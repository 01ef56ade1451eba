"""People by name or by the number of the seat, and a report about one of them."""

from player.presenter.muting import find_seat, not_found
from player.presenter.report import report_lines
from player.storage.contacts import Contact
from protocol.i18n import english, load_translator
from protocol.identity.keys import fingerprint
from protocol.match.setup import Person

PEOPLE = [Person(name, bytes([seat]) * 32) for seat, name in enumerate(("Ann", "2", "Bob"))]


def test_person_is_found_by_name_in_any_case_or_number():
    assert [find_seat(whom, PEOPLE) for whom in ("bob", "Bob", " BOB ", "3")] == [2] * 4


def test_number_of_the_tenth_seat_is_found():
    ten = [Person(f"P{number}", bytes(32)) for number in range(10)]
    assert find_seat("10", ten) == 9


def test_name_goes_before_number():
    assert find_seat("2", PEOPLE) == 1


def test_unknown_name_is_nobody():
    assert [find_seat(whom, PEOPLE) for whom in ("", "0", "4", "Cleo", "²")] == [None] * 5
    assert not_found(PEOPLE).key == "typed.mute"


def test_report_has_key_names_match_and_remarks():
    bob = PEOPLE[2]
    letters = fingerprint(bob.identity)
    known = Contact(letters, ("Robert", "Bob"), 3, 0, "")
    lines = report_lines(bob, known, b"\x01\xff", ["pay me", "<b>\x1b[2J"], english)
    text = "\n".join(lines)
    assert lines[0] == "Report about Bob" and letters in text and "01ff" in text
    assert "Robert" in text and "  pay me" in lines and "\x1b" not in text
    assert "Nothing has been sent" in lines[-1]


def test_report_about_a_silent_person_says_so_in_german():
    text = "\n".join(report_lines(PEOPLE[0], None, bytes(2), [], load_translator("de")))
    assert "nichts gehört" in text and "Meldung über Ann" in text
