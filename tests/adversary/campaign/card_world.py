"""People with cards around a match of a campaign: who owns which card, and who knows what of it."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from random import Random
from typing import Any

from protocol.errors import LocalError, RemoteError
from protocol.games.decks import Owned
from protocol.games.decks.evidence import gave_away, place_of_card, read_evidence
from protocol.games.decks.ledger_ownership import LedgerOwnership, card_of, objection
from protocol.games.decks.ownership import Ownership
from protocol.games.decks.slot_commitments import read_owned
from protocol.identity.keys import Identity
from protocol.ledger.conflicts import given_places
from protocol.ledger.evidence import trades_from
from protocol.ledger.record_contents import CardTransfer, CardType, Creator, Instance, Trade
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord, signers, waive_of
from protocol.ledger.type_revisions import TypeRevisions
from tests.adversary.campaign.checks import Broken
from tests.properties.ledger.histories import CARDS, WITNESSES, History
from tests.properties.ledger.people import Person, Signed, Unsigned, gives, trade_between

ELEMENTS = ("earth", "fire", "metal", "water", "wood")
STRENGTHS = (1, 2, 3, 4, 5, 6)
STEPS = 35  # of the history before the match
DISPUTES = 6  # disputes by lot about each card of an honest seat, after the match
FAR = 1000  # serial numbers from here on belong to cards that are printed for a match

# makes what an honest program knows of cards from its records and its view
Program = Callable[[RecordSet, Any], Ownership]


class Owner(Person):
    """Person whose program can bring cards to a match."""

    def __init__(self, key: bytes, source: Unsigned) -> None:
        super().__init__(key, source)
        self.records = RecordSet()
        self._types = TypeRevisions()

    def learn(self, records: Iterable[LedgerRecord]) -> None:
        """Add the new records."""
        records = list(records)
        super().learn(records)
        for record in records:
            if self.records.add(record) and isinstance(record.content, CardType):
                self._types.add(record)

    @property
    def reserved(self) -> frozenset[bytes]:
        """Cards that unfinished trades of this person give away."""
        return frozenset(
            card
            for promise in self.signed.values()
            if not promise.released and promise.id not in self.known
            for card in promise.cards
        )

    def card(self, instance: bytes) -> Owned | None:
        """Build a card as its owner plays it."""
        return card_of(instance, self.records, self.view, self._types.newest)

    def may_bring(self, card: Owned) -> bool:
        """Check that the program brings a card to a match."""
        return objection(card, self.key, self.records, self.view, self.reserved) is None

    def playable(self) -> list[Owned]:
        """Return the cards that the program brings, those with refused or dead trades first."""
        cards = filter(None, map(self.card, self.view.held_by(self.key)))
        found = [card for card in cards if self.may_bring(card)]
        return sorted(found, key=self._has_past, reverse=True)

    def _has_past(self, card: Owned) -> bool:
        return bool(trades_from(self.records, place_of_card(card, self.key)))


class CardWorld(History):
    """History of cards with signatures, of which a match is the middle.

    Some creators lie: they sign two records for one revision, print a serial number twice, and
    revise types.
    """

    person = Owner
    steps = STEPS
    source: Signed

    def __init__(self, seed: int) -> None:
        self._liars: set[int] = {
            number for number in (0, 1) if Random(f"maker {seed} {number}").random() < 0.4
        }
        self._printed = 0
        self.seats: dict[int, Owner] = {}
        self.brought: dict[int, tuple[Owned, ...]] = {}
        super().__init__(seed)
        self.cheats |= {self.makers[number].key for number in self._liars}

    def new_source(self) -> Signed:
        return Signed()

    def deeds(self) -> dict[Callable[[], None], float]:
        return {**super().deeds(), self._revise: 2}

    def issue(self, maker: Person) -> None:
        """Let a creator make several card types, and a copy of each."""
        for serial in range(CARDS):
            self._print(maker, serial)

    def _print(self, maker: Person, serial: int) -> LedgerRecord:
        values = (
            ("element", self.rng.choice(ELEMENTS)),
            ("strength", self.rng.choice(STRENGTHS)),
        )
        kind = CardType(maker.key, None, 0, None, f"Card {serial}", "", None, values, False, "")
        copy = Instance(maker.key, maker.say(kind).id, serial, self.rng.randbytes(16))
        return maker.say(copy)

    def _revise(self) -> None:
        """Let a creator revise a type, or, if it lies, sign what excludes what it has signed."""
        number = self.rng.randrange(2)
        maker = self.makers[number]
        types = [
            record
            for record in maker.known.values()
            if isinstance(record.content, CardType) and record.content.creator == maker.key
        ]
        before = self.rng.choice(types)
        old = before.content
        assert isinstance(old, CardType)
        if number not in self._liars:
            first = old.type or before.id
            later = {one.content.revision for one in types if one.content.type == first}
            if old.revision + 1 not in later:
                self._say_revision(maker, before, old, old.text)
            return
        match self.rng.choice(("types", "creators", "prints", "words")):
            case "types":
                self._say_revision(maker, before, old, f"{self.rng.random()}")
            case "creators":
                link = f"{self.rng.random()}"
                keys = tuple(sorted(one.key for one in self.witnesses))
                maker.say(Creator(maker.key, 0, None, "Maker", None, link, keys, WITNESSES))
            case "prints":
                copies = [
                    record.content
                    for record in maker.known.values()
                    if isinstance(record.content, Instance)
                ]
                one = self.rng.choice(copies)
                maker.say(replace(one, nonce=self.rng.randbytes(16)))
            case _:
                name = self.rng.choice(("", "x"))
                maker.say(replace(old, name=old.name + name, text=f"{self.rng.random()}"))
        some = self.rng.choice(self.people)
        some.learn(self.rng.sample(list(maker.known.values()), min(12, len(maker.known))))

    def _say_revision(self, maker: Person, before: LedgerRecord, old: CardType, text: str) -> None:
        first = old.type or before.id
        maker.say(
            replace(old, type=first, revision=old.revision + 1, previous=before.id, text=text)
        )

    # --- before the match ---

    def seat(self, number: int, honest: bool, count: int, lie: str = "own") -> tuple[Owned, ...]:
        """Give a seat to somebody who is not seated; return the cards that this person brings."""
        among = self.honest if honest else self.crooks
        free = [one for one in among if one not in self.seats.values()]
        person = self.rng.choice(free)
        assert isinstance(person, Owner)
        self.seats[number] = person
        self.people = [one for one in self.people if one is not person or not honest]
        for card in person.playable()[:count] if honest else ():
            self._trouble(person, read_owned(card).id)
        cards = person.playable()[:count]
        for _ in range(count - len(cards)):
            card = self._fresh(person)
            if honest:
                self._trouble(person, read_owned(card).id)
                card = person.card(read_owned(card).id) or card
                card = card if person.may_bring(card) else self._fresh(person)
            cards.append(card)
        self._take_stock()
        found = tuple(cards) if honest else self._lie_with(person, cards, lie)
        self.brought[number] = found
        return found

    def _fresh(self, person: Owner) -> Owned:
        """Print a card and give it to a person."""
        maker = self.makers[1]
        self._printed += 1
        copy = self._print(maker, FAR + self._printed)
        person.learn(maker.known.values())
        one = maker.view.next_transfer(copy.id, 0)
        self._finish_at_once(maker, person, trade_between(maker, person, [one], []))
        card = person.card(copy.id)
        assert card is not None
        return card

    def _trouble(self, person: Owner, card: bytes) -> None:
        """Let cheats refuse trades of an honest card and keep them, or kill one by a second spend."""
        for _ in range(self.rng.choice((0, 0, 1, 2, 3))):
            try:
                one = person.view.next_transfer(card, 0)
            except LocalError:
                return
            crook = self.rng.choice(self.crooks)
            theirs = [] if self.rng.random() < 0.5 else crook.cards()[:1]
            trade = trade_between(person, crook, [one], theirs)
            if not person.agrees(trade):
                return
            if theirs:
                self._spend_a_swap(person, crook, trade, theirs)
            else:
                self._refuse(person, crook, trade)

    def _refuse(self, person: Owner, crook: Person, trade: Trade) -> None:
        record = self.source.record(trade)
        person.sign(record)
        crook.sign(record)
        crook.learn([record])
        crook.hidden.add(record.id)
        person.learn([crook.say(waive_of(trade, crook.key))])
        person.release(record.id)
        self.happened["refused and kept"] += 1

    def _spend_a_swap(
        self, person: Owner, crook: Person, trade: Trade, theirs: list[CardTransfer]
    ) -> None:
        """Finish a trade, and give the cheat's card to the other cheat as well: the trade is dead."""
        self._finish_at_once(person, crook, trade)
        (other,) = [one for one in self.crooks if one is not crook]
        spent = self.source.record(trade_between(crook, other, theirs, []))
        other.learn([spent])
        crook.learn([spent])
        if self.rng.random() < 0.8:
            person.learn([spent])
        self.happened["swap spent"] += 1

    def _finish_at_once(self, one: Person, other: Person, content: Trade) -> None:
        record = self.source.record(content)
        one.sign(record)
        other.sign(record)
        one.learn([record])
        other.learn([record])

    def _lie_with(self, person: Owner, cards: list[Owned], lie: str) -> tuple[Owned, ...]:
        """Return the deck of a cheat: somewhere in it is a card that may not be there."""
        match lie:
            case "twice" if len(cards) > 1:
                cards[0] = cards[1]
            case "given":
                given = list(filter(None, (self._given(person, one) for one in person.known)))
                if given:
                    cards[0] = self.rng.choice(given)
                else:
                    self._give(person, cards[0])
            case "later":  # it gives away during the match what it has brought
                self._give(person, cards[0], told=False)
        return tuple(cards)

    def _given(self, person: Owner, name: bytes) -> Owned | None:
        """Build a card that a person has given away, as of before that."""
        record = person.known[name]
        if not gives(record, person.key):
            return None
        trade = record.content
        assert isinstance(trade, Trade)
        place = next(place for place in given_places(trade) if place.giver == person.key)
        made = person.known.get(place.instance)
        before = person.known.get(place.prev or b"")
        if made is None or not isinstance(made.content, Instance):
            return None
        kind = person.known.get(made.content.type)
        if kind is None or (before is None) != (place.prev is None):
            return None
        return Owned(made.raw, (kind.raw,), None if before is None else before.raw)

    def _give(self, person: Owner, card: Owned, told: bool = True) -> None:
        read = read_owned(card)
        with_it = [one for one in self.people if one is not person]
        taker = self.rng.choice(with_it)
        taker.learn(person.known.values())
        try:
            one = person.view.next_transfer(read.id, 0)
        except LocalError:
            return
        self._finish_at_once(person, taker, trade_between(person, taker, [one], []))
        if not told:
            person.hidden |= {
                record for record in person.known if gives(person.known[record], person.key)
            }

    def identity(self, number: int) -> Identity:
        """Return the key of a seat."""
        return self.source.identities[self.seats[number].key]

    # --- during the match ---

    def stir(self, dice: Random) -> int | None:
        """Let somebody outside of the match trade or cheat, or show records to an honest seat.

        Returns the seat that knows more now, if any.
        """
        self.rng = dice
        if dice.random() < 0.6:
            self.step()
            return None
        honest = [seat for seat, person in self.seats.items() if person in self.honest]
        if not honest:
            return None
        seat = dice.choice(honest)
        self.seats[seat].learn(self._shown(dice))
        return seat

    def _shown(self, dice: Random) -> Iterable[LedgerRecord]:
        everything = list(self.all.values())
        match dice.choice(("all", "some", "closure", "waives")):
            case "all":
                return everything
            case "some":
                return dice.sample(everything, dice.randrange(len(everything)))
            case "closure":
                return RecordSet(everything).closure([dice.choice(everything).id])
        return [one for one in everything if not isinstance(one.content, Trade)]

    def accusation(self, card: Owned, holder: bytes, dice: Random) -> tuple[bytes, ...]:
        """Return a dispute that anybody could post: a trade from the holder's place, and others."""
        place = place_of_card(card, holder)
        trades = list(trades_from(RecordSet(self.all.values()), place))
        everything = list(self.all.values())
        first = self.all[dice.choice(trades)] if trades else dice.choice(everything)
        others = dice.sample(everything, min(len(everything), dice.choice((0, 1, 3, 12))))
        return (first.raw, *(one.raw for one in others if one is not first))

    def scraps(self, dice: Random) -> tuple[bytes, ...]:
        """Return some records by lot."""
        everything = list(self.all.values())
        return tuple(one.raw for one in dice.sample(everything, min(len(everything), 5)))

    # --- after the match ---

    def check(self, program: Program) -> None:
        """Check what must hold for honest people whatever was signed and shown. Raises: Broken."""
        for one in self.crooks:
            one.hidden = set()
        self._take_stock()
        named = {alarm.key for alarm in self.union.alarms}
        if named - self.cheats:
            raise Broken("somebody honest is named by records")
        for number, person in self.seats.items():
            if person in self.honest:
                for card in self.brought[number]:
                    self._check_card(person, card, named)
                    self._check_answers(person, card, program)

    def _check_card(self, person: Owner, card: Owned, named: set[bytes]) -> None:
        read = read_owned(card)
        holding = self.union.holding(read.id)
        assert holding is not None
        if holding.owner == person.key:
            if holding.burnt:
                raise Broken("the card of somebody honest is burnt")
            return
        # a trade of several cards falls with each of them: whoever cheated is in the past of one
        past = RecordSet(self.all.values()).closure([read.trade_id or read.id])
        if not {key for record in past for key in signers(record.content)} & named:
            raise Broken("somebody honest has lost a card, and nobody is named")

    def _check_answers(self, person: Owner, card: Owned, program: Program) -> None:
        dice = Random(f"disputes {card.instance.hex()}")
        knows = program(person.records, person.view)
        for _ in range(DISPUTES):
            said = self.accusation(card, person.key, dice)
            try:
                shown = read_evidence(said)
            except RemoteError:
                continue
            if not gave_away(card, person.key, shown):
                continue
            answer = read_evidence(knows.defence(card, said))
            if gave_away(card, person.key, (*shown, *answer)):
                raise Broken("a dispute with somebody honest has no answer")


def ledger(records: RecordSet, view: Any) -> Ownership:
    """Return what the product's program knows of cards."""
    return LedgerOwnership(records, view)
