"""Envelopes that only one reader can open: from seat to seat through the table, and to one-time
slot keys.

Both use X25519 (RFC 7748) with AES-256-GCM and HKDF-HMAC-SHA-512 (RFC 5869):

- **Seat to seat.** Each seat posts the public half of a `MatchKey` at the start of a match, in an
  entry signed by its identity. `pair_key` gives two seats one key for each direction; `seal` and
  `unseal` use it for any number of envelopes.
- **To a slot.** `seal_to_slot` seals one piece to a slot's one-time public key, under an ephemeral
  key that the sender uses for a whole batch; `open_from_slot` opens it.

Disputes: a pair key depends only on the two posted public keys, both identities, the table, the
match and the direction. After one of the two seats opens its private match key, anybody can derive
the same key with `key_from_private` and `pair_key`. Then anybody can read every envelope between
the two. The same holds for the private key of a slot. Therefore a seat opens its match key only
when its envelopes may be read: in the audit, or when a deal is void.

Authorship: an envelope does not prove its author, because both seats know the pair key. The
signature on the log entry with the envelope does.

Nonces: an envelope starts with 32 random bytes. Its key is derived from these bytes and its
context. Each key seals one envelope, so the AES-GCM nonce is zero. No counter can be lost in a
crash or shared by two machines.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from protocol.codes import Code
from protocol.crypto.hashing import Field, constant_time_equal, derive
from protocol.crypto.primitives.aes_gcm import NONCE_SIZE, TAG_SIZE, AesGcm
from protocol.crypto.primitives.x25519 import is_canonical, public_key, shared_secret
from protocol.errors import RemoteError
from protocol.limits import MAX_ENVELOPE

KEY = 32  # bytes of every key in this module: private, public or derived
SALT = 32  # random bytes at the start of an envelope
TAG = TAG_SIZE  # bytes of an AES-GCM tag
LENGTH = 4  # bytes of the big-endian length in front of a padded plaintext
_NONCE = bytes(NONCE_SIZE)
# any private key will do: every clamped key maps a low-order public key to zero
_PROBE = bytes(KEY)


@dataclass(frozen=True, slots=True, repr=False)
class MatchKey:
    """X25519 key pair of a seat for one match; also used for one-time keys of slots and batches.

    Create pairs with `new_key` or `key_from_private`, so that the halves fit. `repr` hides the
    keys.
    """

    private: bytes  # 32 bytes
    public: bytes  # 32 bytes


@dataclass(frozen=True, slots=True)
class Party:
    """Public keys of a seat: its Ed25519 identity and its posted match key."""

    identity: bytes  # 32 bytes
    public: bytes  # 32 bytes


def new_key(rng: Random) -> MatchKey:
    """Return a fresh key pair from 32 random bytes."""
    private = rng.randbytes(KEY)
    return MatchKey(private, public_key(private))


def key_from_private(private: object, public: bytes, code: Code = Code.BAD_MATCH_KEY) -> MatchKey:
    """Return the key pair of a private key that was opened by a seat or read from disk.

    Raises: RemoteError(code) unless `private` has 32 bytes and fits the posted `public` key.
    """
    if (
        not isinstance(private, bytes)
        or len(private) != KEY
        or not constant_time_equal(public_key(private), public)
    ):
        raise RemoteError(code)
    return MatchKey(private, public)


@lru_cache(maxsize=4096)
def _is_valid_public(public: bytes) -> bool:
    """Check that a key is canonical and not of low order; cached, because each key is checked many
    times.
    """
    try:
        _exchange(_PROBE, public, Code.BAD_MATCH_KEY)
    except RemoteError:
        return False
    return True


def check_public(public: object, code: Code = Code.BAD_MATCH_KEY) -> bytes:
    """Return a public key if it may be posted: 32 bytes, canonical, and not of low order.

    With a low-order key (RFC 7748, 6.1) every shared secret is zero. A non-canonical key is a
    second encoding of another key, and could not be opened later.

    Raises: RemoteError(code).
    """
    if not isinstance(public, bytes) or not _is_valid_public(public):
        raise RemoteError(code)
    return public


def pair_key(own: MatchKey, match: bytes, table: bytes, sender: Party, receiver: Party) -> bytes:
    """Return the 32-byte key of envelopes from one seat to another in one match.

    `own` is the match key of either seat; `table` is the table's identity. Sender, receiver and
    auditor get the same key. The other direction has another key.

    Raises: RemoteError(BAD_MATCH_KEY) if the peer's key is invalid or equals `own`; ValueError if
    `own` belongs to neither seat.
    """
    if own.public not in (sender.public, receiver.public):
        raise ValueError("the key belongs to neither sender nor receiver")
    if own.public == sender.public:
        peer = receiver.public
    else:
        peer = sender.public
    if peer == own.public:  # the peer has posted a copy of this seat's key
        raise RemoteError(Code.BAD_MATCH_KEY)
    secret = _exchange(own.private, peer, Code.BAD_MATCH_KEY)
    ends = (sender.identity, sender.public, receiver.identity, receiver.public)
    return derive(secret, "pair key", table, match, *ends)


def seal(
    key: bytes,
    rng: Random,
    plaintext: bytes,
    purpose: str,
    *context: Field,
    padded_to: int | None = None,
) -> bytes:
    """Return an envelope under a pair key: 32 random bytes, ciphertext, tag.

    `purpose` and `context` are bound but not sent: `unseal` needs the same values. With
    `padded_to`, plaintexts up to that many bytes all give envelopes of `envelope_size(padded_to)`
    bytes. Without padding, the length of the plaintext is visible.

    Raises: ValueError if the plaintext is longer than `padded_to`, or the envelope than
    `MAX_ENVELOPE`.
    """
    salt = rng.randbytes(SALT)
    envelope = salt + _encrypt(
        _envelope_key(key, salt, purpose, context, padded_to), plaintext, padded_to
    )
    if len(envelope) > MAX_ENVELOPE:
        raise ValueError("the plaintext is too long for an envelope")
    return envelope


def unseal(
    key: bytes, envelope: object, purpose: str, *context: Field, padded_to: int | None = None
) -> bytes:
    """Return the plaintext of an envelope from `seal` with the same key, purpose, context and
    `padded_to`.

    Raises: RemoteError(BAD_ENVELOPE) for any failure.
    """
    if not isinstance(envelope, bytes) or not SALT + TAG <= len(envelope) <= MAX_ENVELOPE:
        raise RemoteError(Code.BAD_ENVELOPE)
    salt = envelope[:SALT]
    sealed = envelope[SALT:]
    return _decrypt(_envelope_key(key, salt, purpose, context, padded_to), sealed, padded_to)


def envelope_size(padded_to: int) -> int:
    """Return the length in bytes of every envelope with plaintext padded to `padded_to` bytes."""
    return SALT + LENGTH + padded_to + TAG


def seal_to_slot(
    public: bytes,
    ephemeral: MatchKey,
    plaintext: bytes,
    purpose: str,
    *context: Field,
    padded_to: int | None = None,
) -> bytes:
    """Seal one piece to a slot's one-time key: ciphertext and tag, without salt. Deterministic.

    `context` includes the deal's id and the slot's index, so even slots with equal keys get
    different ciphers. One ephemeral key serves a batch of slots. It must never seal two different
    plaintexts to one slot.

    Raises: RemoteError(BAD_SLOT_KEY) if the slot's key is invalid; ValueError if the plaintext is
    longer than `padded_to`.
    """
    secret = _exchange(ephemeral.private, public, Code.BAD_SLOT_KEY)
    return _encrypt(
        _slot_key(secret, ephemeral.public, public, purpose, context, padded_to),
        plaintext,
        padded_to,
    )


def open_from_slot(
    own: MatchKey,
    ephemeral: object,
    sealed: object,
    purpose: str,
    *context: Field,
    padded_to: int | None = None,
) -> bytes:
    """Return the plaintext that `seal_to_slot` sealed to the slot key `own`.

    `ephemeral` is the sender's public key.

    Raises: RemoteError(BAD_ENVELOPE) for any failure.
    """
    if not isinstance(ephemeral, bytes) or not isinstance(sealed, bytes):
        raise RemoteError(Code.BAD_ENVELOPE)
    if not TAG <= len(sealed) <= MAX_ENVELOPE:
        raise RemoteError(Code.BAD_ENVELOPE)
    secret = _exchange(own.private, ephemeral, Code.BAD_ENVELOPE)
    return _decrypt(
        _slot_key(secret, ephemeral, own.public, purpose, context, padded_to), sealed, padded_to
    )


def _exchange(private: bytes, public: bytes, code: Code) -> bytes:
    """Compute the shared secret with a key that must be canonical and not of low order."""
    if not is_canonical(public):
        raise RemoteError(code)
    try:
        return shared_secret(private, public)
    except ValueError:
        raise RemoteError(code) from None


def _envelope_key(
    key: bytes, salt: bytes, purpose: str, context: tuple[Field, ...], padded_to: int | None
) -> bytes:
    return derive(key, "envelope", salt, purpose, _padding_field(padded_to), *context)


def _slot_key(
    secret: bytes,
    ephemeral: bytes,
    slot: bytes,
    purpose: str,
    context: tuple[Field, ...],
    padded_to: int | None,
) -> bytes:
    return derive(secret, "slot", ephemeral, slot, purpose, _padding_field(padded_to), *context)


def _padding_field(padded_to: int | None) -> Field:
    """Return the key derivation field for padding, so that no plaintext is read with the wrong
    padding.
    """
    return "bare" if padded_to is None else padded_to


def _encrypt(key: bytes, plaintext: bytes, padded_to: int | None) -> bytes:
    if padded_to is not None:
        if len(plaintext) > padded_to:
            raise ValueError("the plaintext is longer than its padding")
        plaintext = len(plaintext).to_bytes(LENGTH, "big") + plaintext.ljust(padded_to, b"\0")
    return AesGcm(key).encrypt(_NONCE, plaintext)


def _decrypt(key: bytes, sealed: bytes, padded_to: int | None) -> bytes:
    try:
        plaintext = AesGcm(key).decrypt(_NONCE, sealed)
    except ValueError:
        raise RemoteError(Code.BAD_ENVELOPE) from None
    if padded_to is None:
        return plaintext
    return _unpad(plaintext, padded_to)


def _unpad(padded: bytes, padded_to: int) -> bytes:
    """Remove the padding. The length must be exact and the padding zero, so that it hides no
    message.
    """
    length = int.from_bytes(padded[:LENGTH], "big")
    rest = padded[LENGTH:]
    if len(padded) != LENGTH + padded_to or length > padded_to or any(rest[length:]):
        raise RemoteError(Code.BAD_ENVELOPE)
    return rest[:length]
