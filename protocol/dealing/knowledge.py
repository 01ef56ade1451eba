"""Knowledge matrix of a deal: for each party and place one of four cells, computed from the deal's
facts.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from protocol.dealing.facts import SOMEBODY, STOCK, Fact, Opening, Reading, Sealing, Slots, Transfer
from protocol.fast_replace import replace
from protocol.games import Piece
from protocol.games.operations import EVERYBODY


class KnowledgeCell(StrEnum):
    """Knowledge that one party has of the piece in one place."""

    UNKNOWN = "unknown"  # the place has not been sealed yet
    # The party cannot read the place, because keys of others hide the piece; or the log does not
    # show whether the party can.
    SEALED = "sealed"
    KNOWN = "known"
    PUBLIC = "public"


@dataclass(frozen=True)
class Knowledge:
    """Knowledge of all parties about one deal. Tuples are indexed by place."""

    deal: int  # number of the deal, from 0
    parties: tuple[int, ...]  # seats, and `TABLE` last if the table takes part
    holders: tuple[int, ...]  # seats, or a special value of `facts` such as `STOCK`
    # Parties whose keys hide the piece. None: the place has not been sealed yet.
    layers: tuple[frozenset[int] | None, ...]
    known: frozenset[tuple[int, int]] = frozenset()  # (party, place)
    public: Mapping[int, Piece] = field(default_factory=dict)  # public pieces, by place
    # By seat: (places, count). The seat can read `count` of these places; the log does not show
    # which.
    among: Mapping[int, tuple[Slots, int]] = field(default_factory=dict)

    def cell(self, party: int, slot: int) -> KnowledgeCell:
        """Return the knowledge of a party about a place."""
        if slot in self.public:
            return KnowledgeCell.PUBLIC
        if (party, slot) in self.known:
            return KnowledgeCell.KNOWN
        return KnowledgeCell.UNKNOWN if self.layers[slot] is None else KnowledgeCell.SEALED

    @property
    def cells(self) -> tuple[tuple[KnowledgeCell, ...], ...]:
        """The whole matrix: a row for each party, with a cell for each place."""
        return tuple(
            tuple(self.cell(party, slot) for slot in range(len(self.holders)))
            for party in self.parties
        )


def initial_knowledge(deal: int, parties: tuple[int, ...], pieces: int) -> Knowledge:
    """Return the knowledge before the first entry of a deal."""
    return Knowledge(deal, parties, (STOCK,) * pieces, (None,) * pieces)


def apply_facts(known: Knowledge, facts: Iterable[Fact]) -> Knowledge:
    """Return the knowledge after these facts."""
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
    """Add knowledge that only later facts of the deal reveal.

    A later transfer from `SOMEBODY` shows which pieces its receiver held. If the receiver could
    read an unknown selection of places then, it could read these.
    """
    for fact in later:
        if isinstance(fact, Transfer) and fact.giver == SOMEBODY and fact.receiver in known.among:
            slots, _ = known.among[fact.receiver]
            held = {(fact.receiver, slot) for slot in fact.slots if slot in slots}
            known = replace(known, known=known.known | held)
    return known
