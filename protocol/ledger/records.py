"""Signed records, which are stored, passed on, and identified by their id (docs/protocol, chapter
24).

    raw = encode([content, signature, …])       id = digest("ledger record", content)

A record from `read_record` has the right shape, valid keys and valid signatures. Whether the linked
records exist is left to the view.
"""

from dataclasses import dataclass, field
from functools import lru_cache

from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.errors import RemoteError
from protocol.identity.keys import SIGNATURE_SIZE, Identity, check_key, verify
from protocol.ledger.proofs.fraud_proofs import check_fraud_proof
from protocol.ledger.record_codec import content_bytes, read_content
from protocol.ledger.record_contents import (
    Attestation,
    CardRules,
    CardType,
    Content,
    Creator,
    FraudProof,
    Instance,
    PrintRun,
    Trade,
    Waive,
)
from protocol.limits import MAX_RECORD
from protocol.schema import between, either, exactly, fields
from protocol.wire import decode, encode

_LABEL = "ledger"  # label of the signatures
_SIGNATURE = exactly(SIGNATURE_SIZE)
_CONTENT = between(1, MAX_RECORD)
_RECORD = either(
    fields(_CONTENT), fields(_CONTENT, _SIGNATURE), fields(_CONTENT, _SIGNATURE, _SIGNATURE)
)


@dataclass(frozen=True, slots=True)
class LedgerRecord:
    """A checked record. Two records with one id have the same content; their signatures may
    differ.
    """

    raw: bytes = field(repr=False)
    id: bytes
    content: Content


def content_id(content: Content) -> bytes:
    """Return the id of the record with this content: 32 bytes."""
    return _id(content_bytes(content))


def record_id(raw: bytes) -> bytes:
    """Return the id of an encoded record, without a check of the record. Raises: RemoteError if the
    encoding is none of a record.
    """
    return _id(_said(raw))


def record_content(raw: bytes) -> Content:
    """Return the content of an encoded record, without a check of keys and signatures. Raises:
    RemoteError(BAD_ENCODING, BAD_CONTENT).
    """
    return read_content(_said(raw))


def _said(raw: bytes) -> bytes:
    value = decode(raw)
    if not _RECORD(value):
        raise RemoteError(Code.BAD_CONTENT)
    return bytes(value[0])


def sign_content(identity: Identity, content: Content) -> bytes:
    """Return one party's signature of a content."""
    return identity.sign(_LABEL, content_bytes(content))


def waive_of(trade: Trade, key: bytes) -> Waive:
    """Return the waive that this party signs if it never finished the trade."""
    return Waive(key, content_id(trade))


@lru_cache(maxsize=4096)
def waive_id(trade: bytes, key: bytes) -> bytes:
    """Return the id of the waive of a trade by this key: both together determine the record."""
    return content_id(Waive(key, trade))


def check_signed(key: bytes, content: Content, signature: bytes) -> None:
    """Check this key's signature of a content. Raises: RemoteError(BAD_SIGNATURE)."""
    verify(key, signature, _LABEL, content_bytes(content))


def signers(content: Content) -> tuple[bytes, ...]:
    """Return the keys that sign a content, in the order of the signatures. A fraud proof has
    none.
    """
    if isinstance(content, FraudProof):
        return ()
    if isinstance(content, Trade):
        return (content.a, content.b)
    return (content.creator,)


def record_of(content: Content, *signatures: bytes) -> LedgerRecord:
    """Create a record from signatures in the order of `signers`. Raises: RemoteError as in
    `read_record`.
    """
    return read_record(encode([content_bytes(content), *signatures]))


def sign_record(content: Content, *identities: Identity) -> LedgerRecord:
    """Create a record signed by its signers; `identities` in any order. Raises: RemoteError as in
    `read_record`.
    """
    by_key = {identity.public: identity for identity in identities}
    return record_of(
        content, *(sign_content(by_key[key], content) for key in signers(content) if key in by_key)
    )


def read_record(raw: bytes) -> LedgerRecord:
    """Read and check a record, the only way for bytes from elsewhere to become a record.

    Raises: RemoteError(BAD_ENCODING, BAD_CONTENT, BAD_IDENTITY, BAD_SIGNATURE); for a fraud proof
    also the errors of `check_fraud_proof`.
    """
    if len(raw) > MAX_RECORD:
        raise RemoteError(Code.BAD_CONTENT)
    value = decode(raw)
    if not _RECORD(value):
        raise RemoteError(Code.BAD_CONTENT)
    said, *signatures = value
    content = read_content(said)
    keys = signers(content)
    for key in keys if not isinstance(content, Creator) else (*keys, *content.witnesses):
        check_key(key)
    if len(keys) != len(signatures):
        raise RemoteError(Code.BAD_SIGNATURE)
    for key, signature in zip(keys, signatures, strict=True):
        verify(key, signature, _LABEL, said)
    if isinstance(content, FraudProof):
        check_fraud_proof(content.creator, content.first, content.second)
    return LedgerRecord(raw, _id(said), content)


def parents(content: Content) -> tuple[bytes, ...]:
    """Return the ids of a record's parents, ascending: the record cannot be judged without them.

    A waive has no parents, because the trade that was never finished may be missing everywhere.
    """
    match content:
        case Trade(waives=trade_waives):
            links = (
                link for one in content.transfers for link in (one.instance, one.prev, one.over)
            )
            return tuple(sorted({*trade_waives, *(link for link in links if link is not None)}))
        case Creator() | CardType() | CardRules():
            if content.previous is None:
                return ()
            return (content.previous,)
        case Instance():
            return (content.type,)
        case PrintRun():
            return tuple(type_id for type_id, _ in content.copies)
        case Attestation():
            return (content.trade,)
        case _:
            return ()


def image_digest(data: bytes) -> bytes:
    """Return the digest by which types and creators name an image: 32 bytes."""
    return digest("ledger image", data)


def _id(said: bytes) -> bytes:
    return digest("ledger record", said)
