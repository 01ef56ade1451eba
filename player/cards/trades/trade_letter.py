"""Letters of a trade: signed files that replace the messages of a connection (docs/protocol,
chapter 31).

    letter = magic, then encode([body, key, signature])
    body   = encode([kind, name, standing, the receiver's newest standing or nil, fields, bundle])

Three letters make a trade: an offer, the trade with the first signature, and the trade with both
signatures or a waive. Between two letters all state is in the data folder.
"""

from dataclasses import dataclass
from enum import StrEnum

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import KEY_SIZE, SIGNATURE_SIZE, Identity, check_key, verify
from protocol.identity.names import check_name
from protocol.ledger.bundle import CardBundle, read_bundle
from protocol.ledger.trading.journal import JournalStanding
from protocol.limits import (
    MAX_CARD_NAME,
    MAX_NAME,
    MAX_OFFER,
    MAX_TRADE,
    MAX_TRADE_LETTER,
    MAX_TRADE_WAIVES,
)
from protocol.schema import Shape, between, either, exactly, fields, many, nothing, text, uint

MAGIC = b"fairdeal trade letter 2\n"
SUFFIX = ".trade"
_LABEL = "trade letter"  # label of the signature


class LetterKind(StrEnum):
    """Purpose of a letter."""

    # cards that the sender gives, a text with the sender's wishes, and waives that a trade of the
    # cards must list
    OFFER = "offer"
    SIGNED = "signed"  # content of a trade, and the first signature
    # id of the trade; the bundle has the record with both signatures, or a waive
    ANSWER = "answer"


_ID = exactly(KEY_SIZE)
_SIGNATURE = exactly(SIGNATURE_SIZE)
_STANDING = fields(uint(), _ID, _SIGNATURE)
_FIELDS: dict[str, Shape] = {
    LetterKind.OFFER: fields(
        many(_ID, 0, MAX_OFFER),
        many(text(MAX_CARD_NAME), 0, MAX_OFFER),
        many(_ID, 0, MAX_TRADE_WAIVES),
    ),
    LetterKind.SIGNED: fields(between(1, MAX_TRADE), _SIGNATURE),
    LetterKind.ANSWER: fields(_ID),
}
_BODY = fields(
    text(MAX_NAME),
    text(MAX_NAME),
    _STANDING,
    either(nothing, _STANDING),
    lambda value: type(value) is list,
    between(1, MAX_TRADE_LETTER),
)
_LETTER = fields(between(1, MAX_TRADE_LETTER), _ID, _SIGNATURE)


@dataclass(frozen=True)
class Letter:
    """A letter. `key`: key of the sender; `yours`: the receiver's newest standing that the sender
    knows.
    """

    kind: LetterKind
    key: bytes
    name: str
    standing: JournalStanding
    yours: JournalStanding | None
    fields: tuple[object, ...]
    bundle: bytes

    def opened(self) -> CardBundle:
        """Return the records in the letter. Raises: RemoteError as `read_bundle`."""
        return read_bundle(self.bundle)


def write_letter(me: Identity, letter: Letter) -> bytes:
    """Encode and sign a letter."""
    yours = list(letter.yours) if letter.yours is not None else None
    said = [
        str(letter.kind),
        letter.name,
        list(letter.standing),
        yours,
        list(letter.fields),
        letter.bundle,
    ]
    body = wire.encode(said)
    return MAGIC + wire.encode([body, me.public, me.sign(_LABEL, body)])


def read_letter(data: bytes) -> Letter:
    """Decode a letter, and check its signature.

    Raises: RemoteError: NO_PARCEL for another kind of file; FRAME_SIZE; BAD_ENCODING, BAD_MESSAGE;
    BAD_IDENTITY, BAD_SIGNATURE; BAD_NAME.
    """
    if not data.startswith(MAGIC):
        raise RemoteError(Code.NO_PARCEL)
    if len(data) > MAX_TRADE_LETTER:
        raise RemoteError(Code.FRAME_SIZE)
    value = wire.decode(data[len(MAGIC) :])
    if not _LETTER(value):
        raise RemoteError(Code.BAD_MESSAGE)
    body, key, signature = value
    check_key(key)
    verify(key, signature, _LABEL, body)
    said = wire.decode(body)
    if not _BODY(said) or said[0] not in _FIELDS or not _FIELDS[said[0]](said[4]):
        raise RemoteError(Code.BAD_MESSAGE)
    kind, name, standing, yours, more, bundle = said
    check_name(name)
    known = JournalStanding(*yours) if yours is not None else None
    return Letter(
        LetterKind(kind), key, name, JournalStanding(*standing), known, tuple(more), bundle
    )
