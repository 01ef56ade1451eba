"""Bans of a host: targets, their file, and two hosts that decide at the same time."""

import pytest

from protocol.errors import LocalError
from protocol.identity.keys import fingerprint, short_fingerprint
from protocol.limits import LIFTED_SECONDS, MAX_BANS
from table.lobby.bans import (
    FOR_GOOD,
    Ban,
    BanList,
    Target,
    is_target,
    parse_rows,
    parse_target,
    rows,
)

ANN, BOB = b"a" * 32, b"b" * 32
HERE = "192.0.2.7"
NOW = 1_800_000_000_000


def bans(tmp_path, name="bans"):
    return BanList(tmp_path / name)


@pytest.mark.parametrize("said", [fingerprint(ANN), short_fingerprint(ANN).upper()])
def test_key_is_banned_by_fingerprint_whole_or_short(tmp_path, said):
    found = bans(tmp_path)
    found.decide(parse_target(said), FOR_GOOD, NOW)
    assert found.covers(ANN, HERE, NOW) and not found.covers(BOB, HERE, NOW)


@pytest.mark.parametrize(
    ("said", "address", "covered"),
    [
        ("192.0.2.7", "192.0.2.7", True),
        ("192.0.2.7", "192.0.2.70", False),
        ("::ffff:192.0.2.7", "192.0.2.7", True),
        ("2001:db8::1:2:3:4", "2001:db8::/64", True),
        ("2001:db8::/64", "2001:db8::/64", True),
        ("2001:db8:0:1::1", "2001:db8::/64", False),
        ("192.0.2.7", "192.0.2.7@relay.example.org", True),
        ("192.0.2.7", "192.0.2.70@192.0.2.7", False),
        ("2001:db8::1:2:3:4", "2001:db8::/64@relay.example.org", True),
    ],
)
def test_address_is_banned_of_ipv6_by_64_bits(tmp_path, said, address, covered):
    found = bans(tmp_path)
    found.decide(parse_target(said), FOR_GOOD, NOW)
    assert found.covers(ANN, address, NOW) is covered


@pytest.mark.parametrize("said", ["", "ann", "a" * 15, "a" * 53, "300.1.1.1", "2001:db8::/32", "*"])
def test_what_is_no_target_is_refused(said):
    with pytest.raises(LocalError):
        parse_target(said)


@pytest.mark.parametrize("said", ["192.0.2.7", "2001:db8::5", "abcd-efgh-abcd-efgh"])
def test_parsed_target_is_in_its_one_form(said):
    assert is_target(parse_target(said).text)


def test_name_of_banned_person_stays_in_the_file(tmp_path):
    found = bans(tmp_path)
    found.decide(parse_target(HERE), FOR_GOOD, NOW)
    found.decide(parse_target(fingerprint(ANN)), FOR_GOOD, NOW, "Ann")
    assert bans(tmp_path).all == found.all
    # other hosts are not told the name, and do not take it away
    (_, ann) = parse_rows(rows(found.all))
    assert ann.name == ""
    assert not found.merge([ann], NOW)
    assert found.merge([ann._replace(made=NOW + 1, until=0)], NOW)
    assert [ban.name for ban in bans(tmp_path).all] == ["", "Ann"]


def test_ban_ends_at_its_time(tmp_path):
    found = bans(tmp_path)
    found.decide(parse_target(HERE), NOW + 1000, NOW)
    assert found.covers(ANN, HERE, NOW + 999) and not found.covers(ANN, HERE, NOW + 1000)


def test_ban_outlives_restart_and_lift_does_too(tmp_path):
    bans(tmp_path).decide(parse_target(HERE), FOR_GOOD, NOW)
    again = bans(tmp_path)
    assert again.covers(ANN, HERE, NOW)
    again.decide(parse_target(HERE), 0, NOW)
    assert not bans(tmp_path).covers(ANN, HERE, NOW)


def test_damaged_file_is_an_error_and_bans_are_not_forgotten(tmp_path):
    (tmp_path / "bans").write_bytes(b"\x91")
    with pytest.raises(LocalError):
        bans(tmp_path)


def test_ban_that_cannot_be_written_is_none(tmp_path):
    found = bans(tmp_path / "gone")
    with pytest.raises(LocalError):
        found.decide(parse_target(HERE), FOR_GOOD, NOW)
    assert not found.covers(ANN, HERE, NOW)


def test_newer_decision_counts_in_any_order(tmp_path):
    one, two = bans(tmp_path, "one"), bans(tmp_path, "two")
    one.decide(Target(HERE), FOR_GOOD, NOW)
    two.decide(Target(HERE), 0, NOW + 5)
    first, second = one.all, two.all
    assert one.merge(second, NOW + 9) and not two.merge(first, NOW + 9)
    assert one.digest == two.digest and not one.covers(ANN, HERE, NOW + 9)
    assert not one.merge(first, NOW + 9), "what is known is nothing new"


def test_lift_counts_although_the_ban_is_from_a_clock_ahead(tmp_path):
    found = bans(tmp_path)
    found.merge([Ban(Target(HERE), NOW + 10**9, FOR_GOOD)], NOW)
    found.decide(Target(HERE), 0, NOW)
    assert not found.covers(ANN, HERE, NOW)


def test_edition_changes_when_a_ban_is_made_or_ends(tmp_path):
    found = bans(tmp_path)
    editions = [found.current_edition(NOW)]
    found.decide(parse_target(HERE), NOW + 1000, NOW)
    editions += [found.current_edition(NOW), found.current_edition(NOW + 999)]
    editions.append(found.current_edition(NOW + 1000))
    assert editions[0] < editions[1] == editions[2] < editions[3]


def test_lists_are_bounded_and_the_same_everywhere(tmp_path):
    one, two = bans(tmp_path, "one"), bans(tmp_path, "two")
    some = [Ban(Target(f"10.0.{n // 250}.{n % 250}"), NOW + n, FOR_GOOD) for n in range(1500)]
    one.merge(some, NOW)
    two.merge(some[::-1], NOW)
    assert len(one) == len(two) == MAX_BANS and one.digest == two.digest
    with pytest.raises(LocalError):
        one.decide(Target(HERE), FOR_GOOD, NOW)
    one.decide(Target("10.0.5.249"), 0, NOW)
    assert not one.covers(ANN, "10.0.5.249", NOW)


def test_lifted_ban_is_forgotten_after_a_while(tmp_path):
    found = bans(tmp_path)
    found.decide(Target(HERE), 0, NOW)
    found.merge([], NOW + LIFTED_SECONDS * 1000 - 1)
    assert len(found) == 1
    found.merge([], NOW + LIFTED_SECONDS * 1000 + 1)
    assert len(found) == 0
