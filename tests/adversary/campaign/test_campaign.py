"""A sample of the campaign holds every promise, and each broken promise is noticed."""

from dataclasses import replace
from random import Random

import pytest

from player.client.seat import Seat
from protocol.codes import Code
from protocol.dealing import Fault
from protocol.games.scripted.engine.state import Effect, ScriptState
from protocol.limits import MAX_SCRIPT_QUEUE
from tests.adversary.campaign.__main__ import played
from tests.adversary.campaign.checks import Broken, _chips, _points, check, check_bounds
from tests.adversary.campaign.dishonest_parties import spoiled
from tests.adversary.campaign.match_plan import (
    STACK,
    Wrong,
    by_a_file,
    by_a_stranger,
    choosing_together,
    drawn,
    plot,
    with_cards,
    with_only,
)
from tests.adversary.campaign.play import begun

pytestmark = pytest.mark.match


@pytest.mark.parametrize("seed", range(1, 13))
def test_campaign_matches_hold_every_promise(seed):
    assert played(seed).failure == ""


@pytest.mark.parametrize("seed", range(1, 6))
def test_campaign_games_by_rule_files_hold_every_promise(seed):
    assert played(seed, by_a_file).failure == ""


@pytest.mark.parametrize("seed", range(1, 16))
def test_campaign_games_with_owned_cards_hold_every_promise(seed):
    assert played(seed, with_cards).failure == ""


@pytest.mark.parametrize("seed", range(1, 11))
def test_campaign_choices_under_way_hold_every_promise(seed):
    assert played(seed, choosing_together).failure == ""


@pytest.mark.parametrize("seed", range(1, 11))
def test_campaign_games_of_strangers_hold_every_promise(seed):
    assert played(seed, by_a_stranger).failure == ""


def test_checks_notice_state_beyond_a_bound():
    with pytest.raises(Broken, match="beyond a bound"):
        check_bounds(ScriptState(queue=(Effect("say", ("a",), MAX_SCRIPT_QUEUE + 1),)))


def test_campaign_same_seed_gives_same_match():
    assert plot(5) == plot(5)
    assert played(5) == played(5)


def test_checks_notice_honest_seat_named():
    match = begun(
        with_only(drawn("block-dominoes", "verified", 2, seed=3), {1: (Wrong(4, "leave"),)})
    )
    match.run()
    check(match)
    match.plot.wrongs.clear()
    with pytest.raises(Broken, match="somebody honest is named"):
        check(match)


def test_checks_notice_seats_with_different_ends():
    match = begun(drawn("block-dominoes", "layered", 2, seed=3))
    match.run()
    match.players[0].reader._reader_faults += (Fault(1, 1, Code.LEFT),)
    with pytest.raises(Broken, match="different ends"):
        check(match)


def test_checks_notice_match_that_never_ends():
    with pytest.raises(Broken, match="does not go on"):
        check(begun(drawn("block-dominoes", "layered", 2, seed=3)))


def test_checks_notice_cheat_that_gains():
    match = begun(
        with_only(
            drawn("block-dominoes", "verified", 3, 4, leavers="threshold"),
            {1: (Wrong(30, "leave"),)},
        )
    )
    match.run()
    assert check(match) == "played"
    (before,) = match.named.values()
    richer = replace(match.match.game, scores=tuple(before.scores[1] + 1 for _ in range(3)))
    match.live.match = replace(match.match, game=richer)
    with pytest.raises(Broken, match="seat 1 was named and has"):
        _points(match)


def test_checks_notice_chips_created_from_nothing():
    match = begun(drawn("texas-holdem", "commutative", 2, seed=1))
    match.run()
    assert check(match) == "played"
    stacks = (STACK + 1, STACK)
    match.live.match = replace(match.match, game=replace(match.match.game, stacks=stacks))
    with pytest.raises(Broken, match="chips were made"):
        _chips(match)


class Forgetful(Seat):
    """Honest seat with a different source of randomness after each restart."""

    def respond(self, match):
        self._rng = Random()
        return super().respond(match)


def test_checks_notice_program_that_restarts_differently():
    match = begun(drawn("block-dominoes", "verified", 2, seed=3))
    for player in match.players:
        player.seat_type = Forgetful
        player.__post_init__()
    with pytest.raises(Broken, match="has started again"):
        for _ in range(20):
            match._round()
            match._restart(match.players[0])


def test_spoiled_body_differs_from_original():
    dice = Random(1)
    for body in ([b"abc", 1], [[1, [2]]], [None], []):
        for _ in range(20):
            assert spoiled(body, dice) != body
