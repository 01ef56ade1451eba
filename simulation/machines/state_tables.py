"""Where a player and the coordinator stand, and what they hear there: all that is not in these
tables is ignored.

What is written `own` is what a machine does itself: it sends it, or its time has come.
"""

from enum import Enum

from simulation.machines.messages import (Answer, Check, End, Init, Lay, Look, Lost, Points, Ready, Score, Seen, Start, Stop, Wake)


class State(Enum):
    """Of a player."""

    CREATED = "created"
    DEALT = "dealt"
    READY = "ready"
    PLAYING = "playing"
    ENDED = "ended"
    SCORED = "scored"


class Phase(Enum):
    """Of the coordinator."""

    CREATED = "created"
    DEALING = "dealing"  # some have not said that they are ready
    PLAYING = "playing"
    SCORING = "scoring"
    OVER = "over"  # scored, or void


PLAYER: dict[State, dict[type, State]] = {
    State.CREATED: {Init: State.DEALT},
    State.DEALT: {Ready: State.READY},  # own
    State.READY: {
        Start: State.READY,
        Wake: State.PLAYING,  # own: the instant of the start
        Lay: State.READY,
        Look: State.READY,
        End: State.ENDED,
    },
    State.PLAYING: {
        Wake: State.PLAYING,  # own
        Check: State.PLAYING,  # own
        Answer: State.PLAYING,
        Seen: State.PLAYING,
        Lay: State.PLAYING,
        Look: State.PLAYING,
        Stop: State.PLAYING,  # own: it plays no more, its piles stay open
        End: State.ENDED,
    },
    State.ENDED: {
        Check: State.ENDED,  # own
        Answer: State.ENDED,  # to the lay that was under way
        Seen: State.ENDED,
        Lay: State.ENDED,  # and is not accepted
        Look: State.ENDED,
        Points: State.ENDED,  # and are owed until that lay is answered
        Score: State.SCORED,  # own
    },
    State.SCORED: {
        Lay: State.SCORED,
        Look: State.SCORED,
        Points: State.SCORED,  # once more, when an earlier stop has come in
        Score: State.SCORED,  # own
    },
}

COORDINATOR: dict[Phase, dict[type, Phase]] = {
    Phase.CREATED: {Init: Phase.DEALING},  # own
    Phase.DEALING: {Ready: Phase.DEALING, Start: Phase.PLAYING, Check: Phase.DEALING},
    Phase.PLAYING: {
        Stop: Phase.PLAYING,
        Lost: Phase.PLAYING,
        Check: Phase.PLAYING,
        End: Phase.SCORING,
    },
    Phase.SCORING: {
        Stop: Phase.SCORING,
        Score: Phase.SCORING,
        Lost: Phase.SCORING,
        Check: Phase.SCORING,
    },
    Phase.OVER: {},
}
