"""Matches recorded before they are played: what the seats post is bytes to be sent, and what the
table posts follows.

All that is random in a match comes from its number, at the host (`scripts.clusters.host`) as here:
so the table makes the same entries and heads again, and whoever sends the recorded ones needs no
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
# seconds; a busy machine is no player's fault
CLOCK = Allowance(extensions=3, step=1200, turn=1200)
TERMS: Terms = make_terms(Selection("connect-four"), Selection("none"), CLOCK.options(), len(NAMES))
CREATED = 1_700_000_000  # Unix seconds: when all of them began


def secret(*words: object) -> bytes:
    """32 bytes that are the same each time."""
    return hashlib.sha256("/".join(map(str, words)).encode()).digest()


TABLE_KEY = secret("table")  # of the table's identity, at every host


class Number(NamedTuple):
    """Which match: a store has each only once, so every run of a store has its own."""

    run: str
    table: int  # the number of the created table that it is played at

    def identity(self, seat: int) -> Identity:
        """Of a seat."""
        return Identity(secret("seat", *self, seat))

    @property
    def seed(self) -> bytes:
        """What the table's secrets in it come from."""
        return secret("seed", *self)

    def setup(self) -> Setup:
        """What entry 0 says."""
        table = TableIdentity(Identity(TABLE_KEY).public, "Table", f"table-{self.table}")
        people = tuple(Person(name, self.identity(seat).public) for seat, name in enumerate(NAMES))
        return Setup(table, secret("nonce", *self), CREATED, TERMS, people)


class Canned(NamedTuple):
    """A match that has been played."""

    number: Number
    entries: int
    posts: tuple[dict[int, bytes], ...]  # of each seat: its entries by their numbers in the log


def record(number: Number) -> Canned:
    """Play a match, from its number alone; all of them are equally long."""
    # for what is made around a match
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
    return Canned(number, len(live.records), posts)


def _first(view: View, rng: Random) -> Action:
    """The first move that is on offer: a column after the other is filled, until four are in a
    row.
    """
    return next(action for offer in view.offers for action in offer.actions())
