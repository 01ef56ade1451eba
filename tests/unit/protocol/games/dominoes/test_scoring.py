"""All-fives and partners: immediate scores, shared scores, and the end of a hand."""

from dataclasses import replace

import pytest

from bots.registry import BOTS
from protocol.codes import Code
from protocol.games import Misplay, Over, Settle
from protocol.games.dominoes import text, view
from protocol.games.dominoes.layout import Layout
from protocol.games.dominoes.state import DominoesPhase
from protocol.i18n import english_text
from protocol.options import BadOptions
from tests.support.dominoes import dominoes
from tests.support.views import position, saying
from tests.unit.protocol.games.dominoes.moves import hand, led, run

FIVES = dominoes(2, "block", hand=4, scoring="fives", spinner="no")
PAIRS = dominoes(4, "block", hand=2, partners="yes")
BOTH = dominoes(4, "block", hand=2, partners="yes", scoring="fives", spinner="no", target=30)
SAY = saying()


def test_muggins_match_published_example():
    """Source: R. F. Foster, Complete Hoyle, "Muggins, or all fives": the double five counts ten,
    and so on at each step.
    """
    state, counts = led(FIVES), []
    for tile in ("5-5<", "5-0<", "0-0<", "6-5>", "4-0<"):
        state = run(FIVES, state, tile)
        counts.append(state.layout.end_sum)
    assert counts == [10, 10, 10, 6, 10]
    assert [event.points for event in state.events] == [10, 10, 10, 0, 10]
    # settled once the hands are shown
    assert FIVES.totals(state) == (30, 10) and FIVES.scores(state) == (0, 0)


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ((), 0),
        (((6, 4),), 10),
        (((3, 3),), 6),
        (((3, 3), (3, 1)), 7),
        (((4, 4), (4, 6), (6, 6)), 20),
    ],
)
def test_open_ends_count_as_documented(line, count):
    assert Layout(line).end_sum == count


def test_nothing_scores_at_once_by_points():
    state = run(dominoes(2, "block"), led(dominoes(2, "block")), "5-5<")
    assert state.events[-1].points == 0 and view.board(dominoes(2, "block"), state).count is None


@pytest.mark.parametrize(
    ("pips", "worth"), [(0, 0), (2, 0), (3, 5), (7, 5), (8, 10), (12, 10), (13, 15)]
)
def test_remaining_pips_count_to_nearest_five(pips, worth):
    assert (FIVES.scoring.rounded(pips), PAIRS.scoring.rounded(pips)) == (worth, pips)


def test_target_is_200_for_fives_and_100_otherwise():
    assert (FIVES.scoring.target, PAIRS.scoring.target, BOTH.scoring.target) == (200, 100, 30)


@pytest.mark.parametrize("seats", [2, 3])
def test_partners_require_four_seats(seats):
    with pytest.raises(BadOptions) as caught:
        dominoes(seats, "block", partners="yes")
    assert (
        "is for 4 seats, two against two" in english_text(caught.value.reason)
        and caught.value.code is Code.BAD_OPTIONS
    )


def test_reaching_target_ends_hand_and_scores_nothing_more():
    game = dominoes(2, "block", hand=2, scoring="fives", target=10)
    state = run(game, led(game), "5-5<")
    assert game.wants(state) == Settle()
    state, lies = game.settle(state, (hand("5-5", "1-0"), hand("6-6", "6-4")), ((), ()))
    assert (lies, state.scores, game.winner(state), state.result.reached) == ((), (10, 0), 0, True)
    assert SAY(view.result(game, state)[0]) == "Ann has reached 10, and the hand ends."


def test_void_hand_keeps_only_scores_before_misplay():
    """An honest score is not lost because another seat lies; scores after a lie do not count."""
    game = dominoes(3, "block", hand=3, scoring="fives")
    dealt = (hand("5-5", "6-6", "6-1"), hand("5-2", "2-2", "1-1"), hand("5-0", "4-3", "3-3"))
    state = run(game, led(game), "5-5<", "pass", "5-0<", "pass", "5-2>", "pass", "pass", "pass")
    assert [event.points for event in state.events][:3] == [10, 0, 10]
    scored, lies = game.settle(state, dealt, ((), (), ()))
    assert lies[0] == Misplay(1, 1, Code.FALSE_PASS)
    assert scored.scores == (10, 0, 0) and scored.result.void
    liar, lies = game.settle(state, (dealt[0][:2] + hand("2-0"), *dealt[1:]), ((), (), ()))
    assert {lie.seat for lie in lies} == {0, 1} and liar.scores == (0, 0, 0)
    assert "Points scored before that stand" in SAY(view.result(game, scored)[0])


def test_interrupted_hand_scores_nothing():
    state = FIVES.abandon(run(FIVES, led(FIVES), "5-5<"))
    assert FIVES.totals(state) == FIVES.scores(state) == (0, 0)


def test_partners_score_pips_of_both_opponents():
    state = run(PAIRS, led(PAIRS), "6-6<", "6-5<", "6-4>", "pass", "5-4<")
    dealt = (hand("6-6", "5-4"), hand("6-5", "3-3"), hand("6-4", "2-2"), hand("1-1", "1-0"))
    state, lies = PAIRS.settle(state, dealt, ((),) * 4)
    # 3-3, 1-1 and 1-0; not the partner's 2-2
    assert (lies, state.scores, state.result.winner) == ((), (9, 0, 9, 0), 0)
    told = view.result(PAIRS, state)[0]
    assert SAY(told) == "The hand is over. Ann and Cleo win it and score 9."
    assert view.board(PAIRS, state).teams == ((0, 2), (1, 3))


def blocked(game, out=()):
    """Return a later blocked hand; seats in `out` left before the deal."""
    state = replace(led(game), out=frozenset(out))
    return replace(state, phase=DominoesPhase.SETTLE, to_act=None, layout=game.empty.lay((6, 6), 0))


def test_blocked_hand_goes_to_team_with_fewer_pips():
    # 15 and 18
    dealt = (hand("6-0", "5-0"), hand("2-1", "1-0"), hand("1-1", "2-0"), hand("3-3", "5-3"))
    state, _ = PAIRS.settle(blocked(PAIRS), dealt, ((),) * 4)
    assert (state.scores, state.result.winner, state.result.points) == ((3, 0, 3, 0), 2, 3)
    alike = (hand("1-0", "0-0"), hand("2-1", "1-1"), hand("3-1", "2-2"), hand("4-0", "0-0"))
    state, _ = PAIRS.settle(blocked(PAIRS), alike, ((),) * 4)
    assert (state.scores, state.result.winner) == ((0, 0, 0, 0), None)


def test_lone_partner_pips_count_twice_when_blocked():
    """The pips of a seat whose partner has left count twice against those of two: half the hands
    are no advantage.
    """
    dealt = (hand("6-0", "5-0"), hand("2-1", "1-0"), hand("1-1", "2-0"), ())
    state, _ = PAIRS.settle(blocked(PAIRS, out={3}), dealt, ((),) * 4)
    assert (state.scores, state.result.winner) == ((0, 7, 0, 0), 1)  # 2 · 4 against 15
    heavier = (hand("6-0", "5-0"), hand("5-1", "5-2"), hand("1-1", "2-0"), ())
    state, _ = PAIRS.settle(blocked(PAIRS, out={3}), heavier, ((),) * 4)
    assert (state.scores, state.result.winner) == ((11, 0, 11, 0), 2)  # 15 against 2 · 13


def test_leaver_does_not_reduce_pips_of_partner():
    dealt = (hand("6-0", "5-0"), hand("2-1", "1-0"), hand("1-1", "2-0"), hand("3-3", "5-3"))
    state, _ = PAIRS.settle(PAIRS.forfeit(blocked(PAIRS), 3), dealt, ((),) * 4)
    assert state.scores == (3, 0, 3, 0)


def test_partner_plays_alone_and_last_team_wins():
    state = PAIRS.forfeit(run(PAIRS, led(PAIRS), "6-6<"), 0)
    assert (state.phase, state.to_act, PAIRS.winner(state)) == (DominoesPhase.PLAY, 1, None)
    alone = PAIRS.forfeit(state, 2)
    assert PAIRS.wants(alone) == Over()
    assert PAIRS.team(alone, PAIRS.winner(alone)) == (1, 3)
    last = PAIRS.forfeit(PAIRS.forfeit(state, 1), 3)
    assert PAIRS.wants(last) == Over() and PAIRS.team(last, PAIRS.winner(last)) == (2,)


def test_leaver_score_stays_with_partner_only():
    state = BOTH.forfeit(run(BOTH, led(BOTH), "5-5<"), 0)
    assert BOTH.totals(state) == (0, 0, 10, 0)
    dealt = (hand("5-5", "1-0"), hand("5-0", "6-6"), hand("6-5", "6-4"), hand("3-3", "3-2"))
    state = run(BOTH, state, "5-0<", "6-5>", "pass", "6-6>")
    state, lies = BOTH.settle(state, dealt, ((),) * 4)
    assert lies == () and state.scores == (0, 20, 10, 20)  # 10 at once, and 11 pips


def test_hand_ended_by_leaver_counts_for_partner():
    state = run(PAIRS, led(PAIRS), "6-6<", "6-5<", "6-4>", "pass", "5-4<")
    dealt = (hand("6-6", "5-4"), hand("6-5", "3-3"), hand("6-4", "2-2"), hand("1-1", "1-0"))
    state, _ = PAIRS.settle(PAIRS.forfeit(state, 0), dealt, ((),) * 4)
    assert (state.scores, state.result.winner) == ((0, 0, 9, 0), 2)
    assert SAY(view.result(PAIRS, state)[0]) == "The hand is over. Cleo wins it and scores 9."


def test_scoring_play_is_marked_in_offers_and_news():
    state = run(FIVES, led(FIVES), "5-5<")
    shown = position(FIVES, state, 1, hand("5-0", "5-1"))
    assert [offer.points for offer in shown.offers] == [10, 0]
    assert text.menu_text(shown, SAY)[1:] == ["  1  5-0 (scores 10)", "  2  5-1"]
    assert text.parse_choice(shown, SAY, "5-0") == shown.offers[0].action
    assert BOTS["greedy"](shown, None) == shown.offers[0].action  # though the 5-1 is heavier
    (told,) = view.news(FIVES, led(FIVES), state)
    assert SAY(told) == "Ann scores 10."
    assert [seat.game.score for seat in shown.seats] == [10, 0]
    assert text.score_text(shown, shown.board, SAY)[-1] == "The open ends add up to 10."


def test_partners_are_on_the_screen():
    shown = position(PAIRS, led(PAIRS), 0, hand("5-0"))
    assert "Ann and Cleo against Bob and Dan." in text.score_text(shown, shown.board, SAY)
