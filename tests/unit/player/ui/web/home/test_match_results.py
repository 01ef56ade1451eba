"""Results and statistics of own matches, counted by hand and out of logs; the file that keeps them."""

import json
from itertools import count

import pytest

from player.storage.own_name import read_earlier_names, read_name, store_name
from player.ui.web.home.match_facts import (
    Ending,
    MatchFacts,
    OwnPerson,
    Player,
    Result,
    decode_facts,
    encode_facts,
)
from player.ui.web.home.match_history import result_row
from player.ui.web.home.match_results import FILE, MatchResults
from player.ui.web.home.statistics import OwnMatch, statistics
from protocol.audit.replay import Replay
from protocol.games.registry import BUILT_IN
from protocol.identity.keys import fingerprint
from protocol.limits import PAGE_READ_SECONDS
from tests.support.log_files import Leaver, clean, first_records, played
from tests.support.offline import make_offline

ANN = Player("Ann", "a" * 40)
BOB = Player("Bob", "b" * 40)
CAT = Player("Cat", "c" * 40)


def facts(*winners, ending=Ending.PLAYED, players=(ANN, BOB), teams=None, game="nim"):
    """Return facts about a match."""
    seats = tuple(range(len(players)))
    return MatchFacts(ending, game, 0, players, winners, (0,) * len(players), teams or seats, True)


def own(*found, seat=0, bots=False):
    """Return matches of the person in this seat."""
    return [OwnMatch("", one, seat, bots) for one in found]


def numbers(row):
    """Return the numbers of a row, in the order in which a person counts them."""
    names = ("matches", "won", "lost", "drawn", "stopped", "cheated", "series", "longest")
    return [row[name] for name in names]


def read(data, **how):
    """Read all logs of a data folder."""
    results = MatchResults(data, BUILT_IN, **how)
    while not results.is_complete:
        results.read()
    return dict(results.facts)


def store(data, name, content):
    """Put a log into the data folder."""
    path = data / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)


def test_statistics_agree_with_counting_by_hand():
    matches = own(
        facts(0),
        facts(0),
        facts(1),
        facts(0),
        facts(ending=Ending.STOPPED),  # ends no series
        facts(0),
        facts(0),
        facts(),
        facts(0),
        facts(ending=Ending.CHEATED),
        facts(0),
        facts(ending=Ending.UNFINISHED),
        facts(ending=Ending.UNREADABLE),
    )
    (row,) = statistics(matches)
    assert numbers(row) == [11, 7, 1, 1, 1, 1, 2, 3]
    (against,) = row["opponents"]
    assert (against["name"], against["key"]) == (BOB.name, BOB.fingerprint)
    assert numbers(against) == numbers(row)


def test_statistics_are_by_game_and_opponent_without_partners():
    three = (ANN, BOB, CAT)
    matches = own(
        facts(1, players=three),
        facts(0, 2, players=three, teams=(0, 1, 0)),
        facts(1, game="omaha"),
    )
    nim, omaha = statistics(matches)
    assert (nim["game"], omaha["game"], omaha["series"]) == ("nim", "omaha", -1)
    assert {row["name"]: (row["won"], row["lost"]) for row in nim["opponents"]} == {
        "Bob": (1, 1),
        "Cat": (0, 1),
    }


def test_match_without_own_seat_counts_nowhere():
    watched = own(facts(0), seat=None)
    assert watched[0].result is Result.WATCHED
    assert statistics(watched) == []


def test_all_bots_are_one_opponent():
    other = facts(0, players=(ANN, CAT))
    (row,) = statistics(own(facts(0), other, bots=True))
    assert [(each["key"], each["matches"]) for each in row["opponents"]] == [("", 2)]


def test_own_seat_is_found_by_key_or_earlier_name(tmp_path):
    store_name(tmp_path, "Bob")
    store_name(tmp_path, "Zoe")
    person = OwnPerson(None, (read_name(tmp_path) or "", *read_earlier_names(tmp_path)))
    assert person.names == ("Zoe", "Bob")
    assert facts(0).own_seat(person, by_name=True) == 1
    assert facts(0).own_seat(person, by_name=False) is None
    assert facts(0).own_seat(OwnPerson(ANN.fingerprint, ("Bob",)), by_name=True) == 0


def test_results_agree_with_logs(tmp_path):
    whole = played()
    left = played(cheat=Leaver)
    given_up = make_offline(2, 1, "connect-four", dealing="none", seat_types={1: Leaver})
    given_up.play()
    store(tmp_path, "logs/won.fairdeal", whole.file())
    store(tmp_path, "logs/left.fairdeal", left.file())
    store(tmp_path, "logs/given-up.fairdeal", given_up.file())
    store(tmp_path, "logs/cut.fairdeal", first_records(whole.file(), 9))
    store(tmp_path, "logs/none.fairdeal", b"<html>")
    store(tmp_path, "play/torn.fairdeal", whole.file()[:-9] + b"x")
    found = read(tmp_path)
    match = whole.live.match
    won = found["logs/won.fairdeal"]
    assert (won.ending, won.winners, won.scores) == (Ending.PLAYED, match.winners, match.scores)
    assert won.players[0].fingerprint == fingerprint(match.setup.people[0].identity)
    assert won.is_clean and won.game == "block-dominoes"
    assert found["logs/left.fairdeal"].ending is Ending.STOPPED  # nobody could win the deal
    other = found["logs/given-up.fairdeal"]
    assert (other.ending, other.winners, other.is_clean) == (Ending.PLAYED, (0,), False)
    assert (won.gone, other.gone) == ((), (1,))
    rows = [result_row(OwnMatch("", other, seat, True)) for seat in (0, 1, None)]
    assert [row["left"] for row in rows] == [False, True, False]
    assert found["logs/cut.fairdeal"].ending is Ending.UNFINISHED
    assert found["logs/none.fairdeal"].ending is Ending.UNREADABLE
    assert found["play/torn.fairdeal"].ending is not Ending.PLAYED


def test_results_come_from_file_until_log_changes(tmp_path, monkeypatch):
    store(tmp_path, "logs/one.fairdeal", clean())
    before = read(tmp_path)
    reads = []
    monkeypatch.setattr(Replay, "_read", lambda self, data: iter(reads.append(data) or ()))
    assert read(tmp_path) == before
    assert reads == []
    store(tmp_path, "logs/one.fairdeal", clean() + b"more")
    read(tmp_path)
    assert len(reads) == 1


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"nonsense",
        b"[" * 100_000,
        b'{"version": 1, "logs": {}}',
        b'{"logs": 3}',
        b"\xff\xfe",
        b"[]",
    ],
)
def test_broken_file_of_results_is_rebuilt(tmp_path, broken):
    store(tmp_path, "logs/one.fairdeal", clean())
    before = read(tmp_path)
    whole = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(broken)
    assert read(tmp_path) == before
    assert json.loads((tmp_path / FILE).read_bytes()) == json.loads(whole)


@pytest.mark.parametrize(
    "change",
    [
        {"winners": [7]},
        {"winners": [True]},
        {"ending": "glorious"},
        {"game": 3},
        {"scores": [1]},
        {"players": [["Ann"]]},
        {"players": [["Ann", "a", "b"]]},
        {"more": 1},
        {"is_clean": 1},
        {"teams": "ab"},
        {"formats": {"a": 1}},
        {"created": 1.5},
    ],
)
def test_changed_facts_are_no_facts(change):
    whole = json.loads(json.dumps(encode_facts(facts(0))))
    assert decode_facts(whole) == facts(0)
    with pytest.raises(ValueError, match=r"\w"):
        decode_facts(whole | change)


def test_reading_takes_a_bounded_time_a_turn(tmp_path):
    for number in range(3):
        store(tmp_path, f"logs/{number}.fairdeal", clean())
    seconds = count(0, PAGE_READ_SECONDS)  # each look at the clock takes a whole turn
    results = MatchResults(tmp_path, BUILT_IN, clock=lambda: next(seconds))
    results.read()
    assert not results.is_complete and results.facts == []
    turns = 1
    while not results.is_complete:
        results.read()
        turns += 1
    entries = sum(1 for _ in Replay(clean()))
    assert turns == 3 * (entries + 1)
