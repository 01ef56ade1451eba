"""The Noise protocol XX_25519_AESGCM_SHA512, from the Noise specification, revision 34.

A pure state machine: the table `XX` is the pattern, and the two sides write and read its lines in
turn. Names follow section 5 of the specification. Numbers in brackets are its sections.
"""

import hmac
from hashlib import sha512
from struct import Struct
from typing import Protocol

from protocol.codes import Code
from protocol.crypto.primitives import aes_gcm, x25519
from protocol.errors import LocalError, RemoteError

PROTOCOL_NAME = b"Noise_XX_25519_AESGCM_SHA512"
DH_SIZE = x25519.KEY_SIZE  # bytes of a public key and of a shared secret
TAG_SIZE = aes_gcm.TAG_SIZE  # bytes that AES-GCM adds to a plaintext
MAX_MESSAGE = 65_535  # bytes of any Noise message [3]
MAX_NONCE = 2**64 - 1  # reserved [5.1]: the last usable nonce is one less
_NONCE = Struct(">4xQ")  # nonce in the format of AES-GCM [12.4]

# Handshake messages in order, the initiator's first [7.5]. "e" and "s" send a public key. The other
# tokens mix in a Diffie-Hellman result, between the initiator's key named first and the responder's
# key named second. In this pattern a DH precedes each "s", so a static key is always sent
# encrypted.
XX = (("e",), ("e", "ee", "s", "es"), ("s", "se"))


class Rng(Protocol):
    """Source of randomness: `secrets.SystemRandom()`, or a seeded `random.Random` in tests."""

    def randbytes(self, n: int, /) -> bytes: ...


def shared_secret(private: bytes, public: bytes) -> bytes:
    """Return the 32 bytes of X25519 (RFC 7748). Raises: RemoteError(BAD_HANDSHAKE) for a result of
    all zeros.
    """
    try:
        return x25519.shared_secret(private, public)
    except ValueError:  # not 32 bytes, or of small order: then anybody could know the result
        raise RemoteError(Code.BAD_HANDSHAKE) from None


def hkdf(chaining_key: bytes, material: bytes) -> tuple[bytes, bytes]:
    """Compute HKDF with two outputs of 64 bytes [4.3]: RFC 5869 with the chaining key as salt and
    no info.
    """
    secret = hmac.digest(chaining_key, material, "sha512")
    first = hmac.digest(secret, b"\x01", "sha512")
    return first, hmac.digest(secret, first + b"\x02", "sha512")


class CipherState:
    """AES-256-GCM under one key with a counter as nonce: one direction of a session [5.1]."""

    __slots__ = ("_cipher", "nonce")

    def __init__(self, key: bytes) -> None:
        self._cipher = aes_gcm.AesGcm(key)
        self.nonce = 0

    def encrypt(self, plaintext: bytes, ad: bytes | None = None) -> bytes:
        """Return the ciphertext, 16 bytes longer. Raises: LocalError if all nonces are used up."""
        if self.nonce >= MAX_NONCE:
            raise LocalError("wrong.ours.used_up")
        sealed = self._cipher.encrypt(_NONCE.pack(self.nonce), plaintext, ad)
        self.nonce += 1
        return sealed

    def decrypt(self, ciphertext: bytes, ad: bytes | None = None) -> bytes:
        """Return the plaintext. Raises: RemoteError(BAD_RECORD), with the nonce unchanged."""
        if self.nonce >= MAX_NONCE:
            raise RemoteError(Code.BAD_RECORD)
        try:
            plaintext = self._cipher.decrypt(_NONCE.pack(self.nonce), ciphertext, ad)
        except ValueError:
            raise RemoteError(Code.BAD_RECORD) from None
        self.nonce += 1
        return plaintext


class SymmetricState:
    """The chaining key, the hash of all handshake bytes so far, and the present cipher [5.2]."""

    def __init__(self) -> None:
        self.hash = PROTOCOL_NAME.ljust(sha512().digest_size, b"\0")
        self._chaining_key = self.hash
        self._cipher: CipherState | None = None

    def mix_key(self, material: bytes) -> None:
        """Derive a new chaining key and a new cipher with nonce zero from a shared secret."""
        self._chaining_key, key = hkdf(self._chaining_key, material)
        self._cipher = CipherState(key[:32])

    def mix_hash(self, data: bytes) -> None:
        """Add bytes that both sides have seen to the hash."""
        self.hash = sha512(self.hash + data).digest()

    def encrypt_and_hash(self, plaintext: bytes) -> bytes:
        """Encrypt with the hash as associated data; without a key, return the plaintext."""
        if self._cipher:
            sealed = self._cipher.encrypt(plaintext, self.hash)
        else:
            sealed = plaintext
        self.mix_hash(sealed)
        return sealed

    def decrypt_and_hash(self, sealed: bytes) -> bytes:
        """Decrypt the output of `encrypt_and_hash`."""
        if self._cipher:
            plaintext = self._cipher.decrypt(sealed, self.hash)
        else:
            plaintext = sealed
        self.mix_hash(sealed)
        return plaintext

    def split(self) -> tuple[CipherState, CipherState]:
        """Return the transport ciphers for messages of the initiator and of the responder."""
        first, second = hkdf(self._chaining_key, b"")
        return CipherState(first[:32]), CipherState(second[:32])


class Handshake:
    """A side of a handshake [5.3].

    `static` is the private X25519 key (32 bytes); `rng` creates the ephemeral key. Raises:
    LocalError for a call out of turn; RemoteError(BAD_HANDSHAKE) for a wrong message. After this
    error every further call raises LocalError.
    """

    def __init__(self, *, initiator: bool, prologue: bytes, static: bytes, rng: Rng) -> None:
        self._initiator = initiator
        self._rng = rng
        self._own = {"s": static}
        self._ephemeral = b""  # own public key
        self._remote: dict[str, bytes] = {}
        self._lines = list(XX)
        self._my_turn = initiator
        self._over = False  # failed during a step, or already split
        self._symmetric = SymmetricState()
        self._symmetric.mix_hash(prologue)

    @property
    def hash(self) -> bytes:
        """The handshake hash, 64 bytes; after the handshake, the channel binding [11.2]."""
        return self._symmetric.hash

    @property
    def finished(self) -> bool:
        """The handshake is complete, so `split` may be called."""
        return not self._lines

    @property
    def remote_static(self) -> bytes | None:
        """The other side's public X25519 key; None until it has arrived."""
        return self._remote.get("s")

    @property
    def ephemeral(self) -> bytes:
        """This side's public ephemeral key."""
        if not self._ephemeral:
            self._own["e"] = self._rng.randbytes(DH_SIZE)
            self._ephemeral = x25519.public_key(self._own["e"])
        return self._ephemeral

    @property
    def remote_ephemeral(self) -> bytes | None:
        """The other side's public ephemeral key; None until it has arrived."""
        return self._remote.get("e")

    def write(self, payload: bytes = b"") -> bytes:
        """Return the next message with a payload, which is encrypted in all messages but the first.

        Raises: RemoteError(BAD_HANDSHAKE) for a bad point of the other side that `read` has not
        noticed.
        """
        parts = [self._write_token(token) for token in self._next_line(mine=True)]
        message = b"".join(parts) + self._symmetric.encrypt_and_hash(payload)
        if len(message) > MAX_MESSAGE:
            raise LocalError("wrong.ours.payload")
        self._over = False
        return message

    def read(self, message: bytes) -> bytes:
        """Return the payload of the other side's next message."""
        tokens = self._next_line(mine=False)
        try:
            if len(message) > MAX_MESSAGE:
                raise RemoteError(Code.BAD_HANDSHAKE)
            for token in tokens:
                message = self._read_token(token, message)
            payload = self._symmetric.decrypt_and_hash(message)
        except RemoteError:
            raise RemoteError(Code.BAD_HANDSHAKE) from None
        self._over = False
        return payload

    def split(self) -> tuple[CipherState, CipherState]:
        """Return the ciphers for sending and receiving. Only once, since a second pair would repeat
        nonces.
        """
        if self._lines or self._over:
            raise LocalError("wrong.ours.early")
        self._over = True
        from_initiator, from_responder = self._symmetric.split()
        if self._initiator:
            return (from_initiator, from_responder)
        return (from_responder, from_initiator)

    def _next_line(self, *, mine: bool) -> tuple[str, ...]:
        if self._over or not self._lines or self._my_turn is not mine:
            raise LocalError("wrong.ours.turn")
        self._my_turn = not self._my_turn
        self._over = True  # reset at the end of `write` and `read`: after an error it stays set
        return self._lines.pop(0)

    def _write_token(self, token: str) -> bytes:
        match token:
            case "e":
                self._symmetric.mix_hash(self.ephemeral)
                return self.ephemeral
            case "s":
                return self._symmetric.encrypt_and_hash(x25519.public_key(self._own["s"]))
            case _:
                self._mix_shared(token)
                return b""

    def _read_token(self, token: str, message: bytes) -> bytes:
        """Process a token, and return the rest of the message."""
        match token:
            case "e":
                self._remote["e"], rest = _cut(message, DH_SIZE)
                self._symmetric.mix_hash(self._remote["e"])
                return rest
            case "s":
                sealed, rest = _cut(message, DH_SIZE + TAG_SIZE)
                self._remote["s"] = self._symmetric.decrypt_and_hash(sealed)
                return rest
            case _:
                self._mix_shared(token)
                return message

    def _mix_shared(self, token: str) -> None:
        initiator_key = token[0]
        responder_key = token[1]
        mine, theirs = (
            (initiator_key, responder_key) if self._initiator else (responder_key, initiator_key)
        )
        self._symmetric.mix_key(shared_secret(self._own[mine], self._remote[theirs]))


def _cut(message: bytes, size: int) -> tuple[bytes, bytes]:
    if len(message) < size:
        raise RemoteError(Code.BAD_HANDSHAKE)
    return message[:size], message[size:]
