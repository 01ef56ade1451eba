"""Spectators of matches of bots, at hosts that do not own the matches, during faults of the
owners.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from random import Random

from player.client.environment import Environment
from player.client.reconnect import visit
from player.client.seat import Seat
from player.client.table_client import Plan, TableClient
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import Identity
from tests.system.hosts.bots import Crowd


@dataclass(eq=False)
class Onlooker:
    """Spectator of one match from its connection to the end."""

    crowd: Crowd
    match_id: bytes
    client: TableClient | None = None

    @property
    def name(self) -> str:
        """Name that the spectator gives to hosts."""
        return f"Zoe {self.match_id.hex()[:4]}"

    @property
    def port(self) -> int | None:
        """Port of its present or last host."""
        return self.crowd.recorder.at.get(self.name)

    async def watch(self, not_at: int) -> None:
        """Watch to the end, first at a host with another port than `not_at`."""
        crowd, rng = self.crowd, Random(self.name)
        identity = Identity(rng.randbytes(32))
        environment = Environment(
            identity,
            rng,
            Seat,
            None,
            lambda event: None,
            None,
            connect=crowd.recorder.tapped(self.name),
        )
        self.client = TableClient(
            Plan(self.name, crowd.tables[self.match_id], spectate=True), environment
        )
        link = replace(
            rng.choice([link for link in crowd.links() if link.port != not_at]), other_hosts=()
        )
        with suppress(LocalError, RemoteError):
            await visit(self.client, link, link.fingerprint)

    @property
    def seen(self) -> int:
        """Number of received entries, with checked heads and places as in every program."""
        return (
            self.client.playing.number
            if self.client is not None and self.client.playing is not None
            else 0
        )

    def wrong(self) -> list[str]:
        """Return the errors after the end. A spectator that was reconnecting then may have missed
        the end.
        """
        if self.client is None or self.client.playing is None:
            return [f"{self.name} has seen nothing"]
        complaint, reader = self.client.complaint, self.client.playing.reader
        found = [f"{self.name} takes an honest table for a cheat: {complaint}"] if complaint else []
        there = len(self.crowd.recorder.sent[self.match_id])
        if reader is not None and reader.over and self.seen != there:
            found.append(f"{self.name} has seen {self.seen} of {there} entries")
        return found
