"""People in a random history: honest people who keep to their journals, cheats who do not,
witnesses, and one liar.

A view does not check signatures, so records need none unless they are shown in a match. A cheat
does everything that needs its own keys, and nothing that needs another person's.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from random import Random

from protocol.errors import LocalError
from protocol.identity.keys import Identity
from protocol.ledger.incremental_view import IncrementalLedgerView
from protocol.ledger.record_contents import (
    Attestation,
    CardTransfer,
    Content,
    FraudProof,
    Trade,
)
from protocol.ledger.records import LedgerRecord, sign_record
from protocol.ledger.related_records import place_key
from protocol.ledger.trading.journal import Promise, uncovered_promises
from protocol.ledger.view import LedgerView
from protocol.limits import MAX_TRADE_WAIVES
from tests.support.ledger import bare


class Unsigned:
    """Source of keys, and of records without signatures."""

    def key(self, rng: Random) -> bytes:
        """Make the key of a person."""
        return rng.randbytes(32)

    def record(self, content: Content) -> LedgerRecord:
        """Make a record."""
        return bare(content)


class Signed(Unsigned):
    """Source of keys, and of records with all signatures."""

    def __init__(self) -> None:
        self.identities: dict[bytes, Identity] = {}

    def key(self, rng: Random) -> bytes:
        identity = Identity(rng.randbytes(32))
        self.identities[identity.public] = identity
        return identity.public

    def record(self, content: Content) -> LedgerRecord:
        if isinstance(content, FraudProof):
            return bare(content)
        keys = (content.a, content.b) if isinstance(content, Trade) else (content.creator,)
        return sign_record(content, *(self.identities[key] for key in keys))


class Person:
    """Person with a key and a set of known records."""

    def __init__(self, key: bytes, source: Unsigned) -> None:
        self.key = key
        self.source = source
        self.known: dict[bytes, LedgerRecord] = {}
        self.view = IncrementalLedgerView()
        # trades in which the person gives a card, by id: the journal
        self.signed: dict[bytes, Promise] = {}
        self.hidden: set[bytes] = set()  # records that only cheats withhold from others

    def learn(self, records: Iterable[LedgerRecord]) -> None:
        """Add the new records."""
        for record in records:
            if record.id not in self.known:
                self.known[record.id] = record
                self.view.add(record)

    def say(self, content: Content) -> LedgerRecord:
        """Make a record and keep it."""
        record = self.source.record(content)
        self.learn([record])
        return record

    def shown(self) -> list[LedgerRecord]:
        """Return the records shown to others: without a hidden trade and every record that would
        reveal it.
        """
        return [
            record
            for record in self.known.values()
            if record.id not in self.hidden and not self._tells(record)
        ]

    def _tells(self, record: LedgerRecord) -> bool:
        return isinstance(record.content, Attestation) and record.content.trade in self.hidden

    def cards(self) -> list[CardTransfer]:
        """Return the next transfers of the cards that may be given away."""
        found = []
        for card in self.view.held_by(self.key):
            with suppress(LocalError):
                found.append(self.view.next_transfer(card, 0))
        return [one for one in found if all(each.released for each in self.uncovered(one))]

    def uncovered(self, one: CardTransfer, waives: tuple[bytes, ...] = ()) -> tuple[Promise, ...]:
        """Return the earlier trades of a card that a new one does not cover."""
        place = place_key(one)
        there = [each for each in self.signed.values() if place in each.places]
        return uncovered_promises(there, one, waives)

    def agrees(self, trade: Trade) -> bool:
        """Return whether all cards are free as far as known, no own card was given before, and
        nobody waived the trade.
        """
        if self.view.with_free_number(trade) != trade:
            return False
        for one in trade.transfers:
            held = self.view.holding(one.instance)
            if held is None or held.owner != trade.giver(one):
                return False
            if trade.giver(one) == self.key and self.uncovered(one, trade.waives):
                return False
            with suppress(LocalError):
                if self.view.next_transfer(one.instance, one.sender) == one:
                    continue
            return False
        return self.view.can_hold(trade)

    def sign(self, trade: LedgerRecord) -> None:
        """Note the trade in the journal, for good or until it is waived."""
        assert isinstance(trade.content, Trade)
        self.signed[trade.id] = Promise(trade.id, trade.content, self.key, b"")

    def release(self, trade: bytes) -> None:
        """Note that the partner has waived a trade."""
        self.signed[trade] = replace(self.signed[trade], released=True)


class Witness(Person):
    """Witness that signs the first trade that it sees for a slot, if the trade is well founded; a
    liar signs every trade.
    """

    def __init__(self, key: bytes, source: Unsigned, lies: bool) -> None:
        super().__init__(key, source)
        self.lies = lies
        self._places: dict[tuple[bytes, bytes | None], bytes] = {}

    def offered(self, trade_id: bytes) -> list[LedgerRecord]:
        """Return its records for a trade; none if it does not sign."""
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
    """Return whether the trade holds apart from rivals in its slot: the first trade to arrive may
    be signed despite them.
    """
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
    """Merge the shown records of two people."""
    there, here = other.shown(), one.shown()
    one.learn(there)
    other.learn(here)


def trade_between(
    a: Person, b: Person, given: list[CardTransfer], taken: list[CardTransfer]
) -> Trade:
    """Return the content on which both agree: a gives, b gives."""
    low, high = sorted((a.key, b.key))
    sides = [(one, a.key) for one in given] + [(one, b.key) for one in taken]
    moved = [
        CardTransfer(one.instance, int(key == high), one.index, one.prev, one.over)
        for one, key in sides
    ]
    listed = {
        each.waive
        for person, cards in ((a, given), (b, taken))
        for one in cards
        for each in person.uncovered(one)
        if each.released
    }
    listed |= {
        waive
        for person in (a, b)
        for one in moved
        if one.instance in person.view.instances
        for waive in person.view.listed_waives(one.instance)
    }
    there = tuple(sorted(listed))[:MAX_TRADE_WAIVES]
    for person, other in ((a, b), (b, a)):
        person.learn(other.known[waive] for waive in there if waive in other.known)
    return a.view.with_free_number(
        Trade(low, high, tuple(sorted(moved, key=lambda one: one.instance)), waives=there)
    )


def gives(record: LedgerRecord, key: bytes) -> bool:
    """Return whether this is a trade in which `key` gave a card."""
    trade = record.content
    return isinstance(trade, Trade) and any(trade.giver(one) == key for one in trade.transfers)
