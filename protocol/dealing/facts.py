"""Facts: effects of a deal's entries on who can read which piece, derived from the log without any
secret.

A deal has as many places as pieces, numbered from 0 as the dealing protocol numbers them. The log
shows whose keys hide the piece in a place (`Locks`), and therefore who can read it. Some protocols
hide who holds which piece. Facts then say only that a seat can read a number of pieces among given
places.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from protocol.games import Piece
from protocol.games.operations import EVERYBODY
from protocol.view.phrase import Faces, Phrase, Pieces, SeatRef, phrase

# Values in the place of a seat number, beside `EVERYBODY`:
NOBODY: Final = -2  # holder of pieces that were put away
STOCK: Final = -3  # holder of pieces that are not dealt yet
SOMEBODY: Final = -4  # a seat, but the log does not show which

Slots = tuple[int, ...]  # places, ascending
# By place: all parties whose keys hide the piece. None: the place has not been sealed yet.
Locks = tuple[frozenset[int] | None, ...]


@dataclass(frozen=True)
class Transfer:
    """Pieces in `slots` go from `giver` to `receiver`; if `slots` is empty, a sealed envelope
    does.
    """

    slots: Slots
    giver: int
    receiver: int


@dataclass(frozen=True)
class Sealing:
    """A party has encrypted and shuffled the pieces in `slots`; `EVERYBODY`: all parties in turn.

    Readers of these pieces can no longer tell which piece lies in which place. `layers` lists all
    parties whose keys now hide the pieces.
    """

    party: int
    slots: Slots
    layers: tuple[int, ...]


@dataclass(frozen=True)
class Opening:
    """A party has removed its layer from `slots` in public."""

    party: int
    slots: Slots


@dataclass(frozen=True)
class Reading:
    """A party (`EVERYBODY`: all) can now read `slots`, or an unknown selection of `count` of them.

    `pieces` lists the pieces in `slots` if they are public.
    """

    party: int
    slots: Slots
    pieces: tuple[Piece, ...] = ()
    count: int | None = None


@dataclass(frozen=True)
class Commitment:
    """A party has committed to a hidden value and can no longer change it."""

    party: int
    what: Phrase


@dataclass(frozen=True)
class Proof:
    """A party has proved a statement without revealing more."""

    party: int
    what: Phrase


Fact = Transfer | Sealing | Opening | Reading | Commitment | Proof

# What a party has committed to, or has proved.
KEY_PHRASE = phrase("fact.what.key")
DECK_PHRASE = phrase("fact.what.deck")
HAND_PHRASE = phrase("fact.what.hand")
OWN_KEY_PHRASE = phrase("fact.what.own_key")
SHUFFLE_PHRASE = phrase("fact.what.shuffle")
PARTS_PHRASE = phrase("fact.what.parts")


def unlock_facts(
    before: Locks, after: Locks, pieces: Callable[[int], Piece | None]
) -> Iterator[Fact]:
    """Yield the layers removed between two states, and the readings that become possible.

    `pieces` returns the piece in a place that everybody can read, or None if a lie has made the
    piece unreadable.
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
    """Yield the facts of a sealing: `party` has encrypted and shuffled `slots`.

    `locks` are the locks of all places afterwards. If only the party's own key hides `slots`, the
    party can also read them.
    """
    layers = locks[slots[0]] or frozenset()
    yield Sealing(party, slots, tuple(sorted(layers)))
    if layers == {party}:
        yield Reading(party, slots)


def fact_phrase(fact: Fact, face: Callable[[Piece], Faces]) -> Phrase:
    """Return a sentence for a fact; `face` returns what is on a piece."""
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
