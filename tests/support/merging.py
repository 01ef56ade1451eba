"""Merge of two sides, with counters for everything sent."""

from collections.abc import Callable
from dataclasses import dataclass, field

from protocol.ledger.merge.merge_session import MergeSession
from protocol.ledger.merge.messages import decode
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord

SALT = b"both sides' salt"


def everybody(key: bytes) -> bool:
    """Trust all creators."""
    return True


@dataclass
class Course:
    """Counts of a merge: turns, bytes, and records for each side, the caller's first."""

    turns: int = 0
    bytes: int = 0
    names: list[str] = field(default_factory=list)
    # records that each side received
    news: tuple[list[LedgerRecord], list[LedgerRecord]] = ((), ())


def converse(left: MergeSession, right: MergeSession, most: int = 200) -> Course:
    """Run both sides until they are done. `left` is the caller."""
    course = Course(news=([], []))
    sides = (left, right)
    while not (left.done and right.done):
        course.turns += 1
        assert course.turns <= most, "they never finish"
        said = sides[(course.turns + 1) % 2].outgoing()
        for message in said:
            course.bytes += len(message)
            course.names.append(decode(message)[0])
            course.news[course.turns % 2].extend(sides[course.turns % 2].received(message))
    return course


def merged(
    left: RecordSet,
    right: RecordSet,
    trusted: Callable[[bytes], bool] = everybody,
    salt: bytes = SALT,
) -> Course:
    """Merge two sets, and keep the results."""
    course = converse(
        MergeSession(left, salt, True, None, trusted),
        MergeSession(right, salt, False, None, trusted),
    )
    for records, news in zip((left, right), course.news, strict=True):
        for record in news:
            assert not records.missing(record), "parents first"
            assert records.add(record), "news"
    return course
