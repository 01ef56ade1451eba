"""Command `fairdeal cards buy`: buys packs of sealed runs from a creator at a link."""

import asyncio
from typing import Any

from player.cli import arguments
from player.cli.cards.card_program import CLEAN, FAILED, Program
from player.client.connection import Connection, connect
from player.storage.files import write_whole
from player.ui.terminal.cards import card_text
from protocol.codes import Code, code_phrase
from protocol.errors import LocalError
from protocol.identity.keys import JoinLink
from protocol.ledger.runs.buyer import (
    BuyerEvent,
    BuyerSession,
    ImageReceived,
    PackBought,
    PackChosen,
    PaymentFreed,
    RunsUpdated,
    SaleRefused,
    ShopListing,
    TermsSigned,
)
from protocol.limits import SALE_SECONDS
from protocol.view.phrase import phrase

RECEIPTS = "receipts"


async def buy(program: Program, visiting: "type[ShopVisit]") -> int:
    """Buy packs. Return 1 if fewer packs came than the person wanted. Raises: LocalError."""
    link = JoinLink.parse(program.args.link)
    if not link.direct:
        raise LocalError("wrong.table_link", link=str(link))
    own = program.collection.view.held_by(program.collection.me)
    visit = visiting(program, tuple(program.card(text, own) for text in program.args.pay))
    connection = await connect(link, program.identity, program.rng, link.fingerprint, visit)
    ended = asyncio.create_task(visit.ended.wait())
    try:
        ends: set[asyncio.Future[Any]] = {ended, connection.gone}
        silent = await _wait_for_end(ends, visit)
    finally:
        ended.cancel()
        connection.close()
        code = await connection.gone
    return visit.result(None if visit.ended.is_set() else Code.TOO_SLOW if silent else code)


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

    def __init__(self, program: Program, paying: tuple[bytes, ...]) -> None:
        self._program = program
        self._paying = paying
        self._wanted: int = program.args.packs
        self._bought = 0
        self._run: bytes | None = None
        self._price = 0
        self._connection: Connection | None = None
        self._buying: BuyerSession | None = None
        self._failed: LocalError | None = None
        # number of the pack that the coin chose; None when its cards have arrived
        self._chosen: int | None = None
        self.heard = 0  # received messages
        self.ended = asyncio.Event()

    def established(self, connection: Connection, table_key: bytes) -> None:
        """Begin the session, once the creator has proved its key."""
        program = self._program
        self._connection = connection
        self._buying = BuyerSession(
            program.identity,
            table_key,
            program.collection,
            program.collection.store.journal,
            program.rng,
        )
        program.tell(
            phrase("cards.buy.from", who=card_text.marked(program.showing().person(table_key)))
        )
        self._flush(self._buying)

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
            self._failed = error
            self.ended.set()

    def result(self, code: Code | None) -> int:
        """Tell the result, and return the exit code. Raises: LocalError."""
        if self._failed is not None:
            raise self._failed
        if code is not None:
            self._program.tell(phrase("cards.buy.cut", why=code_phrase(code)))
        if self._chosen is not None and self._buying is not None:
            who = card_text.marked(self._program.showing().person(self._buying.creator))
            self._program.tell(phrase("cards.buy.unopened", who=who, pack=self._chosen))
        journal = self._program.collection.store.journal
        if self._buying is not None and any(
            one.partner == self._buying.creator for one in journal.reserved()
        ):
            self._program.tell(phrase("cards.buy.pending"))
        return CLEAN if self._bought == self._wanted else FAILED

    def _flush(self, buying: BuyerSession) -> None:
        while events := buying.events():
            for event in events:
                self._on(buying, event)
        for payload in buying.outgoing():
            if self._connection is not None:
                self._connection.send(payload)

    def _on(self, buying: BuyerSession, event: BuyerEvent) -> None:
        program = self._program
        match event:
            case ShopListing():
                self._choose(buying, event)
            case RunsUpdated():
                self._next(buying)
            case TermsSigned(receipt):
                name = f"{receipt.terms.run.hex()[:8]}-{receipt.terms.number}.receipt"
                write_whole(arguments.data_of(program.args) / RECEIPTS / name, receipt.raw())
            case PackChosen(pack, unsold):
                self._chosen = pack
                program.tell(phrase("cards.buy.chosen", pack=pack, count=unsold))
            case ImageReceived(image):
                program.collection.store_images([image])
            case PackBought():
                self._got(buying, event)
            case SaleRefused(code):
                program.tell(phrase("cards.buy.refused", why=code_phrase(code)))
                self.ended.set()
            case PaymentFreed():
                program.tell(phrase("cards.buy.freed"))

    def _choose(self, buying: BuyerSession, shelf: ShopListing) -> None:
        """Choose the run that the person named, or else the only run with unsold packs. Raises:
        LocalError.
        """
        named = self._program.args.run or ""
        found = [
            one for one in shelf.runs if one.unsold and one.run_id.hex().startswith(named.lower())
        ]
        if len(found) != 1:
            runs = ", ".join(one.run_id.hex()[:8] for one in found)
            raise (
                LocalError("wrong.cards.buy.which", runs=runs)
                if found
                else LocalError("wrong.cards.buy.none")
            )
        (one,) = found
        if len(self._paying) != one.price * self._wanted:
            raise LocalError(
                "wrong.cards.buy.price",
                count=one.price,
                packs=self._wanted,
                all=one.price * self._wanted,
            )
        self._run = one.run_id
        self._price = one.price
        buying.merge_runs(self._paying)

    def _next(self, buying: BuyerSession) -> None:
        assert self._run is not None
        start = self._price * self._bought
        buying.buy(self._run, self._paying[start : start + self._price])

    def _got(self, buying: BuyerSession, event: PackBought) -> None:
        program = self._program
        program.tell(
            *card_text.card_rows(
                [program.showing().card(card.id) for card in event.cards], program.say
            )
        )
        if not event.fits:
            program.tell(phrase("cards.buy.unfit"))
        if not event.asked:  # the pack of an earlier visit that was cut off
            return
        self._bought = self._bought + 1
        self._chosen = None
        if self._bought == self._wanted:
            program.tell_as_far()
            self.ended.set()
        else:
            self._next(buying)
