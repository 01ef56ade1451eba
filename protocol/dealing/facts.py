"""What the entries of a deal do to who knows what: values that anybody can read off the log,
without any secret.

A deal has as many places as there are pieces, numbered from 0 as its dealing protocol numbers them.
Whose keys hide what lies in a place follows from the log (`Locks`), and from that who can read it.
Where a protocol hides who holds what, facts do not tell either: a seat then learns so many of some
places.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from protocol.games import Piece
from protocol.games.operations import EVERYBODY
from protocol.view.phrase import Faces, Phrase, Pieces, SeatRef, phrase

# In the place of a seat, beside `EVERYBODY`:
NOBODY: Final = -2  # as the holder of what was put away
STOCK: Final = -3  # of what has not been dealt
SOMEBODY: Final = -4  # a seat, and nobody can tell which

Slots = tuple[int, ...]  # places, ascending
# by place: all whose keys hide it; None: nothing has been sealed yet
Locks = tuple[frozenset[int] | None, ...]


@dataclass(frozen=True)
class Transfer:
    """What lies in these places goes from one to another; without places: a sealed envelope
    does.
    """

    slots: Slots
    giver: int
    receiver: int


@dataclass(frozen=True)
class Sealing:
    """Somebody (`EVERYBODY`: all, one after the other) has sealed these places and shuffled what
    lies in them.

    Whoever knew it before does not know any more which is where. `layers`: all whose keys hide it
    now.
    """

    party: int
    slots: Slots
    layers: tuple[int, ...]


@dataclass(frozen=True)
class Opening:
    """The layer of this party comes off these places, for all to see."""

    party: int
    slots: Slots


@dataclass(frozen=True)
class Reading:
    """A party (`EVERYBODY`: all) can read these places now, or `count` of them, nobody can tell
    which.

    `pieces` are what lies there, if everybody can see it.
    """

    party: int
    slots: Slots
    pieces: tuple[Piece, ...] = ()
    count: int | None = None


@dataclass(frozen=True)
class Commitment:
    """A party cannot go back on something any more that it still hides."""

    party: int
    what: Phrase


@dataclass(frozen=True)
class Proof:
    """A party has shown something to be right without showing more."""

    party: int
    what: Phrase


Fact = Transfer | Sealing | Opening | Reading | Commitment | Proof

KEY, DECK, HAND = phrase("fact.what.key"), phrase("fact.what.deck"), phrase("fact.what.hand")
OWN_KEY, SHUFFLE, PARTS = (
    phrase("fact.what.own_key"),
    phrase("fact.what.shuffle"),
    phrase("fact.what.parts"),
)


def unlock_facts(
    before: Locks, after: Locks, pieces: Callable[[int], Piece | None]
) -> Iterator[Fact]:
    """Whose layers have come off which places between two states, and who can read them by that.

    `pieces` says what lies in a place that everybody can read; None if nobody can tell (somebody
    lied).
    """
    taken: dict[int, list[int]] = {}
    single: dict[int, list[int]] = {}
    bare = []
    for slot, (old, new) in enumerate(zip(before, after, strict=False)):
        if old is None or new is None or not new < old:
            continue
        for party in sorted(old - new):
            taken.setdefault(party, []).append(slot)
        if not new:
            bare.append(slot)
        elif len(new) == 1:
            single.setdefault(min(new), []).append(slot)
    yield from (Opening(party, tuple(slots)) for party, slots in sorted(taken.items()))
    yield from (Reading(party, tuple(slots)) for party, slots in sorted(single.items()))
    seen = {slot: piece for slot in bare if (piece := pieces(slot)) is not None}
    if seen:
        yield Reading(EVERYBODY, tuple(seen), tuple(seen.values()))


def sealing_facts(party: int, slots: Slots, locks: Locks) -> Iterator[Fact]:
    """Who has sealed these places, which are under these locks now; under its own alone, it can
    read them.
    """
    layers = locks[slots[0]] or frozenset()
    yield Sealing(party, slots, tuple(sorted(layers)))
    if layers == {party}:
        yield Reading(party, slots)


def fact_phrase(fact: Fact, face: Callable[[Piece], Faces]) -> Phrase:
    """A fact in a sentence; `face` says what is on a piece."""
    match fact:
        case Transfer():
            return _transfer_phrase(fact)
        case Sealing(party, slots):
            key = "fact.sealed.anew" if party == EVERYBODY else "fact.sealed"
            return phrase(key, who=SeatRef(party), count=len(slots))
        case Opening(party, slots):
            return phrase("fact.opened", who=SeatRef(party), count=len(slots))
        case Reading(party, slots, pieces, count):
            if party == EVERYBODY:
                return phrase("fact.learnt.all", pieces=Pieces(tuple(map(face, pieces))))
            key = "fact.learnt" if count is None else "fact.learnt.among"
            return phrase(key, who=SeatRef(party), count=len(slots) if count is None else count)
        case Commitment(party, what):
            return phrase("fact.committed", who=SeatRef(party), what=what)
        case Proof(party, what):
            return phrase("fact.proved", who=SeatRef(party), what=what)


def _transfer_phrase(fact: Transfer) -> Phrase:
    count, giver, receiver = len(fact.slots), SeatRef(fact.giver), SeatRef(fact.receiver)
    if not count:
        return phrase("fact.moved.envelope", who=giver, next=receiver)
    match fact.giver, fact.receiver:
        case (_, place) if place == EVERYBODY:
            return phrase("fact.moved.up", count=count)
        case (_, place) if place == SOMEBODY:
            return phrase("fact.moved.somebody", count=count)
        case (_, place) if place == NOBODY:
            return phrase("fact.moved.away", who=giver, count=count)
        case (_, place) if place == STOCK:
            return phrase("fact.moved.back", count=count)
        case (place, _) if place == SOMEBODY:
            return phrase("fact.moved.held", who=receiver, count=count)
    return phrase("fact.moved.stock", who=receiver, count=count)
