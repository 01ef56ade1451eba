"""Two people who trade, in memory, with their records on real stores."""

from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random

from player.cards.storage.ledger_store import LedgerStore
from protocol.identity.keys import Identity
from protocol.ledger.incremental_view import IncrementalLedgerView
from protocol.ledger.merge.merge_session import MergeSession
from protocol.ledger.record_contents import CardType, Creator, Instance
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord
from protocol.ledger.trading.events import TradeEvent, TradeProposed
from protocol.ledger.trading.messages import Payload, TradePhase, decode, encode
from protocol.ledger.trading.trade_session import TradeSession
from protocol.steps import Steps
from tests.support.ledger import ANN, BOB, MAKER, TYPE, card, maker, slot_of, traded
from tests.support.stores import left_open

NAMES = {ANN.public: "Ann", BOB.public: "Bob"}


class Book:
    """Records of one person, on a store."""

    def __init__(self, store: LedgerStore) -> None:
        self.store, self.records, self.view = store, RecordSet(), IncrementalLedgerView()
        self._learn(store.records())

    def _learn(self, records: Iterable[LedgerRecord]) -> None:
        for record in records:
            if self.records.add(record):
                self.view.add(record)

    def find(self, record: bytes) -> LedgerRecord | None:
        return self.records.get(record)

    def add(self, records: Iterable[LedgerRecord]) -> None:
        records = list(records)
        self.store.add(records)
        self._learn(records)

    def merge(self, salt: bytes, calling: bool, given: Iterable[bytes]) -> MergeSession:
        return MergeSession(self.records, salt, calling, given, alarms=self.view.alarms)

    def merge_steps(
        self, salt: bytes, calling: bool, given: Iterable[bytes]
    ) -> Steps[MergeSession]:
        yield
        return self.merge(salt, calling, given)

    def image_digests(self, cards: Iterable[bytes]) -> list[bytes]:
        return [digest for digest in map(self._face, cards) if digest is not None]

    def _face(self, card: bytes) -> bytes | None:
        copy = self.records.get(card)
        kind = (
            self.records.get(copy.content.type)
            if copy and isinstance(copy.content, Instance)
            else None
        )
        return kind.content.image if kind and isinstance(kind.content, CardType) else None

    def image(self, digest: bytes) -> bytes | None:
        return self.store.image(digest)

    def store_images(self, images: Iterable[bytes]) -> int:
        return sum(self.store.add_image(data) is None for data in images)

    def witnesses(self, creator: bytes) -> tuple[tuple[bytes, ...], int]:
        found = [one.content for one in self.records if isinstance(one.content, Creator)]
        mine = [one for one in found if one.creator == creator]
        return (mine[-1].witnesses, mine[-1].quorum) if mine else ((), 0)

    def trust(self, key: bytes) -> bool | None:
        return self.store.trust(key)

    def trusted(self) -> tuple[bytes, ...]:
        return tuple(key for key, trusted in self.store.marks().items() if trusted)


class Person:
    """A person with a data folder, whose program can be restarted."""

    def __init__(
        self, me: Identity, folder: Path, marks: Path | None = None, seed: int = 0
    ) -> None:
        self.me, self.folder, self.marks, self.rng = (
            me,
            folder,
            marks,
            Random(f"{me.public.hex()} {seed}"),
        )
        self.start()

    def start(self) -> None:
        """Start a program on this folder, as after a crash."""
        self.store = left_open(LedgerStore(self.folder, self.me.public, self.marks))
        self.book = Book(self.store)

    def stop(self) -> None:
        self.store.close()

    @property
    def journal(self):
        return self.store.journal

    def owns(self, *cards: LedgerRecord) -> bool:
        """Check that the person owns all these cards according to the own records."""
        return all(
            (held := self.book.view.holding(one.id)) is not None and held.owner == self.me.public
            for one in cards
        )

    def meet(
        self, partner: bytes | None = None, journal: object = None, book: object = None
    ) -> TradeSession:
        name = NAMES.get(self.me.public, "Somebody")
        return TradeSession(
            self.me, name, book or self.book, journal or self.journal, self.rng, partner
        )


class Pair:
    """A session of two people, run message by message."""

    def __init__(self, one: TradeSession, other: TradeSession) -> None:
        self.sides = (one, other)
        self.told: tuple[list[TradeEvent], list[TradeEvent]] = ([], [])
        self.waiting: tuple[list[bytes], list[bytes]] = ([], [])  # messages for each side
        self.sent: tuple[list[bytes], list[bytes]] = ([], [])  # messages from each side

    def gather(self) -> None:
        """Collect messages and events of both sides."""
        for number, side in enumerate(self.sides):
            new = side.outgoing()
            self.sent[number].extend(new)
            self.waiting[1 - number].extend(new)
            self.told[number].extend(side.events())

    def step(self, number: int) -> bool:
        """Deliver the next message to one side. Return False if there is none."""
        self.gather()
        if not self.waiting[number]:
            return False
        self.sides[number].received(self.waiting[number].pop(0))
        self.gather()
        return True

    def run(self, until: Callable[[], bool] = lambda: False) -> "Pair":
        """Deliver all messages in turns."""
        while not until() and (self.step(0) | self.step(1)):
            pass
        return self

    def forge(self, number: int, name: str, *values: object) -> bytes:
        """Make a payload that one side has not sent, but that would be its next one."""
        self.gather()
        salt = decode(self.sent[number][0]).salt
        return encode(Payload(salt, len(self.sent[number]), name, list(values)))

    def last(self, number: int, kind: type[TradeEvent]) -> TradeEvent:
        """Return the newest event of a kind for a side."""
        return [event for event in self.told[number] if isinstance(event, kind)][-1]


CARDS = tuple(card(serial) for serial in range(6))


def issue(*owners: Identity) -> list[LedgerRecord]:
    """Make the records of the creator, the card type, and one card for each owner, given by the
    creator.
    """
    known = [maker(), TYPE, *CARDS[: len(owners)]]
    return known + [
        traded(MAKER, owner, [slot_of(one.id)]) for one, owner in zip(CARDS, owners, strict=False)
    ]


def two(path: Path, seed: int = 0, marks: bool = False) -> tuple[Person, Person]:
    """Make Ann with cards 0 and 1, and Bob with 2 and 3. Each has only the records of the own
    cards.
    """
    people = []
    for me, owned in ((ANN, (0, 1)), (BOB, (2, 3))):
        person = Person(me, path / NAMES[me.public], path / "marks" if marks else None, seed)
        every = issue(ANN, ANN, BOB, BOB)
        given = [
            maker(),
            TYPE,
            *(CARDS[number] for number in owned),
            *(every[6 + number] for number in owned),
        ]
        for record in given:
            person.book.add([record])
        person.journal.mend()  # the test has signed the creator's gifts without the journal
        people.append(person)
    return people[0], people[1]


def session_in(ann: Person, bob: Person, phase: TradePhase) -> Pair:
    """Make a session in which Ann's side is in this phase after honest messages: her card 0 for his
    card 2.
    """
    pair = Pair(ann.meet(BOB.public), bob.meet(ANN.public))
    hers, his = pair.sides

    def talk() -> None:
        pair.run()
        hers.offer([CARDS[0].id])
        his.offer([CARDS[2].id])
        pair.run()

    def propose(side: TradeSession) -> None:
        talk()
        side.propose()
        pair.run()

    def agree(*sides: TradeSession) -> None:
        for side in sides:
            side.sign(pair.last(0, TradeProposed).terms.id)

    steps: dict[TradePhase, list[Callable[[], object]]] = {
        TradePhase.MEETING: [],
        TradePhase.GREETED: [lambda: pair.step(0)],
        TradePhase.TALKING: [talk],
        TradePhase.PROPOSED: [lambda: propose(hers)],
        TradePhase.ASKED: [lambda: propose(his)],
        TradePhase.AGREED: [lambda: propose(his), lambda: agree(hers)],
        TradePhase.SIGNED: [lambda: propose(hers), lambda: agree(hers, his), lambda: pair.step(0)],
        TradePhase.CLOSED: [hers.leave],
    }
    for step in steps[phase]:
        step()
    assert hers.phase is phase
    return pair
