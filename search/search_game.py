"""The interface between a game and the search algorithms.

Every game for two without pieces can be searched. An `OpenGame` has methods that make a search
faster or better; for any other game, this module uses the defaults of these methods.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from protocol.errors import LocalError
from protocol.games import Act, Action, AnyGame, Over
from protocol.games.open_game import OpenGame
from protocol.games.spec import PositionSolver
from search import DRAW, GRAIN, LOSS, WIN

State = object  # a position; only its game looks into it
NO_GUESS = 0.0


@dataclass(frozen=True)
class SearchGame:
    """Functions of a game, as an algorithm calls them. An optional function is None if the game
    does not implement it.

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


def search_game(game: AnyGame, solver: PositionSolver | None = None) -> SearchGame:
    """Collect the functions of a game; `solver` comes from its spec.

    Raises: LocalError for a game with pieces, or not for two.
    """
    if game.pieces:
        raise LocalError("search.refused.pieces", game=game.name)
    if game.seats != 2:
        raise LocalError("search.refused.seats", game=game.name, seats=game.seats)
    legal = game.legal
    plain = SearchGame(
        turn=_turn(game),
        moves=lambda state, seat: legal(state, seat, ()),
        child=game.apply,
        result=_result(game),
        key=_itself,
        guess=_no_guess,
        order=None,
        mirror=None,
        solve_by_formula=None,
        smaller_positions=None,
        solver=partial(solver, game) if solver is not None else None,
    )
    if not isinstance(game, OpenGame):
        return plain
    if not game.solvable:
        plain = replace(plain, solver=None)
    # a default is not called at all: a search asks a hundred thousand times a second
    kind = type(game)
    return replace(
        plain,
        turn=game.turn,
        key=_itself if kind.key is OpenGame.key else game.key,
        guess=_no_guess if kind.guess is OpenGame.guess else _rounded(game.guess),
        order=None if kind.order is OpenGame.order else game.order,
        mirror=None if kind.mirror is OpenGame.mirror else game.mirror,
        solve_by_formula=(
            None if kind.solve_by_formula is OpenGame.solve_by_formula else game.solve_by_formula
        ),
        smaller_positions=(
            None if kind.smaller_positions is OpenGame.smaller_positions else game.smaller_positions
        ),
    )


def _itself(state: State) -> Hashable:
    return state


def _no_guess(state: State, seat: int) -> float:
    return NO_GUESS


def _turn(game: AnyGame) -> Callable[[State], int | None]:
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


def _result(game: AnyGame) -> Callable[[State, int], float]:
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


def _rounded(guess: Callable[[State, int], float]) -> Callable[[State, int], float]:
    most = WIN - GRAIN  # a guess must not look like a win or a loss

    def rounded(state: State, seat: int) -> float:
        return min(max(round(guess(state, seat) / GRAIN) * GRAIN, -most), most)

    return rounded
