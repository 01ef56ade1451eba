"""Actions of a store's operator."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import nats
import nats.errors

from table.storage.shared.nats.streams import STREAMS
from tests.support.nats_cluster import StoreCluster

_NO_STREAM = 10059  # error code of JetStream
Ask = Callable[..., Awaitable[Any]]


@asynccontextmanager
async def operator(cluster: StoreCluster) -> AsyncIterator[Ask]:
    """Yield a function for requests to JetStream with full rights."""
    client = await nats.connect(cluster.address().urls, user="operator", password="secret")

    async def ask(question: str, **given: Any) -> Any:
        return json.loads(
            (
                await client.request(f"$JS.API.{question}", json.dumps(given).encode(), timeout=5)
            ).data
        )

    try:
        yield ask
    finally:
        await client.close()


async def done(ask: Ask, question: str, **given: Any) -> None:
    """Repeat a change until it is done. A cluster that elects a leader refuses, or does not
    answer.
    """
    async with asyncio.timeout(60):
        while True:
            with suppress(nats.errors.Error):
                if await _made(ask, question, given):
                    return
            await asyncio.sleep(0.2)


async def led(ask: Ask, servers: Sequence[str]) -> None:
    """Make one of these servers the leader of every stream."""
    async with asyncio.timeout(60):
        for name in STREAMS:
            while not await _led(ask, name, servers):
                await asyncio.sleep(0.2)


async def _led(ask: Ask, name: str, servers: Sequence[str]) -> bool:
    """Check that one of these servers leads the stream. If not, ask the leader to make way for the
    first server.
    """
    with suppress(nats.errors.Error):
        if (await ask(f"STREAM.INFO.{name}")).get("cluster", {}).get("leader") in servers:
            return True
        await ask(f"STREAM.LEADER.STEPDOWN.{name}", placement={"preferred": servers[0]})
    return False


async def _made(ask: Ask, question: str, given: dict[str, Any]) -> bool:
    """Check that a change is done, now or earlier if the answer was lost."""
    code = (await ask(question, **given)).get("error", {}).get("err_code", 0)
    return not code or (question.startswith("STREAM.DELETE.") and code == _NO_STREAM)


@asynccontextmanager
async def emptied(cluster: StoreCluster) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Yield a function that empties all streams."""
    async with operator(cluster) as ask:

        async def empty() -> None:
            for name in STREAMS:
                await done(ask, f"STREAM.PURGE.{name}")

        yield empty


def kept_in_streams(folder: Path) -> bytes:
    """Return all bytes of the streams' files of all servers. The replication logs are left out,
    because servers shorten them later.
    """
    files = [
        path for path in folder.glob("[0-9]/**/*") if path.is_file() and "_js_" not in path.parts
    ]
    return b"".join(path.read_bytes() for path in files)
