"""Buyer's side of a visit to a creator: a state machine without sockets, files or clock (chapter
28).

Creator and buyer toss a coin for the pack: both commit to random bytes and open them later. The
creator opens first. So it cannot stop after it has seen that a good pack was chosen. The buyer
opens last, and learns only the number of the pack before the trade is finished. The cards come with
the finished trade.
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
from protocol.limits import MAX_TRADE_WAIVES


@dataclass(frozen=True, slots=True)
class OnSale:
    """A run that a creator sells: the number of unsold packs, and the price of a pack in the
    creator's cards.
    """

    run_id: bytes
    unsold: int
    price: int


@dataclass(frozen=True, slots=True)
class ShopListing:
    """The creator's list of runs on sale."""

    runs: tuple[OnSale, ...]


@dataclass(frozen=True, slots=True)
class RunsUpdated:
    """The creator's records have been merged."""


@dataclass(frozen=True, slots=True)
class TermsSigned:
    """The creator has signed the terms. The receipt must be stored, whatever the result of the
    sale.
    """

    receipt: Receipt


@dataclass(frozen=True, slots=True)
class PackChosen:
    """The coin toss of creator and buyer has chosen a pack, out of `unsold` packs."""

    pack: int
    unsold: int


@dataclass(frozen=True, slots=True)
class PackBought:
    """A finished trade. `asked`: bought in this visit; otherwise it is the answer to an earlier
    visit.

    `fits`: all cards are of types in the run. If not, trade and run prove the creator's lie.
    """

    record: LedgerRecord
    cards: tuple[LedgerRecord, ...]
    asked: bool
    fits: bool


@dataclass(frozen=True, slots=True)
class ImageReceived:
    """An image, to be stored if a record names it."""

    image: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class SaleRefused:
    """The creator refuses this sale for now."""

    code: Code


@dataclass(frozen=True, slots=True)
class PaymentFreed:
    """The creator has waived a trade that the buyer had signed: the cards of the payment are free
    again.
    """

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
    waives: tuple[bytes, ...] = ()
    terms: SaleTerms | None = None
    number: int | None = None
    trade: Trade | None = None


class BuyerSession:
    """A visit to a creator. After an error in `received` the visit is over, and the caller closes
    the line.

    Signed trades stay in the journal, and the next visit asks for the answers.
    """

    def __init__(
        self, me: Identity, creator: bytes, book: CardStore, journal: SignatureJournal, rng: Random
    ) -> None:
        self.creator = creator
        self._me = me
        self._book = book
        self._journal = journal
        self._rng = rng
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
        """Return the payloads to send since the last call, in order."""
        out = self._out
        self._out = []
        return out

    def events(self) -> list[BuyerEvent]:
        """Return the events since the last call."""
        events = self._events
        self._events = []
        return events

    def merge_runs(self, showing: tuple[bytes, ...] = ()) -> None:
        """Merge the creator's records about its runs and about bought cards. The creator may see
        the own cards in `showing`, with the waives that a trade of them lists.
        """
        listed = self._signing.required_waives(showing)
        salt = self._rng.randbytes(messages.MERGE_SALT)
        self._round = self._round + 1
        self._done = False
        self._merge = self._book.merge(salt, True, (*showing, *listed))
        self._send("gather", self._round, salt)
        self._merged()

    def buy(self, run_id: bytes, paying: tuple[bytes, ...] = ()) -> None:
        """Ask for a pack of this run, and pay with the cards `paying`.

        Raises: LocalError for an unknown run, a card that the buyer does not own, or cards of which
        others have refused too many trades.
        """
        record = self._book.find(run_id)
        if (
            record is None
            or not isinstance(record.content, PrintRun)
            or record.content.creator != self.creator
        ):
            raise LocalError("wrong.sale.run")
        view = self._book.view
        side = int(self._me.public > self.creator)
        for instance in paying:
            held = view.holding(instance)
            if held is None or held.owner != self._me.public or held.burnt:
                raise LocalError("wrong.sale.card")
        slots = (view.next_transfer(instance, side) for instance in sorted(paying))
        paid = tuple((one.instance, one.index, one.prev, one.over) for one in slots)
        waives = self._signing.required_waives(paying)
        if len(waives) > MAX_TRADE_WAIVES:
            raise LocalError("wrong.trade.waives", most=MAX_TRADE_WAIVES)
        nonce = self._rng.randbytes(NONCE)
        self._sale = _Purchase(record.content, nonce, run_id, paid, waives)
        coin = commit_coin(run_id, self._me.public, nonce)
        self._send("buy", run_id, coin, [list(one) for one in paid], list(waives))

    def received(self, payload: bytes) -> None:
        """Process a payload of the creator.

        Raises: RemoteError; LocalError if the journal does not permit the signature.
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
        sale = self._at("terms")
        receipt = read_receipt(raw)
        terms = receipt.terms
        check_terms(terms, sale.run)
        mine = commit_coin(sale.run_id, self._me.public, sale.nonce)
        if (terms.creator, terms.buyer, terms.run) != (self.creator, self._me.public, sale.run_id):
            raise RemoteError(Code.BAD_TERMS)
        asked = mine, sale.paid, sale.waives
        if (terms.buyers_coin, terms.paid, terms.waives) != asked:
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
        if self._sale is None:
            types = None
        else:
            types = {type_id for type_id, _ in self._sale.run.copies}
        return types is None or all(
            isinstance(one.content, Instance) and one.content.type in types for one in cards
        )

    def _at(self, missing: str) -> _Purchase:
        """Return the sale if the field `missing` is the next to be filled. Raises:
        RemoteError(NOT_NOW).
        """
        sale = self._sale
        if sale is None:
            lacks = None
        else:
            lacks = next((name for name in _ORDER if getattr(sale, name) is None), None)
        if sale is None or lacks != missing:
            raise RemoteError(Code.NOT_NOW)
        return sale


_ORDER = ("terms", "number", "trade")
