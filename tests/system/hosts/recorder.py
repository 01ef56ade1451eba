"""Everything that any player was ever sent of a match, and what must be true of all of it
together.
"""

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

from player.connection import Connection, Listener, connect
from protocol import wire
from protocol.identity.keys import Identity, JoinLink
from protocol.match.log_file import read_records

# what a host says that has not heard yet of a table put up a moment ago
ELSEWHERE = ("no_such_table",)


@dataclass
class Recorder:
    """What was sent, to whomever, with the time at which it came first."""

    wrong: list[str] = field(default_factory=list)
    sent: dict[bytes, dict[int, tuple[bytes, bytes]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    # first, to anybody
    came: dict[bytes, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    # the port it came from
    source: dict[bytes, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
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
        self.source[match_id].setdefault(number, self.at.get(who, 0))
        if known != (entry, head):
            self.wrong.append(
                f"match {match_id.hex()[:8]}: {who} was sent another entry or head {number} "
                "than before"
            )

    def check(self, match_id: bytes, final: bytes) -> None:
        """What anybody was sent of a match stands in its final log, at that number."""
        records = [tuple(record) for record in read_records(final)]
        for number, record in self.sent[match_id].items():
            if number >= len(records) or records[number] != record:
                self.wrong.append(
                    f"match {match_id.hex()[:8]}: {number} was sent, and stands otherwise in "
                    "the end"
                )

    def gap(self, match_id: bytes, since: float = 0.0) -> float:
        """The longest time between two entries of a match, of those that came after this."""
        times = sorted(each for each in self.came[match_id].values() if each >= since)
        return max((later - sooner for sooner, later in pairwise(times)), default=0.0)

    def next_after(self, match_id: bytes, moment: float, gone: int = 0) -> float | None:
        """When anybody was sent the first new entry after this moment, but not from a host at this
        port: what it had sent before it died may be read later."""
        source = self.source[match_id]
        times = (
            when
            for number, when in self.came[match_id].items()
            if source.get(number) != gone or not gone
        )
        return min((each for each in times if each > moment), default=None)

    def tapped(self, who: str) -> "Tapped":
        """How this player reaches a table."""
        return Tapped(self, who)


@dataclass
class Tapped:
    """`player.connection.connect` with an ear at the connection.

    Who looks for a table that somebody has put up just now asks one host after the other. Nobody
    does so for a match: where that is the hosts know, or wait until they do; one that says that
    there is none is wrong.
    """

    recorder: Recorder
    who: str
    # the ports of those who have not heard of its table
    asked: set[int] = field(default_factory=set)

    async def __call__(
        self,
        link: JoinLink,
        identity: Identity,
        rng: Random,
        expected: str | None,
        listener: Listener,
        /,
    ) -> Connection:
        """See `player.connection.Connect`."""
        there = {each.port: each for each in self.recorder.links()}
        if there and link.port in self.asked:
            if not there.keys() - self.asked:
                self.asked.clear()
            link = there[rng.choice(sorted(there.keys() - self.asked))]
        return await connect(link, identity, rng, expected, _Ear(self, link.port, listener))


@dataclass
class _Ear:
    tapped: Tapped
    port: int
    listener: Listener
    connection: Connection | None = None

    def established(self, connection: Connection, table_key: bytes) -> None:
        self.connection = connection
        self.listener.established(connection, table_key)

    def received(self, payload: bytes) -> None:
        name, *values = wire.decode(payload)
        if name == "error" and values[0] in ELSEWHERE and self.connection is not None:
            self.tapped.asked.add(self.port)
            self.connection._abort(None)
            return
        if name == "match":
            self.tapped.asked.clear()
            self.tapped.recorder.at[self.tapped.who] = self.port
        self.tapped.recorder.heard(self.tapped.who, payload)
        self.listener.received(payload)
