"""Commitments to slots, their openings, and the check of an opening. All checks need only the
log.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from protocol import wire
from protocol.codes import Code
from protocol.crypto.hashing import constant_time_equal, digest
from protocol.errors import ProtocolViolation, Refused, RemoteError
from protocol.games import MatchBinding
from protocol.games.decks import DeckCard, Face, Owned, ProxyCard
from protocol.games.decks.owned_card import card_fault, card_kind, read_owned
from protocol.games.decks.slot_opening import OPENING, SlotOpening, card_of_value, card_value
from protocol.ledger.record_contents import NONE
from protocol.limits import MAX_OPENING

COMMITMENT: Final = 32  # bytes


@dataclass(frozen=True, slots=True)
class SlotBinding:
    """Context of a slot's commitment: the match, the seat, and the place of the slot in the seat's
    deck, from 0.
    """

    bound: MatchBinding
    seat: int
    place: int


def commit(slot: SlotBinding, card: DeckCard, salt: bytes) -> bytes:
    """Compute the commitment that is posted for a slot before anything is shuffled. Raises:
    RemoteError if the records of an owned card are invalid.
    """
    if isinstance(card, ProxyCard):
        instance, kind = NONE, card.number.to_bytes(8, "big")
    else:
        read = read_owned(card)
        instance, kind = read.id, read.types[-1]
    return digest("deck slot", slot.bound.match_id, slot.seat, slot.place, instance, kind, salt)


@lru_cache(maxsize=256)
def opening_bytes(opening: SlotOpening) -> bytes:
    """Encode an opening for an action."""
    return wire.encode([opening.piece, opening.salt, card_value(opening.card)])


def read_opening(raw: object) -> SlotOpening:
    """Decode an opening from an action. Raises: Refused(BAD_ACTION)."""
    if type(raw) is not bytes or len(raw) > MAX_OPENING:
        raise Refused(Code.BAD_ACTION)
    return _read_opening(raw)


@lru_cache(maxsize=256)
def _read_opening(raw: bytes) -> SlotOpening:
    try:
        value = wire.decode(raw)
    except RemoteError:
        raise Refused(Code.BAD_ACTION) from None
    if not OPENING(value):
        raise Refused(Code.BAD_ACTION)
    piece, salt, said = value
    return SlotOpening(piece, salt, card_of_value(said))


def verify_opening(
    opening: SlotOpening, commitment: bytes, slot: SlotBinding, proxies: tuple[Face, ...] | None
) -> Face:
    """Check the opening of a slot, and return the face of its card. `proxies` are the cards that
    decks may consist of; None: decks consist of owned cards.

    Raises: ProtocolViolation(BAD_SLOT) if the opening does not match the commitment, or the records
    of the card are not right. ProtocolViolation(NOT_OWNED) if its trades do not lead from its
    creator to this seat.
    """
    card = opening.card
    if isinstance(card, ProxyCard) != (proxies is not None):
        raise ProtocolViolation(Code.BAD_SLOT)
    try:
        committed = commit(slot, card, opening.salt)
    except RemoteError:
        raise ProtocolViolation(Code.BAD_SLOT) from None
    if not constant_time_equal(committed, commitment):
        raise ProtocolViolation(Code.BAD_SLOT)
    if isinstance(card, Owned):
        fault = card_fault(card, slot.bound.identities[slot.seat])
        if fault is not None:
            raise ProtocolViolation(fault)
        return face_of(card, None)
    if proxies is None or card.number >= len(proxies):
        raise ProtocolViolation(Code.BAD_SLOT)
    return proxies[card.number]


def face_of(card: DeckCard, proxies: tuple[Face, ...] | None) -> Face:
    """Return the face of a card that has been checked, or is the caller's own. Raises: RemoteError
    if the records of an owned card are invalid.
    """
    if isinstance(card, Owned):
        kind = card_kind(card.types[-1])
        return {**dict(kind.values), "name": kind.name}
    return (proxies or ())[card.number]
