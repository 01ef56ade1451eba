"""Result of a round of the machines, as a value of the models and as plain data between
processes.
"""

from typing import Any

from simulation.machines.coordinator import RoundScore, VoidRound
from simulation.machines.messages import Score, Tally
from simulation.models import RoundResult


def as_round(scored: RoundScore) -> RoundResult:
    """Convert the result into a model's, so that every report works for both."""
    tallies = [score.tally for score in scored.scores]
    return RoundResult(
        stop=scored.stop,
        duration=scored.duration,
        points=tuple(score.tally.laid - 2 * len(score.stock) for score in scored.scores),
        laid=tuple(tally.laid for tally in tallies),
        attempts=tuple(tally.attempts + tally.looks for tally in tallies),
        late=tuple(tally.late for tally in tallies),
        flips=tuple(tally.flips for tally in tallies),
        rescues=0,
        after_stop=sum(tally.after for tally in tallies) if scored.stop is not None else 0,
    )


def to_plain(outcome: RoundScore | VoidRound) -> dict[str, Any]:
    """Convert an outcome into plain data for JSON."""
    if isinstance(outcome, VoidRound):
        return {"void": list(outcome)}
    return {"stop": outcome.stop, "duration": outcome.duration, "scores": list(outcome.scores)}


def from_plain(plain: dict[str, Any]) -> RoundScore | VoidRound:
    """Convert plain data into an outcome. Raises: KeyError, TypeError, ValueError if the data is
    wrong.
    """
    if "void" in plain:
        why, players, at, cards = plain["void"]
        return VoidRound(why, tuple(players), at, tuple(cards))
    scores = tuple(
        Score(at, Tally(*tally), tuple(stock), tuple(held), tuple(map(tuple, piles)))
        for at, tally, stock, held, piles in plain["scores"]
    )
    return RoundScore(plain["stop"], plain["duration"], scores)
