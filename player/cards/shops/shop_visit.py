"""Visits to the shop of a creator: a person looks at the runs on sale, and buys packs.

Commands and pages use the same visit. It reports events; the caller finds the words for them. A
signed purchase stays in the journal, and the next visit to the same creator asks for its answer.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from player.cards.collection import Collection
from player.cards.shops.known_shops import KnownShops
from player.client.connection import Connection, connect
from player.storage.files import write_whole
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import Identity, JoinLink
from protocol.ledger.runs.buyer import (
    BuyerEvent,
    BuyerSession,
    ImageReceived,
    OnSale,
    PackBought,
    PackChosen,
    RunsUpdated,
    SaleRefused,
    ShopListing,
    TermsSigned,
)
from protocol.ledger.trading.journal import Promise
from protocol.limits import MAX_SALES_ASKED, SALE_SECONDS

RECEIPTS = "receipts"  # folder for the signed terms of all sales, in the data folder
MAX_PACKS = MAX_SALES_ASKED // 4  # packs of one visit; others need the rest of the shop's allowance


@dataclass(frozen=True, slots=True)
class CreatorMet:
    """The shop has proved the key of its creator."""

    creator: bytes


ShopEvent = CreatorMet | BuyerEvent
Hear = Callable[[ShopEvent], None]


@dataclass(frozen=True)
class PackOrder:
    """Packs that a person wants. `run`: the id of a run in hexadecimal, or its beginning; empty:
    the only run on sale. `paying`: own cards for all packs together. `price`: the price of a pack
    that the person has seen; None: not seen yet.
    """

    run: str = ""
    packs: int = 1
    paying: tuple[bytes, ...] = ()
    price: int | None = None


@dataclass(frozen=True)
class VisitResult:
    """Result of a visit. `bought`: packs of this visit. `code`: why the line ended too early; None:
    the visit went to its end. `faulty`: the shop sent something wrong, and this program hung up.
    `unopened`: the pack that the coin chose and that did not come. `pending`: the person has signed
    a purchase that the shop has not answered.
    """

    bought: int
    code: Code | None
    faulty: bool
    unopened: int | None
    pending: bool


class ShopBuyer:
    """A person who buys in shops: key, cards, and data folder."""

    def __init__(self, identity: Identity, collection: Collection, rng: Random, data: Path) -> None:
        self.identity = identity
        self.collection = collection
        self.rng = rng
        self.known = KnownShops(data)
        self._receipts = data / RECEIPTS

    def store_receipt(self, signed: TermsSigned) -> None:
        """Store the signed terms of a sale. Raises: LocalError."""
        terms = signed.receipt.terms
        name = f"{terms.run.hex()[:8]}-{terms.number}.receipt"
        write_whole(self._receipts / name, signed.receipt.raw())

    async def visit(self, link: JoinLink, order: PackOrder | None, hear: Hear) -> VisitResult:
        """Visit a shop: buy the packs of `order`, or only look (None). Raises: LocalError."""
        return await visit_shop(link, ShopVisit(self, link, order, hear))

    def unanswered(self) -> tuple[Promise, ...]:
        """Return the purchases that this person has signed and no shop has answered."""
        return tuple(filter(self._is_purchase, self.collection.store.journal.reserved()))

    def _is_purchase(self, promise: Promise) -> bool:
        """Check whether a promise is a purchase: the cards of a pack are unknown before the shop
        answers, and those of any other trade are known.
        """
        comes = received(promise)
        return bool(comes) and not any(card in self.collection.index.instances for card in comes)


def received(promise: Promise) -> list[bytes]:
    """Return the cards that the partner of a promise gives."""
    trade = promise.trade
    return [one.instance for one in trade.transfers if trade.giver(one) == promise.partner]


def shop_link(text: str) -> JoinLink:
    """Return the link to a shop. Raises: LocalError if `text` is no link, or one to a table."""
    link = JoinLink.parse(text)
    if not link.direct:
        raise LocalError("wrong.table_link", link=str(link))
    return link


async def visit_shop(link: JoinLink, visit: "ShopVisit") -> VisitResult:
    """Connect to a shop, and stay until the visit ends. Raises: LocalError."""
    buyer = visit.buyer
    connection = await connect(link, buyer.identity, buyer.rng, link.fingerprint, visit)
    ended = asyncio.create_task(visit.ended.wait())
    try:
        ends: set[asyncio.Future[Any]] = {ended, connection.gone}
        silent = await _wait_for_end(ends, visit)
    finally:
        ended.cancel()
        connection.close()
        code = await connection.gone
    if visit.ended.is_set():
        return visit.result(None)
    # a shop that hangs up without a reason has cut the visit off, too
    return visit.result(Code.TOO_SLOW if silent else code or Code.CUT_OFF)


async def _wait_for_end(ends: set[asyncio.Future[Any]], visit: "ShopVisit") -> bool:
    """Wait for the end of a visit. Return True if the creator was silent for `visit.patience`
    seconds.
    """
    while True:
        before = visit.heard
        done, _ = await asyncio.wait(
            ends, timeout=visit.patience, return_when=asyncio.FIRST_COMPLETED
        )
        if done or visit.heard == before:
            return not done


class ShopVisit:
    """A visit at a creator's shop (a `player.client.connection.Listener`).

    `patience`: seconds to wait for the creator's next message.
    """

    patience: float = SALE_SECONDS

    def __init__(
        self, buyer: ShopBuyer, link: JoinLink, order: PackOrder | None, hear: Hear
    ) -> None:
        """`order`: packs to buy; None: the visit ends when all runs on sale are known. `hear` gets
        each event.
        """
        self.buyer = buyer
        self._link = link
        self._order = order
        self._hear = hear
        self._bought = 0
        self._run: OnSale | None = None
        self._connection: Connection | None = None
        self._buying: BuyerSession | None = None
        self._failed: LocalError | None = None
        self._faulty = False
        # number of the pack that the coin chose; None when its cards have arrived
        self._chosen: int | None = None
        self.heard = 0  # received messages
        self.ended = asyncio.Event()

    def established(self, connection: Connection, table_key: bytes) -> None:
        """Begin the session, once the creator has proved its key."""
        buyer = self.buyer
        self._connection = connection
        self._buying = BuyerSession(
            buyer.identity,
            table_key,
            buyer.collection,
            buyer.collection.store.journal,
            buyer.rng,
        )
        try:
            buyer.known.remember(self._link, table_key)
            self._hear(CreatorMet(table_key))
            self._flush(self._buying)
        except LocalError as error:
            self._fail(error)

    def received(self, payload: bytes) -> None:
        """Handle a message of the creator. Raises: RemoteError; the caller then closes the
        connection.
        """
        assert self._buying is not None
        self.heard += 1
        try:
            self._buying.received(payload)
            self._flush(self._buying)
        except LocalError as error:
            self._fail(error)
        except RemoteError:
            self._faulty = True
            raise

    def _fail(self, error: LocalError) -> None:
        self._failed = error
        self.ended.set()

    def result(self, code: Code | None) -> VisitResult:
        """Return the result. `code`: why the line has ended before the visit. Raises: LocalError if
        this side could not go on.
        """
        if self._failed is not None:
            raise self._failed
        unopened = pending = None
        if self._buying is not None:
            unopened = self._chosen
            journal = self.buyer.collection.store.journal
            creator = self._buying.creator
            pending = any(one.partner == creator for one in journal.reserved())
        return VisitResult(self._bought, code, self._faulty, unopened, bool(pending))

    def _flush(self, buying: BuyerSession) -> None:
        while events := buying.events():
            for event in events:
                self._on(buying, event)
        for payload in buying.outgoing():
            if self._connection is not None:
                self._connection.send(payload)

    def _on(self, buying: BuyerSession, event: BuyerEvent) -> None:
        match event:
            case ShopListing():
                self._choose(buying, event)
            case TermsSigned():
                self.buyer.store_receipt(event)
            case PackChosen(pack):
                self._chosen = pack
            case ImageReceived(image):
                self.buyer.collection.store_images([image])
            case PackBought(asked=True):
                self._bought += 1
                self._chosen = None
        self._hear(event)
        match event:
            case RunsUpdated() | PackBought(asked=True):
                self._next(buying)
            case SaleRefused():
                self.ended.set()

    def _choose(self, buying: BuyerSession, shelf: ShopListing) -> None:
        """Choose the run of the order: the named run, or else the only run with unsold packs.
        Raises: LocalError.
        """
        order = self._order
        if order is None:
            buying.merge_runs()
            return
        found = [
            one
            for one in shelf.runs
            if one.unsold and one.run_id.hex().startswith(order.run.lower())
        ]
        if len(found) != 1:
            runs = ", ".join(one.run_id.hex()[:8] for one in found)
            raise (
                LocalError("wrong.cards.buy.which", runs=runs)
                if found
                else LocalError("wrong.cards.buy.none")
            )
        (one,) = found
        if order.price not in (None, one.price):
            raise LocalError("wrong.cards.buy.changed")
        if len(order.paying) != one.price * order.packs:
            raise LocalError(
                "wrong.cards.buy.price",
                count=one.price,
                packs=order.packs,
                all=one.price * order.packs,
            )
        self._run = one
        buying.merge_runs(order.paying)

    def _next(self, buying: BuyerSession) -> None:
        """Buy the next pack, or end the visit."""
        order = self._order
        if order is None or self._bought == order.packs:
            self.ended.set()
            return
        assert self._run is not None
        start = self._run.price * self._bought
        buying.buy(self._run.run_id, order.paying[start : start + self._run.price])
