"""State tables of player and coordinator. A machine ignores each message that its state does not
list.

`own` marks a step of the machine itself: a message that it sends, or a timer.
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
    """State of a player."""

    CREATED = "created"
    DEALT = "dealt"
    READY = "ready"
    PLAYING = "playing"
    ENDED = "ended"
    SCORED = "scored"


class CoordinatorPhase(Enum):
    """Phase of the coordinator."""

    CREATED = "created"
    DEALING = "dealing"  # some players are not ready yet
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
        Stop: PlayerState.PLAYING,  # own: the strategy ends, the piles stay open
        End: PlayerState.ENDED,
    },
    PlayerState.ENDED: {
        Check: PlayerState.ENDED,  # own
        Answer: PlayerState.ENDED,  # to the lay under way
        Seen: PlayerState.ENDED,
        Lay: PlayerState.ENDED,  # not accepted any more
        Look: PlayerState.ENDED,
        Points: PlayerState.ENDED,  # answered after the lay under way is answered
        Score: PlayerState.SCORED,  # own
    },
    PlayerState.SCORED: {
        Lay: PlayerState.SCORED,
        Look: PlayerState.SCORED,
        Points: PlayerState.SCORED,  # again, after an earlier stop has arrived
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
