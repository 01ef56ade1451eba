"""Journal of signatures in SQLite, for all programs of one key. It implements
`protocol.ledger.trading.journal.SignatureJournal`.

The **standing** is the number of promises and waives, with the digest of their ids. Three signs
reveal an old copy of the data folder:

- The mark outside the folder has a larger standing.
- A partner has a signed statement of this key with a larger standing, or with another digest.
- A trade arrives that this key has signed, and the journal does not have it.

Then the journal signs nothing (`is_outdated`), until a merge has brought the missing records, or
the person gives them up (`mend`).
"""

from collections.abc import Iterator
from contextlib import contextmanager

from player.cards.storage.database import GIVEN_UP, USE, Database
from player.cards.storage.rollback_guard import RollbackGuard
from player.storage.locked_cards import read_locked_cards
from protocol.ledger.record_codec import content_bytes, read_content
from protocol.ledger.record_contents import CardTransfer, Trade, Waive
from protocol.ledger.records import LedgerRecord, read_record, waive_id
from protocol.ledger.related_records import place_key
from protocol.ledger.trading.journal import (
    JournalCount,
    JournalRefusal,
    JournalStanding,
    Promise,
    count_signed,
    given_transfers,
    uncovered_promises,
)
from protocol.wire import decode

_TOLD = "told"  # highest proven standing
_UNSURE = "unsure"  # 1: an unknown signature of this key has arrived, so that others may be missing
# the key whose mark existed on the computer that wrote this file; 1: the key is not recorded
_MARKED = "marked"
# 1: signatures came from elsewhere, and the standing with them is stored when it is told
_DUE = "due"
_PROMISE = "SELECT promises.trade, content, mine, theirs, released FROM promises"


class DiskJournal:
    """`SignatureJournal` of one key."""

    def __init__(self, database: Database, me: bytes, mark: RollbackGuard) -> None:
        """Open the journal, and compare it with the mark. Raises: LocalError."""
        self._database = database
        self._me = me
        self._mark = mark
        with database.transaction():
            self._compare()

    def _compare(self) -> None:
        """Compare the standing with the mark."""
        marked = self._mark.read()
        if marked is not None:
            self._raise_told(marked)
        # another computer wrote this folder, or the mark was lost
        elif self._mark.kept and self._database.fact(_MARKED) in (1, self._me):
            self._database.keep(_UNSURE, 1)

    # --- signatures ---

    def sign_once(self, promised: Promise, *, warned: bool = False) -> None:
        """Implement `SignatureJournal.sign_once`."""
        with self._signing():
            if self._known(promised.id):
                return
            if self._database.rows("SELECT 1 FROM waives WHERE trade = ?", promised.id):
                raise JournalRefusal("wrong.trade.waived")
            if not read_locked_cards(self._database.path.parent).isdisjoint(promised.cards):
                raise JournalRefusal("wrong.trade.playing")
            for one in given_transfers(promised.trade, self._me):
                self._check_covered(promised.trade, one, warned=warned)
            self._insert(promised)
            self._note_standing()

    def _check_covered(self, trade: Trade, one: CardTransfer, *, warned: bool) -> None:
        """Check that a trade covers all promises of one of its cards. Raises: JournalRefusal."""
        promises = self.promises_at(place_key(one))
        for promise in uncovered_promises(promises, one, trade.waives):
            if promise.partner_signature is not None or promise.released:
                raise JournalRefusal("wrong.trade.slot")
            if not warned:
                raise JournalRefusal("wrong.trade.reserved")

    def _insert(self, promised: Promise) -> None:
        row = (
            promised.id,
            content_bytes(promised.trade),
            promised.own_signature,
            promised.partner_signature,
        )
        self._database.run(
            "INSERT INTO promises (trade, content, mine, theirs) VALUES (?, ?, ?, ?)", *row
        )
        for place in promised.places:
            self._database.run("INSERT INTO places VALUES (?, ?)", place, promised.id)
        if promised.partner_signature is not None:
            self._keep_record(promised.finished(promised.partner_signature))

    def waive_once(self, waive: LedgerRecord) -> None:
        """Implement `SignatureJournal.waive_once`."""
        assert isinstance(waive.content, Waive)
        with self._signing():
            if self._known(waive.content.trade):
                raise JournalRefusal("wrong.trade.signed")
            self._database.run(
                "INSERT OR IGNORE INTO waives VALUES (?, ?)", waive.content.trade, waive.raw
            )
            self._note_standing()
            self._keep_record(waive)

    def finish(self, trade: bytes, theirs: bytes) -> None:
        """Implement `SignatureJournal.finish`, and store the record in the same transaction."""
        with self._database.transaction():
            promised = self.promise_of(trade)
            assert promised is not None
            self._database.run("UPDATE promises SET theirs = ? WHERE trade = ?", theirs, trade)
            self._keep_record(promised.finished(theirs))

    def release(self, trade: bytes) -> None:
        """Implement `SignatureJournal.release`."""
        self._database.run("UPDATE promises SET released = 1 WHERE trade = ?", trade)

    def promise_of(self, trade: bytes) -> Promise | None:
        """Implement `SignatureJournal.promise_of`."""
        found = self._database.rows(f"{_PROMISE} WHERE trade = ?", trade)
        return _promise(self._me, *found[0]) if found else None

    def waive_of(self, trade: bytes) -> LedgerRecord | None:
        """Implement `SignatureJournal.waive_of`."""
        found = self._database.rows("SELECT raw FROM waives WHERE trade = ?", trade)
        return read_record(found[0][0]) if found else None

    def reserved(self) -> tuple[Promise, ...]:
        """Implement `SignatureJournal.reserved`."""
        return reserved_promises(self._database, self._me)

    def promises_at(self, place: bytes) -> tuple[Promise, ...]:
        """Implement `SignatureJournal.promises_at`."""
        found = self._database.rows(
            f"{_PROMISE} JOIN places USING (trade) WHERE place = ? ORDER BY number", place
        )
        return tuple(_promise(self._me, *row) for row in found)

    # --- standing ---

    def standing(self) -> JournalCount:
        """Implement `SignatureJournal.standing`."""
        promised = self._database.rows("SELECT trade FROM promises")
        waived = self._database.rows("SELECT trade FROM waives")
        ids = (*(trade for (trade,) in promised), *(waive_id(one, self._me) for (one,) in waived))
        count = count_signed(ids, self._database.fact(GIVEN_UP, 0))
        if self._database.fact(_DUE, 0):
            self._database.keep(_DUE, 0)
            self._database.run("INSERT OR IGNORE INTO standings VALUES (?, ?)", *count)
        return count

    def _made(self) -> int:
        """Return the number of a standing, without its digest."""
        ((signed,),) = self._database.rows(
            "SELECT (SELECT count(*) FROM promises) + (SELECT count(*) FROM waives)"
        )
        return int(signed) + int(self._database.fact(GIVEN_UP, 0))

    def record_proven_count(self, count: JournalCount) -> None:
        """Implement `SignatureJournal.record_proven_count`."""
        with self._database.transaction():
            self._raise_told(count.made)
            known = self._database.rows("SELECT digest FROM standings WHERE count = ?", count.made)
            if known and (count.digest,) not in known:
                self._database.keep(_UNSURE, 1)

    def _note_standing(self) -> None:
        """Store the present standing, so that it is known again when a partner shows it. A standing
        right after `mend` is not stored: an earlier one with this number was told as well.
        """
        self._database.run("INSERT OR IGNORE INTO standings VALUES (?, ?)", *self.standing())

    def is_outdated(self) -> bool:
        """Implement `SignatureJournal.is_outdated`."""
        return bool(self._database.fact(_UNSURE, 0)) or self._made() < self._database.fact(_TOLD, 0)

    def mend(self) -> None:
        """Give up the missing signatures, and allow new ones.

        The person accepts the risk: a missing signature and a new one for the same card make them a
        double spender.
        """
        with self._database.transaction():
            self.standing()  # an earlier one may be due
            missing = self._database.fact(_TOLD, 0) - self._made()
            if missing > 0:
                self._database.keep(GIVEN_UP, self._database.fact(GIVEN_UP, 0) + missing)
            self._database.keep(_UNSURE, 0)
        self._write_mark()

    def adopt(self, records: list[LedgerRecord]) -> None:
        """Add records of this key from elsewhere to the journal. Call it inside a transaction."""
        new = 0
        for record in records:
            match record.content:
                case Trade(a=a, b=b) if self._me in (a, b):
                    new += self._adopt_trade(record, record.content)
                case Waive(creator=self._me, trade=trade):
                    new += self._database.run(
                        "INSERT OR IGNORE INTO waives VALUES (?, ?)", trade, record.raw
                    )
                case Waive(trade=trade) if (promised := self.promise_of(trade)) is not None:
                    if record.content.creator == promised.partner:
                        self.release(trade)
        if new:
            self._found(new)

    def _adopt_trade(self, record: LedgerRecord, trade: Trade) -> bool:
        """Add a trade, or the partner's signature of it. Return True if it was missing."""
        _, *signatures = decode(record.raw)
        mine, theirs = signatures if self._me == trade.a else signatures[::-1]
        if self._known(record.id):
            self._database.run(
                "UPDATE promises SET theirs = ? WHERE trade = ? AND theirs IS NULL",
                theirs,
                record.id,
            )
            return False
        self._insert(Promise(record.id, trade, self._me, mine, theirs))
        self._release_if_waived(record.id)
        return True

    def _release_if_waived(self, trade: bytes) -> None:
        """Release a promise whose waive came before it."""
        promised = self.promise_of(trade)
        if promised is not None and self._database.rows(
            "SELECT 1 FROM records WHERE id = ?", promised.waive
        ):
            self.release(trade)

    def _found(self, new: int) -> None:
        """Count `new` signatures of this key that the journal did not have. Those that were given
        up come first, and leave the number as it is.
        """
        missing = self._database.fact(GIVEN_UP, 0)
        self._database.keep(GIVEN_UP, max(0, missing - new))
        made = self._made()
        if new > missing:
            self._database.keep(_DUE, 1)
            if made > self._database.fact(_TOLD, 0):
                self._database.keep(_UNSURE, 1)
        # without a row, a standing that was told with this number may be missing
        elif self._database.rows("SELECT 1 FROM standings WHERE count = ?", made):
            self._database.keep(_DUE, 1)

    # --- statements of partners ---

    def store_standing(self, key: bytes, standing: JournalStanding) -> None:
        """Implement `SignatureJournal.store_standing`."""
        self._database.run("INSERT OR REPLACE INTO met VALUES (?, ?, ?, ?)", key, *standing)

    def standing_of(self, key: bytes) -> JournalStanding | None:
        """Implement `SignatureJournal.standing_of`."""
        found = self._database.rows("SELECT count, digest, signature FROM met WHERE key = ?", key)
        return JournalStanding(*found[0]) if found else None

    # --- shared by the above ---

    @contextmanager
    def _signing(self) -> Iterator[None]:
        """Run a transaction that stores signatures, and then write the mark. Raises: JournalRefusal
        if the journal is outdated.
        """
        with self._database.transaction():
            # another program with another copy of the folder may have signed meanwhile
            self._compare()
            if self.is_outdated():
                raise JournalRefusal("wrong.trade.old")
            yield
        self._write_mark()

    def _write_mark(self) -> None:
        """Write the mark after the commit. A mark above the stored standing would lock out a person
        whose computer lost power between the two.
        """
        # a transaction, so that two programs cannot lower the mark
        with self._database.transaction():
            standing = self._made()
            self._mark.write(standing)
            self._raise_told(standing)
            self._database.keep(_MARKED, self._me if self._mark.kept else 0)

    def _raise_told(self, made: int) -> None:
        if made > self._database.fact(_TOLD, 0):
            self._database.keep(_TOLD, made)

    def _known(self, trade: bytes) -> bool:
        return bool(self._database.rows("SELECT 1 FROM promises WHERE trade = ?", trade))

    def _keep_record(self, record: LedgerRecord) -> None:
        row = record.id, record.raw, self._database.fact(USE, 0)
        self._database.run("INSERT OR IGNORE INTO records (id, raw, used) VALUES (?, ?, ?)", *row)


def reserved_promises(database: Database, me: bytes) -> tuple[Promise, ...]:
    """Return the trades that only the key `me` has signed, as `DiskJournal.reserved`, without the
    comparison of standings. Raises: LocalError.
    """
    found = database.rows(f"{_PROMISE} WHERE theirs IS NULL AND NOT released ORDER BY number")
    return tuple(_promise(me, *row) for row in found)


def _promise(
    me: bytes, trade: bytes, content: bytes, mine: bytes, theirs: bytes | None, released: int
) -> Promise:
    said = read_content(content)
    assert isinstance(said, Trade)
    return Promise(trade, said, me, mine, theirs, bool(released))
