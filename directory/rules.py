"""The rules of a directory: which reports count, without sockets, files or clock.

The nonce has gone over a connection that the table has opened, and has come back signed. So the
reporter has received it at the address from which it calls. Only that address is listed, with a port
of the table's choice. A directory that called the addresses in reports would scan networks and flood
machines for liars.

At a relay an address ends in the table's own fingerprint, and the relay gives that place to nobody
else. A directory lists such addresses for the relays that its own host has named.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import ceil

from protocol import limits, wire
from protocol.codes import Code
from protocol.directory.reachable import is_callable
from protocol.directory.report import TableReport, check_report, read_report
from protocol.errors import RemoteError
from protocol.identity.address import Address, host_ip
from protocol.identity.keys import verify
from protocol.messages.directory import LABEL, Listed, Refused, Report, claim_fields
from protocol.messages.relay import guest_address
from table.config import Rate
from table.net.addresses import address_group, widest_group
from table.net.token_bucket import TokenBucket, TokenBuckets


@dataclass(frozen=True)
class DirectoryBounds:
    """Numbers and rates of reports; units as in `protocol.limits`."""

    tables: int = limits.MAX_DIRECTORY_TABLES
    tables_of_address: int = limits.MAX_LISTED_PER_ADDRESS
    reports: Rate = limits.REPORTS_IN_ALL
    reports_of_address: Rate = limits.REPORTS_PER_ADDRESS
    addresses_kept: int = limits.MAX_ADDRESSES_KEPT
    report_seconds: int = limits.REPORT_SECONDS
    life_seconds: int = limits.REPORT_LIFE_SECONDS
    clock_seconds: int = limits.REPORT_CLOCK_SECONDS


@dataclass(frozen=True)
class Caller:
    """Origin of a report. `host`: the IP address of the call; `group`: that address, or of IPv6 the
    network of one organisation, as calls are counted.
    """

    host: str
    group: str
    nonce: bytes


class Registry:
    """The tables of one directory."""

    def __init__(
        self,
        public: bytes,
        relays: Iterable[Address] = (),
        bounds: DirectoryBounds | None = None,
        may_list: Callable[[Address], bool] = is_callable,
    ) -> None:
        """`public`: key of the directory. `may_list`: which addresses players may call at all."""
        self._public, self._relays, self._may_list = public, tuple(relays), may_list
        self._bounds = bounds or DirectoryBounds()
        self._reports: dict[bytes, TableReport] = {}  # by the table's key
        self._groups: dict[bytes, str] = {}  # of whoever reported last
        self._listed_of: Counter[str] = Counter()  # by group
        self._rate = TokenBucket(self._bounds.reports)
        self._rates = TokenBuckets(self._bounds.reports_of_address, self._bounds.addresses_kept)
        self.changed = False  # since `list_now`

    def __len__(self) -> int:
        return len(self._reports)

    def answer(self, message: Report, caller: Caller, now: float, ticks: float) -> Listed | Refused:
        """Return the answer to a report. `now`: seconds since 1970; `ticks`: seconds of a clock that
        never goes back.
        """
        # a table in the list stays there, however many strangers report
        shared = caller.group not in self._listed_of
        for wait, code in (
            (self._rates.wait(caller.group, ticks), Code.TOO_MANY_HERE),
            (self._rate.wait(ticks) if shared else 0.0, Code.TOO_MANY),
        ):
            if wait:
                return Refused(code, min(ceil(wait), limits.MAX_REPORT_WAIT))
        self._rates.take(caller.group, ticks)
        if shared:
            self._rate.take(ticks)
        try:
            self._take(message, caller, now)
        except RemoteError as error:
            return Refused(error.code, self._bounds.report_seconds)
        return Listed(self._bounds.report_seconds)

    def _take(self, message: Report, caller: Caller, now: float) -> None:
        """Check a report, and list its table. The most expensive checks come last. Raises:
        RemoteError.
        """
        report = read_report(wire.decode(message.report))
        bounds, before = self._bounds, self._reports.get(report.public)
        latest = now + bounds.life_seconds + bounds.clock_seconds
        if not now < report.expires <= latest:
            raise RemoteError(Code.OUTDATED)
        if before is not None and report.number <= before.number:
            raise RemoteError(Code.OUTDATED)
        if not self._may_list_address(report, caller):
            raise RemoteError(Code.WRONG_ADDRESS)
        if before is None and len(self._reports) >= bounds.tables:
            raise RemoteError(Code.TOO_MANY)
        moves = self._groups.get(report.public) != caller.group
        if moves and self._listed_of[caller.group] >= bounds.tables_of_address:
            raise RemoteError(Code.TOO_MANY_HERE)
        check_report(report)
        signed = claim_fields(caller.nonce, self._public, message.report)
        verify(report.public, message.claim, LABEL, *signed)
        self._forget(report.public)
        self._reports[report.public] = report
        self._groups[report.public] = caller.group
        self._listed_of[caller.group] += 1
        self.changed = True

    def _may_list_address(self, report: TableReport, caller: Caller) -> bool:
        """Tell if a table may be listed with its address. Raises: RemoteError if that is none."""
        where = report.where
        if where.web_scheme:
            own = (guest_address(relay, report.fingerprint) for relay in self._relays)
            return where in own
        return where.host == caller.host and self._may_list(where)

    def restore(self, reports: Iterable[TableReport], now: float) -> None:
        """Take the reports of the directory's own list, after a restart."""
        for report in reports:
            if report.expires > now and len(self._reports) < self._bounds.tables:
                self._reports[report.public] = report
                ip = host_ip(report.where.host)
                if ip is not None:  # at a relay nobody knows who has reported
                    group = widest_group(address_group(ip))
                    self._groups[report.public] = group
                    self._listed_of[group] += 1
        self.changed = True

    def list_now(self, now: float) -> list[TableReport]:
        """Return the reports that count now."""
        for report in [each for each in self._reports.values() if each.expires <= now]:
            self._forget(report.public)
        self.changed = False
        return list(self._reports.values())

    def _forget(self, public: bytes) -> None:
        self._reports.pop(public, None)
        group = self._groups.pop(public, None)
        if group is not None:
            self._listed_of[group] -= 1
            if not self._listed_of[group]:
                del self._listed_of[group]
