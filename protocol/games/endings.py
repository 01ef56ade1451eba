"""Reasons for the end of a match of several hands or rounds: somebody has reached the target, or
all have been played.
"""

from collections.abc import Sequence

from protocol.view.phrase import Phrase, SeatRef, phrase


def reached_target(winners: Sequence[int], scores: Sequence[int], target: int) -> Phrase:
    """Say that the winners, one seat or the seats of a team, have reached the target. `scores`:
    points of everybody who is compared.
    """
    key = "ending.reached" if len(winners) == 1 else "ending.reached.team"
    return phrase(key, who=SeatRef(*winners), target=target, scores=score_text(scores))


def most_points(winners: Sequence[int], scores: Sequence[int], played: Phrase) -> Phrase:
    """Say that all is played, and who has the most points. `winners`: nobody after a tie."""
    if not winners:
        return phrase("ending.tie", played=played, scores=score_text(scores))
    key = "ending.most" if len(winners) == 1 else "ending.most.team"
    return phrase(key, played=played, who=SeatRef(*winners), scores=score_text(scores))


def score_text(scores: Sequence[int]) -> str:
    """Write scores beside each other, the highest first."""
    return " : ".join(map(str, sorted(scores, reverse=True)))
