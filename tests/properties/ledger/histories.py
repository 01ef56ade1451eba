"""Random histories of cards with cheats, and the laws that hold in each of them (docs/protocol,
24.6).
"""

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from random import Random

from protocol.errors import RemoteError
from protocol.ledger.card_chain import CardChain, check_chain, find_chain
from protocol.ledger.evidence import death_proof
from protocol.ledger.incremental_view import IncrementalLedgerView
from protocol.ledger.record_contents import CardTransfer, CardType, Creator, Instance, Trade
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord, waive_of
from protocol.ledger.retention import evidence
from protocol.ledger.trade_links import find_transfer
from protocol.ledger.view import LedgerView, evaluate
from protocol.limits import MAX_ALARMS_SENT
from tests.properties.ledger.laws import check
from tests.properties.ledger.people import (
    Person,
    Unsigned,
    Witness,
    gives,
    mix,
    trade_between,
)
from tests.support.ledger import summary

# cards of each of two creators; one of the creators names witnesses
HONEST, CHEATS, CARDS, STEPS = 4, 2, 6, 70
WITNESSES, QUORUM = 4, 3  # one of the witnesses may lie


class History:
    """One history, from a seed. `cheats` are the keys that may be named."""

    person: type[Person] = Person
    source: Unsigned
    steps = STEPS

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.source = self.new_source()
        count = 2 + HONEST + CHEATS + WITNESSES
        keys = [self.source.key(self.rng) for _ in range(count)]
        people = [self.person(key, self.source) for key in keys[:-WITNESSES]]
        self.makers = people[:2]
        self.honest = people[2 : 2 + HONEST]
        self.crooks = people[2 + HONEST :]
        lies = self.rng.random() < 0.5
        self.witnesses = [
            Witness(key, self.source, lies and not number)
            for number, key in enumerate(keys[-WITNESSES:])
        ]
        self.people = self.honest + self.crooks
        self.cheats = {one.key for one in self.crooks} | {
            one.key for one in self.witnesses if one.lies
        }
        self.all: dict[bytes, LedgerRecord] = {}
        self.union = (
            IncrementalLedgerView()
        )  # set of all records ever made: nobody in the history sees it
        self.settled: set[bytes] = set()
        self.happened: Counter[str] = Counter()
        self._begin()
        for _ in range(self.steps):
            self.step()
        for one in self.crooks:
            one.hidden = set()
        self._take_stock()

    def new_source(self) -> Unsigned:
        """Make the source of keys and records."""
        return Unsigned()

    def deeds(self) -> dict[Callable[[], None], float]:
        """Return all that may happen in a step, with weights."""
        return {
            self._trade: 10,
            self._meet: 4,
            self._certify: 8,
            self._spend_twice: 4,
            self._spend_over: 1,
            self._waive_late: 0.7,
            self._show: 0.5,
            self._lie: 0.5,
        }

    def _begin(self) -> None:
        named = tuple(sorted(one.key for one in self.witnesses))
        for number, maker in enumerate(self.makers):
            witnesses = named if number == 0 else ()
            maker.say(
                Creator(
                    maker.key, 0, None, "Maker", None, "", witnesses, QUORUM if witnesses else 0
                )
            )
            self.issue(maker)
            for one in self.people:
                one.learn(maker.shown())
            for card in list(maker.cards()):
                taker = self.rng.choice(self.people)
                self._finish(maker, taker, trade_between(maker, taker, [card], []))

    def issue(self, maker: Person) -> None:
        """Let a creator make a card type, and copies."""
        kind = maker.say(CardType(maker.key, None, 0, None, "Card", "", None, (), False, ""))
        for serial in range(CARDS):
            maker.say(Instance(maker.key, kind.id, serial, bytes(16)))

    def step(self) -> None:
        """Let somebody do something."""
        deeds = self.deeds()
        self.rng.choices(list(deeds), list(deeds.values()))[0]()
        self._take_stock()

    def _take_stock(self) -> None:
        """Check that every settled card stays settled."""
        for one in (*self.makers, *self.people, *self.witnesses):
            for key, record in one.known.items():
                if key not in self.all:
                    self.all[key] = record
                    self.union.add(record)
        self.settled |= self.union.settled
        assert self.settled == self.union.settled, "a settled trade was undone"

    def _meet(self) -> None:
        mix(self.rng, *self.rng.sample(self.people, 2))

    def _trade(self) -> None:
        """Let two people meet and trade; one proposes and signs, the other reacts by character."""
        one, other = self.rng.sample(self.people, 2)
        mix(self.rng, one, other)
        given, taken = one.cards(), other.cards()
        given = self.rng.sample(given, min(len(given), self.rng.choice([1, 1, 2])))
        taken = self.rng.sample(taken, min(len(taken), self.rng.choice([0, 1, 1, 2])))
        if given or taken:
            trade = trade_between(one, other, given, taken)
            if self._would(one, trade) and self._would(other, trade):
                self._finish(one, other, trade)

    def _would(self, one: Person, trade: Trade) -> bool:
        return one in self.crooks or one.agrees(trade)

    def _finish(self, one: Person, other: Person, content: Trade) -> None:
        """Let `one` sign first; `one` learns only what `other` then sends."""
        if len({each.instance for each in content.transfers}) < len(content.transfers):
            return  # two cheats who both claim one card: no record has it twice
        record = self.source.record(content)
        one.sign(record)
        how = self.rng.random()
        if how < 0.08:  # honest people sometimes refuse, too, and then never sign it
            waive = other.say(waive_of(content, other.key))
            if other in self.crooks and self.rng.random() < 0.6:
                other.learn([record])
                other.hidden.add(record.id)
                self.happened["waived and kept"] += 1
            one.learn([waive])
            one.release(record.id)
            return
        other.sign(record)
        other.learn([record])
        if other in self.crooks and how < 0.2:
            other.hidden.add(record.id)  # the cheat takes the first signature and goes
            self.happened["taken and gone"] += 1
            return
        one.learn([record])
        self.happened["trades"] += 1

    def _spend_twice(self) -> None:
        """Let a cheat give a card twice, to a person who cannot know."""
        crook = self.rng.choice(self.crooks)
        given = [record for record in crook.known.values() if gives(record, crook.key)]
        victim = self.rng.choice([one for one in self.people if one is not crook])
        if not given:
            return
        before = self.rng.choice(given)
        assert isinstance(before.content, Trade)
        again = [one for one in before.content.transfers if before.content.giver(one) == crook.key]
        crook.hidden |= self._after(crook, before.id)
        mix(self.rng, crook, victim)
        theirs = victim.cards()
        taken = self.rng.sample(theirs, min(len(theirs), self.rng.choice([0, 1])))
        trade = trade_between(crook, victim, [self.rng.choice(again)], taken)
        if self._would(victim, trade):
            self.happened["spent twice"] += 1
            self._finish(crook, victim, trade)

    def _after(self, crook: Person, trade_id: bytes) -> set[bytes]:
        """Return a trade and all known records that build on it."""
        found = {trade_id}
        # nearly always in an order with parents first
        for record in crook.known.values():
            if (
                isinstance(record.content, Trade)
                and {one.prev for one in record.content.transfers} & found
            ):
                found.add(record.id)
        return found

    def _spend_over(self) -> None:
        """Let a cheat give a card over its own trade, whatever the state of that trade; another
        cheat takes it.
        """
        crook, other = self.crooks
        given = [record for record in crook.known.values() if gives(record, crook.key)]
        if given:
            before = self.rng.choice(given)
            assert isinstance(before.content, Trade)
            one = next(
                one for one in before.content.transfers if before.content.giver(one) == crook.key
            )
            over = CardTransfer(one.instance, 0, one.index + 1, one.prev, before.id)
            self.happened["spent over"] += 1
            self._finish(crook, other, trade_between(crook, other, [over], []))

    def _waive_late(self) -> None:
        """Let a cheat waive a trade that it finished."""
        crook = self.rng.choice(self.crooks)
        mine = [one.content for one in crook.known.values() if isinstance(one.content, Trade)]
        mine = [trade for trade in mine if crook.key in (trade.a, trade.b)]
        if mine:
            crook.say(waive_of(self.rng.choice(mine[-6:]), crook.key))
            self.happened["denied"] += 1

    def _show(self) -> None:
        self.rng.choice(self.crooks).hidden = set()

    def _certify(self) -> None:
        """Let a person take their trades to some of the witnesses, oldest first."""
        one = self.rng.choice(self.people)
        trades = [key for key, record in one.known.items() if isinstance(record.content, Trade)]
        hidden = one.hidden if self.rng.random() < 0.7 else set()
        for witness in self.rng.sample(self.witnesses, self.rng.choice([3, 3, 4])):
            shown = [record for record in one.shown() if record.id not in hidden]
            witness.learn(shown)
            for key in trades:
                if key in witness.known and key in witness.view.trades:
                    one.learn(witness.offered(key))

    def _lie(self) -> None:
        """Let the lying witness sign for cheats on demand."""
        crook = self.rng.choice(self.crooks)
        for witness in self.witnesses:
            if witness.lies:
                trades = [
                    key for key, record in crook.known.items() if isinstance(record.content, Trade)
                ]
                witness.learn(crook.known.values())
                for key in self.rng.sample(trades, min(len(trades), 5)):
                    crook.learn(witness.offered(key))


def check_history(history: History) -> Counter[str]:
    """Raise `AssertionError` unless all laws hold; return counts of the events."""
    rng, records = history.rng, list(history.all.values())
    whole = evaluate(records)
    for order in (rng.sample(records, len(records)), sorted(records, key=lambda record: record.id)):
        assert summary(IncrementalLedgerView([*order, *order[::3]])) == summary(whole), (
            "another order, another view"
        )
    cut = rng.randrange(len(records))
    halves = records[:cut], records[cut // 2 :]
    assert summary(evaluate([*halves[1], *halves[0]])) == summary(whole), (
        "merged from halves, another view"
    )
    check(whole)
    _check_honest(history, whole)
    _check_evidence(records, whole)
    shown = _check_shown(history)
    _check_rivals(history, records)
    seen = Counter(
        shown,
        alarms=len(whole.alarms),
        settled=len(whole.settled),
        void=len(whole.trades) - len(whole.live),
    )
    return history.happened + seen


def _check_evidence(records: list[LedgerRecord], whole: LedgerView) -> None:
    """Check that the evidence of each card says of it what all records say."""
    known = RecordSet(records)
    for card in whole.instances:
        sent = evidence(known, whole.alarms, [card], MAX_ALARMS_SENT)
        assert evaluate(sent).holding(card) == whole.holding(card), "evidence that lacks something"


def _check_shown(history: History) -> Counter[str]:
    """Check that honest people can show their cards by a chain, to somebody who knows nothing.

    The exception are cards of trades that are dead, or hold, by certificates alone.
    """
    found = Counter[str]()
    for one in (*history.makers, *history.honest):
        records = RecordSet(one.known.values())
        for card in one.view.held_by(one.key):
            held = one.view.holding(card)
            assert held is not None
            chain = find_chain(records, card, held.trade)
            owner = owner_by_chain(card, records, chain)
            doubtful = [
                record.id
                for record in chain.trades
                if (record.id in one.view.dead) == (death_proof(records, record.id) is None)
            ]
            assert owner == one.key or doubtful, "an honest owner cannot show a card"
            found["shown" if owner == one.key else "not to be shown"] += 1
    return found


def _check_rivals(history: History, records: list[LedgerRecord]) -> None:
    """Check that two people who can both show one card prove a cheat together, unless one has it
    from the other.
    """
    known = RecordSet(records)
    for card in {card for one in history.makers for card in one.view.instances}:
        chains = [CardChain()]
        for record in records:
            if find_transfer(record.content, card) is not None:
                chain = find_chain(known, card, record.id)
                if owner_by_chain(card, known, chain) is not None:
                    chains.append(chain)
        for one, other in combinations(chains, 2):
            ways = sorted((one.moves(card), other.moves(card)), key=len)
            if ways[0] != ways[1][: len(ways[0])]:
                both = (*one.trades, *one.beside, *other.trades, *other.beside)
                assert evaluate(both).alarms, "two show one card, and nobody is named"


def owner_by_chain(card: bytes, records: RecordSet, chain: CardChain) -> bytes | None:
    """Return the owner that a chain shows; None if it shows none."""
    made = records.get(card)
    assert made is not None
    assert isinstance(made.content, Instance)
    try:
        return check_chain(card, made.content, chain)
    except RemoteError:
        return None


def _check_honest(history: History, whole: LedgerView) -> None:
    assert {alarm.key for alarm in whole.alarms} <= history.cheats, "somebody honest is named"
    for one in (*history.makers, *history.honest):
        for card in whole.held_by(one.key):
            held = whole.holding(card)
            assert held is not None
            assert not held.burnt, "somebody honest has a burnt card"
