"""Decks of owned cards for matches of the kit: lawful ones, decks with one card that is not its
owner's, and what the programs of the seats know besides (chapter 34).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random

from conformance.kit_cards import CardMaker, chain, give, waive
from protocol.games.decks import Owned
from protocol.games.decks.deck_hand import Loadout
from protocol.identity.keys import Identity
from protocol.ledger.records import LedgerRecord

DECK = 10  # cards of a deck for `element-duel`


@dataclass(frozen=True)
class KitOwnership:
    """Words of a seat of the kit about cards, true or not."""

    refuses: bool = False
    accusation: Callable[[Owned, bytes], tuple[bytes, ...]] = lambda card, holder: ()
    answer: Callable[[Owned], tuple[bytes, ...]] = lambda card: ()

    def accepts(self, card: Owned, holder: bytes) -> bool:
        """See `Ownership`."""
        return not self.refuses

    def counter_evidence(self, card: Owned, holder: bytes) -> tuple[bytes, ...]:
        """See `Ownership`."""
        return self.accusation(card, holder)

    def defence(self, card: Owned, said: Iterable[bytes]) -> tuple[bytes, ...]:
        """See `Ownership`."""
        return self.answer(card)


@dataclass
class DeckMaker:
    """The makers of all cards of a match, and its people."""

    rng: Random
    people: Sequence[Identity]
    maker: CardMaker = field(init=False)
    stranger: Identity = field(init=False)
    other: Identity = field(init=False)
    serial: int = 0

    def __post_init__(self) -> None:
        self.maker = CardMaker(self.rng)
        self.stranger, self.other = (Identity(self.rng.randbytes(32)) for _ in range(2))

    def owned(self, *way: Identity) -> Owned:
        """Return a card that has gone from its creator to each of these people."""
        card = self.card()
        return self.shown(card, chain(card, [self.maker.identity, *way]))

    def card(self) -> LedgerRecord:
        """Return another copy."""
        self.serial += 1
        return self.maker.card(self.serial)

    def shown(self, card: LedgerRecord, trades: Sequence[LedgerRecord]) -> Owned:
        """Return a card as its owner shows it."""
        return Owned(card.raw, (self.maker.type.raw,), tuple(trade.raw for trade in trades))

    def deck(self, seat: int) -> list[Owned]:
        """Return a lawful deck: some cards come from their creator, the others by a stranger."""
        me = self.people[seat]
        return [
            self.owned(me) if number % 2 else self.owned(self.stranger, me)
            for number in range(DECK)
        ]


# --- a card of seat 1 that is not right ---

BadCard = Callable[[DeckMaker], Owned]


def given_away(make: DeckMaker) -> Owned:
    """A card whose last trade gives it to a stranger."""
    return make.owned(make.people[1], make.stranger)


def of_a_stranger(make: DeckMaker) -> Owned:
    """A card that only a stranger has had."""
    return make.owned(make.stranger)


def of_its_creator(make: DeckMaker) -> Owned:
    """A card that its creator has not given away."""
    return make.owned()


def with_a_gap(make: DeckMaker) -> Owned:
    """A card with its last trade alone: nothing shows how the giver had it."""
    card = make.card()
    way = chain(card, [make.maker.identity, make.stranger, make.people[1]])
    return make.shown(card, way[1:])


def from_who_never_had_it(make: DeckMaker) -> Owned:
    """A card that somebody gives away who is neither its creator nor has got it."""
    card = make.card()
    first = give(card, make.maker.identity, make.stranger)
    return make.shown(card, [first, give(card, make.other, make.people[1], first)])


def in_another_order(make: DeckMaker) -> Owned:
    """A card whose trades stand the wrong way round."""
    card = make.card()
    way = chain(card, [make.maker.identity, make.stranger, make.people[1]])
    return make.shown(card, way[::-1])


def of_another_card(make: DeckMaker) -> Owned:
    """A card with the trades of another one."""
    other = make.card()
    way = chain(other, [make.maker.identity, make.people[1]])
    return make.shown(make.card(), way)


STRENGTH = 9  # of the card below; lawful ones have 3
# option of a match that accepts the lawful cards alone
WEAK_CARDS: tuple[tuple[str, str], ...] = (("limit-01", f"strength<={STRENGTH - 1}"),)


def too_strong(make: DeckMaker) -> Owned:
    """A card of its owner whose strength the terms may not accept."""
    maker = CardMaker(make.rng, (("element", "fire"), ("strength", STRENGTH)))
    card = maker.card(1)
    way = chain(card, [maker.identity, make.people[1]])
    return Owned(card.raw, (maker.type.raw,), tuple(trade.raw for trade in way))


BAD_CARDS: dict[str, BadCard] = {
    "given-away": given_away,
    "of-a-stranger": of_a_stranger,
    "of-its-creator": of_its_creator,
    "with-a-gap": with_a_gap,
    "from-who-never-had-it": from_who_never_had_it,
    "in-another-order": in_another_order,
    "of-another-card": of_another_card,
}


@dataclass(frozen=True)
class OwnedPlan:
    """Cards and records of the two seats. Seat 1 has the card that is not right, or is disputed."""

    bad: BadCard | None = None  # in place of the first card of seat 1
    twice: bool = False  # the first card of seat 1 is in two slots
    short: bool = False  # a card too few
    refuses: bool = False  # seat 0 does not accept the cards of seat 1
    dispute: str = ""  # what seat 0 says of a card, and seat 1 answers: a name in `DISPUTES`

    def loadouts(self, rng: Random, people: Sequence[Identity]) -> tuple[Loadout, ...]:
        """Return what the seats bring."""
        make = DeckMaker(rng, people)
        decks = [make.deck(seat) for seat in (0, 1)]
        if self.bad is not None:
            decks[1][0] = self.bad(make)
        if self.twice:
            decks[1][0] = decks[1][1]
        if self.short:
            decks[1].pop()
        knows = [KitOwnership(refuses=self.refuses), KitOwnership()]
        if self.dispute:
            knows = _dispute(make, decks[1], self.dispute)
        return tuple(
            Loadout(tuple(deck), ownership=known) for deck, known in zip(decks, knows, strict=True)
        )


# how a dispute about a card of seat 1 goes on; `lost` names seat 1
DISPUTES = ("lost", "answered", "answered-too-late", "conflict", "of-another-place", "of-no-trade")


def _dispute(make: DeckMaker, deck: list[Owned], kind: str) -> list[KitOwnership]:
    """Return what the seats say of one card of seat 1, which the deck gets."""
    me = make.people[1]
    card = make.card()
    way = chain(card, [make.maker.identity, me])
    deck[0] = make.shown(card, way)
    gift = give(card, me, make.stranger, way[-1])
    second = give(card, me, make.other, way[-1])
    refusal = waive(gift, make.stranger)
    says: dict[str, tuple[LedgerRecord, ...]] = {
        "lost": (gift,),
        "answered": (gift,),
        "answered-too-late": (gift, second),
        "conflict": (gift, second),
        "of-another-place": (way[-1],),
        "of-no-trade": (card,),
    }
    answers: dict[str, tuple[LedgerRecord, ...]] = {
        "answered": (refusal,),
        "answered-too-late": (refusal,),
    }
    disputed = deck[0]

    def accuses(shown: Owned, holder: bytes) -> tuple[bytes, ...]:
        return tuple(one.raw for one in says[kind]) if shown == disputed else ()

    def answers_with(shown: Owned) -> tuple[bytes, ...]:
        return tuple(one.raw for one in answers.get(kind, ()))

    return [KitOwnership(accusation=accuses), KitOwnership(answer=answers_with)]
