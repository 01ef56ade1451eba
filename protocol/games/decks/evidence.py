"""Proof by records that a seat has given away a card that it played, or has undone the trade by
which it has the card (docs/protocol, 34.5).

Only the signatures of the seat count. No seat is named for what others did to a card, before they
gave it to the seat or after the seat gave it away. A trade may be dead for many reasons that only
its parties know. The accused seat may therefore add records before the dispute is decided.
"""

from collections.abc import Iterable

from protocol.codes import Code
from protocol.errors import Refused, RemoteError
from protocol.games.decks import Owned
from protocol.games.decks.owned_card import read_owned
from protocol.ledger.conflicts import GivenPlace, given_places
from protocol.ledger.evidence import conflict_proof, death_proof, fault_proof
from protocol.ledger.record_contents import Trade
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord, read_record
from protocol.limits import MAX_DISPUTE


def read_evidence(raws: Iterable[bytes]) -> tuple[LedgerRecord, ...]:
    """Read the records of a dispute, or of an answer. Raises: Refused(BAD_ACTION) if they are too
    large in total or one is malformed.
    """
    given = tuple(raws)
    if sum(map(len, given)) > MAX_DISPUTE:
        raise Refused(Code.BAD_ACTION)
    try:
        return tuple(map(read_record, given))
    except RemoteError:
        raise Refused(Code.BAD_ACTION) from None


def place_of_card(card: Owned, holder: bytes) -> GivenPlace:
    """Return the place from which the holder of a shown card gives it next."""
    read = read_owned(card)
    return GivenPlace(read.id, read.trade_id, holder)


def gave_away(card: Owned, holder: bytes, records: tuple[LedgerRecord, ...]) -> bool:
    """Check whether these records prove that `holder` has given the card away after the trade that
    it shows, or has undone this trade or one before it.

    The first record is a trade by which the holder gave the card away. It proves this unless it is
    dead by the other records. Two trades of the holder that conflict prove it whatever else is
    shown, and so does a waive by the holder of a trade that the holder has signed.
    """
    if not records:
        return False
    read = read_owned(card)
    with_card = RecordSet((*read.chain.trades, *read.chain.beside, *records))
    if any(fault_proof(with_card, move.id, holder) for move in read.chain.moves(read.id)):
        return True
    place = place_of_card(card, holder)
    first = records[0]
    if not isinstance(first.content, Trade) or place not in given_places(first.content):
        return False
    known = RecordSet(records)
    return bool(conflict_proof(known, place)) or death_proof(known, first.id) is None
