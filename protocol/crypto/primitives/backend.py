"""Interface of the backends: functions that each backend must have, and the choice of the backend.

All arguments and results are bytes. A backend may rely on the lengths given in this module, because
its callers check them. A module of the backend is loaded with the primitive that needs it, so that
a program that only hashes does not wait for libsodium.
"""

import sys
from importlib import import_module
from typing import Any, Protocol

# `sys.platform` -> package of its backend, if not the native one
_BACKENDS = {"emscripten": "protocol.crypto.primitives.browser"}
_PACKAGE = _BACKENDS.get(sys.platform, "protocol.crypto.primitives.native")


class X25519Backend(Protocol):
    """X25519 (RFC 7748, section 5). Keys have 32 bytes."""

    def public_key(self, private: bytes, /) -> bytes: ...

    def shared_secret(self, private: bytes, public: bytes, /) -> bytes:
        """Return the shared secret.

        Raises ValueError or returns 32 zero bytes if `public` has a low order.
        """


class Ed25519Backend(Protocol):
    """Ed25519 (RFC 8032, section 5.1) with libsodium's checks of keys and signatures."""

    def key_pair(self, seed: bytes, /) -> tuple[bytes, bytes]:
        """Return the public key (32 bytes) and the secret key (64 bytes) of a seed (32 bytes)."""

    def sign(self, secret_key: bytes, message: bytes, /) -> bytes:
        """Return a signature of 64 bytes."""

    def verify(self, public: bytes, signature: bytes, message: bytes, /) -> bool:
        """Check a signature of 64 bytes. Signatures of weak keys may be accepted."""

    def is_valid_point(self, public: bytes, /) -> bool:
        """Check that `public` is the canonical encoding of a point of the prime-order group, and
        not the identity.
        """

    def add(self, left: bytes, right: bytes, /) -> bytes:
        """Add two points of the curve."""

    def times_base(self, scalar: bytes, /) -> bytes:
        """Multiply the base point by a scalar, without clamping."""


class Cipher(Protocol):
    """Authenticated cipher with a fixed key. Nonces have 12 bytes, tags 16."""

    def encrypt(self, nonce: bytes, plaintext: bytes, associated: bytes | None, /) -> bytes: ...

    def decrypt(self, nonce: bytes, sealed: bytes, associated: bytes | None, /) -> bytes:
        """Authenticate and decrypt. Raises: ValueError if the tag does not fit."""


class AesGcmBackend(Protocol):
    """AES-256-GCM (NIST SP 800-38D)."""

    def cipher(self, key: bytes, /) -> Cipher:
        """Return the cipher for a key of 32 bytes."""


class KeyStream(Protocol):
    """Stream cipher at a position of its stream."""

    def update(self, data: bytes, /) -> bytes:
        """XOR `data` with the next bytes of the stream."""


class ChaCha20Backend(Protocol):
    """ChaCha20 (RFC 8439, section 2.4)."""

    def key_stream(self, key: bytes, nonce: bytes, /) -> KeyStream:
        """Start a stream. The key has 32 bytes; the nonce has 16, of which the first four are the
        counter.
        """


class HkdfBackend(Protocol):
    """HKDF with HMAC-SHA-512 (RFC 5869)."""

    def derive(self, secret: bytes, info: bytes, length: int, /) -> bytes:
        """Extract without salt, and expand to `length` bytes, at most 16,320."""


class PassphraseBackend(Protocol):
    """Argon2id (RFC 9106) and XSalsa20-Poly1305."""

    def derive_key(self, passphrase: bytes, salt: bytes, passes: int, memory: int, /) -> bytes:
        """Derive a key of 32 bytes. The salt has 16 bytes; `memory` is in bytes."""

    def seal(self, key: bytes, nonce: bytes, plaintext: bytes, /) -> bytes:
        """Encrypt. The result is the nonce of 24 bytes, then the ciphertext."""

    def unseal(self, key: bytes, box: bytes, /) -> bytes:
        """Decrypt. Raises: ValueError if the box does not open."""


class Ristretto255Backend(Protocol):
    """ristretto255 (RFC 9496). Points and scalars have 32 bytes.

    Point arguments are encodings that `is_valid_point` has accepted or another function of the
    backend has returned. Scalars are below the group's order. The identity is 32 zero bytes.
    """

    def is_valid_point(self, encoded: bytes, /) -> bool:
        """Check that 32 bytes encode a point. The backend may ignore bit 255."""

    def add(self, left: bytes, right: bytes, /) -> bytes: ...

    def subtract(self, left: bytes, right: bytes, /) -> bytes: ...

    def multiply(self, scalar: bytes, point: bytes, /) -> bytes:
        """Multiply a point. The scalar may be zero, and the product may be the identity."""

    def times_base(self, scalar: bytes, /) -> bytes: ...

    def from_uniform(self, uniform: bytes, /) -> bytes:
        """Map 64 uniform bytes to a point (section 4.3.4)."""

    def scalar_add(self, left: bytes, right: bytes, /) -> bytes: ...

    def scalar_subtract(self, left: bytes, right: bytes, /) -> bytes: ...

    def scalar_multiply(self, left: bytes, right: bytes, /) -> bytes: ...

    def scalar_invert(self, scalar: bytes, /) -> bytes:
        """Invert a scalar that is not zero."""

    def scalar_reduce(self, wide: bytes, /) -> bytes:
        """Reduce 64 little-endian bytes modulo the order."""


def load_backend(primitive: str) -> Any:
    """Import the backend's module for a primitive.

    Raises: LocalError if libsodium is needed and cannot be loaded.
    """
    return import_module(f"{_PACKAGE}.{primitive}")
