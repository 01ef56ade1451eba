"""Specification of a process: a line of JSON on its standard input, so that no password appears in
a command line.
"""

import json
from dataclasses import asdict, dataclass
from typing import Any

from protocol.limits import MACHINES_READY_SECONDS
from simulation.machines.coordinator import RoundPlan
from simulation.machines.messages import COORDINATOR


@dataclass(frozen=True)
class ProcessSpec:
    """Role of one process in a run."""

    url: str  # of the NATS server
    run: str  # 16 hexadecimal digits, the same for all processes of a run
    first: int  # number of its first player
    count: int  # number of its players
    strategy: str = "blind"
    # seconds until all processes must have given a sign of life
    wait: float = MACHINES_READY_SECONDS
    plan: RoundPlan | None = None  # for the coordinator alone, since it has all decks

    @property
    def coordinates(self) -> bool:
        """True for the process of the coordinator."""
        return self.first == COORDINATOR


def write_spec(spec: ProcessSpec) -> str:
    """Encode a specification as a line."""
    return json.dumps(asdict(spec))


def read_spec(line: str) -> ProcessSpec:
    """Decode a line. Raises: ValueError, TypeError."""
    plain: dict[str, Any] = json.loads(line)
    plan = plain.pop("plan")
    if plan is not None:
        plan = RoundPlan(**plan | {"decks": tuple(map(tuple, plan["decks"]))})
    return ProcessSpec(**plain, plan=plan)
