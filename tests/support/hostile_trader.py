"""Trader that sends any message at any time, and signs anything."""

from random import Random

from protocol import wire
from protocol.identity.keys import Identity
from protocol.ledger.record_codec import content_bytes, read_content
from protocol.ledger.record_contents import Content, Trade, Waive
from protocol.ledger.records import content_id, sign_content, sign_record, waive_of
from protocol.ledger.trading.journal import JournalCount, sign_standing
from protocol.ledger.trading.messages import MESSAGES, SALT, decode
from tests.support.ledger import trade_of
from tests.support.trading import CARDS, Book


class HostileTrader:
    """Trader `me` with partner `victim`. `book` has all records of both."""

    def __init__(self, me: Identity, victim: Identity, book: Book, seed: int) -> None:
        self.me, self.victim, self.book, self.rng = me, victim, book, Random(seed)
        self.salt, self.number = self.rng.randbytes(SALT), 0
        self.trades: dict[bytes, Trade] = {}  # all trades mentioned so far
        self.wrong = 0.1  # share of messages with nonsense fields
        self.revision = self.heard = 0  # revisions of the own offer and of the victim's offer

    def hear(self, payload: bytes) -> None:
        """Process a message of the victim."""
        said = decode(payload)
        self.heard += said.name == "offer"
        if said.name in ("propose", "sign"):
            self._remember(read_content(said.values[0]))

    def say(self, name: str) -> bytes:
        """Make a message of this name with the right number. Its fields are sometimes nonsense."""
        values = getattr(self, f"_{name}")()
        if values and self.rng.random() < self.wrong:
            values[self.rng.randrange(len(values))] = self.rng.choice(
                [None, -1 % 7, b"", b"x" * 32, "no", [], True]
            )
        payload = wire.encode([self.salt, self.number, name, *values])
        self.number += 1
        self.revision += name == "offer"
        return payload

    def anything(self) -> bytes:
        """Make a random message."""
        return self.say(self.rng.choice([*MESSAGES, "propose", "sign", "counter", "agree"]))

    def _remember(self, content: Content) -> Trade:
        assert isinstance(content, Trade)
        self.trades[content_id(content)] = content
        return content

    def _trade(self) -> Trade:
        """Choose a trade that was mentioned, or make a new one, valid or not."""
        if self.trades and self.rng.random() < 0.6:
            return self.rng.choice(list(self.trades.values()))
        owned = [
            [card for card in CARDS if self._owner(card.id) == one.public]
            for one in (self.victim, self.me)
        ]
        if self.rng.random() < 0.2:
            owned[0].append(CARDS[4])  # a card that neither of them owns
        goes, comes = ([self._transfer(card.id) for card in self._some(cards)] for cards in owned)
        goes = goes or comes or [self._transfer(CARDS[0].id)]
        return self._remember(trade_of(self.victim, self.me, goes, [] if goes is comes else comes))

    def _some(self, cards):
        return [card for card in cards if self.rng.random() < 0.6]

    def _transfer(self, card: bytes):
        return self.book.view.next_transfer(card, 0)

    def _owner(self, card: bytes) -> bytes | None:
        held = self.book.view.holding(card)
        return None if held is None else held.owner

    def _id(self) -> bytes:
        return content_id(self._trade())

    def _meet(self):
        return [wire.VERSION, self.me.public, "Eve", [card.id for card in self._some(CARDS)]]

    def _standing(self):
        return [
            list(sign_standing(self.me, JournalCount(3, bytes(32)))),
            None,
            [card.id for card in self._some(CARDS)],
        ]

    def _merge(self):
        records = [record.raw for record in self._some(self.book.records)]
        said = self.rng.choice(
            [["turn"], ["records", records or [b"x"]], ["want", self.rng.randbytes(8)]]
        )
        return [self.revision, self.heard, wire.encode(said)]

    def _image(self):
        said = [
            ["images", [self.rng.randbytes(32)]],
            ["no_image", b"d" * 32],
            ["image", b"d" * 32, 9, b"part"],
        ]
        return [wire.encode(self.rng.choice(said))]

    def _offer(self):
        waives = [one.id for one in self.book.records if isinstance(one.content, Waive)]
        listed = self.rng.choice([[], waives[:3], [self.rng.randbytes(32)]])
        return [*([card.id for card in self._some(CARDS)] for _ in range(2)), listed]

    def _say(self):
        return ["well"]

    def _propose(self):
        return [content_bytes(self._trade())]

    def _agree(self):
        return [self._id()]

    _done = _agree

    def _reject(self):
        return [self._id(), "no"]

    def _sign(self):
        trade = self._trade()
        return [content_bytes(trade), sign_content(self.me, trade)]

    def _counter(self):
        trade = self._trade()
        return [content_id(trade), sign_content(self.me, trade)]

    def _waive(self):
        return [sign_record(waive_of(self._trade(), self.me.public), self.me).raw]

    def _exit(self):
        return []
