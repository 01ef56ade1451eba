"""What simulated rounds come to: plain frozen values, for programs, for a terminal and for a
page.
"""

from dataclasses import dataclass

from simulation.report.statistics import Estimate, Evenness, Spread
from simulation.task import SimulationTask


@dataclass(frozen=True)
class SeatGroup:
    """Seats that stand together: each alone at a table, the order's tenths where there are many."""

    first: int  # from 0
    last: int
    fair: float  # share of the stops that is theirs if all are equal
    stops: Estimate  # theirs, of all stops
    points: Estimate  # of one seat in a round
    laid: Estimate  # ditto
    late: Estimate  # of the lays that they tried
    think: float | None = None  # mean over them, as it was asked for; None for machines
    latency: float | None = None


@dataclass(frozen=True)
class RankTest:
    """Whether who stops is evenly spread over an order of the seats: by "place", or by "think" or
    "latency".
    """

    by: str
    evenness: Evenness


@dataclass(frozen=True)
class Report:
    """All of it. What is not said to be a share is a mean of one round, all seats together."""

    task: SimulationTask
    played: int  # rounds; fewer than asked for if it was stopped
    stopped: Estimate  # share of rounds that somebody stopped; all others were gridlocks to the end
    rescues: Estimate
    length: Spread  # of a round, in the model's unit of time
    attempts: Estimate
    laid: Estimate
    tried_per_lay: float | None
    late: Estimate  # share of the attempts
    flips: Estimate
    after_stop: Estimate  # lays
    winner_laid: Estimate  # by who stops
    winner_first: Estimate  # share of the stops whose author has most points, alone or not
    groups: tuple[SeatGroup, ...]
    ranks: tuple[RankTest, ...]
