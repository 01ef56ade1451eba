"""The journal of signatures on disk: `protocol.ledger.trading.journal.SignatureJournal` in SQLite,
for all programs of a key.

How an old copy of the data folder is noticed: the **standing** (promises and waives, counted) is
smaller than the one that the mark outside the folder has, or that a partner remembers in one's own
word; or a trade turns up that was signed here and is not in the journal. Then nothing is signed
(`doubt`) until a merge has brought what is missing, or the person gives it up (`mend`).
"""

from collections.abc import Iterator
from contextlib import contextmanager

from player.cards.storage.database import USE, Database
from player.cards.storage.rollback_guard import RollbackGuard
from player.disk.in_play import in_play
from protocol.ledger.record_codec import content_bytes, read_content
from protocol.ledger.record_contents import Trade, Waive
from protocol.ledger.records import LedgerRecord, read_record, waive_of
from protocol.ledger.trading.journal import JournalRefusal, JournalStanding, Promise
from protocol.wire import decode

_TOLD = "told"  # the highest standing that there is proof of
_GIVEN_UP = "given up"  # how many promises and waives are missing, and the person knows
_UNSURE = "unsure"  # 1: something of one's own has turned up, and nobody knows what else is missing
_MARKED = "marked"  # 1: there was a mark on the computer where this was written
_PROMISE = "SELECT trade, content, mine, theirs FROM promises"


class DiskJournal:
    """The journal of one key."""

    def __init__(self, database: Database, me: bytes, mark: RollbackGuard) -> None:
        """Raises: LocalError."""
        self._database, self._me, self._mark = database, me, mark
        with database.transaction():
            self._compare()

    def _compare(self) -> None:
        """Hold what is here against the mark."""
        marked = self._mark.read()
        if marked is not None:
            self._raise_told(marked)
        elif self._mark.kept and self._database.fact(
            _MARKED
        ):  # this folder was written on another computer, or its mark was lost
            self._database.keep(_UNSURE, 1)

    # --- what is signed ---

    def sign_once(self, promised: Promise, *, warned: bool = False) -> None:
        """See `Journal`."""
        with self._signing():
            if self._known(promised.id):
                return
            if self._database.rows("SELECT 1 FROM waives WHERE trade = ?", promised.id):
                raise JournalRefusal("wrong.trade.waived")
            if not in_play(self._database.path.parent).isdisjoint(promised.cards):
                raise JournalRefusal("wrong.trade.playing")
            for slot in promised.slots:
                self._check_slot(slot, warned=warned)
            self._insert(promised)

    def _check_slot(self, slot: bytes, *, warned: bool) -> None:
        query = (
            "SELECT theirs FROM promises JOIN slots USING (trade) WHERE slot = ? AND NOT released"
        )
        for (theirs,) in self._database.rows(query, slot):
            if theirs is not None:
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
        for slot in promised.slots:
            self._database.run("INSERT INTO slots VALUES (?, ?)", slot, promised.id)
        if promised.partner_signature is not None:
            self._keep_record(promised.finished(promised.partner_signature))

    def waive_once(self, waive: LedgerRecord) -> None:
        """See `Journal`."""
        assert isinstance(waive.content, Waive)
        with self._signing():
            if self._known(waive.content.trade):
                raise JournalRefusal("wrong.trade.signed")
            self._database.run(
                "INSERT OR IGNORE INTO waives VALUES (?, ?)", waive.content.trade, waive.raw
            )
            self._keep_record(waive)

    def finish(self, trade: bytes, theirs: bytes) -> None:
        """See `Journal`. The record is kept with it."""
        with self._database.transaction():
            promised = self.promise_of(trade)
            assert promised is not None
            self._database.run("UPDATE promises SET theirs = ? WHERE trade = ?", theirs, trade)
            self._keep_record(promised.finished(theirs))

    def release(self, trade: bytes) -> None:
        """See `Journal`."""
        self._database.run("UPDATE promises SET released = 1 WHERE trade = ?", trade)

    def promise_of(self, trade: bytes) -> Promise | None:
        """See `Journal`."""
        found = self._database.rows(f"{_PROMISE} WHERE trade = ?", trade)
        return self._promise(*found[0]) if found else None

    def waive_of(self, trade: bytes) -> LedgerRecord | None:
        """See `Journal`."""
        found = self._database.rows("SELECT raw FROM waives WHERE trade = ?", trade)
        return read_record(found[0][0]) if found else None

    def reserved(self) -> tuple[Promise, ...]:
        """See `Journal`."""
        found = self._database.rows(
            f"{_PROMISE} WHERE theirs IS NULL AND NOT released ORDER BY number"
        )
        return tuple(self._promise(*row) for row in found)

    def released(self, card: bytes) -> tuple[Promise, ...]:
        """See `Journal`."""
        found = self._database.rows(f"{_PROMISE} WHERE released ORDER BY number")
        return tuple(one for row in found if card in (one := self._promise(*row)).cards)

    # --- how much there is of it ---

    def standing(self) -> int:
        """See `Journal`."""
        ((count,),) = self._database.rows(
            "SELECT (SELECT count(*) FROM promises) + (SELECT count(*) FROM waives)"
        )
        return int(count) + int(self._database.fact(_GIVEN_UP, 0))

    def record_proven_count(self, made: int) -> None:
        """See `Journal`."""
        with self._database.transaction():
            self._raise_told(made)

    def is_outdated(self) -> bool:
        """See `Journal`."""
        return bool(self._database.fact(_UNSURE, 0)) or self.standing() < self._database.fact(
            _TOLD, 0
        )

    def mend(self) -> None:
        """The person knows that signatures may be out that are not here, and whose double spender
        they are then.
        """
        with self._database.transaction():
            missing = self._database.fact(_TOLD, 0) - self.standing()
            if missing > 0:
                self._database.keep(_GIVEN_UP, self._database.fact(_GIVEN_UP, 0) + missing)
            self._database.keep(_UNSURE, 0)
        self._write_mark()

    def adopt(self, records: list[LedgerRecord]) -> None:
        """Records have come from elsewhere: those that were signed here belong in the journal. In a
        transaction.
        """
        for record in records:
            match record.content:
                case Trade(a=a, b=b) if self._me in (a, b):
                    self._adopt_trade(record, record.content)
                case Waive(creator=self._me, trade=trade):
                    new = self._database.run(
                        "INSERT OR IGNORE INTO waives VALUES (?, ?)", trade, record.raw
                    )
                    self._found(new)
                case Waive(trade=trade) if (promised := self.promise_of(trade)) is not None:
                    if record.content == waive_of(promised.trade, promised.partner):
                        self.release(trade)

    def _adopt_trade(self, record: LedgerRecord, trade: Trade) -> None:
        _, *signatures = decode(record.raw)
        mine, theirs = signatures if self._me == trade.a else signatures[::-1]
        if self._known(record.id):
            self._database.run(
                "UPDATE promises SET theirs = ? WHERE trade = ? AND theirs IS NULL",
                theirs,
                record.id,
            )
        else:
            self._insert(Promise(record.id, trade, self._me, mine, theirs))
            self._found(1)

    def _found(self, new: int) -> None:
        """So many were signed here, and nobody knew."""
        missing = self._database.fact(_GIVEN_UP, 0)
        if new and missing:
            self._database.keep(_GIVEN_UP, missing - 1)
        elif new and self.standing() > self._database.fact(_TOLD, 0):
            self._database.keep(_UNSURE, 1)

    # --- others' word ---

    def store_standing(self, key: bytes, standing: JournalStanding) -> None:
        """See `Journal`."""
        self._database.run("INSERT OR REPLACE INTO met VALUES (?, ?, ?)", key, *standing)

    def standing_of(self, key: bytes) -> JournalStanding | None:
        """See `Journal`."""
        found = self._database.rows("SELECT count, signature FROM met WHERE key = ?", key)
        return JournalStanding(*found[0]) if found else None

    # --- what they share ---

    @contextmanager
    def _signing(self) -> Iterator[None]:
        """A transaction that puts down what is signed, and then the mark. Raises: JournalRefuses if
        in doubt.
        """
        with self._database.transaction():
            self._compare()  # another program on another copy may have signed since
            if self.is_outdated():
                raise JournalRefusal("wrong.trade.old")
            yield
        self._write_mark()

    def _write_mark(self) -> None:
        """After the commit: a mark above what is on disk would lock out who lost power in
        between.
        """
        with self._database.transaction():  # in turn with other programs: a mark never goes back
            standing = self.standing()
            self._mark.write(standing)
            self._raise_told(standing)
            self._database.keep(_MARKED, int(self._mark.kept))

    def _raise_told(self, made: int) -> None:
        if made > self._database.fact(_TOLD, 0):
            self._database.keep(_TOLD, made)

    def _known(self, trade: bytes) -> bool:
        return bool(self._database.rows("SELECT 1 FROM promises WHERE trade = ?", trade))

    def _keep_record(self, record: LedgerRecord) -> None:
        row = record.id, record.raw, self._database.fact(USE, 0)
        self._database.run("INSERT OR IGNORE INTO records (id, raw, used) VALUES (?, ?, ?)", *row)

    def _promise(self, trade: bytes, content: bytes, mine: bytes, theirs: bytes | None) -> Promise:
        said = read_content(content)
        assert isinstance(said, Trade)
        return Promise(trade, said, self._me, mine, theirs)
