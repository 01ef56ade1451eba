"""A game as search sees it: some functions, made from the game's own; and the refusal of what
search cannot judge.

A game may offer more than `protocol.games.Game` asks of it. Each of these has a default:

    key(state)            what tells positions with the same seat to move apart; default: the state itself
    turn(state)           the seat to move, None when the game is over; default: by `wants`
    guess(state, seat)    what a position is worth to a seat, above −1 and below 1, as much as it is not worth to the
                          other; default: 0
    order(state, moves)   the moves, the most promising first; default: as `legal` has them
    mirror(state)         a position of the same worth in which left is right; default: none is known
    solved(state)         value for the seat to move and a best move, by a formula; None where it knows none
    numbered(state)       where it does not matter whose turn it is: this position and all that may follow but the
                          ends, each after all that it leads to; each key is then a number; default: none
    position(text)        a position as the game writes it, None for any other text; default: moves alone say one
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
    """The functions. `moves` and `child` want the seat to move; nothing is checked."""

    turn: Callable[[State], int | None]  # None: over
    moves: Callable[[State, int], Sequence[Action]]
    child: Callable[[State, int, Action], State]
    result: Callable[[State, int], float]  # of a game that is over, for a seat
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
    """A game's functions, `solver` being its row's. Raises: LocalError for a game that search
    cannot judge.
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
    wants, name = game.wants, game.name

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
    winner, scores = game.winner, game.scores

    def result(state: State, seat: int) -> float:
        won = winner(state)
        if won is not None:
            return WIN if won == seat else LOSS
        own, other = scores(state)
        if own != other:  # then it is not for us to say what a point is worth
            raise LocalError("search.refused.scores", game=game.name)
        return DRAW

    return result


def _guess(guess: Callable[[State, int], float] | None) -> Callable[[State, int], float]:
    if guess is None:
        return lambda state, seat: NO_GUESS
    most = WIN - GRAIN  # what is not decided is neither won nor lost

    def rounded(state: State, seat: int) -> float:
        return min(max(round(guess(state, seat) / GRAIN) * GRAIN, -most), most)

    return rounded
