"""Flood of connection attempts from one address. Arguments: LINK, ADDRESS, number of attempts.

Attempts alternate between four kinds: connect and close, connect and send nothing, half a
handshake, and random bytes. The process has the lowest priority, because a real attacker would use
another machine. It prints the times of its beginning and end, and the results.
"""

import asyncio
import json
import os
import secrets
import socket
import sys
import time
from collections import Counter

from protocol.identity.keys import Identity, JoinLink
from protocol.session.session import Role, Session

AT_ONCE = 200  # parallel attempts
PATIENCE = 2.0  # seconds for one attempt
SILENT_SECONDS = 1.0  # seconds, unless the table disconnects earlier


class Flood:
    """Attempts on one table from one address."""

    def __init__(self, link: JoinLink, address: str) -> None:
        self.link = link
        self.address = address
        self.counts: Counter[str] = Counter()
        rng = secrets.SystemRandom()
        session = Session(
            Role.PLAYER, Identity(rng.randbytes(32)), rng.randbytes(32), rng, link.fingerprint
        )
        self._half = session.start()
        self._gate = asyncio.Semaphore(AT_ONCE)

    async def run(self, count: int) -> None:
        """Make `count` attempts."""
        async with asyncio.TaskGroup() as group:
            for number in range(count):
                await self._gate.acquire()
                group.create_task(self._attempt(number % 4))

    async def _attempt(self, manner: int) -> None:
        peer = socket.socket()
        peer.setblocking(False)
        try:
            async with asyncio.timeout(PATIENCE):
                peer.bind((self.address, 0))
                await asyncio.get_running_loop().sock_connect(
                    peer, (self.link.host, self.link.port)
                )
                await self._misbehave(peer, manner)
            self.counts["connected"] += 1
        except (OSError, TimeoutError):
            self.counts["not connected, or reset"] += 1
        finally:
            peer.close()
            self._gate.release()

    async def _misbehave(self, peer: socket.socket, manner: int) -> None:
        loop = asyncio.get_running_loop()
        if manner == 1:
            async with asyncio.timeout(SILENT_SECONDS):
                await loop.sock_recv(peer, 1)
        elif manner == 2:
            await loop.sock_sendall(peer, self._half)
            await loop.sock_recv(peer, 1024)
        elif manner == 3:
            await loop.sock_sendall(peer, secrets.token_bytes(300))


def main() -> None:
    """Flood the table, and print a report."""
    os.nice(19)
    link = JoinLink.parse(sys.argv[1])
    address = sys.argv[2]
    count = int(sys.argv[3])

    async def flood() -> dict[str, object]:
        flood = Flood(link, address)
        began = time.perf_counter()
        await flood.run(count)
        return {"began": began, "ended": time.perf_counter(), "counts": flood.counts}

    print(json.dumps(asyncio.run(flood())), flush=True)


if __name__ == "__main__":
    main()
