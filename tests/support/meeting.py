"""Clients for tests of the lobby and of pipes: bare clients, and programs at both ends of a
pipe.
"""

import asyncio
from random import Random
from typing import Any

from player.client.connection import Connection
from player.client.environment import Environment
from player.client.seat import Seat
from player.lobby.pipe_connection import PipeCarrier, reach
from protocol.identity.keys import Identity, JoinLink
from protocol.messages.lobby import TRADE, Purpose
from tests.support.wire_client import WireClient


def environment(seed: int, **values: Any) -> Environment:
    """Make the environment of a person with its own folder."""
    rng = Random(seed)
    return Environment(Identity(rng.randbytes(32)), rng, Seat, None, lambda event: None, **values)


class Heard:
    """Listener that collects payloads of a connection."""

    def __init__(self) -> None:
        self.peer = b""
        self.messages: list[bytes] = []
        self.established_now = asyncio.Event()
        self.news = asyncio.Event()

    def established(self, connection: Connection, table_key: bytes) -> None:
        self.peer = table_key
        self.established_now.set()

    def received(self, payload: bytes) -> None:
        self.messages.append(payload)
        self.news.set()

    async def until(self, count: int) -> list[bytes]:
        """Wait for `count` payloads, and return them."""
        async with asyncio.timeout(90):
            while len(self.messages) < count:
                self.news.clear()
                await self.news.wait()
        return self.messages


async def relays(link: JoinLink, *seeds: int) -> list[PipeCarrier]:
    """Make clients that are at a table for pipes."""
    return [await reach(link, environment(seed), f"Person {chr(64 + seed)}") for seed in seeds]


async def joined(
    one: PipeCarrier, other: PipeCarrier, purpose: Purpose = TRADE
) -> list[tuple[Connection, Heard]]:
    """Make a pipe between two clients, with a session at both ends."""
    heard = [Heard(), Heard()]
    async with asyncio.timeout(90):
        connections = await asyncio.gather(
            one.pipes.open(other.environment.identity.public, purpose, heard[0]),
            other.pipes.open(one.environment.identity.public, purpose, heard[1]),
        )
        for each in heard:
            await each.established_now.wait()
    return list(zip(connections, heard, strict=True))


async def seen(*clients: WireClient, wants: int = 0) -> None:
    """Wait until these clients are in the lobby and see each other."""
    for client in clients:
        await client.send("appear", wants)
    everybody = {client.identity.public for client in clients}
    for client in clients:
        known: set[bytes] = set()
        while not everybody <= known:
            came, gone = await client.expect("people")
            known = (known | {key for _, key, _ in came}) - set(gone)
