"""Who knows what of a deal, as a fold over its facts: for each party and each place one of four
cells.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from protocol.dealing.facts import SOMEBODY, STOCK, Fact, Opening, Reading, Sealing, Slots, Transfer
from protocol.fast_replace import replace
from protocol.games import Piece
from protocol.games.operations import EVERYBODY


class KnowledgeCell(StrEnum):
    """What one party knows of one place."""

    UNKNOWN = "unknown"  # nothing has been sealed yet
    # it cannot read it: layers of others hide it, or nobody can tell whether it can
    SEALED = "sealed"
    KNOWN = "known"
    PUBLIC = "public"


@dataclass(frozen=True)
class Knowledge:
    """What all parties know of one deal. Tuples are by place."""

    deal: int  # its number, from 0
    parties: tuple[int, ...]  # seats, and `TABLE` at the end where there is one
    holders: tuple[int, ...]  # seats, or one of the places of `facts`
    # whose keys hide it; None: it has not been sealed yet
    layers: tuple[frozenset[int] | None, ...]
    known: frozenset[tuple[int, int]] = frozenset()  # (party, place)
    public: Mapping[int, Piece] = field(default_factory=dict)  # by place
    # by seat: so many of these places
    among: Mapping[int, tuple[Slots, int]] = field(default_factory=dict)

    def cell(self, party: int, slot: int) -> KnowledgeCell:
        """What a party knows of a place."""
        if slot in self.public:
            return KnowledgeCell.PUBLIC
        if (party, slot) in self.known:
            return KnowledgeCell.KNOWN
        return KnowledgeCell.UNKNOWN if self.layers[slot] is None else KnowledgeCell.SEALED

    @property
    def cells(self) -> tuple[tuple[KnowledgeCell, ...], ...]:
        """All cells: for each party, by place."""
        return tuple(
            tuple(self.cell(party, slot) for slot in range(len(self.holders)))
            for party in self.parties
        )


def initial_knowledge(deal: int, parties: tuple[int, ...], pieces: int) -> Knowledge:
    """Before anything has been posted in a deal."""
    return Knowledge(deal, parties, (STOCK,) * pieces, (None,) * pieces)


def apply_facts(known: Knowledge, facts: Iterable[Fact]) -> Knowledge:
    """What is known after these facts."""
    for fact in facts:
        known = _apply_fact(known, fact)
    return known


def _apply_fact(known: Knowledge, fact: Fact) -> Knowledge:
    match fact:
        case Transfer(slots, _, receiver):
            holders = tuple(
                receiver if slot in slots else old for slot, old in enumerate(known.holders)
            )
            return replace(known, holders=holders)
        case Sealing(_, slots, layers):
            return _apply_sealing(known, frozenset(slots), frozenset(layers))
        case Opening(party, slots):
            off = frozenset(slots)
            rest = tuple(
                old - {party} if old is not None and slot in off else old
                for slot, old in enumerate(known.layers)
            )
            return replace(known, layers=rest)
        case Reading(party, slots, pieces) if party == EVERYBODY:
            return replace(known, public={**known.public, **dict(zip(slots, pieces, strict=True))})
        case Reading(party, slots, _, None):
            return replace(known, known=known.known | {(party, slot) for slot in slots})
        case Reading(party, slots, _, int(count)):
            return replace(known, among={**known.among, party: (slots, count)})
    return known


def _apply_sealing(known: Knowledge, slots: frozenset[int], layers: frozenset[int]) -> Knowledge:
    return replace(
        known,
        layers=tuple(layers if slot in slots else old for slot, old in enumerate(known.layers)),
        known=frozenset((party, slot) for party, slot in known.known if slot not in slots),
        public={slot: piece for slot, piece in known.public.items() if slot not in slots},
    )


def add_later_knowledge(known: Knowledge, later: Iterable[Fact]) -> Knowledge:
    """The same with what the rest of the deal tells: who held what nobody could tell then, and so
    could read it.
    """
    for fact in later:
        if isinstance(fact, Transfer) and fact.giver == SOMEBODY and fact.receiver in known.among:
            slots, _ = known.among[fact.receiver]
            held = {(fact.receiver, slot) for slot in fact.slots if slot in slots}
            known = replace(known, known=known.known | held)
    return known
