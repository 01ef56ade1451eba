"""Sets of records of any size, honest and as hard as possible for a program that has to read them.

Each shape is a function of a number of records. Signatures are real where `signed` is asked for,
since files, merges and disks need them; a view checks none.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from random import Random

from protocol.identity.keys import Identity
from protocol.ledger.record_codec import content_bytes
from protocol.ledger.record_contents import (
    Attestation,
    CardTransfer,
    CardType,
    Content,
    Creator,
    Instance,
    Trade,
    Waive,
)
from protocol.ledger.records import LedgerRecord, content_id, sign_content, signers, waive_id
from protocol.wire import encode


@cache
def key(number: int) -> Identity:
    """Return an identity by its number."""
    return Identity(number.to_bytes(32, "big"))


@dataclass
class Maker:
    """Makes records of one creator's cards, with real signatures or none."""

    signed: bool = True
    records: list[LedgerRecord] = field(default_factory=list)
    people: dict[bytes, Identity] = field(default_factory=dict)
    kind: LedgerRecord = field(init=False)
    revision: bytes | None = None  # newest record of the creator

    def __post_init__(self) -> None:
        self.creator = self.person(1)
        self.kind = self.put(CardType(self.creator, None, 0, None, "Card", "", None, (), False, ""))

    def person(self, number: int) -> bytes:
        """Return the public key of a person."""
        found = key(number)
        self.people[found.public] = found
        return found.public

    def put(self, content: Content) -> LedgerRecord:
        """Add a record."""
        said = content_bytes(content)
        whom = signers(content) if self.signed else ()
        raw = encode([said, *(sign_content(self.people[one], content) for one in whom)])
        self.records.append(LedgerRecord(raw if whom else said, content_id(content), content))
        return self.records[-1]

    def card(self, serial: int) -> bytes:
        """Add a card."""
        return self.put(Instance(self.creator, self.kind.id, serial, bytes(16))).id

    def trade(
        self,
        giver: bytes,
        taker: bytes,
        links: Iterable[tuple[bytes, int, bytes | None, bytes | None]],
        waives: Iterable[bytes] = (),
        number: int = 0,
    ) -> bytes:
        """Add a trade by which `giver` gives cards: (card, index, prev, over)."""
        a, b = sorted((giver, taker))
        moved = (CardTransfer(one[0], int(giver == b), *one[1:]) for one in links)
        transfers = tuple(sorted(moved, key=lambda one: one.instance))
        return self.put(Trade(a, b, transfers, number, tuple(sorted(waives)))).id

    def witness(self, revision: int, witnesses: Iterable[bytes], quorum: int) -> None:
        """Add a record of the creator that names witnesses."""
        named = tuple(sorted(witnesses))
        previous = self.revision if revision else None
        made = Creator(self.creator, revision, previous, "Maker", None, "", named, quorum)
        self.revision = self.put(made).id

    def seen(self, witness: bytes, trade: bytes, one: CardTransfer, position: int = 0) -> None:
        """Add a witness's words about one card of a trade."""
        self.put(Attestation(witness, one.slot, trade, position))


def swaps(many: int, signed: bool = True) -> list[LedgerRecord]:
    """Cards that wander among people, as honest people trade them."""
    made = Maker(signed)
    rng = Random(1)
    people = [made.person(number) for number in range(2, 52)]
    cards = [made.card(serial) for serial in range(max(1, many // 5))]
    fresh: tuple[bytes, int, bytes | None] = (made.creator, 0, None)
    last = dict.fromkeys(cards, fresh)
    while len(made.records) < many:
        card = rng.choice(cards)
        giver, index, prev = last[card]
        taker = rng.choice([one for one in people if one != giver])
        trade = made.trade(giver, taker, [(card, index, prev, None)])
        last[card] = (taker, index + 1, trade)
    return made.records


def chain(many: int, signed: bool = True) -> list[LedgerRecord]:
    """One card that wanders on and on, between two people."""
    made = Maker(signed)
    people = [made.person(number) for number in (2, 3)]
    card = made.card(0)
    prev = made.trade(made.creator, people[0], [(card, 0, None, None)])
    for index in range(1, many - 2):
        giver, taker = people if index % 2 else people[::-1]
        prev = made.trade(giver, taker, [(card, index, prev, None)])
    return made.records


def falls_and_rises(many: int, signed: bool = True) -> list[LedgerRecord]:
    """A long chain whose first trade is certified, loses that to a certified rival, and gets it
    back when the rival's witness has lied: again and again. The first trade is waived.
    """
    made = Maker(signed)
    people = [made.person(number) for number in (2, 3)]
    card = made.card(0)
    first = made.trade(made.creator, people[0], [(card, 0, None, None)])
    made.put(Waive(people[0], first))
    prev = first
    for index in range(1, many // 2):
        giver, taker = people if index % 2 else people[::-1]
        prev = made.trade(giver, taker, [(card, index, prev, None)])
    slot = CardTransfer(card, 0, 0, None, None)
    good = made.person(10)
    made.witness(0, [good], 1)
    made.seen(good, first, slot)
    turn = 1
    while len(made.records) < many:
        liar = made.person(10 + turn)
        rival = made.trade(made.creator, people[1], [(card, 0, None, None)], number=turn)
        made.witness(turn, [liar], 1)
        made.seen(liar, rival, slot)
        made.seen(liar, first, slot, 1)
        turn += 1
    return made.records


def over_again(many: int, signed: bool = True) -> list[LedgerRecord]:
    """Trades of one card from one place, each over the one before: all but the first wait."""
    made = Maker(signed)
    taker = made.person(2)
    card = made.card(0)
    over: bytes | None = None
    for index in range(many - 2):
        over = made.trade(made.creator, taker, [(card, index, None, over)])
    return made.records


def put_between(many: int, signed: bool = True) -> list[LedgerRecord]:
    """Trades of one place, each over the one before, and then others that belong between them."""
    made = Maker(signed)
    taker = made.person(2)
    card = made.card(0)
    over = made.trade(made.creator, taker, [(card, 0, None, None)])
    late: list[Trade] = []
    a, b = sorted((made.creator, taker))
    sender = int(made.creator == b)
    for index in range(1, many // 3):
        moved = CardTransfer(card, sender, index, None, over)
        between = Trade(a, b, (moved,), 1)
        made.put(Waive(taker, content_id(between)))
        waive = waive_id(content_id(between), taker)
        late.append(between)
        over = made.put(Trade(a, b, (moved,), 0, (waive,))).id
    for between in late:
        made.put(between)
    return made.records


def all_certified(many: int, signed: bool = True) -> list[LedgerRecord]:
    """Trades of one card from one place, each over the one before, all certified."""
    made = Maker(signed)
    taker, witness = made.person(2), made.person(3)
    card = made.card(0)
    made.witness(0, [witness], 1)
    over: bytes | None = None
    for index in range((many - 3) // 2):
        moved = CardTransfer(card, 0, index, None, over)
        over = made.trade(made.creator, taker, [(card, index, None, over)])
        made.seen(witness, over, moved, index)
    return made.records


def waived_by_strangers(many: int, signed: bool = True) -> list[LedgerRecord]:
    """One trade that many strangers waive, and that many strangers' trades are over."""
    made = Maker(signed)
    taker = made.person(2)
    card = made.card(0)
    first = made.trade(made.creator, taker, [(card, 0, None, None)])
    for number in range(3, 2 + many // 2):
        stranger = made.person(number)
        made.put(Waive(stranger, first))
        made.trade(stranger, taker, [(card, 1, None, first)])
    return made.records


def attested_by_strangers(many: int, signed: bool = True) -> list[LedgerRecord]:
    """A creator that names other witnesses again and again, and trades with words of strangers."""
    made = Maker(signed)
    taker, witness = made.person(2), made.person(3)
    card = made.card(0)
    for revision in range(many // 4):
        made.witness(revision, [witness, made.person(10 + revision)], 2)
    prev: bytes | None = None
    giver = made.creator
    for index in range(many // 4):
        moved = CardTransfer(card, 0, index, prev, None)
        trade = made.trade(giver, taker, [(card, index, prev, None)])
        made.seen(witness, trade, moved, index)
        made.seen(made.person(10 + many + index), trade, moved, index)
        prev, giver, taker = trade, taker, made.person(4) if giver == made.creator else giver
    return made.records


def spent_by_many(many: int, signed: bool = True) -> list[LedgerRecord]:
    """Strangers' trades of one card from the same place, each by another giver."""
    made = Maker(signed)
    taker = made.person(2)
    card = made.card(0)
    for number in range(3, 1 + many):
        made.trade(made.person(number), taker, [(card, 0, None, None)])
    return made.records


def spent_often(many: int, signed: bool = True) -> list[LedgerRecord]:
    """One giver's trades of one card from one place, all in conflict."""
    made = Maker(signed)
    taker = made.person(2)
    card = made.card(0)
    for number in range(many - 2):
        made.trade(made.creator, taker, [(card, 0, None, None)], number=number)
    return made.records


HONEST: dict[str, Callable[..., list[LedgerRecord]]] = {"swaps": swaps}
WORST: dict[str, Callable[..., list[LedgerRecord]]] = {
    "chain": chain,
    "falls-and-rises": falls_and_rises,
    "over-again": over_again,
    "put-between": put_between,
    "all-certified": all_certified,
    "waived-by-strangers": waived_by_strangers,
    "attested-by-strangers": attested_by_strangers,
    "spent-by-many": spent_by_many,
    "spent-often": spent_often,
}
SHAPES = HONEST | WORST


def orphans(records: Iterable[LedgerRecord]) -> Iterator[LedgerRecord]:
    """Yield the trades, waives and words without what they rest on."""
    return (record for record in records if isinstance(record.content, Trade | Waive | Attestation))
