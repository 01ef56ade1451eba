"""The end of a round: points, and whether the match is over."""

from protocol.fast_replace import replace
from protocol.games.ligretto.state import LigrettoPhase, LigrettoResult, LigrettoState, SeatCards

PENALTY = 2  # points for each card left in the own stock


def points(seat: SeatCards) -> int:
    """Of a seat in this round."""
    return seat.laid - PENALTY * seat.stock


def score_round(state: LigrettoState, target: int, rounds: int) -> LigrettoState:
    """The state after a round is scored: who has left keeps what it had, and gets no more.

    The match is over when somebody has come to the target, or so many rounds are played; a tie for
    the most plays on.
    """
    present = state.present
    won = tuple(points(own) if seat in present else None for seat, own in enumerate(state.seats))
    totals = tuple(total + (new or 0) for total, new in zip(state.totals, won, strict=True))
    laid, stock = tuple(own.laid for own in state.seats), tuple(own.stock for own in state.seats)
    best = [totals[seat] for seat in present]
    over = (max(best) >= target or state.round >= rounds) and best.count(max(best)) == 1
    return replace(
        state,
        phase=LigrettoPhase.OVER if over else LigrettoPhase.DEAL,
        totals=totals,
        result=LigrettoResult(state.stopped, won, laid, stock),
    )
