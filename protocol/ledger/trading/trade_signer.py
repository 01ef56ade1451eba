"""What is signed in a trade, and what is on disk before and after it. The one place that makes
signatures.

Order is everything here: a promise is in the journal before its signature is sent; a finished trade
is in the book before its second signature is. A crash in between loses a message, which the next
session sends again, and no more.
"""

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import Identity
from protocol.ledger.record_contents import Trade, Waive
from protocol.ledger.records import LedgerRecord, content_id, sign_record, waive_of
from protocol.ledger.trading.card_store import CardStore
from protocol.ledger.trading.journal import Promise, SignatureJournal, sign_promise


class TradeSigner:
    """One person's signatures on trades with one partner."""

    def __init__(self, me: Identity, book: CardStore, journal: SignatureJournal) -> None:
        self._me, self._book, self._journal = me, book, journal

    def sign_first(self, trade: Trade, *, warned: bool) -> Promise:
        """Sign before the other does: the cards that go are reserved until they answer. Raises:
        LocalError.
        """
        promised = sign_promise(self._me, trade)
        self._journal.sign_once(promised, warned=warned)
        return promised

    def sign_second(self, trade: Trade, theirs: bytes, *, warned: bool) -> LedgerRecord:
        """Sign after the other has: the trade is finished. Raises: LocalError;
        RemoteError(BAD_SIGNATURE).
        """
        promised = sign_promise(self._me, trade, theirs)
        # before anything is stored: it says whether theirs is one
        record = promised.finished(theirs)
        self._journal.sign_once(promised, warned=warned)
        self._book.add([record])
        return record

    def finish(self, trade: bytes, partner: bytes, theirs: bytes) -> LedgerRecord | None:
        """The other has signed what was signed here first. None: this is no news, or comes after
        their waive.

        Raises: RemoteError(NOT_NOW) for a trade with them that was never signed here;
        RemoteError(BAD_SIGNATURE).
        """
        promised = self._promise(trade, partner)
        record, waits = promised.finished(theirs), self._waits(trade)
        self._book.add([record])  # after a waive, too: the two together name who signed both
        if not waits:
            return None
        self._journal.finish(trade, theirs)
        return record

    def previous_answer(self, trade: bytes) -> bytes | LedgerRecord | None:
        """What was answered to a trade before: the own signature under a finished one, a waive, or
        nothing yet.
        """
        promised = self._journal.promise_of(trade)
        if promised is None or promised.partner_signature is None:
            return self._journal.waive_of(trade)
        self._book.add(
            [promised.finished(promised.partner_signature)]
        )  # a crash may have come in between
        return promised.own_signature

    def waive(self, trade: Trade) -> LedgerRecord:
        """Sign that a trade was never finished, and never will be. Raises: LocalError if it was
        signed here.
        """
        record = sign_record(waive_of(trade, self._me.public), self._me)
        self._journal.waive_once(record)
        self._book.add([record])
        return record

    def release(self, record: LedgerRecord, partner: bytes) -> bytes | None:
        """The other waives. The trade whose cards are free again by it, if there is one.

        Raises: RemoteError(BAD_TRADE) if it is no waive of theirs; RemoteError(NOT_NOW) for a trade
        that was never signed here.
        """
        waive = record.content
        if not isinstance(waive, Waive) or waive.creator != partner:
            raise RemoteError(Code.BAD_TRADE)
        promised = self._promise(waive.trade, partner)
        # with other slots it would not travel with what uses them next
        if waive != waive_of(promised.trade, partner):
            raise RemoteError(Code.BAD_TRADE)
        waits = self._waits(waive.trade)
        self._book.add([record])
        # a finished one, too: it does not count any more, and names who waived it
        self._journal.release(waive.trade)
        return waive.trade if waits else None

    def pending(self, partner: bytes) -> tuple[Promise, ...]:
        """What was signed here first, and this partner has not answered."""
        return tuple(one for one in self._journal.reserved() if one.partner == partner)

    def waives_of(self, card: bytes) -> tuple[bytes, ...]:
        """Ids of the waives by which this card is free again: without them its next trade would
        look like a second.
        """
        return tuple(
            content_id(waive_of(one.trade, one.partner)) for one in self._journal.released(card)
        )

    def _promise(self, trade: bytes, partner: bytes) -> Promise:
        promised = self._journal.promise_of(trade)
        if promised is None or promised.partner != partner:
            raise RemoteError(Code.NOT_NOW)
        return promised

    def _waits(self, trade: bytes) -> bool:
        return any(one.id == trade for one in self._journal.reserved())
