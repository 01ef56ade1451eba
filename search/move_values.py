"""Values of all moves in a position, for hints."""

from dataclasses import dataclass, replace

from protocol.games import Action
from search import DRAW, LOSS, WIN, SearchEffort, ValueKind
from search.algorithms import ALGORITHMS
from search.iterative_deepening import ordered_moves, seat_to_move
from search.search_game import SearchGame, State

TURNED = {ValueKind.AT_LEAST: ValueKind.AT_MOST, ValueKind.AT_MOST: ValueKind.AT_LEAST}


@dataclass(frozen=True)
class RatedMove:
    """One move with its value for the seat that makes it. `line` is the expected play, with the
    move first.
    """

    value: float
    kind: ValueKind
    line: tuple[Action, ...]
    nodes: int

    @property
    def rank(self) -> tuple[float, int]:
        """Sort key: higher is better. A quick win ranks above a slow win, and a slow loss above a
        quick loss.
        """
        sure = self.kind is ValueKind.EXACT
        return self.value, len(self.line) * (
            (self.value < DRAW) - (self.value > DRAW)
        ) if sure else 0


def rate_moves(rules: SearchGame, state: State, effort: SearchEffort) -> tuple[RatedMove, ...]:
    """Rate every move of the seat to move, the best first. Each move gets an equal share of the
    nodes.
    """
    seat = seat_to_move(rules, state)
    moves = ordered_moves(rules, state, seat)
    share = replace(effort, nodes=max(1, effort.nodes // len(moves)))
    return tuple(
        sorted(
            (_rate_move(rules, state, move, share) for move in moves),
            key=lambda one: one.rank,
            reverse=True,
        )
    )


def _rate_move(rules: SearchGame, state: State, move: Action, effort: SearchEffort) -> RatedMove:
    seat = seat_to_move(rules, state)
    after = rules.child(state, seat, move)
    other = rules.turn(after)
    if other is None:
        return RatedMove(rules.result(after, seat), ValueKind.EXACT, (move,), 1)
    found = None
    if ALGORITHMS["perfect"].fits(rules):
        found = ALGORITHMS["perfect"].search(rules, after, effort)
    if found is None or found.kind is not ValueKind.EXACT:
        found = ALGORITHMS["scout"].search(rules, after, effort)
    value, kind = (
        (found.value, found.kind)
        if other == seat
        else (-found.value, TURNED.get(found.kind, found.kind))
    )
    return RatedMove(value, kind, (move, *found.moves), found.counts.nodes)


def certain_outcome(judged: RatedMove) -> float | None:
    """`WIN`, `DRAW` or `LOSS` if the outcome is certain, else None."""
    if judged.kind is ValueKind.EXACT and judged.value in (WIN, DRAW, LOSS):
        return judged.value
    return None
