"""A handshake message by message, so that a case can falsify any of them."""

from conformance.case import CaseFailed
from conformance.table.connection import PlayerConnection
from conformance.weak_keys import sign_weakly
from protocol import wire
from protocol.crypto.hashing import encode_fields
from protocol.crypto.primitives.x25519 import public_key
from protocol.limits import FRAME_HEADER
from protocol.session.noise import Handshake
from protocol.session.session import PROLOGUE, Role


class RawHandshake:
    """The player's side of a handshake on a connection. `sent` contains the bytes of the player's
    frames.
    """

    def __init__(self, peer: PlayerConnection, prologue: bytes = PROLOGUE) -> None:
        self.peer = peer
        static = peer.rng.randbytes(32)
        self.static = public_key(static)
        self.noise = Handshake(initiator=True, prologue=prologue, static=static, rng=peer.rng)
        self.sent: list[bytes] = []
        self.answer = b""  # the table's message
        self.table_credential = b""  # its payload

    async def say(self, message: bytes) -> None:
        """Send one frame."""
        self.sent.append(wire.encode_frame(message))
        await self.peer.write(self.sent[-1])

    async def first(self, payload: bytes = b"") -> None:
        """Send the first message."""
        await self.say(self.noise.write(payload))

    async def second(self) -> "RawHandshake":
        """Read the table's message, and process it."""
        await self.hear()
        self.table_credential = self.noise.read(self.answer)
        return self

    async def hear(self) -> None:
        """Read the table's message without processing it."""
        frames = wire.FrameDecoder()
        found = None
        while found is None:
            data = await self.peer.read()
            if not data:
                raise CaseFailed("the table ended the handshake")
            found = next(frames.feed(data), None)
        self.answer = found

    async def halfway(self) -> "RawHandshake":
        """Exchange the first and the second message."""
        await self.first()
        return await self.second()

    async def third(self, payload: bytes) -> None:
        """Send the third message with any credential."""
        await self.say(self.noise.write(payload))

    async def dropped(self) -> None:
        """Expect that the table drops the connection without another byte."""
        if await self.peer.read_to_end():
            raise CaseFailed("an answer to one who has not proved who it is")

    def signature(
        self,
        label: str = Role.PLAYER.value,
        static: bytes | None = None,
        hashed: bytes | None = None,
    ) -> bytes:
        """Return the player's signature for this handshake, with some of the signed values
        replaced.
        """
        return self.peer.identity.sign(label, static or self.static, hashed or self.noise.hash)

    def credential(self, public: bytes | None = None, signature: bytes | None = None) -> bytes:
        """Return the payload of the third message."""
        return wire.encode([public or self.peer.identity.public, signature or self.signature()])

    def forged(self, torsion: bytes, secret: int = 0) -> bytes:
        """Return a credential for a weak key: it verifies if s·B = R + k·A is the only check."""
        return self.credential(
            *sign_weakly(
                torsion, secret, encode_fields(Role.PLAYER.value, self.static, self.noise.hash)
            )
        )

    def with_static(self, public: bytes) -> bytes:
        """Return the third message with a static key whose shared secret everybody knows: zero."""
        symmetric = self.noise._symmetric
        credential = self.credential(signature=self.signature(static=public))
        sealed = symmetric.encrypt_and_hash(public)
        symmetric.mix_key(bytes(32))
        return sealed + symmetric.encrypt_and_hash(credential)


def strip_header(frame_bytes: bytes) -> bytes:
    """Return a frame's payload."""
    return frame_bytes[FRAME_HEADER:]
