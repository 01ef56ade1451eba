"""Games that implement only what every game must: the defaults of all else keep a match going."""

import pytest

from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import Post
from protocol.errors import Refused
from protocol.match.state import MatchStage
from tests.support.guest_games.offline_match import (
    GUESTS,
    agreed,
    guest_match,
    leave,
    until_playing,
)
from tests.support.offline import Offline
from tests.support.without_table import play, two


def match_of(game: str, **options: str) -> Offline:
    """A match of three seats that has come to its first action."""
    match = guest_match(game, 3, 1, "none" if game == "plain" else "verified", **options)
    until_playing(match)
    return match


def played_on(match: Offline, code: Code) -> None:
    """Check that seat 0 is out and named with this code, and that the others have ended it."""
    match.seats = [seat for seat in match.seats if seat.number != 0]
    match.play()
    end = agreed(match)
    assert [(fault.seat, fault.code) for fault in end.faults] == [(0, code)]
    assert end.winners == (2,) and end.scores == (0, 1, 1) and not match.refused


@pytest.mark.parametrize(
    ("game", "options"), [("plain", {}), ("plain cards", {"leavers": "threshold"})]
)
def test_plain_game_goes_on_without_seat_that_leaves(game, options):
    match = match_of(game, **options)
    leave(match, 0)
    assert match.live.match.stage is MatchStage.PLAYING
    played_on(match, Code.LEFT)


@pytest.mark.parametrize(
    ("game", "options"), [("plain", {}), ("plain cards", {"leavers": "threshold"})]
)
def test_plain_game_takes_lapsed_seat_for_one_that_left(game, options):
    match = match_of(game, **options)
    match.lapse(0)
    played_on(match, Code.LAPSED)


def test_plain_game_with_void_deal_ends_without_winner():
    match = match_of("plain cards", leavers="void")
    leave(match, 0)
    end = agreed(match)
    assert end.over and end.winners == ()


@pytest.mark.parametrize("kind", ["sit_out", "sit_in"])
def test_plain_game_refuses_to_let_seat_sit_out(kind):
    match = match_of("plain")
    before, reader = match.live.match, match.readers[0]
    match.catch_up(reader)
    assert before.sit_kind(0) is None and not before.setup.game.can_sit_out
    with pytest.raises(Refused) as refusal:
        match.live.offer(match.seats[0].entry(reader.log, Post(kind, [])), 0)
    assert refusal.value.code is Code.NOT_NOW and match.live.match == before


def test_plain_game_refuses_action_out_of_turn():
    match = match_of("plain")
    before, reader = match.live.match, match.readers[1]
    match.catch_up(reader)
    with pytest.raises(Refused) as refusal:
        match.live.offer(match.seats[1].entry(reader.log, Post("move", [["go"], []])), 1)
    assert refusal.value.code is Code.NOT_NOW and match.live.match == before


def test_plain_game_without_table_is_played_to_its_end(tmp_path):
    ann, bob = two(tmp_path, "plain", "none", games=GUESTS)
    play(ann, bob)
    assert ann.log() == bob.log()
    assert audit(ann.log(), GUESTS).verdict is Verdict.CLEAN
