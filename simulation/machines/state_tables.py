"""Where a player and the coordinator stand, and what they hear there: all that is not in these
tables is ignored.

What is written `own` is what a machine does itself: it sends it, or its time has come.
"""

from enum import Enum

from simulation.machines.messages import (
    Answer,
    Check,
    End,
    Init,
    Lay,
    Look,
    Lost,
    Points,
    Ready,
    Score,
    Seen,
    Start,
    Stop,
    Wake,
)


class PlayerState(Enum):
    """Of a player."""

    CREATED = "created"
    DEALT = "dealt"
    READY = "ready"
    PLAYING = "playing"
    ENDED = "ended"
    SCORED = "scored"


class CoordinatorPhase(Enum):
    """Of the coordinator."""

    CREATED = "created"
    DEALING = "dealing"  # some have not said that they are ready
    PLAYING = "playing"
    SCORING = "scoring"
    OVER = "over"  # scored, or void


PLAYER: dict[PlayerState, dict[type, PlayerState]] = {
    PlayerState.CREATED: {Init: PlayerState.DEALT},
    PlayerState.DEALT: {Ready: PlayerState.READY},  # own
    PlayerState.READY: {
        Start: PlayerState.READY,
        Wake: PlayerState.PLAYING,  # own: the instant of the start
        Lay: PlayerState.READY,
        Look: PlayerState.READY,
        End: PlayerState.ENDED,
    },
    PlayerState.PLAYING: {
        Wake: PlayerState.PLAYING,  # own
        Check: PlayerState.PLAYING,  # own
        Answer: PlayerState.PLAYING,
        Seen: PlayerState.PLAYING,
        Lay: PlayerState.PLAYING,
        Look: PlayerState.PLAYING,
        Stop: PlayerState.PLAYING,  # own: it plays no more, its piles stay open
        End: PlayerState.ENDED,
    },
    PlayerState.ENDED: {
        Check: PlayerState.ENDED,  # own
        Answer: PlayerState.ENDED,  # to the lay that was under way
        Seen: PlayerState.ENDED,
        Lay: PlayerState.ENDED,  # and is not accepted
        Look: PlayerState.ENDED,
        Points: PlayerState.ENDED,  # and are owed until that lay is answered
        Score: PlayerState.SCORED,  # own
    },
    PlayerState.SCORED: {
        Lay: PlayerState.SCORED,
        Look: PlayerState.SCORED,
        Points: PlayerState.SCORED,  # once more, when an earlier stop has come in
        Score: PlayerState.SCORED,  # own
    },
}

COORDINATOR: dict[CoordinatorPhase, dict[type, CoordinatorPhase]] = {
    CoordinatorPhase.CREATED: {Init: CoordinatorPhase.DEALING},  # own
    CoordinatorPhase.DEALING: {
        Ready: CoordinatorPhase.DEALING,
        Start: CoordinatorPhase.PLAYING,
        Check: CoordinatorPhase.DEALING,
    },
    CoordinatorPhase.PLAYING: {
        Stop: CoordinatorPhase.PLAYING,
        Lost: CoordinatorPhase.PLAYING,
        Check: CoordinatorPhase.PLAYING,
        End: CoordinatorPhase.SCORING,
    },
    CoordinatorPhase.SCORING: {
        Stop: CoordinatorPhase.SCORING,
        Score: CoordinatorPhase.SCORING,
        Lost: CoordinatorPhase.SCORING,
        Check: CoordinatorPhase.SCORING,
    },
    CoordinatorPhase.OVER: {},
}
