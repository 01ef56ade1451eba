"""A small world for the search: an honest giver, cheats, and honest receivers.

Ann owns a card, and Dan, who is a cheat, gave another card to Carol, who is one as well. Ann signs
trades of her card as her program allows by what she knows. Cheats refuse, finish what they have
refused, spend Carol's card twice, there or before it came to her, and waive what they like. Eve and
Fay are honest: what Eve gets she gives to Fay.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from protocol.errors import LocalError
from protocol.games.decks import Owned
from protocol.games.decks.evidence import gave_away
from protocol.games.decks.ledger_ownership import LedgerOwnership, objection
from protocol.identity.keys import Identity
from protocol.ledger.incremental_view import IncrementalLedgerView
from protocol.ledger.record_contents import CardTransfer, Content, Trade
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord, sign_record, waive_of
from protocol.ledger.related_records import place_key
from protocol.ledger.trade_links import transfer_of
from protocol.ledger.trading.journal import Promise, uncovered_promises
from protocol.ledger.view import evaluate
from protocol.limits import MAX_DISPUTE
from tests.properties.evidence.slot_rule import SlotView
from tests.support.ledger import (
    ANN,
    BOB,
    CAROL,
    DAN,
    EVE,
    MAKER,
    TYPE,
    WITNESSES,
    card,
    maker,
    seen,
    trade_of,
)

FAY = BOB
GUS = Identity(bytes([7]) * 32)
CHEATS = (CAROL, DAN, GUS)
HONEST = frozenset(one.public for one in (ANN, EVE, FAY, MAKER))
BY_KEY = {one.public: one for one in (ANN, BOB, CAROL, DAN, EVE, GUS, MAKER)}


@cache
def signed(content: Content) -> LedgerRecord:
    """Make a record with all its signatures."""
    keys = (content.a, content.b) if isinstance(content, Trade) else (content.creator,)
    return sign_record(content, *(BY_KEY[key] for key in keys))


@cache
def waived(trade: LedgerRecord, by: bytes) -> LedgerRecord:
    """Make the waive of a trade by one of its parties."""
    assert isinstance(trade.content, Trade)
    return signed(waive_of(trade.content, by))


@cache
def word(trade: LedgerRecord) -> tuple[LedgerRecord, ...]:
    """Make the attestations that certify a trade."""
    assert isinstance(trade.content, Trade)
    cards = {MINE.id: MINE, THEIRS.id: THEIRS}
    return tuple(
        seen(trade, cards[one.instance], WITNESSES[0], number)
        for number, one in enumerate(trade.content.transfers)
    )


def gift(giver, taker, prev: LedgerRecord | None, one: LedgerRecord, index: int) -> LedgerRecord:
    link = None if prev is None else prev.id
    return signed(trade_of(giver, taker, [CardTransfer(one.id, 0, index, link, None)]))


MINE, THEIRS = card(1), card(2)
TO_ANN = gift(MAKER, ANN, None, MINE, 0)
TO_DAN = gift(MAKER, DAN, None, THEIRS, 0)
TO_CAROL = gift(DAN, CAROL, TO_DAN, THEIRS, 1)
BASE = (maker(1, 1), TYPE, MINE, THEIRS, TO_ANN, TO_DAN, TO_CAROL)
SPENT = gift(CAROL, DAN, TO_CAROL, THEIRS, 2)  # Carol's card, given to somebody else
SPENT_AGAIN = gift(CAROL, GUS, TO_CAROL, THEIRS, 2)  # and to a third cheat
UPSTREAM = gift(DAN, MAKER, TO_DAN, THEIRS, 1)  # the same, before it came to Carol
PLAYED = Owned(MINE.raw, (TYPE.raw,), (TO_ANN.raw,))


@dataclass(frozen=True)
class Menu:
    """Moves of cheats in a search. `third`: a third cheat takes part."""

    signatures: int = 2
    upstream: bool = True
    witnesses: bool = False
    over: bool = True
    third: bool = False


class State(NamedTuple):
    """Trades that Ann has signed, in order, and what she knows besides `BASE`."""

    signed: tuple[LedgerRecord, ...] = ()
    known: frozenset[LedgerRecord] = frozenset()


def partner(trade: LedgerRecord) -> bytes:
    """Return the key of Ann's partner in a trade."""
    assert isinstance(trade.content, Trade)
    return trade.content.b if trade.content.a == ANN.public else trade.content.a


def is_cheat(key: bytes) -> bool:
    """Check for the key of a cheat."""
    return key not in HONEST


def possible(state: State, menu: Menu) -> list[tuple[LedgerRecord, ...]]:
    """Return everything that cheats can make, and that honest people have made, one item each."""
    found: list[tuple[LedgerRecord, ...]] = [(SPENT,), (waived(SPENT, DAN.public),)]
    if menu.upstream:
        found += [(UPSTREAM,), (waived(TO_CAROL, CAROL.public),)]
    if menu.third:
        found += [(SPENT_AGAIN,), (waived(SPENT_AGAIN, GUS.public),)]
    for trade in state.signed:
        assert isinstance(trade.content, Trade)
        if is_cheat(partner(trade)):
            found += [(trade,), (waived(trade, partner(trade)),)]
        else:
            answer = [one for one in state.known if one in (trade, waived(trade, partner(trade)))]
            found += [(one,) for one in answer]
            if trade in answer:
                index = 1 + transfer_of(trade.content, MINE.id).index
                found.append((gift(EVE, FAY, trade, MINE, index),))
        if menu.over and len(trade.content.transfers) > 1:
            theirs = transfer_of(trade.content, THEIRS.id)
            again = CardTransfer(THEIRS.id, 0, theirs.index + 1, theirs.prev, trade.id)
            for taker in (DAN, GUS) if menu.third else (DAN,):
                over = signed(trade_of(CAROL, taker, [again]))
                found += [(over,), (waived(over, taker.public),)]
    if menu.witnesses:
        trades = [one for (one,) in found if isinstance(one.content, Trade)]
        found += [word(one) for one in (TO_ANN, TO_DAN, TO_CAROL)]
        found += [word(one) for one in trades]
    return found


class ListedRule:
    """The rule of the product, by its own functions."""

    name = "listed waives"

    def __init__(self, third: bool = False) -> None:
        """Let Ann also trade with the third cheat, if `third`."""
        self._third = third

    def view(self, records: Iterable[LedgerRecord]) -> "ListedView":
        """Return the view of a set of records."""
        return ListedView(tuple(records))

    def offers(self, state: State) -> list[Trade]:
        """Return the trades that Ann's program signs now."""
        view = IncrementalLedgerView((*BASE, *state.known))
        held = view.holding(MINE.id)
        if held is None or held.owner != ANN.public or held.burnt:
            return []
        try:
            one = view.next_transfer(MINE.id, 0)
        except LocalError:
            return []
        before = uncovered_promises(_promises(state, one), one, ())
        if not all(promise.released for promise in before):
            return []
        waives = [waived(signed(each.trade), each.partner) for each in before]
        found = []
        for taker, takes in _partners(view, self._third):
            try:
                taken = [view.next_transfer(THEIRS.id, 0)] if takes else []
            except LocalError:
                continue
            trade = view.with_free_number(trade_of(ANN, taker, [one], taken, waives))
            if view.can_hold(trade):
                found.append(trade)
        return found

    def brings(self, state: State) -> str | None:
        """Return why Ann's program does not bring her card to a match; None if it does."""
        records = RecordSet((*BASE, *state.known))
        view = IncrementalLedgerView((*BASE, *state.known))
        reserved = any(
            trade not in state.known and waived(trade, partner(trade)) not in state.known
            for trade in state.signed
        )
        return objection(
            PLAYED, ANN.public, records, view, frozenset({MINE.id} if reserved else ())
        )

    def answers(self, state: State, shown: tuple[LedgerRecord, ...]) -> bool:
        """Check that Ann's program refutes a dispute, in an answer that fits."""
        if not gave_away(PLAYED, ANN.public, shown):
            return True
        raws = _oracle(state.known).defence(PLAYED, [one.raw for one in shown])
        ids = {record.raw: record for record in (*BASE, *state.known)}
        answer = tuple(ids[raw] for raw in raws)
        fits = sum(map(len, raws)) <= MAX_DISPUTE
        return fits and not gave_away(PLAYED, ANN.public, (*shown, *answer))


class ListedView:
    """View of a set by the product's rule."""

    def __init__(self, records: tuple[LedgerRecord, ...]) -> None:
        self._view = evaluate(records)
        self.live = self._view.live
        self.dead = self._view.dead

    def named(self) -> set[bytes]:
        """Return the keys that alarms name."""
        return {alarm.key for alarm in self._view.alarms}

    def owner(self, instance: bytes) -> tuple[bytes, bytes | None]:
        """Return the owner of a card, with the trade by which the owner got it."""
        held = self._view.holding(instance)
        assert held is not None
        return held.owner, held.trade

    def burnt(self, instance: bytes) -> bool:
        """Check that a card is burnt."""
        held = self._view.holding(instance)
        return held is not None and held.burnt


class SlotRule:
    """The rule before, for comparison."""

    name = "one trade for a slot"

    def view(self, records: Iterable[LedgerRecord]) -> SlotView:
        """Return the view of a set of records."""
        return SlotView(records)

    def offers(self, state: State) -> list[Trade]:
        """Return the trades that Ann's program signed then."""
        view = SlotView((*BASE, *state.known))
        one = view.next_transfer(MINE.id)
        if view.owner(MINE.id)[0] != ANN.public or one is None:
            return []
        for trade in state.signed:
            assert isinstance(trade.content, Trade)
            there = transfer_of(trade.content, MINE.id)
            same = (there.prev, there.over) == (one.prev, one.over)
            if same and waived(trade, partner(trade)) not in state.known:
                return []
        found = []
        for taker, takes in _partners(view):
            theirs = view.next_transfer(THEIRS.id)
            if takes and theirs is None:
                continue
            trade = trade_of(ANN, taker, [one], [theirs] if takes and theirs is not None else [])
            while view.waivers[signed(trade).id] & {trade.a, trade.b}:
                trade = Trade(trade.a, trade.b, trade.transfers, trade.number + 1)
            found.append(trade)
        return found

    def brings(self, state: State) -> str | None:
        """Return why Ann's program did not bring her card to a match; None if it did."""
        view = SlotView((*BASE, *state.known))
        reserved = any(
            trade not in state.known and waived(trade, partner(trade)) not in state.known
            for trade in state.signed
        )
        owned = view.owner(MINE.id) == (ANN.public, TO_ANN.id)
        return None if owned and view.next_transfer(MINE.id) and not reserved else "unowned"

    def answers(self, state: State, shown: tuple[LedgerRecord, ...]) -> bool:
        """Check that one record that Ann knows refutes a dispute, or all of them together."""
        place = MINE.id, TO_ANN.id, ANN.public
        # the accuser shows what the trade rests on as well
        if not SlotView((*BASE, *shown)).gave_away(*place):
            return True
        answers = [*((one,) for one in state.known), tuple(state.known)]
        return any(not SlotView((*BASE, *shown, *answer)).gave_away(*place) for answer in answers)


Rule = ListedRule | SlotRule


@lru_cache(maxsize=16)
def _oracle(known: frozenset[LedgerRecord]) -> LedgerOwnership:
    """Return what Ann's program asks about cards, by what she knows."""
    records = (*BASE, *known)
    return LedgerOwnership(RecordSet(records), IncrementalLedgerView(records))


def _promises(state: State, one: CardTransfer) -> list[Promise]:
    found = []
    for trade in state.signed:
        assert isinstance(trade.content, Trade)
        released = waived(trade, partner(trade)) in state.known
        promise = Promise(trade.id, trade.content, ANN.public, b"", None, released)
        if place_key(one) in promise.places:
            found.append(promise)
    return found


def _partners(view: IncrementalLedgerView | SlotView, third: bool = False):
    """Return the people with whom Ann may trade, and whether they give the other card for hers."""
    if isinstance(view, SlotView):
        owner = view.owner(THEIRS.id)[0]
    else:
        held = view.holding(THEIRS.id)
        assert held is not None
        owner = held.owner
    swap = [(BY_KEY[owner], True)] if is_cheat(owner) else []
    others = [(GUS, False)] if third else []
    return [(CAROL, False), (DAN, False), (EVE, False), *others, *swap]
