"""Editions of a game's rules side by side: a match goes by the edition that its first entry names,
and new matches by the newest.
"""

from dataclasses import replace

import pytest

from protocol.audit.report_text import report_lines
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.errors import Refused
from protocol.games.registry import Games, UnknownRules
from protocol.match.clock import Allowance
from protocol.match.log_reader import LogReader
from protocol.match.terms import check_terms, make_terms
from protocol.options import Selection
from table.config import Config, Creation
from table.lobby.creation import check_creation
from table.lobby.tables import Declined
from tests.support.at_once import StoredAtOnce
from tests.support.guest_games.nim import Nim
from tests.support.guest_games.offline_match import GUESTS, guest_match, until_playing
from tests.support.offline import Offline

NAME = "nim for all"
FIRST = GUESTS.specs[NAME]


class OneByOne(Nim):
    """Nim in which one object is taken at a time."""

    def check(self, state, seat, action):
        if action[2] != 1:
            raise Refused(Code.ILLEGAL_MOVE)
        return super().check(state, seat, action)

    def legal(self, state, seat, hand):
        return tuple(action for action in super().legal(state, seat, hand) if action[2] == 1)


SECOND = replace(FIRST, edition="2", rules=f"{__name__}:OneByOne")
BOTH = Games(GUESTS.specs | {NAME: replace(SECOND, older=(FIRST,))})
NEWEST = Games(GUESTS.specs | {NAME: SECOND})


def read_anew(match: Offline, games: Games) -> Offline:
    """Return the match as programs with these games load it from its log."""
    live = StoredAtOnce.restore(match.live._identity, match.live.seed, match.live.records, games)
    first = live.records[0]
    readers = [LogReader(first.entry, first.head, games) for _ in match.seats]
    return Offline(live, match.seats, readers, match.rng, bots=match.bots)


def test_spec_of_version_finds_each_edition_and_no_other() -> None:
    assert BOTH.spec(NAME).edition == "2"
    assert BOTH.spec_of_version(NAME, "1") is FIRST
    assert BOTH.spec_of_version(NAME, "2").edition == "2"
    with pytest.raises(UnknownRules) as unknown:
        BOTH.spec_of_version(NAME, "3")
    assert unknown.value.spec is BOTH.specs[NAME]


def test_spec_of_version_without_its_library_names_the_library() -> None:
    older = replace(FIRST, library="no-such-library", install="pip install it")
    games = Games({NAME: replace(SECOND, older=(older,))})
    with pytest.raises(UnknownRules) as unknown:
        games.spec_of_version(NAME, "1+no-such-library-0.1")
    assert unknown.value.spec is older
    assert games.spec(NAME).edition == "2"


def test_match_of_older_edition_goes_on_ends_and_is_clean() -> None:
    match = guest_match(NAME, 3)
    until_playing(match)
    assert match.step(match.seats[match.live.match.game.to_act])
    went_on = read_anew(match, BOTH)
    went_on.play()
    assert went_on.live.match.over and went_on.refused == []
    assert type(went_on.live.match.setup.game) is Nim
    report = audit(went_on.file(), BOTH)
    assert (report.verdict, report.faults) == (Verdict.CLEAN, ())


def test_log_of_dropped_edition_is_not_judged() -> None:
    match = guest_match(NAME, 2)
    match.play()
    report = audit(match.file(), NEWEST)
    assert (report.verdict, report.faults) == (Verdict.UNJUDGED, ())
    said = report_lines(report)[0]
    assert "by rules 1, this program by rules 2." in said and said.endswith("edition 1.")


def test_new_terms_name_the_newest_edition() -> None:
    clock = Allowance().options()
    terms = make_terms(Selection(NAME), Selection("none"), clock, 2, BOTH)
    assert terms.rules == "2"
    check_terms(terms._replace(rules="1"), BOTH, has_table=True)


def test_table_of_older_edition_is_not_created(tmp_path) -> None:
    terms = make_terms(Selection(NAME), Selection("none"), Allowance().options(), 2, BOTH)
    config = Config(data=tmp_path, terms=terms, games=BOTH, creation=Creation.ANY)
    check_creation(terms, config)
    with pytest.raises(Declined) as declined:
        check_creation(terms._replace(rules="1"), config)
    assert declined.value.code is Code.UNKNOWN_RULES
