"""Signatures of a trade, and the writes to disk before and after them. Only this module creates
these signatures.

The order is essential. A promise is in the journal before its signature is sent. A finished trade
is in the book before its second signature is sent. A crash in between only loses a message, which
the next session sends again.
"""

from collections.abc import Iterable

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import Identity
from protocol.ledger.record_contents import Trade, Waive
from protocol.ledger.records import LedgerRecord, sign_record, waive_of
from protocol.ledger.trading.card_store import CardStore
from protocol.ledger.trading.journal import Promise, SignatureJournal, sign_promise
from protocol.ledger.trading.trade_content import required_waives


class TradeSigner:
    """A person's signatures of trades with one partner."""

    def __init__(self, me: Identity, book: CardStore, journal: SignatureJournal) -> None:
        self._me = me
        self._book = book
        self._journal = journal

    def sign_first(self, trade: Trade, *, warned: bool) -> Promise:
        """Sign before the other side, and reserve the given cards until its answer. Raises:
        LocalError.
        """
        promised = sign_promise(self._me, trade)
        self._journal.sign_once(promised, warned=warned)
        return promised

    def sign_second(self, trade: Trade, theirs: bytes, *, warned: bool) -> LedgerRecord:
        """Sign after the other side, and finish the trade. Raises: LocalError;
        RemoteError(BAD_SIGNATURE).
        """
        promised = sign_promise(self._me, trade, theirs)
        # first, since it checks the other side's signature
        record = promised.finished(theirs)
        self._journal.sign_once(promised, warned=warned)
        self._book.add([record])
        return record

    def finish(self, trade: bytes, partner: bytes, theirs: bytes) -> LedgerRecord | None:
        """Process the other side's second signature. Returns None for a repetition, or a signature
        after its waive.

        Raises: RemoteError(NOT_NOW) for a trade that was never signed here with this partner;
        RemoteError(BAD_SIGNATURE).
        """
        promised = self._promise(trade, partner)
        record = promised.finished(theirs)
        waits = self._waits(trade)
        # also after a waive: both together prove that the partner signed both
        self._book.add([record])
        if not waits:
            return None
        self._journal.finish(trade, theirs)
        return record

    def previous_answer(self, trade: bytes) -> bytes | LedgerRecord | None:
        """Return the earlier answer to a trade: the own signature of a finished trade, a waive, or
        None.
        """
        promised = self._journal.promise_of(trade)
        if promised is None or promised.partner_signature is None:
            return self._journal.waive_of(trade)
        # again, because a crash may have prevented the first time
        self._book.add([promised.finished(promised.partner_signature)])
        return promised.own_signature

    def waive(self, trade: Trade) -> LedgerRecord:
        """Sign that a trade was never finished and never will be. Raises: LocalError if it was
        signed here.
        """
        record = sign_record(waive_of(trade, self._me.public), self._me)
        self._journal.waive_once(record)
        self._book.add([record])
        return record

    def release(self, record: LedgerRecord, partner: bytes) -> bytes | None:
        """Process the other side's waive. Returns the trade if its cards become free by it.

        Raises: RemoteError(BAD_TRADE) if it is not a valid waive of this partner;
        RemoteError(NOT_NOW) for a trade that was never signed here.
        """
        waive = record.content
        if not isinstance(waive, Waive) or waive.creator != partner:
            raise RemoteError(Code.BAD_TRADE)
        self._promise(waive.trade, partner)
        waits = self._waits(waive.trade)
        self._book.add([record])
        # even a finished trade: it no longer counts, and proves who waived it
        self._journal.release(waive.trade)
        return waive.trade if waits else None

    def pending(self, partner: bytes) -> tuple[Promise, ...]:
        """Return the promises that were signed here first and not answered by this partner."""
        return tuple(one for one in self._journal.reserved() if one.partner == partner)

    def required_waives(self, cards: Iterable[bytes]) -> tuple[bytes, ...]:
        """Return the ids of the waives that a trade of these own cards must list."""
        return required_waives(self._book.view, self._journal, cards)

    def _promise(self, trade: bytes, partner: bytes) -> Promise:
        promised = self._journal.promise_of(trade)
        if promised is None or promised.partner != partner:
            raise RemoteError(Code.NOT_NOW)
        return promised

    def _waits(self, trade: bytes) -> bool:
        return any(one.id == trade for one in self._journal.reserved())
