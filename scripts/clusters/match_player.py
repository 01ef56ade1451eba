"""Player of recorded matches: connections send each recorded entry as soon as they have the entry
before it.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from protocol.identity.keys import JoinLink
from scripts.benchmarks.client import Client, connect
from scripts.clusters.recorded_match import NAMES, RecordedMatch

AT_ONCE = 10  # parallel handshakes


@dataclass
class Moves:
    """Times of sending, and seconds until both seats have received the entry."""

    seconds: list[float] = field(default_factory=list)
    # entry -> time of sending, and number of seats that lack the entry
    _sent: dict[bytes, tuple[float, int]] = field(default_factory=dict)

    def sent(self, raw: bytes) -> None:
        """Note an entry that a seat sends."""
        self._sent[raw] = time.perf_counter(), len(NAMES)

    def received(self, raw: bytes) -> None:
        """Note an entry that a seat receives. The table's own entries do not count."""
        if raw not in self._sent:
            return
        at, missing = self._sent.pop(raw)
        if missing > 1:
            self._sent[raw] = at, missing - 1
        else:
            self.seconds.append(time.perf_counter() - at)


class Played:
    """A match with its two connections."""

    def __init__(self, recorded: RecordedMatch, link: JoinLink) -> None:
        self.recorded = recorded
        self._link = link
        self.clients: list[Client] = []
        self._match_id = b""

    async def come(self) -> None:
        """Connect and greet."""
        for seat, name in enumerate(NAMES):
            identity = self.recorded.number.identity(seat)
            self.clients.append(await connect(self._link, name, identity=identity))

    async def begin(self) -> None:
        """Let both seats join."""
        for client in self.clients:
            client.send("join", f"table-{self.recorded.number.table}")
        for client in self.clients:
            self._match_id = (await client.expect("match")).values[1]

    async def play(self, moves: Moves) -> None:
        """Play from the first entry to the last."""
        await asyncio.gather(*(self._seat(seat, moves) for seat in range(len(NAMES))))

    async def _seat(self, seat: int, moves: Moves) -> None:
        client = self.clients[seat]
        posts = self.recorded.posts[seat]
        client.send("replay", self._match_id, 0)
        for number in range(self.recorded.entries):
            _, told, raw, _ = (await client.expect("entry")).values
            assert told == number and posts.get(number, raw) == raw
            moves.received(raw)
            if (post := posts.get(number + 1)) is not None:
                moves.sent(post)
                client.send("post", self._match_id, post)
        await client.expect("left")

    def close(self) -> None:
        """Close both connections."""
        for client in self.clients:
            client.close()


async def come(recorded: Sequence[RecordedMatch], links: Sequence[JoinLink]) -> list[Played]:
    """Open the connections of all matches, spread over the hosts."""
    gate = asyncio.Semaphore(AT_ONCE)
    matches = [Played(each, links[number % len(links)]) for number, each in enumerate(recorded)]

    async def one(match: Played) -> None:
        async with gate:
            await match.come()

    await asyncio.gather(*map(one, matches))
    return matches


async def play(matches: Sequence[Played], moves: Moves, at_once: int) -> None:
    """Play the matches, `at_once` at a time, and close their connections."""
    gate = asyncio.Semaphore(at_once)

    async def one(match: Played) -> None:
        async with gate:
            await match.play(moves)

    await asyncio.gather(*map(one, matches))
    for match in matches:
        match.close()
