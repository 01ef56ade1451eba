"""A handshake by hand, to say a wrong thing in any of its messages."""

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
    """The player's side of a handshake over a peer's connection. `sent` are the bytes of our
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
        """One frame."""
        self.sent.append(wire.encode_frame(message))
        await self.peer.write(self.sent[-1])

    async def first(self, payload: bytes = b"") -> None:
        """The first message."""
        await self.say(self.noise.write(payload))

    async def second(self) -> "RawHandshake":
        """Read the table's."""
        await self.hear()
        self.table_credential = self.noise.read(self.answer)
        return self

    async def hear(self) -> None:
        """The table's message as it is."""
        frames, found = wire.FrameDecoder(), None
        while found is None:
            data = await self.peer.read()
            if not data:
                raise CaseFailed("the table ended the handshake")
            found = next(frames.feed(data), None)
        self.answer = found

    async def halfway(self) -> "RawHandshake":
        """First and second message."""
        await self.first()
        return await self.second()

    async def third(self, payload: bytes) -> None:
        """The third message, with anything for a credential."""
        await self.say(self.noise.write(payload))

    async def dropped(self) -> None:
        """The table drops the connection without another word."""
        if await self.peer.read_to_end():
            raise CaseFailed("an answer to one who has not proved who it is")

    def signature(
        self,
        label: str = Role.PLAYER.value,
        static: bytes | None = None,
        hashed: bytes | None = None,
    ) -> bytes:
        """Ours for this handshake, with some of what it is over exchanged."""
        return self.peer.identity.sign(label, static or self.static, hashed or self.noise.hash)

    def credential(self, public: bytes | None = None, signature: bytes | None = None) -> bytes:
        """The payload of the third message."""
        return wire.encode([public or self.peer.identity.public, signature or self.signature()])

    def forged(self, torsion: bytes, secret: int = 0) -> bytes:
        """A credential for a weak key, that holds if one checks by s·B = R + k·A alone."""
        return self.credential(
            *sign_weakly(
                torsion, secret, encode_fields(Role.PLAYER.value, self.static, self.noise.hash)
            )
        )

    def with_static(self, public: bytes) -> bytes:
        """The third message, with a static key for which everybody knows the shared secret:
        zero.
        """
        symmetric, credential = (
            self.noise._symmetric,
            self.credential(signature=self.signature(static=public)),
        )
        sealed = symmetric.encrypt_and_hash(public)
        symmetric.mix_key(bytes(32))
        return sealed + symmetric.encrypt_and_hash(credential)


def strip_header(frame_bytes: bytes) -> bytes:
    """A frame's payload."""
    return frame_bytes[FRAME_HEADER:]
