"""A match's seed as it is given to a store: sealed, so that a copy of the store alone opens no
hand.

    key    = HKDF-HMAC-SHA-512(seed of the table's identity, ("sealed seed",))     see `Identity.secret`
    nonce  = the first 12 bytes of HKDF-HMAC-SHA-512(seed, ("sealing nonce", match id))
    sealed = nonce, AES-256-GCM(key, nonce, seed), with the match id as associated data (NIST SP 800-38D)

The nonce follows from what is sealed, so that a nonce comes twice only with the same seed of the
same match, whose ciphertext is then the same (as in RFC 8452, but with a plaintext of 32 random
bytes no more is needed).
"""

from protocol.crypto.hashing import derive
from protocol.crypto.primitives.aes_gcm import NONCE_SIZE, AesGcm
from protocol.errors import LocalError
from table.signer.requests import SEALING
from table.signer.signer import Key

_NONCE = "sealing nonce"


def seal_seed(key: Key, match_id: bytes, seed: bytes) -> bytes:
    """What a store keeps of a match's seed."""
    nonce = derive(seed, _NONCE, match_id, length=NONCE_SIZE)
    return nonce + AesGcm(key.secret(SEALING)).encrypt(nonce, seed, match_id)


def unseal_seed(key: Key, match_id: bytes, sealed: bytes) -> bytes:
    """The seed of this match. Raises: LocalError unless this table sealed it, for this match."""
    try:
        return AesGcm(key.secret(SEALING)).decrypt(
            sealed[:NONCE_SIZE], sealed[NONCE_SIZE:], match_id
        )
    except ValueError:
        raise LocalError("wrong.room.seed") from None
