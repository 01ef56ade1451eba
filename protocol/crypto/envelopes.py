"""Envelopes that only one reader can open: from seat to seat over the table, and to a one-time slot
key.

Two uses of X25519 (RFC 7748) with AES-256-GCM and HKDF-HMAC-SHA-512 (RFC 5869):

- **Seat to seat.** Each seat posts the public half of a `MatchKey` at the start of a match, in an
  entry signed by its identity. `pair_key` gives the two seats one key for each direction; `seal`
  and `unseal` use it for any number of envelopes.
- **To a slot.** `seal_to_slot` seals one piece to a slot's one-time public key, under an ephemeral
  key that the sender uses for a whole batch; `open_from_slot` opens it.

How a dispute is judged
    A pair key depends on nothing but the two posted public keys, both identities, the table, the
    match and the direction. So when either of two seats opens its private match key, anybody
    derives the same key with `key_from_private` and `pair_key`, opens every envelope between the
    two and sees what was in it. Likewise the private key of a slot. It follows that a match key is
    opened only when its envelopes may be read: in the audit, or when a deal is void.

What an envelope does not say
    Who wrote it. Both seats know the pair key; authorship is the signature on the log entry that
    carries the envelope.

Nonces
    An envelope starts with 32 random bytes, from which and from its context its key is derived. A
    key seals one envelope, so the nonce is zero and there is no counter to lose in a crash or to
    share between two machines.
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

KEY = 32  # bytes of every key here, private, public or derived
SALT = 32  # bytes in front of an envelope
TAG = TAG_SIZE  # bytes of AES-GCM's tag
LENGTH = 4  # bytes, big-endian, in front of a padded plaintext
_NONCE = bytes(NONCE_SIZE)
_PROBE = bytes(KEY)  # any key: every clamped one maps low orders to zero


@dataclass(frozen=True, slots=True, repr=False)
class MatchKey:
    """An X25519 key pair: a seat's for one match, and, of the same kind, one-time keys of slots and
    batches.

    Made by `new_key` or `key_from_private`, so that the two halves belong together. Not shown by
    `repr`.
    """

    private: bytes  # 32 bytes
    public: bytes  # 32 bytes


@dataclass(frozen=True, slots=True)
class Party:
    """A seat as others see it: its Ed25519 identity and the public match key that it posted."""

    identity: bytes  # 32 bytes
    public: bytes  # 32 bytes


def new_key(rng: Random) -> MatchKey:
    """A fresh key pair from 32 random bytes."""
    private = rng.randbytes(KEY)
    return MatchKey(private, public_key(private))


def key_from_private(private: object, public: bytes, code: Code = Code.BAD_MATCH_KEY) -> MatchKey:
    """The key pair of a private key that somebody opened or that was read from disk.

    Raises: RemoteError(code) unless it is 32 bytes and belongs to the public key that was posted.
    """
    if (
        not isinstance(private, bytes)
        or len(private) != KEY
        or not constant_time_equal(public_key(private), public)
    ):
        raise RemoteError(code)
    return MatchKey(private, public)


@lru_cache(maxsize=4096)
def _is_fit(public: bytes) -> bool:
    """Whether a key is canonical and not of low order; remembered, since each is checked at many
    steps.
    """
    try:
        _exchange(_PROBE, public, Code.BAD_MATCH_KEY)
    except RemoteError:
        return False
    return True


def check_public(public: object, code: Code = Code.BAD_MATCH_KEY) -> bytes:
    """The public key itself, if it may be posted: 32 bytes, canonical, and not of low order.

    A low-order key (RFC 7748 §6.1) makes every shared secret zero. A non-canonical one is a second
    name for another key, and could not be opened later.

    Raises: RemoteError(code).
    """
    if not isinstance(public, bytes) or not _is_fit(public):
        raise RemoteError(code)
    return public


def pair_key(own: MatchKey, match: bytes, table: bytes, sender: Party, receiver: Party) -> bytes:
    """The 32-byte key of envelopes from one seat to another in one match; `own` is the match key of
    either.

    `table` is the table's identity. Sender, receiver and judge get the same key; the other
    direction has another.

    Raises: RemoteError(BAD_MATCH_KEY) if the peer's key is not fit to use or is our own; ValueError
    if `own` is neither's.
    """
    if own.public not in (sender.public, receiver.public):
        raise ValueError("the key belongs to neither sender nor receiver")
    peer = receiver.public if own.public == sender.public else sender.public
    if peer == own.public:  # a seat that posted a copy of another's key
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
    """An envelope under a pair key: 32 random bytes, then the ciphertext and its tag.

    `purpose` and `context` are bound, not sent: `unseal` must be given the same. With `padded_to`
    (bytes) every plaintext up to that length gives an envelope of `envelope_size(padded_to)` bytes;
    without it the length shows.

    Raises: ValueError if the plaintext is longer than `padded_to` or the envelope than
    `MAX_ENVELOPE`.
    """
    salt = rng.randbytes(SALT)
    envelope = salt + _lock(
        _envelope_key(key, salt, purpose, context, padded_to), plaintext, padded_to
    )
    if len(envelope) > MAX_ENVELOPE:
        raise ValueError("the plaintext is too long for an envelope")
    return envelope


def unseal(
    key: bytes, envelope: object, purpose: str, *context: Field, padded_to: int | None = None
) -> bytes:
    """The plaintext of an envelope made by `seal` with the same key, purpose, context and
    `padded_to`.

    Raises: RemoteError(BAD_ENVELOPE), the same for whatever is wrong.
    """
    if not isinstance(envelope, bytes) or not SALT + TAG <= len(envelope) <= MAX_ENVELOPE:
        raise RemoteError(Code.BAD_ENVELOPE)
    salt, sealed = envelope[:SALT], envelope[SALT:]
    return _unlock(_envelope_key(key, salt, purpose, context, padded_to), sealed, padded_to)


def envelope_size(padded_to: int) -> int:
    """Bytes of every envelope that is padded to `padded_to` bytes of plaintext."""
    return SALT + LENGTH + padded_to + TAG


def seal_to_slot(
    public: bytes,
    ephemeral: MatchKey,
    plaintext: bytes,
    purpose: str,
    *context: Field,
    padded_to: int | None = None,
) -> bytes:
    """One piece sealed to a slot's one-time key: ciphertext and tag, no salt. Deterministic.

    `context` has the deal's id and the slot's index, so that even slots with equal keys have
    different ciphers. One ephemeral serves a batch of slots; it must never seal two different
    plaintexts to one slot.

    Raises: RemoteError(BAD_SLOT_KEY) if the slot's key is not fit to use; ValueError if the
    plaintext exceeds `padded_to`.
    """
    secret = _exchange(ephemeral.private, public, Code.BAD_SLOT_KEY)
    return _lock(
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
    """The plaintext that `seal_to_slot` sealed to this slot key; `ephemeral` is the sender's public
    key.

    Raises: RemoteError(BAD_ENVELOPE), the same for whatever is wrong.
    """
    if not isinstance(ephemeral, bytes) or not isinstance(sealed, bytes):
        raise RemoteError(Code.BAD_ENVELOPE)
    if not TAG <= len(sealed) <= MAX_ENVELOPE:
        raise RemoteError(Code.BAD_ENVELOPE)
    secret = _exchange(own.private, ephemeral, Code.BAD_ENVELOPE)
    return _unlock(
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
    """Bound in the key, so that a padded plaintext is never read as a bare one or the other way
    round.
    """
    return "bare" if padded_to is None else padded_to


def _lock(key: bytes, plaintext: bytes, padded_to: int | None) -> bytes:
    if padded_to is not None:
        if len(plaintext) > padded_to:
            raise ValueError("the plaintext is longer than its padding")
        plaintext = len(plaintext).to_bytes(LENGTH, "big") + plaintext.ljust(padded_to, b"\0")
    return AesGcm(key).encrypt(_NONCE, plaintext)


def _unlock(key: bytes, sealed: bytes, padded_to: int | None) -> bytes:
    try:
        plaintext = AesGcm(key).decrypt(_NONCE, sealed)
    except ValueError:
        raise RemoteError(Code.BAD_ENVELOPE) from None
    return plaintext if padded_to is None else _unpad(plaintext, padded_to)


def _unpad(padded: bytes, padded_to: int) -> bytes:
    """Strict: exact length, a length field that fits, and nothing but zeros after it (no hidden
    channel).
    """
    length, rest = int.from_bytes(padded[:LENGTH], "big"), padded[LENGTH:]
    if len(padded) != LENGTH + padded_to or length > padded_to or any(rest[length:]):
        raise RemoteError(Code.BAD_ENVELOPE)
    return rest[:length]
