"""A worker that some entries kill: those that begin with one of these words.

Entries of these bytes are malformed, so a table never stores them.
"""

import os
import signal
import sys
from pathlib import Path

from table.workers.messages import Answer, Request
from table.workers.process import FoldedMatches, run

DIES = b"dies"  # at once
SPINS = b"spins"  # spends processor time until the system kills it
EATS = b"eats"  # asks for more memory than it may have
ONCE = b"once:"  # dies unless the file of this name is there, and makes it


class DyingMatches(FoldedMatches):
    """Matches whose worker dies of some entries."""

    def handle(self, request: Request) -> Answer | None:
        """See `FoldedMatches`."""
        raw = request.values[1] if request.kind == "fold" else b""
        if raw.startswith(DIES):
            os.kill(os.getpid(), signal.SIGKILL)
        if raw.startswith(ONCE):
            path = Path(os.fsdecode(raw.removeprefix(ONCE)))
            if not path.exists():
                path.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        while raw.startswith(SPINS):
            pass
        if raw.startswith(EATS):
            bytearray(1 << 40)
        return super().handle(request)


if __name__ == "__main__":
    sys.exit(run(DyingMatches))
