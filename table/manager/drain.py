"""Drain of a table for an upgrade: no match begins any more, and the program ends after the last one.

A table of several hosts hands its matches over instead (table/cluster/drain.py).
"""

import asyncio
import logging
from typing import Protocol

from protocol.codes import Code
from protocol.limits import DRAIN_LOOK_SECONDS
from table.lobby.matches import Matches
from table.lobby.tables import Declined, Lobby, dismiss
from table.match.hosted_match import HostedMatch

log = logging.getLogger(__name__)


class DrainedTable(Protocol):
    """The table manager that is drained: `table.manager.manager.TableManager`."""

    lobby: Lobby
    matches: Matches


class Drain:
    """State of a table's drain: not begun, under way, or done."""

    def __init__(self, manager: DrainedTable) -> None:
        self._manager = manager
        self._timer: asyncio.TimerHandle | None = None
        self.done = asyncio.Event()  # no match runs any more

    @property
    def active(self) -> bool:
        """The drain is under way or done: no match may begin."""
        return self._timer is not None or self.done.is_set()

    @property
    def running(self) -> int:
        """Number of matches whose end is not stored, with those that are still being loaded. A match
        that cannot go on does not count.
        """
        matches = self._manager.matches
        rooms = [table.room for table in self._manager.lobby.everything()]
        played = [room for room in rooms if isinstance(room, HostedMatch)]
        return len(played) + len(matches.claiming - matches.stopped)

    def check(self) -> None:
        """Check that a match or a table may begin. Raises: Declined(DRAINING)."""
        if self.active:
            raise Declined(Code.DRAINING)

    def begin(self) -> int:
        """Let no match begin any more, and send waiting players back to the lobby. Return the number of
        running matches.
        """
        if not self.active:
            for table in list(self._manager.lobby.everything()):
                dismiss(self._manager.lobby.clear(table), Code.DRAINING)
            log.info("no match begins any more: %d run", self.running)
            self._look()
        return self.running

    def cancel(self) -> bool:
        """Let matches begin again. Return False if they could begin before."""
        if self._timer is None:
            return False
        self.close()
        log.info("matches begin again")
        return True

    def close(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        """Check at intervals if a match runs; so no way in which a match may end is missed."""
        if self.running:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(DRAIN_LOOK_SECONDS, self._look)
        else:
            self.close()
            self.done.set()
