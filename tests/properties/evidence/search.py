"""Search for sets of records that name, rob or throw out somebody honest."""

from collections import Counter
from collections.abc import Iterator
from itertools import product
from random import Random
from time import process_time

from protocol.ledger.record_contents import Trade
from protocol.ledger.records import LedgerRecord
from tests.properties.evidence.world import (
    ANN,
    BASE,
    EVE,
    FAY,
    HONEST,
    MINE,
    ListedRule,
    Menu,
    Rule,
    State,
    is_cheat,
    partner,
    possible,
    signed,
    waived,
)

EVERY_SUBSET = 10  # items of which every subset is looked at; of more, some by lot
BY_LOT = 300  # subsets by lot
DISPUTES_BY_LOT = 12  # disputes with other records besides the trade, in each state

Finding = tuple[str, tuple[LedgerRecord, ...]]


class Search:
    """All states that Ann can come to, and what anybody can show in them.

    `found` counts what must not be, by its name; `example` has one set for each.
    """

    def __init__(
        self,
        rule: Rule,
        menu: Menu,
        most: int | None = None,
        seed: int = 0,
        seconds: float | None = None,
    ) -> None:
        """Search all states, or the first `most`, or as many as `seconds` of processor allow."""
        self.rule = rule
        self.menu = menu
        self.rng = Random(seed)
        self.found: Counter[str] = Counter()
        self.example: dict[str, tuple[LedgerRecord, ...]] = {}
        self.states = self.sets = self.disputes = self.kept = 0
        self._seen: set[frozenset[LedgerRecord]] = set()
        begun = process_time()
        for state in self._reach(most):
            self.states += 1
            self._look(state)
            if seconds is not None and process_time() - begun > seconds:
                break

    def _reach(self, most: int | None) -> Iterator[State]:
        """Yield states, those with few steps first; after `most` of them, no more."""
        there = {State()}
        ahead = [State()]
        for state in ahead:
            yield state
            for after in self._after(state):
                if after not in there and (most is None or len(there) < most):
                    there.add(after)
                    ahead.append(after)

    def _after(self, state: State) -> Iterator[State]:
        items = possible(state, self.menu)
        self.rng.shuffle(items)
        for item in items:
            if not state.known.issuperset(item) and self._may_come(state, item):
                yield State(state.signed, state.known.union(item))
        if len(state.signed) < self.menu.signatures:
            for trade in self.rule.offers(state):
                record = signed(trade)
                if record in state.signed:
                    continue
                after = (*state.signed, record)
                if is_cheat(partner(record)):
                    yield State(after, state.known)
                else:
                    yield State(after, state.known | {record})
                    yield State(after, state.known | {waived(record, partner(record))})

    def _may_come(self, state: State, item: tuple[LedgerRecord, ...]) -> bool:
        """Check that a record comes after the trades that it rests on."""
        known = {record.id for record in (*BASE, *state.known)}
        return all(
            one.over in known or one.over is None
            for record in item
            if isinstance(record.content, Trade)
            for one in record.content.transfers
        )

    def _note(self, what: str, records: tuple[LedgerRecord, ...]) -> None:
        self.found[what] += 1
        self.example.setdefault(what, records)

    def _look(self, state: State) -> None:
        items = possible(state, self.menu)
        everything = frozenset(record for item in items for record in item)
        if everything not in self._seen:
            self._seen.add(everything)
            self._look_at_sets(items)
        self._look_at_disputes(state, sorted(everything, key=lambda one: one.id))

    def _look_at_sets(self, items: list[tuple[LedgerRecord, ...]]) -> None:
        if len(items) <= EVERY_SUBSET:
            choices = list(product((False, True), repeat=len(items)))
        else:
            choices = [
                tuple(self.rng.random() < share for _ in items)
                for share in self.rng.choices((0.3, 0.5, 0.8), k=BY_LOT)
            ]
            # each with one item more, so that changes show
            more = [
                tuple(there or number == at for number, there in enumerate(choice))
                for choice in choices
                for at in [self.rng.randrange(len(items))]
            ]
            choices = list(dict.fromkeys([*choices, *more, (True,) * len(items)]))
        states: dict[tuple[bool, ...], tuple[set[bytes], set[bytes]]] = {}
        for choice in choices:
            records = (
                *BASE,
                *(one for item, there in zip(items, choice, strict=True) if there for one in item),
            )
            view = self.rule.view(records)
            self.sets += 1
            states[choice] = set(view.live), set(view.dead)
            self._look_at_view(view, records)
            if all(choice):
                self._look_at_receiver(view, records)
        if not self.menu.witnesses:
            self._look_at_changes(states, items)

    def _look_at_view(self, view, records: tuple[LedgerRecord, ...]) -> None:
        named = view.named()
        if named & HONEST:
            self._note("somebody honest is named", records)
        owner, _ = view.owner(MINE.id)
        if owner in HONEST and isinstance(self.rule, ListedRule) and view.burnt(MINE.id):
            self._note("the card of somebody honest is burnt", records)

    def _look_at_receiver(self, view, records: tuple[LedgerRecord, ...]) -> None:
        """Look for a receiver who has lost the card although all is known and nobody is named. In a
        smaller set the card may seem to be elsewhere, until the receiver shows the proof.
        """
        named = view.named()
        owner, _ = view.owner(MINE.id)
        finished = [
            record
            for record in records
            if isinstance(record.content, Trade)
            and EVE.public in (record.content.a, record.content.b)
            and ANN.public in (record.content.a, record.content.b)
            and all(waive in {one.id for one in records} for waive in record.content.waives)
        ]
        robbed = finished and owner not in (EVE.public, FAY.public) and not named
        if robbed and all(self._is_whole(record, records) for record in finished):
            self._note("a receiver has lost the card and nobody is named", records)

    def _is_whole(self, record: LedgerRecord, records: tuple[LedgerRecord, ...]) -> bool:
        """Check that a trade and all that it is over are known."""
        known = {one.id: one for one in records}
        ahead = [record]
        while ahead:
            content = ahead.pop().content
            assert isinstance(content, Trade)
            for one in content.transfers:
                if one.over is not None:
                    if one.over not in known:
                        return False
                    ahead.append(known[one.over])
        return True

    def _look_at_changes(
        self,
        states: dict[tuple[bool, ...], tuple[set[bytes], set[bytes]]],
        items: list[tuple[LedgerRecord, ...]],
    ) -> None:
        for choice, (live, dead) in states.items():
            for at in range(len(items)):
                after = states.get((*choice[:at], True, *choice[at + 1 :]))
                if choice[at] or after is None:
                    continue
                records = tuple(
                    one for item, there in zip(items, choice, strict=True) if there for one in item
                )
                if isinstance(self.rule, ListedRule):
                    if not dead <= after[1] or not live <= after[0] | after[1]:
                        self._note("a dead trade is alive again", (*records, *items[at]))
                elif after[0] - live - {one.id for one in items[at]}:
                    self._note("a void trade holds again", (*records, *items[at]))

    def _look_at_disputes(self, state: State, everything: list[LedgerRecord]) -> None:
        why = self.rule.brings(state)
        if why is not None:
            self.kept += why == "unproven"
            return
        trades = [
            trade for trade in state.signed if is_cheat(partner(trade)) or trade in state.known
        ]
        for trade in trades:
            others = [one for one in everything if one != trade]
            beside = [(), tuple(others), *((one,) for one in others)]
            beside += [
                tuple(self.rng.sample(others, self.rng.randrange(len(others) + 1)))
                for _ in range(DISPUTES_BY_LOT)
            ]
            for shown in beside:
                self.disputes += 1
                if not self.rule.answers(state, (trade, *shown)):
                    self._note("a dispute has no answer", (trade, *shown))

    def report(self) -> str:
        """Return figures and findings in a line each."""
        head = (
            f"{self.rule.name}, {self.menu}: {self.states:,} states, {self.sets:,} sets, "
            f"{self.disputes:,} disputes; not brought for want of a proof: {self.kept:,}"
        )
        return "\n".join(
            [head, *(f"  {what}: {count:,}" for what, count in sorted(self.found.items()))]
        )
