"""Connections that wait because their addresses have spent more than their share of the processor.

The table reads from one of them after another, one step in each turn of the event loop. The address
that owes least comes first, and its connections take turns. Nobody else waits for them longer than
for one step.
"""

import asyncio
from typing import Protocol

from protocol.limits import PROCESSOR_LOOK_SECONDS, PROCESSOR_TURN_SECONDS
from table.net.processor_time import Account, Budget, ConnectionPayer


class WaitingReader(Protocol):
    """A connection that waits."""

    def take_turn(self) -> None:
        """Read one step: until the connection has to wait again, or nothing more has come."""


class ReadQueue:
    """Queue of the waiting connections of one table."""

    def __init__(
        self,
        budget: Budget,
        loop: asyncio.AbstractEventLoop,
        turn_seconds: float = PROCESSOR_TURN_SECONDS,
    ) -> None:
        """`turn_seconds`: of processor time that an address has in one turn of the loop."""
        self._budget, self._loop, self._turn_seconds = budget, loop, turn_seconds
        self._lines: dict[Account, dict[WaitingReader, None]] = {}  # by address, in order
        budget.waiting = self._lines
        self._timer: asyncio.Handle | None = None
        self._turn: asyncio.Handle | None = None
        self._served: Account | None = None

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def must_wait(self, payer: ConnectionPayer) -> bool:
        """Tell if a connection has to wait before it is read from."""
        account, now = payer.account, self._loop.time()
        payer.settle(now)
        if self._turn is None and account.in_turn > self._turn_seconds / 2:
            self._turn = self._loop.call_soon(self._next_turn)
        if account is not self._served and account in self._lines:
            return True
        budget = self._budget
        in_turn = account.in_turn if account.turn == budget.turn else 0.0
        return in_turn > self._turn_seconds or budget.owed(account, now) > 0

    def enter(self, payer: ConnectionPayer, held: WaitingReader) -> None:
        """Add a connection behind the others of its address."""
        self._lines.setdefault(payer.account, {})[held] = None
        if self._timer is not None:  # it may be for somebody who has to wait longer
            self._timer.cancel()
        self._timer = self._loop.call_soon(self._serve)

    def leave(self, payer: ConnectionPayer, held: WaitingReader) -> None:
        """Forget a connection."""
        line = self._lines.get(payer.account)
        if line is not None and line.pop(held, held) is None and not line:
            del self._lines[payer.account]

    def close(self) -> None:
        """Drop the queue, and stop the timers."""
        for handle in (self._timer, self._turn):
            if handle is not None:
                handle.cancel()
        self._lines.clear()

    def _next_turn(self) -> None:
        self._turn = None
        self._budget.turn += 1

    def _serve(self) -> None:
        """Read one step from the connection whose turn it is, and go on in the next turn."""
        self._timer = None
        if not self._lines:
            return
        account = min(self._lines, key=_full_at)
        wait = self._budget.wait(account, self._loop.time())
        if wait > 0:
            # the time changes with the number of addresses that wait
            self._wake(min(wait, PROCESSOR_LOOK_SECONDS))
            return
        line = self._lines[account]
        held = next(iter(line))
        del line[held]
        account.in_turn, self._served = 0.0, account
        try:
            held.take_turn()
        finally:
            self._served = None
            if not line and self._lines.get(account) is line:
                del self._lines[account]
            if self._lines:
                self._wake(0.0)

    def _wake(self, seconds: float) -> None:
        if self._timer is None:
            self._timer = self._loop.call_later(seconds, self._serve)


def _full_at(account: Account) -> float:
    return account.full_at
