"""What each move in a position is worth, for whoever wants to be helped, and why."""

from dataclasses import dataclass, replace

from protocol.games import Action
from search import (DRAW, LOSS, WIN, Effort, Kind)
from search.algorithms import ALGORITHMS
from search.iterative_deepening import (mover, promising)
from search.search_game import (Rules, State)

TURNED = {Kind.AT_LEAST: Kind.AT_MOST, Kind.AT_MOST: Kind.AT_LEAST}


@dataclass(frozen=True)
class Judged:
    """One move: what it is worth to who makes it, and how play may go on, itself first."""

    value: float
    kind: Kind
    line: tuple[Action, ...]
    nodes: int

    @property
    def rank(self) -> tuple[float, int]:
        """The greater the better: of what wins the quickest, of what loses the slowest."""
        sure = self.kind is Kind.EXACT
        return self.value, len(self.line) * (
            (self.value < DRAW) - (self.value > DRAW)
        ) if sure else 0


def judge(rules: Rules, state: State, effort: Effort) -> tuple[Judged, ...]:
    """Every move of who is to move, the best first; each gets its share of the nodes."""
    seat = mover(rules, state)
    moves = promising(rules, state, seat)
    share = replace(effort, nodes=max(1, effort.nodes // len(moves)))
    return tuple(
        sorted(
            (_judged(rules, state, move, share) for move in moves),
            key=lambda one: one.rank,
            reverse=True,
        )
    )


def _judged(rules: Rules, state: State, move: Action, effort: Effort) -> Judged:
    seat = mover(rules, state)
    after = rules.child(state, seat, move)
    other = rules.turn(after)
    if other is None:
        return Judged(rules.result(after, seat), Kind.EXACT, (move,), 1)
    found = None
    if ALGORITHMS["perfect"].fits(rules):
        found = ALGORITHMS["perfect"].search(rules, after, effort)
    if found is None or found.kind is not Kind.EXACT:
        found = ALGORITHMS["scout"].search(rules, after, effort)
    value, kind = (
        (found.value, found.kind)
        if other == seat
        else (-found.value, TURNED.get(found.kind, found.kind))
    )
    return Judged(value, kind, (move, *found.moves), found.counts.nodes)


def outcome(judged: Judged) -> float | None:
    """What is certain: `WIN`, `DRAW` or `LOSS`; None for a guess."""
    return judged.value if judged.kind is Kind.EXACT and judged.value in (WIN, DRAW, LOSS) else None
