"""Baseline for the relay: an asyncio server that decrypts each frame with AES-GCM, encrypts it
again and passes it on.

The server joins two connections. It has no handshake, no messages and no routing; keys and counters
are fixed. With `--batch` it writes all frames of one read together, as the table does, otherwise
one by one.
"""

import asyncio
import sys

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

HEADER = 4
KEY = bytes(32)
BATCH = "--batch" in sys.argv


class Relay(asyncio.Protocol):
    """One of the two connections."""

    peers: list["Relay"] = []  # noqa: RUF012 - both connections of this process

    def __init__(self) -> None:
        self.cipher = AESGCM(KEY)
        self.received = self.sent = 0
        self.buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember the connection."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        Relay.peers.append(self)

    def data_received(self, data: bytes) -> None:
        """Pass on every complete frame."""
        other = Relay.peers[1 - Relay.peers.index(self)]
        buffer = self.buffer + data
        at = 0
        out = list[bytes]()
        while len(buffer) - at >= HEADER:
            end = at + HEADER + int.from_bytes(buffer[at : at + HEADER], "big")
            if end > len(buffer):
                break
            plaintext = self.cipher.decrypt(
                self.received.to_bytes(12, "big"), buffer[at + HEADER : end], None
            )
            sealed = other.cipher.encrypt(other.sent.to_bytes(12, "big"), plaintext, None)
            out.append(len(sealed).to_bytes(HEADER, "big") + sealed)
            if not BATCH:
                other.transport.write(out.pop())
            self.received += 1
            other.sent += 1
            at = end
        self.buffer = buffer[at:]
        if out:
            other.transport.write(b"".join(out))


async def main() -> None:
    """Serve two connections until killed."""
    server = await asyncio.get_running_loop().create_server(Relay, "127.0.0.1", 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
