"""Matches recorded before they are played. Posts of seats are stored bytes, and entries of the
table follow from them.

All randomness of a match follows from its number, here and at the host (`scripts.clusters.host`).
So the table makes the same entries and heads again. A client that sends the recorded posts needs no
rules, keys or proofs.
"""

import hashlib
from random import Random
from typing import NamedTuple

from protocol.dealing import TABLE
from protocol.games import Action
from protocol.identity.keys import Identity
from protocol.match.clock import Allowance
from protocol.match.log import decode_entry
from protocol.match.setup import Person, Setup, TableIdentity
from protocol.match.terms import Terms, make_terms
from protocol.options import Selection
from protocol.view.view import View
from tests.support.offline import Offline, make_offline

NAMES = ("Ann", "Bob")
# seconds, so long that no seat lapses on a busy machine
CLOCK = Allowance(extensions=3, step=1200, turn=1200)
TERMS: Terms = make_terms(Selection("connect-four"), Selection("none"), CLOCK.options(), len(NAMES))
CREATED = 1_700_000_000  # Unix seconds: time at which all matches began


def secret(*words: object) -> bytes:
    """Derive 32 bytes from `words`, the same bytes each time."""
    return hashlib.sha256("/".join(map(str, words)).encode()).digest()


TABLE_KEY = secret("table")  # key of the table's identity, at every host


class Number(NamedTuple):
    """Number of a match. A store accepts each match only once, so every run on a store has its own
    numbers.
    """

    run: str
    table: int  # number of the created table for this match

    def identity(self, seat: int) -> Identity:
        """Identity of a seat."""
        return Identity(secret("seat", *self, seat))

    @property
    def seed(self) -> bytes:
        """Seed of the table's secrets in this match."""
        return secret("seed", *self)

    def setup(self) -> Setup:
        """Setup for entry 0."""
        table = TableIdentity(Identity(TABLE_KEY).public, "Table", f"table-{self.table}")
        people = tuple(Person(name, self.identity(seat).public) for seat, name in enumerate(NAMES))
        return Setup(table, secret("nonce", *self), CREATED, TERMS, people)


class RecordedMatch(NamedTuple):
    """A recorded match."""

    number: Number
    entries: int
    posts: tuple[dict[int, bytes], ...]  # for each seat: number in the log -> entry


def record(number: Number) -> RecordedMatch:
    """Play a match that depends on its number only. All matches have the same length."""
    # source of the values that do not matter here
    usual = make_offline(len(NAMES), game="connect-four", dealing="none")
    live = type(usual.live)(Identity(TABLE_KEY), number.setup(), number.seed)
    first = live.records[0]
    seats = [
        type(seat)(number.identity(seat.number), seat.number, usual.rng) for seat in usual.seats
    ]
    readers = [type(reader)(first.entry, first.head) for reader in usual.readers]
    played = Offline(live, seats, readers, usual.rng, bots=(_first, _first))
    played.play()
    assert live.match.over and not live.match.faults and not played.refused
    posts: tuple[dict[int, bytes], ...] = tuple({} for _ in NAMES)
    for place, entry in enumerate(live.records):
        author = decode_entry(entry.entry).author
        if author != TABLE:
            posts[author][place] = entry.entry
    return RecordedMatch(number, len(live.records), posts)


def _first(view: View, rng: Random) -> Action:
    """Choose the first offered move. One column after the other fills up until four stones are in a
    row.
    """
    return next(action for offer in view.offers for action in offer.actions())
