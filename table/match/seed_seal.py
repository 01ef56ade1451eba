"""Sealing of a match's seed for the store, so that a copy of the store alone opens no hand.

    key    = HKDF-HMAC-SHA-512(seed of the table's identity, ("sealed seed",))     see `Identity.secret`
    nonce  = the first 12 bytes of HKDF-HMAC-SHA-512(seed, ("sealing nonce", match id))
    sealed = nonce, AES-256-GCM(key, nonce, seed), with the match id as associated data (NIST SP 800-38D)

The nonce follows from the sealed seed. So it is used twice only for the same seed of the same match,
and the ciphertext is then the same. RFC 8452 does this for any plaintext; for 32 random bytes this
simpler way is enough.
"""

from protocol.crypto.hashing import derive
from protocol.crypto.primitives.aes_gcm import NONCE_SIZE, AesGcm
from protocol.errors import LocalError
from table.signer.requests import SEALING
from table.signer.signer import Key

_NONCE = "sealing nonce"


def seal_seed(key: Key, match_id: bytes, seed: bytes) -> bytes:
    """Return the sealed seed of a match, for the store."""
    nonce = derive(seed, _NONCE, match_id, length=NONCE_SIZE)
    return nonce + AesGcm(key.secret(SEALING)).encrypt(nonce, seed, match_id)


def unseal_seed(key: Key, match_id: bytes, sealed: bytes) -> bytes:
    """Return the seed of a match. Raises: LocalError unless this table has sealed it for this match."""
    try:
        return AesGcm(key.secret(SEALING)).decrypt(
            sealed[:NONCE_SIZE], sealed[NONCE_SIZE:], match_id
        )
    except ValueError:
        raise LocalError("wrong.room.seed") from None
