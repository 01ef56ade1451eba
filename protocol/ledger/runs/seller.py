"""Creator's side of a visit: a state machine without sockets, files or clock (chapter 28).

    received(payload)  a payload of the buyer, over a line that has authenticated the buyer's key
    outgoing()         payloads to send
    close()            the line has ended for any reason: a sale in progress is off

From the terms to the end of a sale, nobody else may buy from this run: the `SaleStore` enforces
this.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

from protocol.codes import Code
from protocol.crypto.joint_randomness import NONCE
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import Identity
from protocol.ledger.record_contents import CardTransfer, Instance, Trade
from protocol.ledger.records import LedgerRecord, content_id
from protocol.ledger.runs import messages
from protocol.ledger.runs.sale_terms import (
    SaleTerms,
    bitmap,
    check_accepted,
    check_coin,
    chosen_pack,
    commit_coin,
    sign_terms,
)
from protocol.ledger.runs.sealed_run import Pack, SealedRun, pack_count
from protocol.ledger.trading.card_store import CardStore, OwnershipView, RecordMerge
from protocol.ledger.trading.journal import SignatureJournal
from protocol.ledger.trading.trade_content import read_trade
from protocol.ledger.trading.trade_signer import TradeSigner
from protocol.limits import MAX_SALE_IMAGE, MAX_SALES_ASKED, MAX_TRANSFERS

_WAIVE_COST = (
    16  # requests that a waive counts as: it is stored for ever, and nobody has paid for it
)


@dataclass(frozen=True, slots=True)
class RunOnSale:
    """A run on sale. `price`: number of the creator's own cards for a pack, or 0 for a gift."""

    sealed: SealedRun
    price: int

    @property
    def run_id(self) -> bytes:
        """Id of the run's record."""
        return self.sealed.record.id


class SaleStore(Protocol):
    """State shared by all visits to one creator."""

    def stock(self) -> Sequence[RunOnSale]:
        """Return the runs on sale, including those sold out."""

    def face(self, type_id: bytes) -> bytes | None:
        """Return the present image of a type, if it has one."""

    def begin(self, run_id: bytes) -> int:
        """Begin a sale, and return its number: one more than that of the last sale ever. The number
        is on disk on return.

        Raises: RemoteError(NOT_NOW) during another sale of this run.
        """

    def end(self, run_id: bytes) -> None:
        """End the sale in progress."""


@dataclass(slots=True)
class _Sale:
    """A sale in progress. `trade`: the trade that the buyer has to sign, once both coins are
    open.
    """

    stock: RunOnSale
    terms: SaleTerms
    nonce: bytes = field(repr=False)
    accepted: bool = False
    trade: Trade | None = None


class SellerSession:
    """A visit of a buyer. After an error in `received` the visit is over, and the caller must
    call `close`.
    """

    def __init__(
        self,
        me: Identity,
        buyer: bytes,
        book: CardStore,
        journal: SignatureJournal,
        till: SaleStore,
        rng: Random,
    ) -> None:
        """Begin a visit. `book` does not need the cards of sealed packs; sold cards are added to
        it.
        """
        self.buyer = buyer
        self._me = me
        self._book = book
        self._till = till
        self._rng = rng
        self._signing = TradeSigner(me, book, journal)
        self._out: list[bytes] = []
        self._sale: _Sale | None = None
        self._round = 0
        self._merge: RecordMerge | None = None
        self._given: set[bytes] = {stock.run_id for stock in till.stock()}
        self._asked = 0
        self._shown: set[bytes] = set()  # types whose images have been sent
        self._sold: list[LedgerRecord] = []

    def outgoing(self) -> list[bytes]:
        """Return the payloads to send since the last call, in order."""
        out = self._out
        self._out = []
        return out

    def finished_trades(self) -> list[LedgerRecord]:
        """Return the trades finished since the last call."""
        sold = self._sold
        self._sold = []
        return sold

    @property
    def buying(self) -> bool:
        """A sale is in progress."""
        return self._sale is not None

    def close(self) -> None:
        """Note the end of the line. A chosen pack that is not paid for stays unsold."""
        if self._sale is not None:
            self._till.end(self._sale.stock.run_id)
            self._sale = None

    def received(self, payload: bytes) -> None:
        """Process a payload of the buyer.

        Raises: RemoteError; LocalError if the journal does not permit the signature.
        """
        name, values = messages.decode_message(messages.OF_BUYER, payload)
        getattr(self, f"_on_{name}")(*values)

    def _send(self, name: str, *values: object) -> None:
        self._out.append(messages.encode_message(messages.OF_CREATOR, name, *values))

    def _on_browse(self) -> None:
        view = self._book.view
        self._send(
            "shelf",
            [
                [one.run_id, len(unsold_packs(one.sealed, view)), one.price]
                for one in self._till.stock()
            ],
        )

    def _on_gather(self, number: int, salt: bytes) -> None:
        self._count()
        if number != self._round + 1:
            raise RemoteError(Code.BAD_MESSAGE)
        self._round, self._merge = number, self._book.merge(salt, False, sorted(self._given))
        self._merged()

    def _on_merge(self, number: int, message: bytes) -> None:
        if self._merge is None or number != self._round:
            raise RemoteError(Code.NOT_NOW)
        self._book.add(self._merge.received(message))
        self._merged()

    def _merged(self) -> None:
        assert self._merge is not None
        for message in self._merge.outgoing():
            self._send("merge", self._round, message)

    def _on_buy(
        self, run_id: bytes, commitment: bytes, paid: list[Any], waives: list[bytes]
    ) -> None:
        if self._sale is not None:
            raise RemoteError(Code.NOT_NOW)
        self._count()
        try:
            cards = tuple((one[0], one[1], one[2], one[3]) for one in paid)
            self._begin(run_id, commitment, cards, tuple(waives))
        # the buyer may have made an honest mistake, so the line stays open
        except RemoteError as error:
            self._send("reject", str(error.code))

    def _begin(
        self,
        run_id: bytes,
        commitment: bytes,
        paid: tuple[tuple[bytes, int, bytes | None, bytes | None], ...],
        waives: tuple[bytes, ...],
    ) -> None:
        if self.buyer == self._me.public:
            raise RemoteError(Code.BAD_TERMS)
        stock = next((one for one in self._till.stock() if one.run_id == run_id), None)
        packs = () if stock is None else unsold_packs(stock.sealed, self._book.view)
        if stock is None or not packs:
            raise RemoteError(Code.SOLD_OUT)
        self._check_paid(paid, waives, stock.price)
        if len(paid) + stock.sealed.run.pack_size > MAX_TRANSFERS:
            raise RemoteError(Code.BAD_TERMS)
        number = self._till.begin(run_id)
        nonce = self._rng.randbytes(NONCE)
        mine = commit_coin(run_id, self._me.public, nonce)
        left = bitmap(packs, pack_count(stock.sealed.run))
        keys = self._me.public, self.buyer
        terms = SaleTerms(*keys, run_id, number, left, mine, commitment, paid, waives)
        self._sale = _Sale(stock, terms, nonce)
        self._send("terms", sign_terms(self._me, terms).raw())

    def _check_paid(
        self,
        paid: tuple[tuple[bytes, int, bytes | None, bytes | None], ...],
        waives: tuple[bytes, ...],
        price: int,
    ) -> None:
        """Check that the buyer pays with the creator's own cards, owns them, and names the right
        links and waives.

        All this is judged by the creator's own records.
        """
        if len(paid) != price or [one[0] for one in paid] != sorted({one[0] for one in paid}):
            raise RemoteError(Code.BAD_TERMS)
        side = int(self.buyer > self._me.public)
        transfers = tuple(
            CardTransfer(card, side, index, prev, over) for card, index, prev, over in paid
        )
        for transfer in transfers:
            card = self._book.find(transfer.instance)
            held = self._book.view.holding(transfer.instance)
            if (
                card is None
                or not isinstance(card.content, Instance)
                or card.content.creator != self._me.public
            ):
                raise RemoteError(Code.BAD_TERMS)
            if held is None or held.owner != self.buyer or held.burnt:
                raise RemoteError(Code.NOT_OWNED)
            if self._book.view.next_transfer(transfer.instance, side) != transfer:
                raise RemoteError(Code.OTHER_TRADE)
        a, b = sorted((self._me.public, self.buyer))
        if list(waives) != sorted(set(waives)) or not self._book.view.can_hold(
            Trade(a, b, transfers, waives=waives)
        ):
            raise RemoteError(Code.OTHER_TRADE)

    def _on_accept(self, signature: bytes) -> None:
        sale = self._at(accepted=False)
        check_accepted(sale.terms, signature)
        sale.accepted = True
        self._send("coin", sale.nonce)

    def _on_opened(self, nonce: bytes) -> None:
        sale = self._at(accepted=True)
        check_coin(sale.terms.buyers_coin, sale.terms.run, self.buyer, nonce)
        number = chosen_pack(sale.terms, sale.nonce, nonce)
        pack = sale.stock.sealed.packs[number]
        sale.trade = issue(sale.terms, pack)
        self._send(
            "pack", number, pack.salt, list(pack.instances), list(sale.stock.sealed.path(number))
        )

    def _on_sign(self, content: bytes, signature: bytes) -> None:
        """Process the buyer's signature, for this sale or for an earlier one whose line broke
        before the answer.
        """
        self._count()
        trade = read_trade(content, self._me.public, self.buyer)
        trade_id = content_id(trade)
        if self._sale is not None and self._sale.trade == trade:
            self._finish(self._sale, trade, signature)
            return
        answer = self._signing.previous_answer(trade_id)
        if isinstance(answer, bytes):
            self._counter(trade, answer)
        else:
            self._count(_WAIVE_COST)
            self._send("waive", (answer or self._signing.waive(trade)).raw)

    def _finish(self, sale: _Sale, trade: Trade, signature: bytes) -> None:
        """Finish a sale. The cards are stored before the trade, and both before the creator's
        signature leaves.
        """
        cards = sale.stock.sealed.cards
        self._book.add(cards[one.instance] for one in trade.transfers if one.instance in cards)
        try:
            record = self._signing.sign_second(trade, signature, warned=False)
        except LocalError:
            self.close()
            raise
        self.close()
        self._sold.append(record)
        mine = self._signing.previous_answer(record.id)
        assert isinstance(mine, bytes)
        self._counter(trade, mine)

    def _counter(self, trade: Trade, mine: bytes) -> None:
        ours = [one.instance for one in trade.transfers if trade.giver(one) == self._me.public]
        cards = [record for one in ours if (record := self._book.find(one)) is not None]
        self._given.update(ours)
        self._send_faces(
            {card.content.type for card in cards if isinstance(card.content, Instance)}
        )
        self._send("counter", content_id(trade), mine, [card.raw for card in cards])

    def _send_faces(self, types: set[bytes]) -> None:
        """Send each type's image once in a visit. An image too large for a message must come
        another way.
        """
        for type_id in sorted(types - self._shown):
            face = self._till.face(type_id)
            if face is not None and len(face) <= MAX_SALE_IMAGE:
                self._send("image", face)
        self._shown |= types

    def _at(self, accepted: bool) -> _Sale:
        """Return the sale if it is at this step. Raises: RemoteError(NOT_NOW)."""
        if self._sale is None or self._sale.accepted != accepted or self._sale.trade is not None:
            raise RemoteError(Code.NOT_NOW)
        return self._sale

    def _count(self, cost: int = 1) -> None:
        """Count requests that cost the creator a write or a merge. Raises:
        RemoteError(TOO_MANY).
        """
        self._asked += cost
        if self._asked > MAX_SALES_ASKED:
            raise RemoteError(Code.TOO_MANY)


def unsold_packs(sealed: SealedRun, view: OwnershipView) -> tuple[int, ...]:
    """Return the packs whose cards have never been in a trade. Void trades and payments count as
    trades.
    """
    return tuple(
        pack.number for pack in sealed.packs if all(_untouched(view, one) for one in pack.instances)
    )


def _untouched(view: OwnershipView, instance: bytes) -> bool:
    held = view.holding(instance)
    if held is None:
        return True
    return (
        held.trade is None
        and not held.burnt
        and view.next_transfer(instance, 0) == CardTransfer(instance, 0, 0, None, None)
        and not view.listed_waives(instance)
    )


def issue(terms: SaleTerms, pack: Pack) -> Trade:
    """Return the trade that hands over a pack and its payment."""
    a, b = sorted((terms.creator, terms.buyer))
    side = int(terms.creator == b)
    made = [CardTransfer(instance, side, 0, None, None) for instance in pack.instances]
    moved = sorted((*made, *terms.transfers(1 - side)), key=lambda one: one.instance)
    return Trade(a, b, tuple(moved), waives=terms.waives)
