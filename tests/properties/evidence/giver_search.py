"""Search of a world with a cheating giver: what honest receivers can lose, and who is named for it.

Carol owns a card, and is a cheat, as are Dan and Gus. Eve and Fay are honest. Carol signs whatever
links and lists she likes, with anybody; Eve and Fay sign only what their programs allow by what
they know. An honest owner passes the card on to the other honest person, or offers it to a cheat
who refuses and keeps the signature. Eve has a card of her own, which she may give in return.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import chain, combinations
from random import Random
from time import process_time
from typing import NamedTuple

from protocol.errors import LocalError
from protocol.games.decks import Owned
from protocol.games.decks.evidence import gave_away
from protocol.games.decks.ledger_ownership import LedgerOwnership, objection
from protocol.identity.keys import Identity
from protocol.ledger.card_chain import find_chain
from protocol.ledger.incremental_view import IncrementalLedgerView
from protocol.ledger.record_contents import CardTransfer, Trade, Waive
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord
from protocol.ledger.trade_links import find_transfer, transfer_of
from protocol.ledger.trading.journal import Promise, uncovered_promises
from protocol.limits import MAX_DISPUTE
from tests.properties.evidence.world import BY_KEY, CHEATS, FAY, gift, signed, waived
from tests.support.ledger import CAROL, DAN, EVE, MAKER, TYPE, card, maker, trade_of

RECEIVERS = (EVE, FAY)
HONEST = frozenset(one.public for one in (*RECEIVERS, MAKER))
GIVEN, HERS = card(1), card(2)
TO_CAROL = gift(MAKER, CAROL, None, GIVEN, 0)
TO_EVE = gift(MAKER, EVE, None, HERS, 0)
BASE = (maker(), TYPE, GIVEN, HERS, TO_CAROL, TO_EVE)
WALK = 14  # steps of a walk by lot
EVERY_SUBSET = 7  # records of which every subset is looked at; of more, some by lot
BY_LOT = 100  # subsets by lot
DISPUTES_BY_LOT = 6  # disputes with other records besides the trade, for each card and trade

Records = frozenset[LedgerRecord]


class Knowledge(NamedTuple):
    """What an honest person knows besides `BASE`, and has signed as a giver, in order."""

    known: Records = frozenset()
    signed: tuple[LedgerRecord, ...] = ()


class GiverState(NamedTuple):
    """All records that somebody has, and the knowledge of Eve and of Fay."""

    made: Records = frozenset()
    people: tuple[Knowledge, Knowledge] = (Knowledge(), Knowledge())


class GiverSearch:
    """States of the world up to `trades` trades and `waives` waives, and what can be shown in them.

    The first `most` states are those with few steps. Then come `walks` of `WALK` steps by lot.
    `conflicts` is False for a broken product, in which a second spend names nobody.
    """

    def __init__(
        self,
        trades: int = 3,
        waives: int = 2,
        cheats: int = 2,
        most: int | None = None,
        seed: int = 0,
        seconds: float | None = None,
        *,
        walks: int = 0,
        conflicts: bool = True,
    ) -> None:
        """Search, for at most `seconds` of processor."""
        self.trades, self.waives, self.conflicts = trades, waives, conflicts
        self.cheats = CHEATS[:cheats]
        self.rng = Random(seed)
        self.found: Counter[str] = Counter()
        self.example: dict[str, tuple[LedgerRecord, ...]] = {}
        self.states = self.sets = self.disputes = self.kept = 0
        begun = process_time()
        for state in chain(self._reach(most), self._walk(walks)):
            self.states += 1
            self._look(state)
            if seconds is not None and process_time() - begun > seconds:
                break

    def report(self) -> str:
        """Return figures and findings in a line each."""
        head = (
            f"a cheating giver, {len(self.cheats)} cheats, {self.trades} trades, {self.waives} "
            f"waives: {self.states:,} states, {self.sets:,} sets, {self.disputes:,} disputes; not "
            f"brought for want of a proof: {self.kept:,}"
        )
        return "\n".join(
            [head, *(f"  {what}: {count:,}" for what, count in sorted(self.found.items()))]
        )

    # --- states ---

    def _reach(self, most: int | None) -> Iterator[GiverState]:
        there = {GiverState()}
        ahead = [GiverState()]
        for state in ahead:
            yield state
            later = list(self._after(state))
            self.rng.shuffle(later)
            for after in later:
                if after not in there and (most is None or len(there) < most):
                    there.add(after)
                    ahead.append(after)

    def _walk(self, walks: int) -> Iterator[GiverState]:
        for _ in range(walks):
            state = GiverState()
            for _ in range(WALK):
                later = list(self._after(state))
                if not later:
                    break
                state = self.rng.choice(later)
                yield state

    def _after(self, state: GiverState) -> Iterator[GiverState]:
        trades = [one for one in state.made if isinstance(one.content, Trade)]
        promises = {one for person in state.people for one in person.signed} - state.made
        if len(trades) + len(promises) < self.trades:
            yield from self._given_by_cheats(state, trades)
            for number in (0, 1):
                yield from self._given_by_honest(state, number)
        if sum(isinstance(one.content, Waive) for one in state.made) < self.waives:
            for trade in (*trades, *promises):
                for waive in self._cheats_waives(trade):
                    yield state._replace(made=state.made | {waive})
        for promise in promises:  # a cheat finishes what it has refused
            yield state._replace(made=state.made | {promise})
        for record in state.made:
            closure = self._closure(state, record)
            for number, person in enumerate(state.people):
                if not closure <= person.known:
                    yield _told(state, number, closure)

    def _cheats_waives(self, trade: LedgerRecord) -> Iterator[LedgerRecord]:
        content = trade.content
        assert isinstance(content, Trade)
        for key in (content.a, content.b):
            if key not in HONEST:
                yield waived(trade, key)

    def _closure(self, state: GiverState, *records: LedgerRecord) -> Records:
        known = RecordSet((*BASE, *state.made, *records))
        return frozenset(known.closure([one.id for one in records])) - set(BASE)

    def _given_by_cheats(
        self, state: GiverState, trades: list[LedgerRecord]
    ) -> Iterator[GiverState]:
        waives = [one for one in state.made if isinstance(one.content, Waive)]
        for giver, one in self._places(trades):
            # cheats list what they like: nothing, or all waives about this place
            there = [
                waive
                for waive in waives
                if any(
                    waive.content.trade == trade.id
                    and (found := find_transfer(trade.content, GIVEN.id)) is not None
                    and found.prev == one.prev
                    for trade in trades
                )
            ]
            for listed in [[], there] if there else [[]]:
                for taker in (*self.cheats, *RECEIVERS):
                    if taker is giver:
                        continue
                    yield from self._offered(state, trade_of(giver, taker, [one], waives=listed))
                    if taker is EVE:
                        swap = self._swap(state, giver, one, listed)
                        if swap is not None:
                            yield from self._offered(state, swap)

    def _places(self, trades: list[LedgerRecord]) -> Iterator[tuple[Identity, CardTransfer]]:
        """Yield from where a cheat can give the card, and over what, whether or not it holds."""
        for prev in (TO_CAROL, *trades):
            assert isinstance(prev.content, Trade)
            link = find_transfer(prev.content, GIVEN.id)
            if link is None or prev.content.receiver(link) in HONEST:
                continue
            giver = BY_KEY[prev.content.receiver(link)]
            yield giver, CardTransfer(GIVEN.id, 0, link.index + 1, prev.id, None)
            for over in trades:
                assert isinstance(over.content, Trade)
                below = find_transfer(over.content, GIVEN.id)
                if (
                    below is not None
                    and below.prev == prev.id
                    and over.content.giver(below) == giver.public
                ):
                    yield giver, CardTransfer(GIVEN.id, 0, below.index + 1, prev.id, over.id)

    def _swap(
        self, state: GiverState, giver: Identity, one: CardTransfer, listed: list[LedgerRecord]
    ) -> Trade | None:
        view = IncrementalLedgerView((*BASE, *state.people[0].known))
        try:
            hers = view.next_transfer(HERS.id, 0)
        except LocalError:
            return None
        mine = uncovered_promises(_promises(state.people[0], hers), hers, ())
        waives = {*listed, *(waived(signed(each.trade), each.partner) for each in mine)}
        return trade_of(giver, EVE, [one], [hers], waives)

    def _offered(self, state: GiverState, trade: Trade) -> Iterator[GiverState]:
        """Yield what comes of a trade that a cheat offers: it is finished, or refused."""
        taker = trade.a if trade.a in HONEST else trade.b
        record = signed(trade)
        if record in state.made:
            return
        if taker not in HONEST:
            yield state._replace(made=state.made | {record})
            return
        number = 0 if taker == EVE.public else 1
        refusal = waived(record, taker)
        if refusal in state.made:
            return
        yield _told(state._replace(made=state.made | {refusal}), number, frozenset({refusal}))
        person = state.people[number]
        closure = self._closure(state, record) - {record}
        if self._agrees(person, closure, trade, taker):
            after = _told(state._replace(made=state.made | {record}), number, closure | {record})
            if len(trade.transfers) > 1:
                after = _promised(after, number, record)
            yield after

    def _agrees(self, person: Knowledge, closure: Records, trade: Trade, me: bytes) -> bool:
        """Check that the program of an honest party signs."""
        view = IncrementalLedgerView((*BASE, *person.known, *closure))
        if view.with_free_number(trade) != trade:
            return False
        for one in trade.transfers:
            held = view.holding(one.instance)
            if held is None or held.owner != trade.giver(one):
                return False
            if trade.giver(one) == me and uncovered_promises(
                _promises(person, one), one, trade.waives
            ):
                return False
            try:
                if view.next_transfer(one.instance, one.sender) != one:
                    return False
            except LocalError:
                return False
        return view.can_hold(trade)

    def _given_by_honest(self, state: GiverState, number: int) -> Iterator[GiverState]:
        """Yield states in which an honest owner gives the card on, or a cheat refuses it."""
        me, other = RECEIVERS[number], RECEIVERS[1 - number]
        person = state.people[number]
        view = IncrementalLedgerView((*BASE, *person.known))
        held = view.holding(GIVEN.id)
        if held is None or held.owner != me.public or held.burnt:
            return
        try:
            one = view.next_transfer(GIVEN.id, 0)
        except LocalError:
            return
        before = uncovered_promises(_promises(person, one), one, ())
        if not all(each.released for each in before):
            return
        listed = [waived(signed(each.trade), each.partner) for each in before]
        for taker in (other, DAN):
            trade = view.with_free_number(trade_of(me, taker, [one], waives=listed))
            record = signed(trade)
            if not view.can_hold(trade) or record in (*state.made, *person.signed):
                continue
            after = _promised(state, number, record)
            if taker is DAN:
                refusal = waived(record, DAN.public)
                yield _told(after._replace(made=state.made | {refusal}), number, {refusal})
                continue
            both = person.known | state.people[1 - number].known
            if self._agrees(state.people[1 - number], both, trade, other.public):
                after = after._replace(made=state.made | {record})
                yield _told(_told(after, number, {record}), 1 - number, both | {record})

    # --- what must hold ---

    def _note(self, what: str, records: tuple[LedgerRecord, ...]) -> None:
        self.found[what] += 1
        self.example.setdefault(what, records)

    def _named(self, view: IncrementalLedgerView) -> set[bytes]:
        return {
            alarm.key
            for alarm in view.alarms
            if self.conflicts or not isinstance(alarm.second.content, Trade)
        }

    def _look(self, state: GiverState) -> None:
        made = sorted(state.made, key=lambda one: one.id)
        for some in self._subsets(made):
            view = IncrementalLedgerView((*BASE, *some))
            self.sets += 1
            if self._named(view) & HONEST:
                self._note("somebody honest is named", some)
        for number, person in enumerate(state.people):
            self._look_at_receiver(state, number, person, made)

    def _subsets(self, made: list[LedgerRecord]) -> Iterator[tuple[LedgerRecord, ...]]:
        if len(made) <= EVERY_SUBSET:
            for count in range(len(made) + 1):
                yield from combinations(made, count)
            return
        for share in self.rng.choices((0.3, 0.5, 0.8), k=BY_LOT):
            yield tuple(one for one in made if self.rng.random() < share)

    def _look_at_receiver(
        self, state: GiverState, number: int, person: Knowledge, made: list[LedgerRecord]
    ) -> None:
        me = RECEIVERS[number].public
        own = IncrementalLedgerView((*BASE, *person.known))
        for instance in (GIVEN, HERS):
            held = own.holding(instance.id)
            assert held is not None
            if held.owner != me:
                continue
            if held.burnt:
                if not self._named(own) - HONEST:
                    self._note("an honest owner's card is burnt", tuple(person.known))
                continue
            others = [one for one in made if one not in person.known]
            for some in self._subsets(others):
                everything = (*person.known, *some)
                view = IncrementalLedgerView((*BASE, *everything))
                self.sets += 1
                now = view.holding(instance.id)
                assert now is not None
                named = self._named(view)
                if now.owner == me and now.burnt and not named - HONEST:
                    self._note("an honest owner's card is burnt", everything)
                if now.owner != me and not named - HONEST:
                    self._note("a receiver has lost a card, and nobody is named", everything)
            self._look_at_disputes(state, person, me, instance)

    def _look_at_disputes(
        self, state: GiverState, person: Knowledge, me: bytes, instance: LedgerRecord
    ) -> None:
        records = RecordSet((*BASE, *person.known))
        view = IncrementalLedgerView((*BASE, *person.known))
        held = view.holding(instance.id)
        assert held is not None
        shown = find_chain(records, instance.id, held.trade)
        way = (tuple(record.raw for record in part) for part in shown)
        played = Owned(instance.raw, (TYPE.raw,), *way)
        why = objection(played, me, records, view, frozenset())
        if why is not None:
            self.kept += why == "unproven"
            if why in ("long", "unshown"):
                self._note("an honest owner cannot show a card", tuple(person.known))
            return
        knows = LedgerOwnership(records, view)
        everything = sorted({*state.made, *person.signed}, key=lambda one: one.id)
        for trade in person.signed:
            if find_transfer(trade.content, instance.id) is None:
                continue
            others = [one for one in everything if one != trade]
            beside = [(), tuple(others), *((one,) for one in others)]
            beside += [
                tuple(self.rng.sample(others, self.rng.randrange(len(others) + 1)))
                for _ in range(DISPUTES_BY_LOT)
            ]
            for more in beside:
                shown = (trade, *more)
                self.disputes += 1
                if not gave_away(played, me, shown):
                    continue
                answer = knows.defence(played, [one.raw for one in shown])
                given = tuple(record for record in records if record.raw in answer)
                fits = sum(map(len, answer)) <= MAX_DISPUTE
                if not fits or gave_away(played, me, (*shown, *given)):
                    self._note("a dispute has no answer", shown)


def _told(state: GiverState, number: int, records: Records | set[LedgerRecord]) -> GiverState:
    person = state.people[number]
    return _with(state, number, person._replace(known=person.known | records))


def _promised(state: GiverState, number: int, record: LedgerRecord) -> GiverState:
    person = state.people[number]
    return _with(state, number, person._replace(signed=(*person.signed, record)))


def _with(state: GiverState, number: int, person: Knowledge) -> GiverState:
    people = (person, state.people[1]) if number == 0 else (state.people[0], person)
    return state._replace(people=people)


def _promises(person: Knowledge, one: CardTransfer) -> list[Promise]:
    """Return the trades that a person has signed at the place of a transfer."""
    found = []
    for record in person.signed:
        trade = record.content
        assert isinstance(trade, Trade)
        there = find_transfer(trade, one.instance)
        if there is None or there.prev != one.prev:
            continue
        me = trade.giver(transfer_of(trade, one.instance))
        other = trade.b if trade.a == me else trade.a
        released = waived(record, other) in person.known
        found.append(Promise(record.id, trade, me, b"", None, released))
    return found
