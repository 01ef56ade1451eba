"""The outcome of a visit, for people and programs."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protocol.audit.verdict import Verdict
    from protocol.codes import Code
    from protocol.dealing import Fault
    from protocol.match.log_reader import LogReader
    from protocol.view.phrase import Phrase

# exit codes
CLEAN = 0
FAILED = 1
USAGE = 2
CHANGED = 3
DECLINED = 4


@dataclass(frozen=True)
class Outcome:
    """The outcome of a visit. `reader` is None if no match began; `reason` is the reason of an
    early end, for people.
    """

    verdict: "Verdict"
    reader: "LogReader | None"
    faults: "tuple[Fault, ...]" = ()
    log_path: Path | None = None
    reason: "Phrase | None" = None
    refusals: "tuple[Code, ...]" = ()
    declined: bool = False  # whether we did not sit down because the terms are less than we ask for
