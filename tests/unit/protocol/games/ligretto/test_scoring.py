"""Points of a round of Ligretto, and the end of the match."""

import pytest

from protocol.games.ligretto.scoring import points, score_round
from protocol.games.ligretto.state import LigrettoPhase, LigrettoState, SeatCards


def scored(
    totals: tuple[int, ...],
    counts: tuple[tuple[int, int], ...],
    *,
    out: frozenset[int] = frozenset(),
    played: int = 1,
    target: int = 20,
) -> LigrettoState:
    """Score a round in which each seat has laid some cards and has some left in its stock."""
    seats = tuple(SeatCards(stock=stock, laid=laid) for laid, stock in counts)
    state = LigrettoState(LigrettoPhase.SCORE, played, totals, seats, stopped=0, out=out)
    return score_round(state, target, rounds=5)


def test_points_lose_two_for_each_card_of_the_stock():
    assert points(SeatCards(stock=3, laid=10)) == 4
    assert points(SeatCards(stock=10)) == -20


@pytest.mark.parametrize(
    ("totals", "counts", "played", "phase", "sums"),
    [
        # nobody reaches the target
        ((0, 0), ((19, 0), (5, 2)), 1, LigrettoPhase.DEAL, (19, 1)),
        # one seat reaches the target exactly
        ((10, 0), ((10, 0), (5, 2)), 1, LigrettoPhase.OVER, (20, 1)),
        # two seats reach the target, and one has more
        ((10, 15), ((10, 0), (8, 1)), 1, LigrettoPhase.OVER, (20, 21)),
        # a tie above the target goes on
        ((10, 14), ((11, 0), (7, 0)), 1, LigrettoPhase.DEAL, (21, 21)),
        # a tie below the leader does not matter
        ((10, 1, 1), ((12, 0), (7, 0), (7, 0)), 1, LigrettoPhase.OVER, (22, 8, 8)),
        # the last round ends the match
        ((0, 0), ((3, 0), (5, 2)), 5, LigrettoPhase.OVER, (3, 1)),
        # a tie in the last round goes on
        ((0, 0), ((3, 0), (5, 1)), 5, LigrettoPhase.DEAL, (3, 3)),
    ],
)
def test_round_ends_the_match_at_target_without_a_tie(totals, counts, played, phase, sums):
    state = scored(totals, counts, played=played)
    assert (state.phase, state.totals) == (phase, sums)


def test_leaver_keeps_its_total_and_cannot_win():
    state = scored((0, 30), ((5, 0), (40, 0)), out=frozenset({1}))
    assert state.totals == (5, 30) and state.phase is LigrettoPhase.DEAL
    assert state.result is not None and state.result.points == (5, None)


def test_result_tells_cards_laid_and_left():
    result = scored((0, 0), ((5, 0), (7, 4))).result
    assert result is not None
    assert (result.stopped, result.points) == (0, (5, -1))
    assert (result.laid, result.stock) == ((5, 7), (0, 4))
