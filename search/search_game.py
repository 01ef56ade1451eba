"""The interface between a game and the search algorithms.

A game may have more functions than `protocol.games.Game` requires. Each of them is optional:

    key(state)                hashable, different for different positions of one seat to move;
                              default: the state itself
    turn(state)               the seat to move, None when the game is over; default: by `wants`
    guess(state, seat)        estimated value for a seat, between −1 and 1; the other seat's is
                              the negative; default: 0
    order(state, moves)       the moves, the most promising first; default: as `legal` has them
    mirror(state)             the position with left and right exchanged, of the same value;
                              default: none
    solve_by_formula(state)   value for the seat to move and a best move; None if no formula is
                              known
    smaller_positions(state)  this position and all that may follow but the ends, each after all
                              positions that it leads to; only for games in which the seat to
                              move does not matter, with numbers as keys; default: none
    position(text)            a position in the game's own notation, None for any other text;
                              default: only moves describe a position
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from protocol.errors import LocalError
from protocol.games import Act, Action, Game, Over
from protocol.games.spec import PositionSolver
from search import DRAW, GRAIN, LOSS, WIN

State = Any
NO_GUESS = 0.0


@dataclass(frozen=True)
class SearchGame:
    """Functions of a game, as an algorithm calls them.

    The caller of `moves` and `child` must pass the seat to move; neither function checks its
    arguments.
    """

    turn: Callable[[State], int | None]  # None: the game is over
    moves: Callable[[State, int], Sequence[Action]]
    child: Callable[[State, int, Action], State]
    result: Callable[[State, int], float]  # value of a finished game for a seat
    key: Callable[[State], Hashable]
    guess: Callable[[State, int], float]
    order: Callable[[State, Sequence[Action]], Sequence[Action]] | None
    mirror: Callable[[State], State] | None
    solve_by_formula: Callable[[State], tuple[float, Action | None] | None] | None
    smaller_positions: Callable[[State], Iterable[State]] | None
    solver: (
        Callable[[State, int, Callable[[], bool]], tuple[float, float, Action | None, int]] | None
    )


def search_game(game: Game, solver: PositionSolver | None = None) -> SearchGame:
    """Collect the functions of a game; `solver` comes from its spec.

    Raises: LocalError for a game with pieces, or not for two.
    """
    if game.pieces:
        raise LocalError("search.refused.pieces", game=game.name)
    if game.seats != 2:
        raise LocalError("search.refused.seats", game=game.name, seats=game.seats)
    legal = game.legal
    return SearchGame(
        turn=getattr(game, "turn", None) or _turn(game),
        moves=lambda state, seat: legal(state, seat, ()),
        child=game.apply,
        result=_result(game),
        key=getattr(game, "key", None) or _itself,
        guess=_guess(getattr(game, "guess", None)),
        order=getattr(game, "order", None),
        mirror=getattr(game, "mirror", None),
        solve_by_formula=getattr(game, "solve_by_formula", None),
        smaller_positions=getattr(game, "smaller_positions", None),
        solver=partial(solver, game) if solver is not None else None,
    )


def _itself(state: State) -> Hashable:
    found: Hashable = state
    return found


def _turn(game: Game) -> Callable[[State], int | None]:
    wants = game.wants
    name = game.name

    def turn(state: State) -> int | None:
        want = wants(state)
        if type(want) is Act and not want.simultaneous and len(want.seats) == 1:
            return want.seats[0]
        if type(want) is Over:
            return None
        raise LocalError(
            "search.refused.independent" if isinstance(want, Act) else "search.refused.chance",
            game=name,
        )

    return turn


def _result(game: Game) -> Callable[[State, int], float]:
    winner = game.winner
    scores = game.scores

    def result(state: State, seat: int) -> float:
        won = winner(state)
        if won is not None:
            return WIN if won == seat else LOSS
        own, other = scores(state)
        if own != other:  # points have no common scale, so a search cannot weigh them
            raise LocalError("search.refused.scores", game=game.name)
        return DRAW

    return result


def _guess(guess: Callable[[State, int], float] | None) -> Callable[[State, int], float]:
    if guess is None:
        return lambda state, seat: NO_GUESS
    most = WIN - GRAIN  # a guess must not look like a win or a loss

    def rounded(state: State, seat: int) -> float:
        return min(max(round(guess(state, seat) / GRAIN) * GRAIN, -most), most)

    return rounded
