"""A creator's shop and a buyer for tests of sales: records and journals in memory, and a line that
can break.
"""

from dataclasses import replace
from random import Random

from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.ledger.incremental_view import IncrementalLedgerView
from protocol.ledger.merge.merge_session import MergeSession
from protocol.ledger.record_contents import Creator
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import sign_record
from protocol.ledger.related_records import place_key
from protocol.ledger.runs.buyer import BuyerSession
from protocol.ledger.runs.sealed_run import RunPlan, build_run
from protocol.ledger.runs.seller import RunOnSale, SellerSession
from protocol.ledger.trading.journal import given_transfers, uncovered_promises
from tests.support.ledger import ANN, MAKER, TYPE


class Book:
    """Records with their view."""

    def __init__(self, *records):
        self.records, self.view = RecordSet(), IncrementalLedgerView()
        self.add(records)

    def find(self, record):
        return self.records.get(record)

    def add(self, records):
        for record in records:
            if self.records.add(record):
                self.view.add(record)

    def merge(self, salt, calling, given):
        return MergeSession(self.records, salt, calling, given)


class Journal:
    """Signed and waived trades. It refuses the same trades as a real journal."""

    def __init__(self):
        self.promises, self.waives, self.open = {}, {}, {}

    def sign_once(self, promised, *, warned=False):
        others = [one for one in self.promises.values() if one.id != promised.id]
        if promised.id in self.waives or any(
            uncovered_promises(
                [each for each in others if place_key(one) in each.places],
                one,
                promised.trade.waives,
            )
            for one in given_transfers(promised.trade, promised.me)
        ):
            raise LocalError("wrong.trade.closed")
        self.promises[promised.id] = promised
        if promised.partner_signature is None:
            self.open.setdefault(promised.id, promised)

    def waive_once(self, waive):
        if waive.content.trade in self.promises:
            raise LocalError("wrong.trade.closed")
        self.waives[waive.content.trade] = waive

    def finish(self, trade, theirs):
        self.open.pop(trade, None)

    def release(self, trade):
        self.open.pop(trade, None)
        self.promises[trade] = replace(self.promises[trade], released=True)

    def promises_at(self, place):
        return tuple(one for one in self.promises.values() if place in one.places)

    def promise_of(self, trade):
        return self.promises.get(trade)

    def waive_of(self, trade):
        return self.waives.get(trade)

    def reserved(self):
        return tuple(self.open.values())


class Till:
    """Runs on sale. `numbers` is the data that a disk would keep."""

    def __init__(self, *stock):
        self.runs, self.numbers, self.busy = stock, {}, set()

    def stock(self):
        return self.runs

    def face(self, type_id):
        return b"<svg/>"

    def begin(self, run_id):

        if run_id in self.busy:
            raise RemoteError(Code.NOT_NOW)
        self.busy.add(run_id)
        self.numbers[run_id] = self.numbers.get(run_id, -1) + 1
        return self.numbers[run_id]

    def end(self, run_id):
        self.busy.discard(run_id)


class Shop:
    """A creator with one run of 12 cards in 4 packs."""

    def __init__(self, price=0, seed=1):
        self.sealed = build_run(MAKER, RunPlan("First", 0, {TYPE.id: 12}, 3), Random(seed))
        named = sign_record(Creator(MAKER.public, 0, None, "Maker", None, "", (), 0), MAKER)
        self.book, self.journal = Book(TYPE, named, self.sealed.record), Journal()
        self.till, self.rng = Till(RunOnSale(self.sealed, price)), Random(seed)

    def visit(self, buyer=ANN, selling=SellerSession):
        return selling(MAKER, buyer.public, self.book, self.journal, self.till, self.rng)


class Buyer:
    """A person with records and a journal."""

    def __init__(self, me=ANN, seed=2):
        self.me, self.book, self.journal, self.rng = me, Book(), Journal(), Random(seed)

    def visit(self, shop, selling=SellerSession):
        return Line(
            BuyerSession(self.me, MAKER.public, self.book, self.journal, self.rng),
            shop.visit(self.me, selling),
        )


class Line:
    """Line that delivers payloads until both sides are silent, or breaks after a number of
    payloads.
    """

    def __init__(self, buying, selling):
        self.buying, self.selling, self.events, self.sent = buying, selling, [], []

    def run(self, most=10_000):
        """Deliver. Return the events of the buyer so far."""
        while True:
            ways = [(self.buying.outgoing(), self.selling), (self.selling.outgoing(), self.buying)]
            if not any(payloads for payloads, _ in ways):
                return self.events
            for payloads, side in ways:
                for payload in payloads:
                    if len(self.sent) >= most:
                        return self.events
                    self.sent.append(payload)
                    side.received(payload)
                    self.events += self.buying.events()

    def buy(self, paying=(), most=10_000):
        """Read the catalogue, and buy a pack of the only run."""
        self.buying.merge_runs(paying)
        self.run(most)
        if len(self.sent) < most:
            self.buying.buy(self.selling._till.stock()[0].run_id, paying)
            self.run(most)
        return self.events
