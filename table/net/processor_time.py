"""Processor time of this thread: the accounts that pay for it, and those that have spent more than
their share.

    METER     the thread's time, charged to the present payer
    Payer     a connection, which pays for its address and its identity
    Account   the balance of one address or identity
    Budget    the shares of all accounts: pure, the time comes in

Each account has a reserve. What it spends is paid back at a rate that all accounts have alike.
While only one address works, it has the whole processor. Else those that wait because they owe
share a part of it. An account may owe: nobody knows what an entry costs before it is folded.
"""

import sys
import time
from collections.abc import Callable, Collection, Hashable, Sequence
from math import inf
from typing import Protocol
from weakref import WeakValueDictionary

from protocol.limits import (
    PROCESSOR_ALONE_SECONDS,
    PROCESSOR_DEBT,
    PROCESSOR_LEAST_DEBT,
    PROCESSOR_LONG_SECONDS,
    PROCESSOR_RESERVE,
    PROCESSOR_SHARE,
)


class Account:
    """The balance of an address or an identity."""

    __slots__ = ("__weakref__", "finish", "full_at", "in_turn", "long_until", "turn")

    def __init__(self) -> None:
        self.full_at = 0.0  # when its reserve is full again, by the clock of `Budget`
        self.turn = -1  # of the event loop, in which it has spent `in_turn`
        self.in_turn = 0.0
        # at the workers (`table.workers.job_order`)
        self.finish = 0.0
        self.long_until = 0.0


class Budget:
    """Debts of the accounts of one table. `now` is in seconds, of a clock that only goes forward.

    The budget has a clock of its own, which goes slower the more addresses wait. So one number is
    enough for an account, and all are paid back at the same rate.
    """

    def __init__(
        self,
        most: int,
        reserve: float = PROCESSOR_RESERVE,
        share: float = PROCESSOR_SHARE,
        debt: float = PROCESSOR_DEBT,
    ) -> None:
        """`most`: accounts that owe something and are remembered."""
        self._most, self._reserve, self._share, self._debt = most, reserve, share, debt
        self._clock = self._now = 0.0
        # the address that has spent last; when it did, and when another one did last
        self._latest: Account | None = None
        self._latest_at = self._other_at = -inf
        self._accounts: WeakValueDictionary[Hashable, Account] = WeakValueDictionary()
        self._owing: dict[Account, None] = {}  # kept, though nobody is connected
        self.waiting: Collection[Account] = ()  # addresses that wait
        self.turn = 0  # of the event loop

    def __len__(self) -> int:
        return len(self._owing)

    def account(self, key: Hashable) -> Account:
        """Return the account of an address or an identity."""
        account = self._accounts.get(key)
        if account is None:
            account = self._accounts[key] = Account()
        return account

    def spend(self, account: Account, seconds: float, now: float) -> None:
        """Charge an address. What it owes above a bound is forgiven."""
        self._advance(now)
        if account is not self._latest:
            self._latest, self._other_at = account, self._latest_at
        self._latest_at = now
        if account.turn != self.turn:
            account.turn, account.in_turn = self.turn, 0.0
        account.in_turn += seconds
        self._charge(account, seconds)

    def spend_by_identity(self, account: Account, seconds: float, now: float) -> None:
        """Charge an identity, beside the address from which it spends."""
        self._advance(now)
        self._charge(account, seconds)

    def bring(self, identity: Account, address: Account) -> None:
        """Let an address owe at least as much as an identity that comes from there."""
        address.full_at = max(address.full_at, identity.full_at)

    def owed(self, account: Account, now: float) -> float:
        """Return the seconds of processor time that an account owes."""
        self._advance(now)
        owed = account.full_at - self._clock - self._reserve
        return owed if owed > PROCESSOR_LEAST_DEBT else 0.0

    def wait(self, account: Account, now: float) -> float:
        """Return the seconds until an account owes nothing, as things are."""
        return self.owed(account, now) / self._rate(now)

    def _rate(self, now: float) -> float:
        waiting = len(self.waiting)
        return self._share / waiting if waiting > 1 else 1.0 if self._is_alone(now) else self._share

    def _is_alone(self, now: float) -> bool:
        """Tell if no address but the one that waits has spent anything of late."""
        account = next(iter(self.waiting), self._latest)
        others_at = self._other_at if account is self._latest else self._latest_at
        return now - others_at > PROCESSOR_ALONE_SECONDS

    def _advance(self, now: float) -> None:
        if now > self._now:
            self._clock += (now - self._now) * self._rate(now)
            self._now = now

    def _charge(self, account: Account, seconds: float) -> None:
        clock = self._clock
        full_at = account.full_at
        full_at = (full_at if full_at > clock else clock) + seconds
        account.full_at = min(full_at, clock + self._reserve + self._debt)
        if account not in self._owing:
            self._owing[account] = None
            self._forget()

    def _forget(self) -> None:
        """Forget accounts whose reserve is full. One came on top, so their number shrinks."""
        for _ in range(2):
            oldest = next(iter(self._owing))
            if oldest.full_at > self._clock and len(self._owing) <= self._most:
                # it comes last, so that one that owes for long does not hide the others
                self._owing[oldest] = self._owing.pop(oldest)
            else:
                del self._owing[oldest]


class Payer(Protocol):
    """An account that pays for work."""

    @property
    def account(self) -> Account | None:
        """The account of the address; None: nobody waits for what is spent."""

    def charge(self, seconds: float, weight: float = 1.0) -> None:
        """Pay for processor time. It counts `weight` times, as that of a worker among several."""


class ConnectionPayer:
    """A connection pays for its address, and for its identity once that is known."""

    __slots__ = ("_budget", "_identity", "_unsettled", "account", "spent")

    def __init__(self, budget: Budget, address: str) -> None:
        self._budget = budget
        self.account: Account = budget.account(address)
        self._identity: Account | None = None
        self._unsettled = 0.0  # seconds that the accounts do not know of yet
        self.spent = 0.0  # seconds, ever

    def identify(self, identity: bytes) -> None:
        """Pay for an identity, too. Its debt goes along with it."""
        self._identity = self._budget.account(identity)
        self._budget.bring(self._identity, self.account)

    def charge(self, seconds: float, weight: float = 1.0) -> None:
        """See `Payer`."""
        self.spent += seconds
        self._unsettled += seconds * weight

    def settle(self, now: float) -> None:
        """Charge the accounts with the time since the last call."""
        seconds, self._unsettled = self._unsettled, 0.0
        if seconds:
            self._budget.spend(self.account, seconds, now)
            if self._identity is not None:
                self._budget.spend_by_identity(self._identity, seconds, now)


class WorkPayer:
    """Payer of work on a match, which also counts the work for the match.

    A seat pays for its own entries alone, and not for the entries of others.
    """

    __slots__ = ("_count", "_payer")

    def __init__(self, payer: Payer | None, count: Callable[[float], None]) -> None:
        self._payer, self._count = payer, count

    @property
    def account(self) -> Account | None:
        """See `Payer`."""
        return None if self._payer is None else self._payer.account

    def charge(self, seconds: float, weight: float = 1.0) -> None:
        """See `Payer`."""
        self._count(seconds)
        if self._payer is not None:
            self._payer.charge(seconds, weight)


class SplitPayer:
    """Several payers of equal parts."""

    __slots__ = ("_payers",)
    account = None

    def __init__(self, payers: Sequence[Payer]) -> None:
        self._payers = payers

    def charge(self, seconds: float, weight: float = 1.0) -> None:
        """See `Payer`."""
        for payer in self._payers:
            payer.charge(seconds / len(self._payers), weight)


def split(payers: Sequence[Payer]) -> Payer | None:
    """Return a payer for work that several have caused; None for nobody."""
    return SplitPayer(payers) if len(payers) > 1 else next(iter(payers), None)


# a tab of a browser cannot tell how much processor time a thread has used
CLOCK = time.monotonic if sys.platform == "emscripten" else time.thread_time


class Meter:
    """Meter of a thread's processor time, charged to the present payer; None: nobody pays."""

    __slots__ = ("_clock", "_since", "payer")

    def __init__(self, clock: Callable[[], float] = CLOCK) -> None:
        self._clock = clock
        self._since = 0.0
        self.payer: Payer | None = None

    def switch(self, payer: Payer | None) -> Payer | None:
        """Let another payer pay from now on. Return the one that has paid so far."""
        now, before = self._clock(), self.payer
        if before is not None:
            before.charge(now - self._since)
        self._since, self.payer = now, payer
        return before

    def read(self) -> None:
        """Charge the present payer for its time so far."""
        self.switch(self.payer)


METER = Meter()  # of the event loop's thread, which all tables of a process share


def is_long(seconds: float) -> bool:
    """Tell if work at a worker is so long that short work should not wait for it."""
    return seconds > PROCESSOR_LONG_SECONDS
