"""Record of everything that all players of a match received, and checks of all of it together."""

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

from player.client.connection import Connection, Listener, connect
from protocol import wire
from protocol.identity.keys import Identity, JoinLink
from protocol.match.log_file import read_records
from protocol.session.ticket import Ticket

# answers of a host that does not know a new table yet
ELSEWHERE = ("no_such_table",)


@dataclass
class Recorder:
    """Received messages of all players, with the time of the first arrival."""

    wrong: list[str] = field(default_factory=list)
    sent: dict[bytes, dict[int, tuple[bytes, bytes]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    # time of the first arrival at any player, by match and number
    came: dict[bytes, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    # port of the host that sent it first
    source: dict[bytes, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    at: dict[str, int] = field(default_factory=dict)  # player -> port of the present or last host
    received: int = 0  # number of entries, over all players
    links: Callable[[], list[JoinLink]] = list  # links of the running hosts

    def heard(self, who: str, payload: bytes) -> None:
        """Note a message that a player received."""
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
        """Check that every entry that any player received is in the final log at its number."""
        records = [tuple(record) for record in read_records(final)]
        for number, record in self.sent[match_id].items():
            if number >= len(records) or records[number] != record:
                self.wrong.append(
                    f"match {match_id.hex()[:8]}: {number} was sent, and stands otherwise in "
                    "the end"
                )

    def gap(self, match_id: bytes, since: float = 0.0) -> float:
        """Return the longest time between two entries of a match after `since`."""
        times = sorted(each for each in self.came[match_id].values() if each >= since)
        return max((later - sooner for sooner, later in pairwise(times)), default=0.0)

    def next_after(self, match_id: bytes, moment: float, gone: int = 0) -> float | None:
        """Return the time of the first new entry after `moment`. Entries from the host at port
        `gone` do not count: it may have sent them before it died.
        """
        source = self.source[match_id]
        times = (
            when
            for number, when in self.came[match_id].items()
            if source.get(number) != gone or not gone
        )
        return min((each for each in times if each > moment), default=None)

    def tapped(self, who: str) -> "Tapped":
        """Return a connect function that records for a player."""
        return Tapped(self, who)


@dataclass
class Tapped:
    """`player.client.connection.connect` with a recorder at the connection.

    A player that looks for a new table asks one host after the other. For a match this must not
    happen: hosts know the owner, or wait until they do. An answer that a match does not exist is an
    error.
    """

    recorder: Recorder
    who: str
    # ports of hosts that did not know the table
    asked: set[int] = field(default_factory=set)

    async def __call__(
        self,
        link: JoinLink,
        identity: Identity,
        rng: Random,
        expected: str | None,
        listener: Listener,
        /,
        *,
        ticket: Ticket | None = None,
    ) -> Connection:
        """Connect as `player.client.connection.Connect` does."""
        there = {each.port: each for each in self.recorder.links()}
        if there and link.port in self.asked:
            if not there.keys() - self.asked:
                self.asked.clear()
            link = there[rng.choice(sorted(there.keys() - self.asked))]
        ear = _Ear(self, link.port, listener)
        return await connect(link, identity, rng, expected, ear, ticket=ticket)


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
