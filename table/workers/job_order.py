"""The order in which jobs of matches are folded: who has had least of the workers of late comes first.

Fair queueing by start times: each flow has a time at which its next job may start, its last start
and what that cost. A flow that was idle starts now. The clock is the start of the job served last.
Addresses are the flows; among jobs of one address, its matches are. Pure.
"""

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

Job = TypeVar("Job")


class Flow(Protocol):
    """Whoever has jobs: an address, or a match."""

    finish: float  # when its next job may start, by the clock of `JobOrder`


class JobOrder:
    """The order of the jobs of one table."""

    def __init__(self) -> None:
        self._clock = 0.0

    def first(self, jobs: Iterable[Job], flows: Callable[[Job], tuple[Flow, Flow]]) -> Job:
        """Return the job to be done next. `flows`: the address and the match of a job."""
        return min(jobs, key=lambda job: tuple(self._start(flow) for flow in flows(job)))

    def charge(self, flows: tuple[Flow, Flow], seconds: float) -> None:
        """A job of these flows has been done. Flows that are the same are charged once."""
        address, match = flows
        start = self._start(address)
        if match is not address:
            match.finish = self._start(match) + seconds
        address.finish = start + seconds
        self._clock = max(self._clock, start)

    def _start(self, flow: Flow) -> float:
        return max(self._clock, flow.finish)
