"""Each host's own view of the present hosts and the owner of each match."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table.cluster.heartbeats import Heartbeat, Host, MatchLoad, prefix
from table.cluster.membership import Membership, chosen
from table.config import Pace
from table.storage.interface import MatchOwnership

NAMES = st.lists(st.text("abcdefgh", min_size=1, max_size=3), min_size=2, max_size=6, unique=True)
PACE = Pace()
MATCHES = [bytes([place]) * 32 for place in range(200)]


def host(name, rules="r"):
    return Host(name, f"{name}:7500", rules)


def beat(name, rules="r", takes=True, rows=(), run=b"12345678", **rest):
    return Heartbeat(host(name, rules), run, takes, tuple(rows), **rest)


def view(name, *others, now=0.0, rules="r"):
    found = Membership(host(name, rules), b"87654321", now - 10, PACE)
    found.takes = True
    for other in others:
        found.heard(beat(other), now)
    return found


def row(match_id, table="main", seats=()):
    return MatchLoad(table, None, [], match_id, tuple(map(prefix, seats)))


@pytest.mark.slow
@given(NAMES, st.binary(min_size=32, max_size=32))
def test_view_names_exactly_one_host_for_each_match(names, match_id):
    views = [view(name, *(other for other in names if other != name)) for name in names]
    owned = MatchOwnership(match_id, 1, "gone", "r")
    assert sum(each.is_ours(owned, 0.0) for each in views) == 1
    assert len({each.home("table-1") for each in views}) == 1


@pytest.mark.slow
@given(NAMES)
def test_departing_host_moves_only_its_own_matches(names):
    gone, left = names[0], names[1:]
    for match_id in MATCHES[:40]:
        before, after = chosen(match_id, names), chosen(match_id, left)
        assert before in (gone, after)


def test_matches_are_spread_evenly():
    counts = [sum(chosen(match_id, "abc") == name for match_id in MATCHES) for name in "abc"]
    assert min(counts) > 40


def test_host_silent_for_three_seconds_counts_as_gone():
    one = view("a", "b")
    owned = MatchOwnership(MATCHES[0], 1, "b", "r")
    assert one.update(2.9) == [] and not one.is_ours(owned, 2.9)
    assert one.update(3.0) == ["b"] and one.is_ours(owned, 3.0)
    assert one.update(3.1) == []
    one.heard(beat("b"), 3.2)
    assert not one.is_ours(owned, 3.2)


def test_new_host_claims_only_its_own_matches():
    one = Membership(host("a"), b"87654321", 0.0, PACE)
    foreign, own = MatchOwnership(MATCHES[0], 1, "b", "r"), MatchOwnership(MATCHES[0], 1, "a", "r")
    assert not one.is_ours(own, 1.0)
    one.takes = True
    assert one.is_ours(own, 1.0) and not one.is_ours(foreign, 2.9) and one.is_ours(foreign, 3.0)


def test_match_goes_only_to_hosts_with_its_rules():
    old, new = view("a", rules="old"), view("b", rules="new")
    old.heard(beat("b", "new"), 0.0)
    new.heard(beat("a", "old"), 0.0)
    for match_id in MATCHES:
        owned = MatchOwnership(match_id, 1, "gone", "old")
        assert old.is_ours(owned, 0.0) and not new.is_ours(owned, 0.0)
    assert new.successor(MATCHES[0], "new") is None
    third = MatchOwnership(MATCHES[0], 1, "gone", "third")
    assert old.orphaned(third) and not old.is_ours(third, 0.0)


def test_match_of_old_rules_goes_only_to_old_hosts():
    one = view("a", rules="old")
    one.heard(beat("b", "new"), 0.0)
    assert one.is_ours(MatchOwnership(MATCHES[0], 1, "b", "old"), 0.0)
    assert not view("b", rules="new").is_ours(MatchOwnership(MATCHES[0], 1, "b", "old"), 0.0)


def test_stopping_host_owns_no_match():
    one = view("a", "b")
    one.heard(beat("b", takes=False), 0.0)
    assert all(one.is_ours(MatchOwnership(match_id, 1, "gone", "r"), 0.0) for match_id in MATCHES)
    assert one.successor(MATCHES[0], "r") is None
    one.takes = False
    assert one.home("main") is None


def test_match_stays_with_its_host_until_host_is_gone():
    one = view("a", "c")
    one.heard(beat("b", rows=[row(MATCHES[0], seats=[b"s" * 32])]), 0.0)
    assert one.of_match(MATCHES[0]).host == host("b")
    assert one.of_seat(b"s" * 32) == one.of_table("main") == one.of_match(MATCHES[0])
    one.heard(beat("c"), 4.0)
    one.update(4.0)
    assert one.of_match(MATCHES[0]).host is None
    one.heard(beat("c", rows=[row(MATCHES[0])]), 5.0)
    assert one.of_match(MATCHES[0]).host == host("c")
    one.heard(beat("c"), 13.0)
    one.update(14.0)
    assert one.of_match(MATCHES[0]) is None


def test_second_host_of_same_name_is_noticed():
    one = view("a")
    one.heard(beat("a", run=b"87654321"), 0.0)
    assert not one.twin
    one.heard(beat("a"), 0.0)
    assert one.twin and not one.others


def test_match_lookup_does_not_scan_all_beats():
    class Rows(tuple):
        looked = 0

        def __iter__(self):
            Rows.looked += 1
            return super().__iter__()

    one = view("a")
    heard = beat("b")._replace(
        rows=Rows([row(match_id, f"table-{match_id[0]}") for match_id in MATCHES])
    )
    one.heard(heard, 0.0)
    for match_id in MATCHES:
        assert one.of_match(match_id) is one.of_table(f"table-{match_id[0]}") is not None
    assert one.of_match(b"no" * 16) is one.of_seat(b"n" * 32) is None
    assert Rows.looked == 1
    one.heard(beat("b"), 0.0)
    assert one.of_match(MATCHES[0]) is None


def test_host_unable_to_append_takes_no_match():
    one = view("a", "b")
    one.fit = False
    assert set(one.taking()) == {"b"}
    assert not any(
        one.is_ours(MatchOwnership(match_id, 1, owner, "r"), 0.0)
        for match_id in MATCHES
        for owner in ("a", "gone")
    )
    assert one.home("main") == host("b")
    one.fit = True
    assert set(one.taking()) == {"a", "b"} and one.is_ours(
        MatchOwnership(MATCHES[0], 1, "a", "r"), 0.0
    )
