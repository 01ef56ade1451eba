"""Commitments to slots, their openings, and the check of an opening. All checks need only the
log.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, TypeVar

from protocol import wire
from protocol.codes import Code
from protocol.crypto.hashing import constant_time_equal, digest
from protocol.errors import ProtocolViolation, Refused, RemoteError
from protocol.games import MatchBinding
from protocol.games.decks import DeckCard, Face, Owned, ProxyCard
from protocol.games.decks.slot_opening import OPENING, SlotOpening
from protocol.ledger.link_checks import check_links
from protocol.ledger.record_contents import NONE, CardType, Instance, Trade
from protocol.ledger.records import LedgerRecord, read_record
from protocol.ledger.trade_links import find_transfer
from protocol.limits import MAX_OPENING

ContentKind = TypeVar("ContentKind")

COMMITMENT: Final = 32  # bytes


@dataclass(frozen=True, slots=True)
class SlotBinding:
    """Context of a slot's commitment: the match, the seat, and the place of the slot in the seat's
    deck, from 0.
    """

    bound: MatchBinding
    seat: int
    place: int


@dataclass(frozen=True, slots=True)
class OwnedCard:
    """Contents of the records of an owned card."""

    id: bytes  # id of the instance
    creator: bytes
    types: tuple[bytes, ...]  # ids of the records of the card type, from revision 0 on
    kind: CardType  # the revision of the card type in play
    trade_id: bytes | None
    trade: Trade | None


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


def opening_bytes(opening: SlotOpening) -> bytes:
    """Encode an opening for an action."""
    card = opening.card
    said: Any = (
        card.number
        if isinstance(card, ProxyCard)
        else [card.instance, list(card.types), card.trade]
    )
    return wire.encode([opening.piece, opening.salt, said])


def read_opening(raw: object) -> SlotOpening:
    """Decode an opening from an action. Raises: Refused(BAD_ACTION)."""
    if type(raw) is not bytes or len(raw) > MAX_OPENING:
        raise Refused(Code.BAD_ACTION)
    return _read_opening(raw)


@lru_cache(maxsize=512)
def _read_opening(raw: bytes) -> SlotOpening:
    try:
        value = wire.decode(raw)
    except RemoteError:
        raise Refused(Code.BAD_ACTION) from None
    if not OPENING(value):
        raise Refused(Code.BAD_ACTION)
    piece, salt, said = value
    return SlotOpening(
        piece,
        salt,
        ProxyCard(said) if type(said) is int else Owned(said[0], tuple(said[1]), said[2]),
    )


def verify_opening(
    opening: SlotOpening, commitment: bytes, slot: SlotBinding, proxies: tuple[Face, ...] | None
) -> Face:
    """Check the opening of a slot, and return the face of its card. `proxies` are the cards that
    decks may consist of; None: decks consist of owned cards.

    Raises: ProtocolViolation(BAD_SLOT) if the opening does not match the commitment.
    ProtocolViolation(NOT_OWNED) if the last trade of the card does not give it to this seat.
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
        return _owned_face(card, slot)
    if proxies is None or card.number >= len(proxies):
        raise ProtocolViolation(Code.BAD_SLOT)
    return proxies[card.number]


def face_of(card: DeckCard, proxies: tuple[Face, ...] | None) -> Face:
    """Return the face of a card that has been checked, or is the caller's own. Raises: RemoteError
    if the records of an owned card are invalid.
    """
    if isinstance(card, Owned):
        kind = read_owned(card).kind
        return {**dict(kind.values), "name": kind.name}
    return (proxies or ())[card.number]


def _owned_face(card: Owned, slot: SlotBinding) -> Face:
    read = read_owned(card)
    if holder_of(read) != slot.bound.identities[slot.seat]:
        raise ProtocolViolation(Code.NOT_OWNED)
    return face_of(card, None)


def holder_of(read: OwnedCard) -> bytes | None:
    """Receiver of the card's last trade; without a trade, the card's creator. None if the trade
    does not contain this card.
    """
    if read.trade is None:
        return read.creator
    given = find_transfer(read.trade, read.id)
    return None if given is None else read.trade.receiver(given)


@lru_cache(maxsize=512)
def read_owned(card: Owned) -> OwnedCard:
    """Read the records of a card, and check that each is valid and that all belong to this card.

    Raises: RemoteError.
    """
    instance, types = _read(card.instance), tuple(map(_read, card.types))
    copy = _content(instance, Instance)
    _check_types(copy, types)
    trade = None if card.trade is None else _read(card.trade)
    given = None if trade is None else _content(trade, Trade)
    return OwnedCard(
        instance.id,
        copy.creator,
        tuple(record.id for record in types),
        _content(types[-1], CardType),
        None if trade is None else trade.id,
        given,
    )


def _check_types(copy: Instance, types: tuple[LedgerRecord, ...]) -> None:
    """Check that `types` are consecutive revisions of the card's type, from the first one on.
    Raises: RemoteError.
    """
    first = _content(types[0], CardType)
    if first.type is not None or types[0].id != copy.type or first.creator != copy.creator:
        raise RemoteError(Code.WRONG_LINK)
    known = {record.id: record for record in types}
    for before, record in pairwise(types):
        if _content(record, CardType).previous != before.id:
            raise RemoteError(Code.WRONG_LINK)
        check_links(record.content, known.get)


def _content(record: LedgerRecord, kind: type[ContentKind]) -> ContentKind:
    if not isinstance(record.content, kind):
        raise RemoteError(Code.BAD_CONTENT)
    return record.content


_read = lru_cache(maxsize=1024)(read_record)
