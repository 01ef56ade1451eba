"""The shop window: what a shop sells, the purchase under way, and its end, from the events of a
visit.

A visit goes on whatever the page shows meanwhile. A purchase that is cut off stays in the journal.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from player.cards.card_models import PrintShown, RunShown
from player.cards.card_presenter import CardPresenter
from player.cards.shops.shop_visit import (
    MAX_PACKS,
    CreatorMet,
    PackOrder,
    ShopBuyer,
    ShopEvent,
    VisitResult,
)
from player.ui.web.cards.trade_window import direct_link
from protocol.codes import code_phrase
from protocol.errors import LocalError
from protocol.identity.keys import JoinLink, fingerprint
from protocol.ledger.runs.buyer import (
    OnSale,
    PackBought,
    PackChosen,
    PaymentFreed,
    SaleRefused,
    ShopListing,
    TermsSigned,
)
from protocol.view.phrase import Phrase, phrase

STEPS_BEFORE = 2  # steps of a visit before the first pack: the shop has answered, its list is here
STEPS_A_PACK = 3  # its terms are signed, the coin has chosen it, its cards are here
NOBODY = "wrong.no_answer.direct"  # nobody answers at the link
NO_LINK = "wrong.link"  # the beginning of all reasons why a text is no link
Changed = Callable[[bool], None]


class ShopWindow:
    """View of one visit at a time, and the person's actions there."""

    def __init__(
        self, buyer: ShopBuyer, showing: Callable[[], CardPresenter], changed: Changed
    ) -> None:
        """`changed` is called after each change; its argument says whether the collection has
        changed.
        """
        self._buyer = buyer
        self._showing = showing
        self._changed = changed
        self._link: JoinLink | None = None
        self._order: PackOrder | None = None
        self._creator = b""  # empty until the shop has proved its key
        self._runs: tuple[OnSale, ...] = ()
        self._status: Phrase | None = None
        self._notes: tuple[Phrase, ...] = ()  # what went wrong, and what to do
        self._steps = 0
        self._bought = 0
        self._opened: tuple[bytes, ...] = ()
        self._packs: tuple[int, ...] = ()  # numbers of cards in each pack that is opened
        self._visit: asyncio.Task[None] | None = None

    @property
    def is_open(self) -> bool:
        """Return True from the first visit of a shop until the person leaves it."""
        return self._link is not None

    @property
    def running(self) -> bool:
        """Return True during a visit."""
        return self._visit is not None

    @property
    def buying(self) -> bool:
        """Return True during a purchase."""
        return self.running and self._order is not None

    # --- actions of the person ---

    def act(self, asked: dict[str, Any]) -> None:
        """Carry out an action that the page requests. Raises: LocalError."""
        match asked:
            case {"do": "look", "link": text}:
                self._look(_shop_link(text))
            case {"do": "buy", "run": run, "packs": packs, "pay": pay}:
                self._buy(run, packs, _identifiers(pay))
            case {"do": "leave"}:
                self._leave()
            case {"do": "forget", "key": key}:
                self._buyer.known.forget(key)
            case _:
                raise LocalError("web.not_offered")
        self._changed(False)

    def _look(self, link: JoinLink) -> None:
        """Ask a shop what it sells, and for answers that it owes. Raises: LocalError."""
        self._forbid_second_purchase()
        self._cancel()
        self._link = link
        self._creator = b""
        self._runs = ()
        self._begin(None)

    def _buy(self, run: str, packs: int, paying: tuple[bytes, ...]) -> None:
        """Buy packs of a run that is shown. Raises: LocalError."""
        self._forbid_second_purchase()
        found = [one for one in self._runs if one.run_id.hex() == run]
        if self._link is None or self.running or not found:
            raise LocalError("web.not_offered")
        (one,) = found
        most = min(one.unsold, MAX_PACKS)
        if not 1 <= packs <= most:
            raise LocalError("wrong.cards.buy.packs", most=most)
        if len(set(paying)) != one.price * packs:
            raise LocalError("wrong.cardshop.pay", count=one.price * packs)
        if self._buyer.collection.store.journal.is_outdated():
            raise LocalError("wrong.trade.old")
        self._begin(PackOrder(run, packs, paying, one.price))

    def _forbid_second_purchase(self) -> None:
        if self.buying:
            raise LocalError("wrong.cardshop.busy")

    def _begin(self, order: PackOrder | None) -> None:
        assert self._link is not None
        self._order = order
        self._status = phrase("cardshop.calling")
        self._notes = ()
        self._steps = self._bought = 0
        self._opened = ()
        self._packs = ()
        self._visit = asyncio.create_task(self._visited(self._link, order))

    def _leave(self) -> None:
        """Close the window, but not during a purchase. Raises: LocalError."""
        self._forbid_second_purchase()
        self._cancel()
        self._link = self._status = None
        self._runs = self._opened = ()
        self._packs = ()
        self._notes = ()

    def _cancel(self) -> None:
        visit = self._visit
        self._visit = None
        if visit is not None:
            visit.cancel()

    async def close(self) -> None:
        """Hang up. A purchase that is signed stays in the journal."""
        visit = self._visit
        self._cancel()
        if visit is not None:
            await asyncio.wait([visit])

    async def _visited(self, link: JoinLink, order: PackOrder | None) -> None:
        """Visit the shop to the end."""
        this = asyncio.current_task()

        def hear(event: ShopEvent) -> None:
            if self._visit is this:  # else it is the last word of a visit that was given up
                self._hear(event)

        try:
            result = await self._buyer.visit(link, order, hear)
        except LocalError as error:
            self._fail(error)
        else:
            self._end(result)
        finally:
            if self._visit is this:
                self._visit = None
        self._changed(True)

    # --- events ---

    def _hear(self, event: ShopEvent) -> None:
        """Handle an event of the visit."""
        match event:
            case CreatorMet(creator):
                self._creator = creator
                self._advance(1, phrase("cardshop.met"))
            case ShopListing(runs):
                self._runs = tuple(one for one in runs if one.unsold)
                self._advance(STEPS_BEFORE, phrase("cardshop.listing"))
            case TermsSigned():
                self._advance(self._before_pack() + 1, phrase("cardshop.signed"))
            case PackChosen(pack, unsold):
                text = phrase("cards.buy.chosen", pack=pack, count=unsold)
                self._advance(self._before_pack() + 2, text)
            case PackBought():
                self._take(event)
            case PaymentFreed():
                self._notes = (*self._notes, phrase("cards.buy.freed"))
            case SaleRefused(code):
                why = code_phrase(code)
                self._notes = (*self._notes, phrase("cardshop.refused", why=why))
        self._buyer.collection.view.update()
        self._changed(isinstance(event, PackBought))

    def _before_pack(self) -> int:
        return STEPS_BEFORE + STEPS_A_PACK * self._bought

    def _advance(self, steps: int, status: Phrase) -> None:
        self._steps = steps
        self._status = status

    def _take(self, event: PackBought) -> None:
        """Show the cards of a pack, and count it if it is one of this purchase."""
        self._opened = (*self._opened, *(card.id for card in event.cards))
        self._packs = (*self._packs, len(event.cards))
        if event.asked:
            self._bought += 1
            self._advance(self._before_pack(), phrase("cardshop.pack", count=self._bought))
        else:
            self._notes = (*self._notes, phrase("cardshop.late"))
        if not event.fits:
            self._notes = (*self._notes, phrase("cards.buy.unfit"))

    def _fail(self, error: LocalError) -> None:
        """Show why this side could not go on."""
        self._status = phrase("cardshop.failed")
        why = error.phrase
        if why.key == NOBODY:
            why = phrase("cardshop.nobody", **dict(why.args))
        self._notes = (*self._notes, why)

    def _end(self, result: VisitResult) -> None:
        """Show how the visit has ended, and what to do."""
        wanted = self._order.packs if self._order is not None else 0
        if result.code is not None:
            self._status = phrase("cardshop.failed")
            why = code_phrase(result.code)
            key = "cardshop.faulty" if result.faulty else "cardshop.cut"
            self._notes = (*self._notes, phrase(key, why=why))
            if self._order is not None and not result.pending:
                self._notes = (*self._notes, phrase("cardshop.unpaid"))
        elif self._order is None:
            self._status = phrase("cardshop.choose" if self._runs else "cardshop.sold_out")
        elif result.bought == wanted:
            self._status = phrase("cardshop.done", count=wanted)
        else:
            self._status = phrase("cardshop.failed")
        if result.unopened is not None:
            self._notes = (*self._notes, phrase("cardshop.unopened", pack=result.unopened))
        if result.pending:
            self._notes = (*self._notes, phrase("cardshop.pending"))
        self._count_down(result.bought)

    def _count_down(self, bought: int) -> None:
        """Show fewer unsold packs after a purchase; the next visit says it exactly."""
        if self._order is None:
            return
        self._runs = tuple(
            OnSale(one.run_id, one.unsold - bought, one.price)
            if one.run_id.hex() == self._order.run
            else one
            for one in self._runs
            if one.run_id.hex() != self._order.run or one.unsold > bought
        )

    # --- view ---

    def shown(self) -> dict[str, Any] | None:
        """Return the window for a snapshot; None while no shop is open."""
        if self._link is None:
            return None
        showing = self._showing()
        known = showing.collection.index.instances
        packs = self._order.packs if self._order is not None else 0
        return {
            "link": str(self._link),
            "creator": showing.person(self._creator) if self._creator else None,
            "status": self._status,
            "notes": self._notes,
            "running": self.running,
            "buying": self.buying,
            "done": self._steps,
            "steps": STEPS_BEFORE + STEPS_A_PACK * packs,
            "runs": () if self.running else self._shown_runs(showing),
            "opened": tuple(showing.card(card) for card in self._opened if card in known),
            "packs": self._packs,
        }

    def _shown_runs(self, showing: CardPresenter) -> list[dict[str, Any]]:
        """Return the runs on sale whose records are known."""
        if self._creator not in showing.collection.index.creators:
            return []
        made = {run.id: run for run in showing.creator(self._creator).runs}
        return [
            _on_sale(one, made[one.run_id.hex()], showing.contents(self._creator, one.run_id))
            for one in self._runs
            if one.run_id.hex() in made
        ]

    def listed(self) -> dict[str, Any]:
        """Return the shops of earlier visits, and the purchases that no shop has answered. Raises:
        LocalError.
        """
        showing = self._showing()
        links = {link.fingerprint: link for link in self._buyer.known.links()}
        people = {whole: key for key, (whole, _) in showing.people().items()}
        shops = [
            {
                "key": key,
                "link": str(link),
                "address": link.address_text,
                "creator": showing.person(people[key]) if key in people else None,
            }
            for key, link in links.items()
        ]
        unanswered = [
            {
                "id": promise.id.hex(),
                "creator": showing.person(promise.partner),
                "link": str(links.get(fingerprint(promise.partner)) or ""),
                "pays": tuple(map(showing.card, promise.cards)),
            }
            for promise in self._buyer.unanswered()
        ]
        return {"shops": shops, "unanswered": unanswered}


def _shop_link(text: str) -> JoinLink:
    """Return the link to a shop. Raises: LocalError, which says what a shop's link looks like."""
    try:
        return direct_link(text)
    except LocalError as error:
        if error.phrase.key.startswith(NO_LINK):
            raise LocalError("cardshop.link") from None
        raise


def _on_sale(one: OnSale, run: RunShown, contents: tuple[PrintShown, ...]) -> dict[str, Any]:
    return {
        "run": run.id,
        "edition": run.edition,
        "number": run.number,
        "unsold": one.unsold,
        "most": min(one.unsold, MAX_PACKS),
        "packs": run.packs,
        "size": run.pack_size,
        "price": one.price,
        "cards": run.cards,
        "contents": contents,
    }


def _identifiers(text: str) -> tuple[bytes, ...]:
    """Decode ids in hexadecimal with spaces between them. Raises: LocalError."""
    try:
        return tuple(map(bytes.fromhex, text.split()))
    except ValueError:
        raise LocalError("web.not_offered") from None
