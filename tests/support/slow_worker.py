"""A worker for which entries of Connect Four take long."""

import sys
import time

from table.workers.messages import Answer
from table.workers.process import FoldedMatches, run

SECONDS = 0.05
GAME = "connect-four"


class SlowMatches(FoldedMatches):
    """Matches whose entries take long at some games."""

    def _fold(self, kind: str, match_id: bytes, values: object) -> Answer:
        answer = super()._fold(kind, match_id, values)  # type: ignore[arg-type]
        live = self._matches.get(match_id)
        if kind == "fold" and live is not None and live.setup.terms.game.name == GAME:
            until = time.process_time() + SECONDS
            while time.process_time() < until:
                pass
        return answer


if __name__ == "__main__":
    sys.exit(run(SlowMatches))
