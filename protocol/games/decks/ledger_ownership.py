"""Ownership oracle of a program with a ledger of its own: `Ownership`, based on the program's
records and ledger view.
"""

from collections.abc import Collection, Iterable

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.games.decks import Owned
from protocol.games.decks.evidence import place_of_card
from protocol.games.decks.owned_card import OwnedCard, card_fault, read_owned
from protocol.ledger.card_chain import find_chain
from protocol.ledger.conflicts import GivenPlace
from protocol.ledger.evidence import (
    conflict_proof,
    death_proof,
    fault_proof,
    is_undone_at,
    trades_from,
)
from protocol.ledger.record_contents import CardType, Instance
from protocol.ledger.record_overlay import RecordOverlay
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord, read_record
from protocol.ledger.view import LedgerView
from protocol.limits import MAX_DISPUTE, MAX_DISPUTE_RECORDS


class LedgerOwnership:
    """Knowledge about ownership while a match runs. `records` and `view` may grow meanwhile; this
    class does not change them. `distrusted`: creators whose cards the person does not play against.
    """

    def __init__(
        self, records: RecordSet, view: LedgerView, distrusted: Collection[bytes] = ()
    ) -> None:
        self._records, self._view, self._distrusted = records, view, distrusted

    def accepts(self, card: Owned, holder: bytes) -> bool:
        """Check whether no known record speaks against `holder` playing this card, and the person
        does not distrust its creator.

        The records that show the card count together with those that are known here. If the card is
        unknown here, they count alone; checking these is the task of the match's log.
        """
        read = read_owned(card)
        holding = self._view.holding(read.id)
        if read.creator in self._distrusted:
            return False
        if any(
            alarm.key == read.creator and self._is_of_type(alarm.first, read.types)
            for alarm in self._view.alarms
        ):
            return False
        if self._is_undone(read):
            return False
        if holding is None or (
            read.trade_id is not None and read.trade_id not in self._view.trades
        ):
            return True
        return holding.owner == holder and not holding.burnt

    def counter_evidence(self, card: Owned, holder: bytes) -> tuple[bytes, ...]:
        """Find records which prove that `holder` has given the card away since, or has undone a
        trade by which it came. Empty if none are known, or if they do not fit into a dispute.

        Nothing is said against a card that belongs to the holder by this knowledge.
        """
        place = place_of_card(card, holder)
        trades = trades_from(self._records, place)
        conflict = conflict_proof(self._records, place)
        # a proof is only looked for where the view does not know the answer already
        alive = (name for name in trades if name not in self._view.dead)
        given = (record for name in alive if (record := self._records.get(name)) is not None)
        if conflict:
            signed = [record for record in conflict if record.id in trades]
            accusations = [tuple(dict.fromkeys((record, *conflict))) for record in signed]
            # one of them alone has an answer only if a party has waived it
            accusations += [(record,) for record in signed]
        elif self._belongs_to(place):
            return ()
        else:
            accusations = [
                (record,) for record in given if death_proof(self._records, record.id) is None
            ]
            accusations += self._faults(card, holder)
        for shown in accusations:
            if _is_evidence_size(shown):
                return tuple(record.raw for record in shown)
        return ()

    def defence(self, card: Owned, said: Iterable[bytes]) -> tuple[bytes, ...]:
        """Find known records that refute an accusation against this card. Empty if there are none.

        An accusation is about its first record. A proof that this trade is dead fits into an
        answer: `objection` makes sure of it before the card is brought.
        """
        try:
            first, *others = map(read_record, said)
        except (RemoteError, ValueError):
            return ()
        known = RecordOverlay(self._records, (first, *others))
        proof = death_proof(known, first.id, MAX_DISPUTE)
        shown = {first.id, *(record.id for record in others)}
        return tuple(record.raw for record in proof or () if record.id not in shown)

    def _faults(self, card: Owned, holder: bytes) -> list[tuple[LedgerRecord, ...]]:
        """Return proofs that the holder has undone a trade by which the card came."""
        read = read_owned(card)
        known = self._with(read)
        names = {record.id for record in (*read.chain.trades, *read.chain.beside)}
        proofs = (fault_proof(known, move.id, holder) for move in read.chain.moves(read.id))
        return [
            tuple(record for record in proof if record.id not in names) for proof in proofs if proof
        ]

    def _is_undone(self, read: OwnedCard) -> bool:
        """Check for a trade of the card's chain that is dead: by the view, or of a trade that is
        unknown here, by what is known of this card.
        """
        known = self._with(read)
        for record in read.chain.moves(read.id):
            if record.id in self._view.trades:
                if record.id in self._view.dead:
                    return True
            elif is_undone_at(known, record.id, read.id):
                return True
        return False

    def _with(self, read: OwnedCard) -> RecordOverlay:
        """Return the known records together with those that show a card."""
        return RecordOverlay(self._records, (*read.chain.trades, *read.chain.beside))

    def _belongs_to(self, place: GivenPlace) -> bool:
        """Check whether the giver of a place owns the card by this knowledge, and may trade it."""
        holding = self._view.holding(place.instance)
        return (
            holding is not None
            and not holding.burnt
            and (holding.owner, holding.trade) == (place.giver, place.prev)
        )

    def _is_of_type(self, record: LedgerRecord, types: tuple[bytes, ...]) -> bool:
        content = record.content
        return isinstance(content, CardType) and (content.type or record.id) == types[0]


def objection(
    card: Owned, owner: bytes, records: RecordSet, view: LedgerView, reserved: frozenset[bytes]
) -> str | None:
    """Return the reason, by known records, against playing this card with the key `owner`; None if
    there is none.

    Reasons: "unowned", "burnt", "reserved" (a signed but unfinished trade gives the card away),
    "long" (the card cannot be opened: its records are too large), "unshown" (its records do not
    prove by themselves that it is the owner's), "unproven" (a trade gave the card away in vain, and
    no proof of this fits into an answer to a dispute), or "twice" (the creator has signed two
    conflicting revisions of its card type).
    """
    read = read_owned(card)
    holding = view.holding(read.id)
    if holding is None or holding.owner != owner or holding.trade != read.trade_id:
        return "unowned"
    if holding.burnt:
        return "burnt"
    if read.id in reserved:
        return "reserved"
    fault = card_fault(card, owner)
    if fault is not None:
        return "long" if fault is Code.BAD_SLOT else "unshown"
    trades = trades_from(records, place_of_card(card, owner))
    if any(death_proof(records, name, MAX_DISPUTE) is None for name in trades):
        return "unproven"
    return None if LedgerOwnership(records, view).accepts(card, owner) else "twice"


def card_of(
    instance: bytes,
    records: RecordSet,
    view: LedgerView,
    types: dict[bytes, tuple[LedgerRecord, CardType]],
) -> Owned | None:
    """Build a card as its owner plays it: with its newest type, and the trades by which it came to
    its owner. None if the card is unknown.

    `types` has the newest record of each card type, by the id of its first revision.
    """
    made, holding = records.get(instance), view.holding(instance)
    if made is None or holding is None or not isinstance(made.content, Instance):
        return None
    chain: list[bytes] = []
    newest = types.get(made.content.type)
    one = None if newest is None else newest[0]
    while one is not None and isinstance(one.content, CardType):
        chain.insert(0, one.raw)
        one = None if one.content.previous is None else records.get(one.content.previous)
    if not chain:
        return None
    way = find_chain(records, instance, holding.trade)
    trades, beside = (tuple(record.raw for record in part) for part in way)
    return Owned(made.raw, tuple(chain), trades, beside)


def _is_evidence_size(records: tuple[LedgerRecord, ...]) -> bool:
    return (
        len(records) <= MAX_DISPUTE_RECORDS
        and sum(len(record.raw) for record in records) <= MAX_DISPUTE
    )
