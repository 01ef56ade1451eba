"""A visit at a creator's, as the buyer lives it: a state machine without sockets, files or clock
(chapter 28).

The creator opens its coin first, so that it cannot stop when it sees that the pack is a good one.
The buyer, who opens last, knows the number of a pack by then and nothing of what is in it: that
comes with the finished trade.
"""

from dataclasses import dataclass, field
from random import Random
from typing import Any

from protocol.codes import Code, parse_code
from protocol.crypto.joint_randomness import NONCE
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import Identity
from protocol.ledger.record_codec import content_bytes
from protocol.ledger.record_contents import Instance, PrintRun, Trade
from protocol.ledger.records import LedgerRecord, read_record
from protocol.ledger.runs import messages
from protocol.ledger.runs.sale_terms import (
    Receipt,
    SaleTerms,
    accept_terms,
    check_coin,
    check_terms,
    chosen_pack,
    commit_coin,
    read_receipt,
)
from protocol.ledger.runs.sealed_run import Pack, check_pack
from protocol.ledger.runs.seller import issue
from protocol.ledger.trading.card_store import CardStore, RecordMerge
from protocol.ledger.trading.journal import SignatureJournal
from protocol.ledger.trading.trade_signer import TradeSigner


@dataclass(frozen=True, slots=True)
class OnSale:
    """A run on the creator's shelf: how many packs are unsold, and how many of its cards each
    costs.
    """

    run_id: bytes
    unsold: int
    price: int


@dataclass(frozen=True, slots=True)
class ShopListing:
    """What there is to buy."""

    runs: tuple[OnSale, ...]


@dataclass(frozen=True, slots=True)
class RunsUpdated:
    """Records are as the creator has them."""


@dataclass(frozen=True, slots=True)
class TermsSigned:
    """The creator has signed the terms: to be kept, whatever comes of it."""

    receipt: Receipt


@dataclass(frozen=True, slots=True)
class PackChosen:
    """Both coins have chosen a pack: its number, of so many that were unsold."""

    pack: int
    unsold: int


@dataclass(frozen=True, slots=True)
class PackBought:
    """A finished trade. `asked`: in this visit, else it is the answer that an earlier one waited
    for.

    `fits`: whether the cards are of types that the run has; if not, trade and run prove it.
    """

    record: LedgerRecord
    cards: tuple[LedgerRecord, ...]
    asked: bool
    fits: bool


@dataclass(frozen=True, slots=True)
class ImageReceived:
    """An image; to be kept if a record names it."""

    image: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class SaleRefused:
    """The creator does not sell this now."""

    code: Code


@dataclass(frozen=True, slots=True)
class PaymentFreed:
    """The creator has waived a trade that we had signed: what was to be paid is free again."""

    trade: bytes


BuyerEvent = (
    ShopListing
    | RunsUpdated
    | TermsSigned
    | PackChosen
    | PackBought
    | ImageReceived
    | SaleRefused
    | PaymentFreed
)


@dataclass(slots=True)
class _Purchase:
    run: PrintRun
    nonce: bytes = field(repr=False)
    run_id: bytes = b""
    paid: tuple[Any, ...] = ()
    terms: SaleTerms | None = None
    number: int | None = None
    trade: Trade | None = None


class BuyerSession:
    """One visit. Whatever `received` raises, the visit is over: hang up. What we signed stays in
    the journal, and the next visit asks for the answer."""

    def __init__(
        self, me: Identity, creator: bytes, book: CardStore, journal: SignatureJournal, rng: Random
    ) -> None:
        self.creator = creator
        self._me, self._book, self._journal, self._rng = me, book, journal, rng
        self._signing = TradeSigner(me, book, journal)
        self._out: list[bytes] = []
        self._events: list[BuyerEvent] = []
        self._round = 0
        self._merge: RecordMerge | None = None
        self._done = True
        self._sale: _Purchase | None = None
        for promise in self._signing.pending(creator):
            self._send("sign", content_bytes(promise.trade), promise.own_signature)
        self._send("browse")

    def outgoing(self) -> list[bytes]:
        """What is to be sent, in this order, since the last call."""
        out, self._out = self._out, []
        return out

    def events(self) -> list[BuyerEvent]:
        """What has happened, since the last call."""
        events, self._events = self._events, []
        return events

    def merge_runs(self, showing: tuple[bytes, ...] = ()) -> None:
        """Merge: what the creator says of its runs and of cards we bought; it sees of ours what is
        `showing`.
        """
        salt = self._rng.randbytes(messages.MERGE_SALT)
        self._round, self._done = self._round + 1, False
        self._merge = self._book.merge(salt, True, showing)
        self._send("gather", self._round, salt)
        self._merged()

    def buy(self, run_id: bytes, paying: tuple[bytes, ...] = ()) -> None:
        """Ask for a pack of this run. Raises: LocalError for a run that is not known, or a card
        that is not ours.
        """
        record = self._book.find(run_id)
        if (
            record is None
            or not isinstance(record.content, PrintRun)
            or record.content.creator != self.creator
        ):
            raise LocalError("wrong.sale.run")
        view, side = self._book.view, int(self._me.public > self.creator)
        for instance in paying:
            held = view.holding(instance)
            if held is None or held.owner != self._me.public or held.burnt:
                raise LocalError("wrong.sale.card")
        slots = (view.next_transfer(instance, side) for instance in sorted(paying))
        paid = tuple((one.instance, one.index, one.prev, one.over) for one in slots)
        nonce = self._rng.randbytes(NONCE)
        self._sale = _Purchase(record.content, nonce, run_id, paid)
        self._send(
            "buy", run_id, commit_coin(run_id, self._me.public, nonce), [list(one) for one in paid]
        )

    def received(self, payload: bytes) -> None:
        """Take in what the creator sent. Raises: RemoteError; LocalError if the journal does not
        let us sign.
        """
        name, values = messages.decode_message(messages.OF_CREATOR, payload)
        getattr(self, f"_on_{name}")(*values)

    def _send(self, name: str, *values: object) -> None:
        self._out.append(messages.encode_message(messages.OF_BUYER, name, *values))

    def _on_shelf(self, runs: list[Any]) -> None:
        self._events.append(ShopListing(tuple(OnSale(*one) for one in runs)))

    def _on_merge(self, number: int, message: bytes) -> None:
        if self._merge is None or number > self._round:
            raise RemoteError(Code.NOT_NOW)
        if number == self._round:
            self._book.add(self._merge.received(message))
            self._merged()

    def _merged(self) -> None:
        assert self._merge is not None
        for message in self._merge.outgoing():
            self._send("merge", self._round, message)
        if self._merge.done and not self._done:
            self._done = True
            self._events.append(RunsUpdated())

    def _on_terms(self, raw: bytes) -> None:
        sale, receipt = self._at("terms"), read_receipt(raw)
        terms = receipt.terms
        check_terms(terms, sale.run)
        mine = commit_coin(sale.run_id, self._me.public, sale.nonce)
        if (terms.creator, terms.buyer, terms.run) != (self.creator, self._me.public, sale.run_id):
            raise RemoteError(Code.BAD_TERMS)
        if terms.buyers_coin != mine or terms.paid != sale.paid:
            raise RemoteError(Code.BAD_TERMS)
        sale.terms = terms
        self._events.append(TermsSigned(receipt))
        self._send("accept", accept_terms(self._me, terms))

    def _on_coin(self, nonce: bytes) -> None:
        sale = self._at("number")
        assert sale.terms is not None
        check_coin(sale.terms.creators_coin, sale.run_id, self.creator, nonce)
        sale.number = chosen_pack(sale.terms, nonce, sale.nonce)
        self._events.append(PackChosen(sale.number, len(sale.terms.packs())))
        self._send("opened", sale.nonce)

    def _on_pack(self, number: int, salt: bytes, instances: list[bytes], path: list[bytes]) -> None:
        sale = self._at("trade")
        assert sale.terms is not None
        if number != sale.number:
            raise RemoteError(Code.WRONG_PACK)
        pack = Pack(number, salt, tuple(instances))
        check_pack(sale.run, pack, path)
        sale.trade = issue(sale.terms, pack)
        promise = self._signing.sign_first(sale.trade, warned=False)
        self._send("sign", content_bytes(sale.trade), promise.own_signature)

    def _on_counter(self, trade_id: bytes, signature: bytes, raws: list[bytes]) -> None:
        promise = self._journal.promise_of(trade_id)
        if promise is None or promise.partner != self.creator:
            raise RemoteError(Code.NOT_NOW)
        cards = tuple(self._card(raw) for raw in raws)
        comes = [
            one.instance
            for one in promise.trade.transfers
            if promise.trade.giver(one) == self.creator
        ]
        if sorted(card.id for card in cards) != comes:
            raise RemoteError(Code.BAD_MESSAGE)
        self._book.add(cards)
        record = self._signing.finish(trade_id, self.creator, signature)
        if record is not None:
            asked = self._sale is not None and self._sale.trade == promise.trade
            self._events.append(PackBought(record, cards, asked, self._fit(cards)))
            self._sale = None if asked else self._sale

    def _on_image(self, data: bytes) -> None:
        self._events.append(ImageReceived(data))

    def _on_waive(self, raw: bytes) -> None:
        trade_id = self._signing.release(read_record(raw), self.creator)
        if trade_id is not None:
            self._events.append(PaymentFreed(trade_id))

    def _on_reject(self, code: str) -> None:
        self._sale = None
        self._events.append(SaleRefused(parse_code(code)))

    def _card(self, raw: bytes) -> LedgerRecord:
        record = read_record(raw)
        if not isinstance(record.content, Instance) or record.content.creator != self.creator:
            raise RemoteError(Code.BAD_MESSAGE)
        return record

    def _fit(self, cards: tuple[LedgerRecord, ...]) -> bool:
        types = None if self._sale is None else {type_id for type_id, _ in self._sale.run.copies}
        return types is None or all(
            isinstance(one.content, Instance) and one.content.type in types for one in cards
        )

    def _at(self, missing: str) -> _Purchase:
        """The sale, if this is the next thing that it lacks. Raises: RemoteError(NOT_NOW)."""
        sale = self._sale
        lacks = (
            None
            if sale is None
            else next((name for name in _ORDER if getattr(sale, name) is None), None)
        )
        if sale is None or lacks != missing:
            raise RemoteError(Code.NOT_NOW)
        return sale


_ORDER = ("terms", "number", "trade")
