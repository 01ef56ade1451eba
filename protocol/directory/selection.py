"""Choosing among the tables of a list: filter, order, and a seat anywhere."""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from random import Random

from protocol.directory.reachable import is_callable
from protocol.directory.report import TableReport, check_report
from protocol.errors import RemoteError
from protocol.identity.address import Address
from protocol.limits import MAX_SEAT_TRIES


class Order(StrEnum):
    """Order of rows."""

    FREE = "free"  # most free seats first, and rather where somebody is
    PEOPLE = "people"  # most seats taken first
    NAME = "name"


def matching(
    reports: Iterable[TableReport],
    now: float,
    game: str = "",
    only_free: bool = True,
    name: str = "",
) -> list[TableReport]:
    """Return the reports that count at `now` (seconds since 1970), of tables with this game and with
    `name` as a part of their name, in any case; empty: any.
    """
    part = name.strip().casefold()
    return [
        report
        for report in reports
        if report.expires > now
        and (report.free or not only_free)
        and (not game or game in report.games)
        and (not part or part in report.name.casefold())
    ]


def ordered(reports: Iterable[TableReport], order: Order) -> list[TableReport]:
    """Return the reports in this order."""
    if order is Order.NAME:
        return sorted(reports, key=lambda each: (each.name.casefold(), each.public))
    if order is Order.PEOPLE:
        return sorted(reports, key=lambda each: (-each.taken, -each.free))
    return sorted(reports, key=lambda each: (not each.taken, -each.free))


def first_valid(reports: Sequence[TableReport], most: int) -> tuple[list[TableReport], int]:
    """Return the valid ones of the first `most` reports, and the number of the others."""
    valid = [report for report in reports[:most] if is_valid(report)]
    return valid, min(len(reports), most) - len(valid)


def is_valid(report: TableReport) -> bool:
    """Check a report as `check_report` does."""
    try:
        check_report(report)
    except RemoteError:
        return False
    return True


def seat_anywhere(
    reports: Sequence[TableReport],
    rng: Random,
    may_call: Callable[[Address], bool] = is_callable,
) -> TableReport | None:
    """Return a table with a free seat, by lot; rather one where somebody is. None if there is none
    that may be called.

    By lot, since a table that lies about its seats would come first in any order.
    """
    free = [report for report in reports if report.free]
    for group in ([each for each in free if each.taken], [each for each in free if not each.taken]):
        for report in rng.sample(group, min(MAX_SEAT_TRIES, len(group))):
            if is_valid(report) and may_call(report.where):
                return report
    return None
