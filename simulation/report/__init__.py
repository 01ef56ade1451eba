"""Report of simulated rounds: plain frozen values for programs, terminals and pages."""

from dataclasses import dataclass

from simulation.report.statistics import Estimate, Evenness, Spread
from simulation.task import SimulationTask


@dataclass(frozen=True)
class SeatGroup:
    """Seats that are reported together: one seat, or a tenth of the seats where there are many."""

    first: int  # from 0
    last: int
    fair: float  # share of the stops that the group has if all seats are equal
    stops: Estimate  # share of all stops
    points: Estimate  # of one seat in a round
    laid: Estimate  # of one seat in a round
    late: Estimate  # share of the group's attempts
    think: float | None = None  # mean of the settings of these seats; None for machines
    latency: float | None = None


@dataclass(frozen=True)
class RankTest:
    """Test that stops are evenly spread over an order of the seats.

    `by` names the order: "place", "think" or "latency".
    """

    by: str
    evenness: Evenness


@dataclass(frozen=True)
class Report:
    """Report of one simulation. A value without "share" in its comment is the mean of a round, all
    seats together.
    """

    task: SimulationTask
    played: int  # rounds; fewer than the task's if the run was interrupted
    stopped: Estimate  # share of rounds with a stop; the others ended in gridlock
    rescues: Estimate
    length: Spread  # of a round, in the model's unit of time
    attempts: Estimate
    laid: Estimate
    tried_per_lay: float | None
    late: Estimate  # share of the attempts
    flips: Estimate
    after_stop: Estimate  # lays
    winner_laid: Estimate  # by the seat that stops
    # share of the stops after which the stopping seat has most points, alone or not
    winner_first: Estimate
    groups: tuple[SeatGroup, ...]
    ranks: tuple[RankTest, ...]
