"""End of a hand of dominoes: misplays, winners and points, counted by hand."""

from dataclasses import replace

import pytest

from protocol.codes import Code
from protocol.games import Hand, Misplay
from protocol.games.dominoes.layout import End, Ends, Layout
from protocol.games.dominoes.scoring import Scoring
from protocol.games.dominoes.settlement import (
    misplays,
    remaining_hands,
    result,
    seat_at_target,
    settle,
    totals,
)
from protocol.games.dominoes.state import (
    DominoesPhase,
    DominoesResult,
    DominoesState,
    PlayEvent,
)
from protocol.games.dominoes.tiles import tiles
from tests.unit.protocol.games.dominoes.moves import hand, tile

SET = tiles(6)
ALONE, FIVES = Scoring(100), Scoring(100, fives=True)
TEAMS = Scoring(100, partners=True)
NOTHING: tuple[Hand, ...] = ((), ())


def ends(*numbers: int) -> Ends:
    return tuple(map(End, numbers))


def played(seat: int, name: str, at: Ends | None = None, points: int = 0) -> PlayEvent:
    return PlayEvent(seat, "play", at, tile(name), points)


def state_of(*events: PlayEvent, scores=(0, 0), hidden=(1, 1), **changes) -> DominoesState:
    state = DominoesState(
        DominoesPhase.SETTLE, 1, scores, hidden, 0, layout=Layout(((6, 6),)), events=events
    )
    return replace(state, **changes)


@pytest.mark.parametrize(
    ("events", "found"),
    [
        ([played(0, "6-6")], []),
        ([played(0, "5-5")], [(0, 0, Code.NOT_HELD)]),
        ([played(0, "6-6"), played(0, "6-6", ends(6, 6))], [(0, 1, Code.NOT_HELD)]),
        ([PlayEvent(0, "pass", ends(5, 4))], []),
        ([PlayEvent(0, "pass", ends(5, 2))], [(0, 0, Code.FALSE_PASS)]),
        ([PlayEvent(1, "draw", ends(6, 6))], [(1, 0, Code.FALSE_DRAW)]),
        ([PlayEvent(0, "deny", None, tile("6-6"))], [(0, 0, Code.FALSE_DENIAL)]),
        ([PlayEvent(1, "deny", None, tile("6-6"))], []),
        ([PlayEvent(0, "timeout", ends(6, 6))], []),
        # a tile that was drawn is held from then on
        ([PlayEvent(0, "draw", ends(5, 5)), played(0, "5-4", ends(5, 5))], []),
        ([played(0, "5-4", ends(5, 5)), PlayEvent(0, "draw", ends(5, 5))], [(0, 0, Code.NOT_HELD)]),
        # seat 1 cannot play its 6-1 after seat 0 has laid it
        ([played(0, "6-1"), PlayEvent(1, "pass", ends(6, 3))], [(0, 0, Code.NOT_HELD)]),
    ],
)
def test_misplays_are_the_actions_false_when_done(events, found):
    dealt, drawn = (hand("6-6", "2-1"), hand("6-1", "4-0")), (hand("5-4"), hand("0-0"))
    expected = tuple(Misplay(*each) for each in found)
    assert misplays(SET, state_of(*events), dealt, drawn) == expected


def test_remaining_hands_have_drawn_tiles_and_no_played_ones():
    state = state_of(
        played(0, "6-6"), PlayEvent(1, "draw", ends(6, 6)), played(1, "6-5", ends(6, 6))
    )
    left = remaining_hands(state, (hand("6-6", "1-0"), hand("3-3")), ((), hand("6-5")))
    assert left == (hand("1-0"), hand("3-3"))


@pytest.mark.parametrize(
    ("scoring", "left", "points"),
    [(ALONE, (0, 13), 13), (FIVES, (0, 13), 15), (FIVES, (0, 12), 10)],
)
def test_seat_without_tiles_wins_the_pips_of_others(scoring, left, points):
    state = state_of(played(0, "6-6"), hidden=(0, 2))
    assert result(scoring, state, left, (hand("6-6"), hand("6-5", "2-0"))) == DominoesResult(
        0, points, left, blocked=False
    )


def test_pips_of_a_partner_win_nothing():
    state = state_of(played(1, "6-6"), scores=(0,) * 4, hidden=(1, 0, 1, 1))
    found = result(TEAMS, state, (3, 0, 5, 7), (hand("1-0"),) * 4)
    assert (found.winner, found.points, found.blocked) == (1, 8, False)


@pytest.mark.parametrize(
    ("scoring", "left", "winner", "points"),
    [
        (ALONE, (3, 10), 0, 7),
        (ALONE, (10, 3), 1, 7),
        (ALONE, (5, 5), None, 0),
        (FIVES, (3, 10), 0, 5),
        (TEAMS, (9, 4, 1, 5), 1, 1),
        (TEAMS, (2, 4, 3, 5), 0, 4),
        (TEAMS, (2, 4, 3, 1), None, 0),
    ],
)
def test_blocked_hand_goes_to_the_fewest_pips(scoring, left, winner, points):
    state = state_of(
        PlayEvent(0, "pass", ends(6, 6)), scores=(0,) * len(left), hidden=(1,) * len(left)
    )
    found = result(scoring, state, left, (hand("1-0"),) * len(left))
    assert (found.winner, found.points, found.blocked) == (winner, points, True)


def test_hand_that_nobody_led_scores_nothing():
    """Source: pagat.com, All Fives: the lead is determined anew; nobody has played anything."""
    found = result(ALONE, state_of(layout=Layout()), (3, 10), (hand("2-1"), hand("6-4")))
    assert found == DominoesResult(None, 0, (3, 10), blocked=False, unled=True)


def test_pips_of_a_seat_without_partner_count_twice():
    state = state_of(scores=(0,) * 4, hidden=(1, 1, 0, 1), out=frozenset({2}))
    found = result(TEAMS, state, (4, 3, 0, 3), (hand("4-0"), hand("3-0"), (), hand("2-1")))
    assert (found.winner, found.points) == (1, 2)


@pytest.mark.parametrize(("before", "winner"), [(89, None), (90, 0), (95, 0)])
def test_target_reached_in_play_ends_the_hand(before, winner):
    state = state_of(played(0, "5-5", points=10), scores=(before, 0))
    assert seat_at_target(FIVES, state) == winner
    if winner is not None:
        found = result(FIVES, state, (3, 3), (hand("5-5"), hand("1-0")))
        assert (found.winner, found.points, found.reached) == (0, 0, True)


def test_target_counts_for_the_partner_of_a_leaver():
    state = state_of(
        played(0, "5-5", points=10), scores=(90,) * 4, hidden=(1,) * 4, out=frozenset({0})
    )
    assert seat_at_target(TEAMS._replace(fives=True), state) == 2
    assert totals(TEAMS, state) == (90, 90, 100, 90)


def test_void_hand_counts_nothing_from_the_first_misplay():
    events = (
        played(0, "5-5", points=10),
        played(1, "5-0", ends(5, 5), points=5),
        played(0, "6-5", ends(5, 0), points=15),
        played(1, "6-1", ends(6, 0), points=20),
    )
    dealt = hand("5-5", "4-4"), hand("5-0", "6-1")
    after, false = settle(SET, FIVES, state_of(*events, scores=(30, 40)), dealt, NOTHING)
    assert false == (Misplay(0, 2, Code.NOT_HELD),)
    # seat 0 has misplayed, and scores nothing in this hand
    assert after.scores == (30, 45)
    assert after.result is not None and after.result.void and after.result.winner is None
    assert after.phase is DominoesPhase.DEAL


@pytest.mark.parametrize(("before", "phase"), [(86, "deal"), (87, "over")])
def test_hand_that_reaches_the_target_ends_the_match(before, phase):
    state = state_of(played(0, "6-6"), scores=(before, 0), hidden=(0, 2))
    after, false = settle(SET, ALONE, state, (hand("6-6"), hand("6-5", "2-0")), NOTHING)
    assert (after.phase, after.scores, false) == (phase, (before + 13, 0), ())
    assert after.result is not None and after.result.left == ((), hand("2-0", "6-5"))


def test_partners_score_both_unless_one_has_left():
    state = state_of(played(0, "6-6"), scores=(0,) * 4, hidden=(0, 1, 1, 1), out=frozenset({2}))
    dealt = hand("6-6"), hand("1-0"), (), hand("2-0")
    after, _ = settle(SET, TEAMS, state, dealt, ((),) * 4)
    assert after.scores == (3, 0, 0, 0)
