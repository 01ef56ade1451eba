"""Pruning and backup of a table for its host: through its store while the table runs, and at the
folder itself while it does not.
"""

import asyncio
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from protocol.errors import LocalError
from table.cluster.pruning import StorePruning
from table.config import Bounds
from table.control.backup import draft_of, error_reason, remove_draft, unwritable, write_backup
from table.control.messages import Done, PrunedKind, PrunedThing, Request, Row
from table.lobby.bans import BANS_FILE, BanList
from table.manager.manager import TableManager
from table.storage.disk.journal import JOURNAL_FILE, Journal
from table.storage.disk.log_files import run_to_end
from table.storage.disk.pruning import (
    FINISHED,
    STOPPED,
    PruneOrder,
    PruneReport,
    prune_parts,
)
from table.storage.disk.writer import Writer
from table.storage.shared.backend import Unanswered
from table.storage.shared.pruning import PruneLimits

BANS = "bans"  # that have ended
KINDS = (FINISHED, STOPPED, BANS)
STORE = "store"  # matches in a store that several hosts share


def order_of(request: Request) -> PruneOrder:
    """Return the order in a request to prune."""
    before, keep, kinds, dry = request.values
    return PruneOrder(before, keep, dry, frozenset(kinds or KINDS))


async def prune(manager: TableManager, order: PruneOrder) -> list[Row | Done]:
    """Prune while the table runs. Raises: LocalError."""
    if manager.cluster is not None:
        now = int(manager.config.now())
        store = await _prune_store(manager.cluster.pruning, order, now)
        return _answer(store, _prune_bans(manager.moderation.bans, order, manager.moderation.now))
    stopped = manager.matches.stopped
    order = order._replace(stopped=frozenset(stopped))
    try:
        report = await _disk_of(manager).prune(order)
    except (OSError, sqlite3.Error) as error:
        raise _refused(error) from None
    if not order.dry:
        gone = {bytes.fromhex(each.name) for each in report.leaving if each.kind == STOPPED}
        stopped -= gone
    return _rows(report, _prune_bans(manager.moderation.bans, order, manager.moderation.now))


async def _prune_store(
    pruning: StorePruning, order: PruneOrder, now: int
) -> list[PrunedThing | PrunedKind]:
    """Prune the store that the hosts share. `now`: Unix seconds. Raises: LocalError."""
    if FINISHED not in order.kinds:
        return []
    age = None if order.before is None else float(max(0, now - order.before))
    try:
        done = await pruning.by_hand(PruneLimits(age, order.keep), order.dry)
    except Unanswered:
        raise LocalError("wrong.control.unpruned") from None
    things = [
        PrunedThing(STORE, each.match_id.hex(), each.size, max(0, now - int(each.age)))
        for each in done.names
    ]
    return [*things, PrunedKind(STORE, done.gone, done.gone_size, *done.left)]


async def back_up(manager: TableManager, target: Path) -> int:
    """Write a backup while the table runs, to a path in its folder or an absolute one; return how
    many files it has. Raises: LocalError.
    """
    disk, data = _disk_of(manager), manager.config.data
    target = data / target
    copy = draft_of(target)
    try:
        await disk.snapshot(copy)
        now = int(manager.config.now())
        return await asyncio.to_thread(write_backup, data, copy, target, now)
    except (OSError, sqlite3.Error) as error:
        raise unwritable(target, error) from None
    finally:
        remove_draft(copy)


def prune_folder(data: Path, order: PruneOrder) -> list[Row | Done]:
    """Prune the folder of a table that does not run. Raises: LocalError."""
    with closing(_open(data)) as journal:
        try:
            report = run_to_end(prune_parts(journal, order))
            bans = BanList(data / BANS_FILE)
            return _rows(report, _prune_bans(bans, order, int(time.time() * 1000)))
        except (OSError, sqlite3.Error) as error:
            raise _refused(error) from None


def back_up_folder(data: Path, target: Path) -> int:
    """Write a backup of the folder of a table that does not run. Raises: LocalError."""
    with closing(_open(data)) as journal:
        copy = draft_of(target)
        try:
            journal.snapshot(copy)
            return write_backup(data, copy, target, int(time.time()))
        except (OSError, sqlite3.Error) as error:
            raise unwritable(target, error) from None
        finally:
            remove_draft(copy)


def _open(data: Path) -> Journal:
    """Raises: LocalError if there is no journal, or another process has it."""
    if not (data / JOURNAL_FILE).exists():
        raise LocalError("wrong.control.nobody", path=str(data))
    return Journal(data, Bounds())


def _disk_of(manager: TableManager) -> Writer:
    """Raises: LocalError if the table's store is shared with other hosts."""
    if not isinstance(manager.storage, Writer):
        raise LocalError("wrong.control.shared")
    return manager.storage


def _prune_bans(bans: BanList, order: PruneOrder, now: int) -> PrunedKind:
    """Forget bans that have ended. `now`: Unix milliseconds. Raises: LocalError."""
    ended = (
        []
        if BANS not in order.kinds or order.before is None
        else [ban for ban in bans.all if max(ban.until, ban.made) < min(now, order.before * 1000)]
    )
    if ended and not order.dry:
        bans.forget(ended)
    left = len(bans) - (len(ended) if order.dry else 0)
    return PrunedKind(BANS, len(ended), 0, left, 0)


def _rows(report: PruneReport, bans: PrunedKind) -> list[Row | Done]:
    things = [PrunedThing(*each) for each in report.leaving]
    return _answer([*things, *(PrunedKind(*each) for each in report.kinds)], bans)


def _answer(rows: Sequence[PrunedThing | PrunedKind], bans: PrunedKind) -> list[Row | Done]:
    kinds = [*(row for row in rows if isinstance(row, PrunedKind)), bans]
    return [*rows, bans, Done(sum(kind.gone for kind in kinds))]


def _refused(error: Exception) -> LocalError:
    return LocalError("wrong.control.disk", why=error_reason(error))
