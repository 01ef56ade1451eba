"""A handshake by hand, to say a wrong thing in any of its messages, and keys that no honest person has."""

import secrets
from hashlib import sha512

from nacl.bindings import crypto_core_ed25519_add, crypto_scalarmult_ed25519_base_noclamp

from conformance.case import Failed
from conformance.peer import Peer
from protocol import wire
from protocol.crypto.hashing import frame
from protocol.identity.keys import Identity
from protocol.limits import FRAME_HEADER
from protocol.session.noise import Handshake, public_key
from protocol.session.session import PROLOGUE, Role

ORDER = 2**252 + 27742317777372353535851937790883648493  # of the prime-order group of Ed25519

# Points of small order, as Ed25519 encodes them.
IDENTITY_POINT = b"\1" + bytes(31)
IDENTITY_POINT_AGAIN = b"\xee" + b"\xff" * 30 + b"\x7f"  # y = p + 1: not canonical
ORDER_TWO = b"\xec" + b"\xff" * 30 + b"\x7f"
ORDER_FOUR = bytes(32)
ORDER_EIGHT = bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")

# X25519 public keys with which every shared secret is zero (RFC 7748, 6.1), by name.
LOW_ORDER = {
    "zero": bytes(32),
    "one": b"\1" + bytes(31),
    "of-order-eight": bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
    "of-order-eight-twisted": bytes.fromhex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
    "p-minus-one": b"\xec" + b"\xff" * 30 + b"\x7f",
    "p": b"\xed" + b"\xff" * 30 + b"\x7f",
    "p-plus-one": b"\xee" + b"\xff" * 30 + b"\x7f",
}


class Handshaker:
    """The player's side of a handshake over a peer's connection. `sent` are the bytes of our frames."""

    def __init__(self, peer: Peer, prologue: bytes = PROLOGUE) -> None:
        self.peer = peer
        static = peer.rng.randbytes(32)
        self.static = public_key(static)
        self.noise = Handshake(initiator=True, prologue=prologue, static=static, rng=peer.rng)
        self.sent: list[bytes] = []
        self.answer = b""  # the table's message
        self.table_credential = b""  # its payload

    async def say(self, message: bytes) -> None:
        """One frame."""
        self.sent.append(wire.frame(message))
        await self.peer.write(self.sent[-1])

    async def first(self, payload: bytes = b"") -> None:
        """The first message."""
        await self.say(self.noise.write(payload))

    async def second(self) -> "Handshaker":
        """Read the table's."""
        await self.hear()
        self.table_credential = self.noise.read(self.answer)
        return self

    async def hear(self) -> None:
        """The table's message as it is."""
        frames, found = wire.Frames(), None
        while found is None:
            data = await self.peer.read()
            if not data:
                raise Failed("the table ended the handshake")
            found = next(frames.feed(data), None)
        self.answer = found

    async def halfway(self) -> "Handshaker":
        """First and second message."""
        await self.first()
        return await self.second()

    async def third(self, payload: bytes) -> None:
        """The third message, with anything for a credential."""
        await self.say(self.noise.write(payload))

    async def dropped(self) -> None:
        """The table drops the connection without another word."""
        if await self.peer.read_to_end():
            raise Failed("an answer to one who has not proved who it is")

    def signature(
        self, label: str = Role.PLAYER.value, static: bytes | None = None, hashed: bytes | None = None
    ) -> bytes:
        """Ours for this handshake, with some of what it is over exchanged."""
        return self.peer.identity.sign(label, static or self.static, hashed or self.noise.hash)

    def credential(self, public: bytes | None = None, signature: bytes | None = None) -> bytes:
        """The payload of the third message."""
        return wire.encode([public or self.peer.identity.public, signature or self.signature()])

    def forged(self, torsion: bytes, secret: int = 0) -> bytes:
        """A credential for a weak key, that holds if one checks by s·B = R + k·A alone."""
        return self.credential(*sign_weakly(torsion, secret, frame(Role.PLAYER.value, self.static, self.noise.hash)))

    def with_static(self, public: bytes) -> bytes:
        """The third message, with a static key for which everybody knows the shared secret: zero."""
        symmetric, credential = self.noise._symmetric, self.credential(signature=self.signature(static=public))
        sealed = symmetric.encrypt_and_hash(public)
        symmetric.mix_key(bytes(32))
        return sealed + symmetric.encrypt_and_hash(credential)


def sign_weakly(torsion: bytes, secret: int, message: bytes) -> tuple[bytes, bytes]:
    """The key secret·B + torsion, and a signature under it for which k·torsion vanishes."""
    public = crypto_core_ed25519_add(_times_base(secret), torsion) if secret else torsion
    while True:
        r = 1 + secrets.randbelow(ORDER - 1)
        R = _times_base(r)
        k = int.from_bytes(sha512(R + public + message).digest(), "little") % ORDER
        if k % 8 == 0:  # the order of any torsion point divides 8
            return public, R + ((r + k * secret) % ORDER).to_bytes(32, "little")


def _times_base(scalar: int) -> bytes:
    return crypto_scalarmult_ed25519_base_noclamp(scalar.to_bytes(32, "little"))


def another_identity() -> Identity:
    """Somebody else."""
    return Identity(secrets.token_bytes(32))


def headless(frame_bytes: bytes) -> bytes:
    """A frame's payload."""
    return frame_bytes[FRAME_HEADER:]
