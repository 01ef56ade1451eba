"""Whom a host means by a name on the command line. Anybody may take any name."""

import pytest

from protocol.errors import LocalError
from table.control.command import make_parser, make_request
from table.control.messages import BanRow, ConnectionRow
from tests.support.errors import raises_text

KEYS = ["abcdefghijklmnop", "bcdefghijklmnopq", "cdefghijklmnopqr"]


def here(key: str, name: str, *, banned: bool = False) -> ConnectionRow:
    return ConnectionRow(key, name, "203.0.113.7", "lobby", "", 301, 37, 10984, 4, 22, banned)


def asked(command: str, who: str, *rows) -> str:
    """Return the target of a request."""
    options = make_parser().parse_args([command, who])
    return make_request(options, lambda: rows).values[0]


def test_name_that_looks_like_a_fingerprint_is_a_name():
    name = "Christopher Jones"
    assert asked("ban", name, here(KEYS[0], name)) == KEYS[0]
    assert asked("unban", name, BanRow(KEYS[0], 0, name)) == KEYS[0]


def test_fingerprint_of_somebody_known_is_no_name():
    stranger = here(KEYS[1], KEYS[0])
    assert asked("kick", KEYS[0], here(KEYS[0], "Ann"), stranger) == KEYS[0]
    bans = BanRow(KEYS[0] * 2, 0, "Ann"), BanRow(KEYS[1], 0, KEYS[0])
    assert asked("unban", KEYS[0], *bans) == KEYS[0]


def test_fingerprint_of_somebody_unknown_is_taken_as_written():
    assert asked("ban", KEYS[0], here(KEYS[1], "Ann")) == KEYS[0]
    assert asked("ban", "192.0.2.7", here(KEYS[1], "192.0.2.7")) == "192.0.2.7"


def test_stranger_with_a_banned_name_is_not_let_in():
    stranger = here(KEYS[1], "Ann", banned=True)
    bans = BanRow(KEYS[0], 0, ""), BanRow(KEYS[1], 0, "Zed")
    with raises_text(LocalError, match="name that a ban has"):
        asked("unban", "Ann", stranger, *bans)


@pytest.mark.parametrize("target", [KEYS[1], "192.0.2.7"])
def test_name_of_two_banned_people_is_refused_with_their_targets(target: str):
    bans = BanRow(KEYS[0], 0, "Ann"), BanRow(target, 0, "ann")
    with raises_text(LocalError, match="Several people are called Ann") as caught:
        asked("unban", "Ann", *bans)
    assert target[:4] in str(caught.value) and KEYS[0][:4] in str(caught.value)
