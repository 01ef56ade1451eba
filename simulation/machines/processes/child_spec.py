"""What a process of a run is told: a line of JSON on its standard input, so that no password stands
in a command.
"""

import json
from dataclasses import asdict, dataclass
from typing import Any

from protocol.limits import MACHINES_READY_SECONDS
from simulation.machines.coordinator import RoundPlan
from simulation.machines.messages import COORDINATOR


@dataclass(frozen=True)
class ProcessSpec:
    """One process."""

    url: str  # of the NATS server
    run: str  # 8 bytes in hexadecimal digits, the same for all processes of a run
    first: int  # its first player
    count: int  # how many it plays for
    strategy: str = "blind"
    wait: float = MACHINES_READY_SECONDS  # seconds until all must have been there
    plan: RoundPlan | None = None  # the coordinator's, and nobody else's: it has all decks

    @property
    def coordinates(self) -> bool:
        """Whether this is the coordinator's process."""
        return self.first == COORDINATOR


def write_spec(spec: ProcessSpec) -> str:
    """As a line."""
    return json.dumps(asdict(spec))


def read_spec(line: str) -> ProcessSpec:
    """From a line. Raises: ValueError, TypeError if it is none."""
    plain: dict[str, Any] = json.loads(line)
    plan = plain.pop("plan")
    if plan is not None:
        plan = RoundPlan(**plan | {"decks": tuple(map(tuple, plan["decks"]))})
    return ProcessSpec(**plain, plan=plan)
