"""Removal of old matches from a table's store: an order of its host, and a report."""

from collections.abc import Collection, Generator
from typing import NamedTuple

from protocol.limits import JOURNAL_ROWS, MAX_PRUNED_NAMES
from protocol.match.log import Record, decode_entry
from protocol.match.setup import creation_time
from table.storage.disk.finished_rows import FinishedMatch
from table.storage.disk.journal import Journal

FINISHED, STOPPED, FORKED = "finished", "stopped", "forked"


class PruneOrder(NamedTuple):
    """Order of a host: which matches are to be removed."""

    before: int | None = None  # what ended before this time, in Unix seconds
    keep: int | None = None  # the oldest finished matches that take more than so many bytes
    dry: bool = False  # nothing goes
    kinds: Collection[str] = (FINISHED, STOPPED)
    stopped: Collection[bytes] = ()  # matches that the running table cannot go on with


class Leaving(NamedTuple):
    """A thing that is removed."""

    kind: str
    name: str
    size: int  # bytes on disk
    ended: int  # Unix seconds; of a stopped match, when it began


class KindReport(NamedTuple):
    """Numbers and sizes of one kind: of what is removed, and of what stays."""

    kind: str
    gone: int
    gone_size: int
    left: int
    left_size: int


class PruneReport(NamedTuple):
    """The kinds, and the first `MAX_PRUNED_NAMES` things that go."""

    kinds: list[KindReport]
    leaving: list[Leaving]


def prune_parts(journal: Journal, order: PruneOrder) -> Generator[None, None, PruneReport]:
    """Remove what an order names, a part at a time: others may write meanwhile.

    A crash leaves each match whole, or lets the next start remove it. Raises: sqlite3.Error,
    OSError.
    """
    names: list[Leaving] = []
    finished = yield from _prune_finished(journal, order, names)
    stopped = yield from _prune_stopped(journal, order, names)
    forked = KindReport(FORKED, 0, 0, len(journal.forked()), 0)
    return PruneReport([finished, stopped, forked], names[:MAX_PRUNED_NAMES])


def _prune_finished(
    journal: Journal, order: PruneOrder, names: list[Leaving]
) -> Generator[None, None, KindReport]:
    left = gone = size = 0
    taken = journal.taken
    batch: list[FinishedMatch] = []
    for place, row in enumerate(journal.finished_matches(), 1):
        old = order.before is not None and row.ended < order.before
        over = order.keep is not None and taken > order.keep
        if FINISHED in order.kinds and (old or over):
            gone += 1
            size += row.taken
            taken -= row.taken
            batch.append(row)
            if len(names) < MAX_PRUNED_NAMES:
                names.append(Leaving(FINISHED, row.file, row.taken, row.ended))
        else:
            left += 1
        if not place % JOURNAL_ROWS:
            _remove(journal, batch, order.dry)
            batch = []
            yield
    _remove(journal, batch, order.dry)
    return KindReport(FINISHED, gone, size, left, taken)


def _remove(journal: Journal, batch: list[FinishedMatch], dry: bool) -> None:
    if batch and not dry:
        journal.remove_finished(batch)


def _prune_stopped(
    journal: Journal, order: PruneOrder, names: list[Leaving]
) -> Generator[None, None, KindReport]:
    """Matches of a pair stay: its standby has them as well."""
    gone = gone_size = left = left_size = 0
    for match_id in journal.unfinished(order.stopped):
        records = journal.records(match_id)
        size = sum(len(record.entry) + len(record.head) for record in records)
        began = _began(records)
        old = order.before is not None and began is not None and began < order.before
        if STOPPED not in order.kinds or not old or journal.standing.role.paired:
            left, left_size = left + 1, left_size + size
            continue
        gone, gone_size = gone + 1, gone_size + size
        if len(names) < MAX_PRUNED_NAMES:
            names.append(Leaving(STOPPED, match_id.hex(), size, began or 0))
        if not order.dry:
            yield from journal.remove_unfinished(match_id)
        yield
    return KindReport(STOPPED, gone, gone_size, left, left_size)


def _began(records: list[Record]) -> int | None:
    return creation_time(decode_entry(records[0].entry).body) if records else None
