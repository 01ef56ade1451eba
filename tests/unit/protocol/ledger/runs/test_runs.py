"""A sale from both sides: the buyer gets the sealed pack, and a side that stops gains nothing."""

from dataclasses import replace

import pytest

from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.ledger.record_codec import content_bytes
from protocol.ledger.record_contents import CardTransfer, Trade
from protocol.ledger.records import sign_content, sign_record
from protocol.ledger.runs.buyer import (
    PackBought,
    PackChosen,
    PaymentFreed,
    RunsUpdated,
    SaleRefused,
    ShopListing,
    TermsSigned,
)
from protocol.ledger.runs.messages import OF_BUYER, OF_CREATOR, decode_message, encode_message
from protocol.ledger.runs.run_opening import check_run_opening
from protocol.ledger.runs.sale_terms import bitmap, contradict, sign_terms
from protocol.ledger.runs.seller import SellerSession, unsold_packs
from protocol.ledger.trading.journal import sign_promise
from protocol.limits import MAX_SALES_ASKED, MAX_TRANSFERS
from tests.support.ledger import ANN, BOB, MAKER, TYPE, card, free, slot_of, trade_of, traded
from tests.support.sales import Buyer, Line, Shop


def held_by(buyer):
    return set(buyer.book.view.held_by(buyer.me.public))


def what(events, kind):
    return [event for event in events if isinstance(event, kind)]


def test_given_pack_is_the_sealed_one():
    shop, ann = Shop(), Buyer()
    events = ann.visit(shop).buy()
    (shelf,), (chosen,), (bought,) = (
        what(events, ShopListing),
        what(events, PackChosen),
        what(events, PackBought),
    )
    assert [(one.run_id, one.unsold, one.price) for one in shelf.runs] == [
        (shop.sealed.record.id, 4, 0)
    ]
    assert what(events, RunsUpdated) and chosen.unsold == 4
    pack = shop.sealed.packs[chosen.pack]
    assert {one.id for one in bought.cards} == held_by(ann) == set(pack.instances)
    assert bought.fits and bought.record.content.transfers[0].prev is None
    assert set(unsold_packs(shop.sealed, shop.book.view)) == {0, 1, 2, 3} - {chosen.pack}


def test_run_sells_all_packs_once_then_can_be_opened():
    shop, ann = Shop(), Buyer()
    packs = [what(ann.visit(shop).buy(), PackChosen)[0].pack for _ in range(4)]
    assert sorted(packs) == [0, 1, 2, 3] and len(held_by(ann)) == 12
    assert what(ann.visit(shop).buy(), SaleRefused) == [SaleRefused(Code.SOLD_OUT)]
    cards = {
        id_: ann.book.find(id_).content for pack in shop.sealed.packs for id_ in pack.instances
    }
    check_run_opening(shop.sealed.run, shop.sealed.packs, cards)


def test_pack_payment_happens_in_same_trade_and_cards_return():
    shop, ann = Shop(price=2), Buyer()
    old = [card(serial) for serial in range(100, 103)]
    ann.book.add([TYPE, *old])
    ann.book.add([traded(MAKER, ANN, free(ann.book.view, *old))])
    paying = tuple(one.id for one in old[:2])
    (bought,) = what(ann.visit(shop).buy(paying), PackBought)
    assert held_by(ann) == {old[2].id, *(one.id for one in bought.cards)}
    assert shop.book.view.holding(old[0].id).owner == MAKER.public
    assert len(bought.record.content.transfers) == 5


@pytest.mark.parametrize("gives", [0, 1, 3])
def test_price_other_than_asked_is_refused_unsigned(gives):
    shop, ann = Shop(price=2), Buyer()
    old = [card(serial) for serial in range(100, 103)]
    ann.book.add([TYPE, *old])
    ann.book.add([traded(MAKER, ANN, free(ann.book.view, *old))])
    events = ann.visit(shop).buy(tuple(one.id for one in old[:gives]))
    assert what(events, SaleRefused) == [SaleRefused(Code.BAD_TERMS)] and not ann.journal.promises
    assert not shop.till.busy


def test_foreign_cards_are_no_payment():
    shop, ann = Shop(price=1), Buyer()
    kind = sign_record(replace(TYPE.content, creator=BOB.public), BOB)
    theirs = card(5, kind, BOB)
    ann.book.add([kind, theirs])
    ann.book.add([traded(BOB, ANN, free(ann.book.view, theirs))])
    assert what(ann.visit(shop).buy((theirs.id,)), SaleRefused) == [SaleRefused(Code.BAD_TERMS)]
    with pytest.raises(LocalError):
        ann.visit(shop).buy((card(7).id,))


def test_payment_card_known_as_spent_is_refused():
    shop, ann = Shop(price=1), Buyer()
    old = card(100)
    ann.book.add([TYPE, old])
    ann.book.add([traded(MAKER, ANN, free(ann.book.view, old))])
    shop.book.add([old, *ann.book.records, traded(ANN, BOB, free(ann.book.view, old))])
    assert what(ann.visit(shop).buy((old.id,)), SaleRefused) == [SaleRefused(Code.NOT_OWNED)]


def test_seller_sends_no_card_details_before_buyer_signs():
    shop, ann = Shop(), Buyer()
    line = ann.visit(shop)
    line.buy()
    names = [
        decode_message(OF_CREATOR, one)[0]
        if one not in sent_by_buyer(line)
        else decode_message(OF_BUYER, one)[0]
        for one in line.sent
    ]
    before = b"".join(line.sent[: names.index("sign")])
    raws = [record.raw for record in shop.sealed.cards.values()]
    assert (
        not any(raw in before for raw in raws)
        and sum(raw in b"".join(line.sent) for raw in raws) == 3
    )


def sent_by_buyer(line):
    return {one for one in line.sent if accepted(OF_BUYER, one) and not accepted(OF_CREATOR, one)}


def accepted(rows, payload):
    try:
        return bool(decode_message(rows, payload))
    except RemoteError:
        return False


class Swapping(SellerSession):
    """Shop that knows the chosen pack, and prefers to give another one."""

    def _send(self, name, *values):
        if name == "pack":
            number, *_ = values
            other = self._sale.stock.sealed.packs[(number + 1) % 4]
            values = self.swap(number, other)
        super()._send(name, *values)

    def swap(self, number, other):
        """Give another pack under its own number."""
        return (
            other.number,
            other.salt,
            list(other.instances),
            list(self._sale.stock.sealed.path(other.number)),
        )


class Disguising(Swapping):
    """Shop that gives another pack under the chosen number."""

    def swap(self, number, other):
        return number, other.salt, list(other.instances), list(self._sale.stock.sealed.path(number))


@pytest.mark.parametrize(
    ("selling", "code"), [(Swapping, Code.WRONG_PACK), (Disguising, Code.BAD_SEALED_PACK)]
)
def test_creator_swapping_pack_after_coin_is_refused(selling, code):
    """Test 13."""
    shop, ann = Shop(), Buyer()
    with pytest.raises(RemoteError) as error:
        ann.visit(shop, selling).buy()
    assert error.value.code is code and not ann.journal.promises and not held_by(ann)


class Choosing(SellerSession):
    """Shop that opens its coin to other bytes than it committed to."""

    def _send(self, name, *values):
        super()._send(name, *((bytes(32),) if name == "coin" else values))


class Hiding(SellerSession):
    """Shop that later signs other unsold packs, or other terms."""

    def _send(self, name, *values):
        if name == "terms":
            terms = replace(self._sale.terms, **self.lie())
            values = (sign_terms(MAKER, terms).raw(),)
        super()._send(name, *values)

    def lie(self):
        return {"buyers_coin": bytes(32)}


class Foreign(Hiding):
    def lie(self):
        return {"unsold": bitmap([6], 8)}


@pytest.mark.parametrize(
    ("selling", "code"),
    [(Choosing, Code.BAD_NONCE), (Hiding, Code.BAD_TERMS), (Foreign, Code.BAD_TERMS)],
)
def test_creator_changing_coin_or_terms_is_refused(selling, code):
    """Test 17."""
    shop, ann = Shop(), Buyer()
    with pytest.raises(RemoteError) as error:
        ann.visit(shop, selling).buy()
    assert error.value.code is code and not ann.journal.promises


def test_buyer_opening_other_coin_is_refused_and_pack_stays():
    shop, ann = Shop(), Buyer()
    line = ann.visit(shop)
    line.buying.merge_runs()
    line.run()
    line.buying.buy(shop.sealed.record.id)
    line.buying._sale.nonce = bytes(32)
    with pytest.raises(RemoteError):
        line.run()
    line.selling.close()
    assert len(unsold_packs(shop.sealed, shop.book.view)) == 4 and not shop.till.busy


def test_second_buyer_waits_until_first_ends():
    bob = Buyer(BOB, 3)
    for most in range(100):
        shop = Shop()
        line = Buyer().visit(shop)
        line.buy(most=most)
        if shop.till.busy:
            break
    assert what(bob.visit(shop).buy(), SaleRefused) == [SaleRefused(Code.NOT_NOW)]
    line.selling.close()
    assert what(bob.visit(shop).buy(), PackBought)


@pytest.mark.slow
def test_line_cut_anywhere_costs_no_card_and_is_repaired():
    whole = Buyer().visit(Shop())
    whole.buy()
    for most in range(len(whole.sent)):
        shop, ann = Shop(), Buyer()
        line = ann.visit(shop)
        receipts = [event.receipt for event in what(line.buy(most=most), TermsSigned)]
        line.selling.close()
        again = ann.visit(shop)
        events = again.run()
        assert not ann.journal.reserved(), most
        assert held_by(ann) == set(shop.book.view.held_by(ANN.public)), most
        assert (
            what(events, PackBought)
            or what(events, PaymentFreed)
            or not held_by(ann)
            or what(line.events, PackBought)
        )
        receipts += [event.receipt for event in what(again.buy(), TermsSigned)]
        assert held_by(ann) and not any(
            contradict(one.terms, other.terms) for one in receipts for other in receipts
        )
        assert not shop.book.view.alarms and not ann.book.view.alarms


def test_seller_with_journaled_trade_repeats_the_same_trade():
    shop, ann = Shop(), Buyer()
    line = ann.visit(shop)
    line.buy(most=0)
    (bought,) = what(ann.visit(shop).buy(), PackBought)
    sign_promise = ann.journal.promise_of(bought.record.id)
    ann.journal.open[sign_promise.id] = sign_promise  # as if the answer had been lost
    again = ann.visit(shop).run()
    assert [event.record.id for event in what(again, PackBought)] == [bought.record.id]
    assert len(unsold_packs(shop.sealed, shop.book.view)) == 3


def test_sale_message_not_due_ends_the_visit():
    for name, values in (
        ("accept", (bytes(64),)),
        ("opened", (bytes(32),)),
        ("merge", (1, b"x")),
        ("gather", (2, bytes(16))),
    ):
        with pytest.raises(RemoteError):
            Shop().visit().received(encode_message(OF_BUYER, name, *values))
    for payload in (b"", b"\xc0", b"\x90", b"\x91\xa3buy", b"\x91\xa6_begin", b"\x91\x01"):
        with pytest.raises(RemoteError):
            Shop().visit().received(payload)
        with pytest.raises(RemoteError):
            Line(*_two()).buying.received(payload)


def _two():
    shop, ann = Shop(), Buyer()
    line = ann.visit(shop)
    return line.buying, line.selling


def test_visit_has_limit_on_creator_writes():
    selling = Shop(price=1).visit()
    with pytest.raises(RemoteError) as error:
        for _ in range(MAX_SALES_ASKED + 1):
            selling.received(encode_message(OF_BUYER, "buy", bytes(32), bytes(32), [], []))
    assert error.value.code is Code.TOO_MANY


def test_card_returned_as_payment_does_not_free_its_pack():
    shop, ann = Shop(), Buyer()
    (bought,) = what(ann.visit(shop).buy(), PackBought)
    back = traded(ANN, MAKER, free(ann.book.view, *bought.cards))
    shop.book.add([back])
    assert len(unsold_packs(shop.sealed, shop.book.view)) == 3


def test_run_of_another_creator_is_not_sold():
    shop, ann = Shop(), Buyer()
    ann.book.add([TYPE, sign_record(replace(shop.sealed.run, creator=BOB.public), BOB)])
    foreign = sign_record(replace(shop.sealed.run, creator=BOB.public), BOB)
    line = ann.visit(shop)
    line.run()
    for run_id in (foreign.id, bytes(32)):
        with pytest.raises(LocalError):
            line.buying.buy(run_id)


def test_waives_of_invented_trades_are_limited_per_visit():
    shop = Shop()
    selling = shop.visit()
    made_up = [trade_of(MAKER, ANN, [slot_of(bytes([number]) * 32)]) for number in range(40)]
    with pytest.raises(RemoteError) as error:
        for trade in made_up:
            selling.received(
                encode_message(OF_BUYER, "sign", content_bytes(trade), sign_content(ANN, trade))
            )
    assert error.value.code is Code.TOO_MANY and len(shop.journal.waives) < 20


def test_creator_cannot_buy_from_itself():
    shop = Shop()
    selling = shop.visit(MAKER)
    selling.received(encode_message(OF_BUYER, "buy", shop.sealed.record.id, bytes(32), [], []))
    (answer,) = selling.outgoing()
    assert decode_message(OF_CREATOR, answer) == ("reject", ["bad_terms"])


def test_pack_without_valid_trade_is_not_signed():
    """A creator can seal packs of 64 cards and charge a card for one, or pack the very card that
    pays. A promise for either would make the buyer's journal unreadable for ever.
    """
    ids = [bytes([number]) * 32 for number in range(MAX_TRANSFERS + 1)]
    a, b = sorted((ANN.public, MAKER.public))
    for many in (ids, [ids[0], ids[0]]):
        with pytest.raises(RemoteError) as refused:
            sign_promise(
                ANN, Trade(a, b, tuple(CardTransfer(one, 0, 0, None, None) for one in many))
            )
        assert refused.value.code is Code.BAD_CONTENT
