"""Everything that any player was ever sent of a match, and what must be true of all of it together."""

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

from player.connection import Connection, Listener, connect
from protocol import wire
from protocol.codes import Code
from protocol.identity.keys import Identity, JoinLink
from protocol.match.logfile import read_records


@dataclass
class Recorder:
    """What was sent, to whomever, with the time at which it came first."""

    wrong: list[str] = field(default_factory=list)
    sent: dict[bytes, dict[int, tuple[bytes, bytes]]] = field(default_factory=lambda: defaultdict(dict))
    came: dict[bytes, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))  # first, to anybody
    at: dict[str, int] = field(default_factory=dict)  # the port at which somebody is, or was last
    received: int = 0  # entries, to all players
    links: Callable[[], list[JoinLink]] = list  # of the hosts that are there

    def heard(self, who: str, payload: bytes) -> None:
        """Somebody is sent this."""
        name, *values = wire.decode(payload)
        if name != "entry":
            return
        self.received += 1
        match_id, number, entry, head = values
        known = self.sent[match_id].setdefault(number, (entry, head))
        self.came[match_id].setdefault(number, time.monotonic())
        if known != (entry, head):
            self.wrong.append(f"match {match_id.hex()[:8]}: {who} was sent another entry or head {number} than before")

    def check(self, match_id: bytes, final: bytes) -> None:
        """What anybody was sent of a match stands in its final log, at that number."""
        records = [tuple(record) for record in read_records(final)]
        for number, record in self.sent[match_id].items():
            if number >= len(records) or records[number] != record:
                self.wrong.append(f"match {match_id.hex()[:8]}: {number} was sent, and stands otherwise in the end")

    def gap(self, match_id: bytes, since: float = 0.0) -> float:
        """The longest time between two entries of a match, of those that came after this."""
        times = sorted(each for each in self.came[match_id].values() if each >= since)
        return max((later - sooner for sooner, later in pairwise(times)), default=0.0)

    def next_after(self, match_id: bytes, moment: float) -> float | None:
        """When anybody was sent the first new entry after this moment."""
        return min((each for each in self.came[match_id].values() if each > moment), default=None)

    def tapped(self, who: str) -> "Tapped":
        """How this player reaches a table."""
        return Tapped(self, who)


@dataclass(frozen=True)
class Tapped:
    """`player.connection.connect`, with an ear at the connection."""

    recorder: Recorder
    who: str

    async def __call__(
        self, link: JoinLink, identity: Identity, rng: Random, expected: str | None, listener: Listener, /
    ) -> Connection:
        """See `player.connection.Connect`."""
        links = self.recorder.links() or [link]
        other = self.recorder.at.get(self.who.replace("Bob", "Ann"), 0)
        link = next((each for each in links if each.port == other and rng.random() < 0.7), rng.choice(links))
        return await connect(link, identity, rng, expected, _Ear(self, link.port, listener))


@dataclass
class _Ear:
    tapped: Tapped
    port: int
    listener: Listener

    def established(self, connection: Connection, table_key: bytes) -> None:
        self.connection = connection
        self.tapped.recorder.at[self.tapped.who] = self.port
        self.listener.established(connection, table_key)

    def received(self, payload: bytes) -> None:
        name, *values = wire.decode(payload)
        if name == "error" and values[0] == "wrong_match":
            self.connection._abort(Code.CUT_OFF)
            return
        if name == "match":
            self.tapped.recorder.at[self.tapped.who] = self.port
        self.tapped.recorder.heard(self.tapped.who, payload)
        self.listener.received(payload)
