"""Fairness for people: a table of seats, the meaning of a small p-value, and the times of two
seats.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from protocol.limits import FAIRNESS_DOUBT
from protocol.view.phrase import Phrase, SeatRef, phrase
from protocol.view.text import Say, display_width, pad_to_width

if TYPE_CHECKING:  # screens of every match load this module, but few need these
    from protocol.audit.fairness.arrival_comparison import (
        ArrivalComparison,
        DeliveryLag,
        EntryDelay,
    )
    from protocol.audit.fairness.attempts import FairnessReport

HEAD_KEYS = (
    "fairness.seat",
    "fairness.attempts",
    "fairness.late",
    "fairness.share",
    "fairness.age",
)


class FairnessTable(NamedTuple):
    """Statistics of all seats for a screen."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]  # by seat: the name, then numbers
    said: tuple[str, ...]  # explanation of the p-values


def fairness_table(fairness: "FairnessReport", say: Say) -> FairnessTable:
    """Return a table of seats, with an explanation of the p-values below it."""
    rows = []
    for seat, one in enumerate(fairness.seats):
        if one.attempts:
            share = f"{100 * one.late / one.attempts:.0f} %"
        else:
            share = "–"
        name = say(phrase("match.name", who=SeatRef(seat)))
        rows.append((name, str(one.attempts), str(one.late), share, f"{one.age:.1f}"))
    said = tuple(_p_value_phrases(fairness.late_p, fairness.age_p, say))
    return FairnessTable(
        say(phrase("fairness.title")),
        tuple(say(phrase(key)) for key in HEAD_KEYS),
        tuple(rows),
        said,
    )


def fairness_lines(fairness: "FairnessReport", say: Say) -> list[str]:
    """Return the table of `fairness_table` as lines of text."""
    title, heads, rows, said = fairness_table(fairness, say)
    wide = max(display_width(row[0]) for row in (heads, *rows))
    return [title, *(_row(row, heads, wide) for row in (heads, *rows)), *said]


def _p_value_phrases(late: float | None, age: float | None, say: Say) -> list[str]:
    found = [p for p in (late, age) if p is not None]
    if not found:
        return []
    said = phrase("fairness.p", late=_probability(late), age=_probability(age))
    return [
        say(said),
        say(phrase("fairness.small" if min(found) < FAIRNESS_DOUBT else "fairness.large")),
    ]


def _row(values: Sequence[str], heads: Sequence[str], wide: int) -> str:
    name, *numbers = values
    pairs = zip(numbers, heads[1:], strict=True)
    return f"  {pad_to_width(name, wide)}" + "".join(
        f"  {' ' * (display_width(head) - display_width(n))}{n}" for n, head in pairs
    )


def _probability(p: float | None) -> str:
    if p is None:
        return "–"
    if p < 0.1:
        return f"{p:.3f}"
    return f"{p:.2f}"


def arrival_lines(found: "ArrivalComparison", say: Say) -> list[str]:
    """Describe the comparison of two seats' times and its limits."""
    one, other = map(SeatRef, found.seats)
    title = phrase("times.title", one=one, other=other, count=found.shared)
    told = [_delay_phrase(who, trips) for who, trips in zip((one, other), found.trips, strict=True)]
    told += (
        [phrase("times.longer", who=(one, other)[found.slower_seat])]
        if found.slower_seat is not None
        else []
    )
    if found.trips_p is not None:
        told.append(phrase("times.trips.p", p=_probability(found.trips_p)))
    news = found.news[:1] if found.two_seats_only else found.news
    told += [
        _lag_phrase(who, each, found.two_seats_only)
        for who, each in zip((one, other), news, strict=False)
        if each
    ]
    noticed = [
        who for who, each in zip((one, other), news, strict=False) if each and each.is_significant
    ]
    if found.two_seats_only and noticed:
        told.append(phrase("times.later.two"))
    else:
        told += [phrase("times.later", who=who) for who in noticed]
    return [say(title), *(f"  {say(each)}" for each in told), say(phrase("times.limits"))]


def _delay_phrase(who: SeatRef, trips: "EntryDelay | None") -> Phrase:
    if trips is None:
        return phrase("times.trips.few", who=who)
    return phrase("times.trips", who=who, usual=f"{trips.usual:,.0f}", count=trips.entries)


def _lag_phrase(who: SeatRef, news: "DeliveryLag", among_two: bool) -> Phrase:
    numbers = {
        "later": f"{round(news.later):+,d}",
        "share": f"{100 * news.share:.0f}",
        "p": _probability(news.p),
    }
    if among_two:
        return phrase("times.news.two", **numbers)
    return phrase("times.news", who=who, **numbers)
