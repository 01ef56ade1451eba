"""Owned cards as they are shown in a match: their records, and the check that they belong to
whoever plays them (docs/protocol, 34.1 and 34.3).

`card_fault` is the only judge: a program asks it before it brings a card, and every reader of the
log asks it about an opening. It depends on the card and its holder alone.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.games.decks import Owned
from protocol.games.decks.slot_opening import card_value
from protocol.ledger.card_chain import CardChain, check_chain
from protocol.ledger.link_checks import check_links
from protocol.ledger.record_contents import CardType, Instance
from protocol.ledger.records import LedgerRecord, read_record, record_content, record_id
from protocol.limits import MAX_OPENED_CARD

ContentKind = TypeVar("ContentKind")


@dataclass(frozen=True, slots=True)
class OwnedCard:
    """Contents of the records of an owned card."""

    id: bytes  # id of the instance
    creator: bytes
    types: tuple[bytes, ...]  # ids of the records of the card type, from revision 0 on
    kind: CardType  # the revision of the card type in play
    chain: CardChain

    @property
    def trade_id(self) -> bytes | None:
        """Id of the last trade; None if the card is with its creator."""
        return self.chain.trades[-1].id if self.chain.trades else None


def card_fault(card: Owned, holder: bytes) -> Code | None:
    """Return the code for which the seat with the key `holder` is named if it opens this card; None
    if it may play the card.

    BAD_SLOT: the records are invalid, not of one card, or too large in total. NOT_OWNED: the trades
    do not lead from the creator of the card to the holder.
    """
    try:
        read_owned(card)
    except RemoteError:
        return Code.BAD_SLOT
    if len(wire.encode(card_value(card))) > MAX_OPENED_CARD:
        return Code.BAD_SLOT
    return None if _owner_shown(card) == holder else Code.NOT_OWNED


@lru_cache(maxsize=1024)
def card_id(instance: bytes) -> bytes:
    """Return the id of an instance by its record. Raises: RemoteError, but nothing is checked that
    `read_owned` has checked before: this is asked far more often.
    """
    return record_id(instance)


@lru_cache(maxsize=512)
def card_kind(kind: bytes) -> CardType:
    """Return the content of a type by its record. Raises: as `card_id`."""
    content = record_content(kind)
    if not isinstance(content, CardType):
        raise RemoteError(Code.BAD_CONTENT)
    return content


@lru_cache(maxsize=256)
def read_owned(card: Owned) -> OwnedCard:
    """Read the records of a card, and check that each is valid and that all belong to this card.
    Whether the trades hold together is left to `card_fault`.

    Raises: RemoteError.
    """
    instance, types = _read(card.instance), tuple(map(_read, card.types))
    copy = _content(instance, Instance)
    _check_types(copy, types)
    return OwnedCard(
        instance.id,
        copy.creator,
        tuple(record.id for record in types),
        _content(types[-1], CardType),
        CardChain(tuple(map(_read, card.trades)), tuple(map(_read, card.beside))),
    )


@lru_cache(maxsize=256)
def _owner_shown(card: Owned) -> bytes | None:
    """Return the key to which the trades of the card lead; None if they lead to nobody."""
    read = read_owned(card)
    try:
        return check_chain(read.id, _content(_read(card.instance), Instance), read.chain)
    except RemoteError:
        return None


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
