"""Scoring of a round, and the end of the match."""

from protocol.fast_replace import replace
from protocol.games.ligretto.state import LigrettoPhase, LigrettoResult, LigrettoState, SeatCards
from protocol.limits import LIGRETTO_TIE_ROUNDS

PENALTY = 2  # points subtracted for each card left in the seat's own stock


def points(seat: SeatCards) -> int:
    """Points of a seat in this round."""
    return seat.laid - PENALTY * seat.stock


def score_round(state: LigrettoState, target: int, rounds: int) -> LigrettoState:
    """Return the state after a round is scored. A seat that has left keeps its points, and gets no
    more.

    The match is over when a seat has reached `target`, or after `rounds` rounds. If several seats
    then have the most points, the match goes on for at most `LIGRETTO_TIE_ROUNDS` rounds.
    """
    present = state.present
    won = tuple(points(own) if seat in present else None for seat, own in enumerate(state.seats))
    totals = tuple(total + (new or 0) for total, new in zip(state.totals, won, strict=True))
    laid, stock = tuple(own.laid for own in state.seats), tuple(own.stock for own in state.seats)
    best = [totals[seat] for seat in present]
    decided = max(best) >= target or state.round >= rounds
    over = (decided and best.count(max(best)) == 1) or state.round >= rounds + LIGRETTO_TIE_ROUNDS
    return replace(
        state,
        phase=LigrettoPhase.OVER if over else LigrettoPhase.DEAL,
        totals=totals,
        result=LigrettoResult(state.stopped, won, laid, stock),
    )
