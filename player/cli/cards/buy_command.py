"""Command `fairdeal cards buy`: buys packs of sealed runs from a creator at a link."""

from player.cards.shops.shop_visit import (
    CreatorMet,
    PackOrder,
    ShopBuyer,
    ShopEvent,
    ShopVisit,
    VisitResult,
    shop_link,
    visit_shop,
)
from player.cli import arguments
from player.cli.cards.card_program import CLEAN, FAILED, Program
from player.ui.terminal.cards import card_text
from protocol.codes import code_phrase
from protocol.ledger.runs.buyer import PackBought, PackChosen, PaymentFreed, SaleRefused
from protocol.view.phrase import Phrase, phrase


async def buy(program: Program, visiting: type[ShopVisit]) -> int:
    """Buy packs. Return 1 if fewer packs came than the person wanted. Raises: LocalError."""
    args = program.args
    link = shop_link(args.link)
    own = program.collection.view.held_by(program.collection.me)
    paying = tuple(program.card(text, own) for text in args.pay)
    order = PackOrder(args.run or "", args.packs, paying)
    text = PurchaseText(program)
    buyer = ShopBuyer(
        program.identity, program.collection, program.rng, arguments.data_of(program.args)
    )
    result = await visit_shop(link, visiting(buyer, link, order, text.hear))
    text.end(result)
    if result.bought != args.packs:
        return FAILED
    program.tell_as_far()
    return CLEAN


class PurchaseText:
    """Lines about a visit to a shop."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._creator = b""

    def hear(self, event: ShopEvent) -> None:
        """Print what has happened."""
        program = self._program
        match event:
            case CreatorMet(creator):
                self._creator = creator
                program.tell(phrase("cards.buy.from", who=self._who()))
            case PackChosen(pack, unsold):
                program.tell(phrase("cards.buy.chosen", pack=pack, count=unsold))
            case PackBought():
                self._tell_pack(event)
            case SaleRefused(code):
                program.tell(phrase("cards.buy.refused", why=code_phrase(code)))
            case PaymentFreed():
                program.tell(phrase("cards.buy.freed"))

    def end(self, result: VisitResult) -> None:
        """Print what is left to say at the end."""
        program = self._program
        if result.code is not None:
            key = "cards.buy.faulty" if result.faulty else "cards.buy.cut"
            program.tell(phrase(key, why=code_phrase(result.code)))
        if result.unopened is not None:
            program.tell(phrase("cards.buy.unopened", who=self._who(), pack=result.unopened))
        if result.pending:
            program.tell(phrase("cards.buy.pending"))

    def _who(self) -> Phrase:
        return card_text.marked(self._program.showing().person(self._creator))

    def _tell_pack(self, event: PackBought) -> None:
        program = self._program
        showing = program.showing()
        cards = [showing.card(card.id) for card in event.cards]
        program.tell(*card_text.card_rows(cards, program.say))
        if not event.fits:
            program.tell(phrase("cards.buy.unfit"))
