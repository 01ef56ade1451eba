"""Who plays in a random history: honest people who keep to their journals, cheats who do not,
witnesses, and one liar.

Nobody signs, since a view looks at no signature. So a cheat may do here whatever it could with its
own keys, and nothing that takes somebody else's.
"""

from collections.abc import Iterable
from contextlib import suppress
from random import Random

from protocol.errors import LocalError
from protocol.ledger.incremental_view import IncrementalLedgerView
from protocol.ledger.record_contents import Attestation, CardTransfer, Content, Trade
from protocol.ledger.records import LedgerRecord
from protocol.ledger.view import LedgerView
from tests.support.ledger import bare


class Person:
    """Somebody with a key and what it knows."""

    def __init__(self, key: bytes) -> None:
        self.key = key
        self.known: dict[bytes, LedgerRecord] = {}
        self.view = IncrementalLedgerView()
        # slot -> trade, of the cards that were given: the journal
        self.signed: dict[bytes, bytes] = {}
        self.hidden: set[bytes] = set()  # records that only cheats keep from others

    def learn(self, records: Iterable[LedgerRecord]) -> None:
        """Take what is new."""
        for record in records:
            if record.id not in self.known:
                self.known[record.id] = record
                self.view.add(record)

    def say(self, content: Content) -> LedgerRecord:
        """Make a record and keep it."""
        record = bare(content)
        self.learn([record])
        return record

    def shown(self) -> list[LedgerRecord]:
        """What is given to others: with a hidden trade goes all that would tell of it."""
        return [
            record
            for record in self.known.values()
            if record.id not in self.hidden and not self._tells(record)
        ]

    def _tells(self, record: LedgerRecord) -> bool:
        return isinstance(record.content, Attestation) and record.content.trade in self.hidden

    def cards(self) -> list[CardTransfer]:
        """The next transfers of what may be given away."""
        found = []
        for card in self.view.held_by(self.key):
            with suppress(LocalError):
                found.append(self.view.next_transfer(card, 0))
        return [one for one in found if one.slot not in self.signed]

    def agrees(self, trade: Trade) -> bool:
        """Whether all cards are free as far as is known here, no own one was given before, and
        nobody waived it.
        """
        if self.view.with_free_number(trade) != trade:
            return False
        for one in trade.transfers:
            held = self.view.holding(one.instance)
            if held is None or held.owner != trade.giver(one) or self._gave(trade, one):
                return False
            with suppress(LocalError):
                if self.view.next_transfer(one.instance, one.sender) == one:
                    continue
            return False
        return True

    def sign(self, trade: LedgerRecord) -> None:
        """Into the journal, for good or until it is waived."""
        assert isinstance(trade.content, Trade)
        for one in trade.content.transfers:
            if trade.content.giver(one) == self.key:
                self.signed[one.slot] = trade.id

    def release(self, trade: bytes) -> None:
        """The other has waived it."""
        self.signed = {slot: other for slot, other in self.signed.items() if other != trade}

    def _gave(self, trade: Trade, one: CardTransfer) -> bool:
        return trade.giver(one) == self.key and one.slot in self.signed


class Witness(Person):
    """Signs the first trade that it meets in a place, if that stands on walls; a liar signs all it
    is offered.
    """

    def __init__(self, key: bytes, lies: bool) -> None:
        super().__init__(key)
        self.lies = lies
        self._places: dict[tuple[bytes, bytes | None], bytes] = {}

    def offered(self, trade_id: bytes) -> list[LedgerRecord]:
        """Its words on a trade; none if it does not sign."""
        trade = self.known[trade_id].content
        assert isinstance(trade, Trade)
        places = [(one.instance, one.prev) for one in trade.transfers]
        if not self.lies:
            walls = all(
                one.prev is None or self.view.certified(one.prev) for one in trade.transfers
            )
            first = all(self._places.get(place, trade_id) == trade_id for place in places)
            if not walls or not first or not (_holds_but_for_rivals(self.view, trade_id, trade)):
                return []
            self._places |= dict.fromkeys(places, trade_id)
        return [
            self.say(Attestation(self.key, one.slot, trade_id, number))
            for number, one in enumerate(trade.transfers)
        ]


def _holds_but_for_rivals(it: LedgerView, trade_id: bytes, trade: Trade) -> bool:
    """As the first that is met may be signed although another stands in its slot."""
    if not it.void(trade_id):
        return True
    if it.waivers.get(trade_id, set()) & {trade.a, trade.b}:
        return False
    owned = all(
        (held := it.holding(one.instance)) is not None and held.owner == trade.giver(one)
        for one in trade.transfers
    )
    fresh = all(
        one.over is None and it.last_trades[one.instance] == one.prev for one in trade.transfers
    )
    return owned and fresh


def mix(rng: Random, one: Person, other: Person) -> None:
    """Two merge what they show."""
    there, here = other.shown(), one.shown()
    one.learn(there)
    other.learn(here)


def trade_between(
    a: Person, b: Person, given: list[CardTransfer], taken: list[CardTransfer]
) -> Trade:
    """The content that both work out: a gives, b gives."""
    low, high = sorted((a.key, b.key))
    sides = [(one, a.key) for one in given] + [(one, b.key) for one in taken]
    moved = [
        CardTransfer(one.instance, int(key == high), one.index, one.prev, one.over)
        for one, key in sides
    ]
    return a.view.with_free_number(
        Trade(low, high, tuple(sorted(moved, key=lambda one: one.instance)))
    )


def gives(record: LedgerRecord, key: bytes) -> bool:
    """Whether this is a trade by which somebody gave a card."""
    trade = record.content
    return isinstance(trade, Trade) and any(trade.giver(one) == key for one in trade.transfers)
