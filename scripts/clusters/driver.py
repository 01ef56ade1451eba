"""Who plays canned matches: connections that send what was recorded, each entry when they have the
one before it.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from protocol.identity.keys import JoinLink
from scripts.benchmarks.client import Client, connect
from scripts.clusters.canned import NAMES, Canned

AT_ONCE = 10  # handshakes under way


@dataclass
class Moves:
    """When entries were sent, and how long it took until both seats had them."""

    seconds: list[float] = field(default_factory=list)
    # by entry: when, and how many have not got it
    _sent: dict[bytes, tuple[float, int]] = field(default_factory=dict)

    def sent(self, raw: bytes) -> None:
        """A seat sends this."""
        self._sent[raw] = time.perf_counter(), len(NAMES)

    def received(self, raw: bytes) -> None:
        """A seat gets this; the table's own entries are not counted."""
        if raw not in self._sent:
            return
        at, missing = self._sent.pop(raw)
        if missing > 1:
            self._sent[raw] = at, missing - 1
        else:
            self.seconds.append(time.perf_counter() - at)


class Played:
    """One match: its two connections."""

    def __init__(self, canned: Canned, link: JoinLink) -> None:
        self.canned = canned
        self._link = link
        self.clients: list[Client] = []
        self._match_id = b""

    async def come(self) -> None:
        """Greeted, and no more."""
        for seat, name in enumerate(NAMES):
            identity = self.canned.number.identity(seat)
            self.clients.append(await connect(self._link, name, identity=identity))

    async def begin(self) -> None:
        """Both sit down."""
        for client in self.clients:
            client.send("join", f"table-{self.canned.number.table}")
        for client in self.clients:
            self._match_id = (await client.expect("match")).values[1]

    async def play(self, moves: Moves) -> None:
        """From the first entry to the last."""
        await asyncio.gather(*(self._seat(seat, moves) for seat in range(len(NAMES))))

    async def _seat(self, seat: int, moves: Moves) -> None:
        client = self.clients[seat]
        posts = self.canned.posts[seat]
        client.send("replay", self._match_id, 0)
        for number in range(self.canned.entries):
            _, told, raw, _ = (await client.expect("entry")).values
            assert told == number and posts.get(number, raw) == raw
            moves.received(raw)
            if (post := posts.get(number + 1)) is not None:
                moves.sent(post)
                client.send("post", self._match_id, post)
        await client.expect("left")

    def close(self) -> None:
        """Hang up."""
        for client in self.clients:
            client.close()


async def come(canned: Sequence[Canned], links: Sequence[JoinLink]) -> list[Played]:
    """Connections for matches, spread over the hosts."""
    gate = asyncio.Semaphore(AT_ONCE)
    matches = [Played(each, links[number % len(links)]) for number, each in enumerate(canned)]

    async def one(match: Played) -> None:
        async with gate:
            await match.come()

    await asyncio.gather(*map(one, matches))
    return matches


async def play(matches: Sequence[Played], moves: Moves, at_once: int) -> None:
    """Play them, so many at once, and hang up."""
    gate = asyncio.Semaphore(at_once)

    async def one(match: Played) -> None:
        async with gate:
            await match.play(moves)

    await asyncio.gather(*map(one, matches))
    for match in matches:
        match.close()
