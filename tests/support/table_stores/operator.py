"""What the operator of a store does to it, and sees of it."""

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

_NO_STREAM = 10059  # JetStream's code
Ask = Callable[..., Awaitable[Any]]


@asynccontextmanager
async def operator(cluster: StoreCluster) -> AsyncIterator[Ask]:
    """Questions to JetStream by one who may do everything."""
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
    """Ask for a change until it is made: a cluster that finds itself refuses, or does not
    answer.
    """
    async with asyncio.timeout(60):
        while True:
            with suppress(nats.errors.Error):
                if await _made(ask, question, given):
                    return
            await asyncio.sleep(0.2)


async def led(ask: Ask, servers: Sequence[str]) -> None:
    """Have every stream led by one of these."""
    async with asyncio.timeout(60):
        for name in STREAMS:
            while not await _led(ask, name, servers):
                await asyncio.sleep(0.2)


async def _led(ask: Ask, name: str, servers: Sequence[str]) -> bool:
    """Whether it is; if not, its leader is asked to give way to the first one."""
    with suppress(nats.errors.Error):
        if (await ask(f"STREAM.INFO.{name}")).get("cluster", {}).get("leader") in servers:
            return True
        await ask(f"STREAM.LEADER.STEPDOWN.{name}", placement={"preferred": servers[0]})
    return False


async def _made(ask: Ask, question: str, given: dict[str, Any]) -> bool:
    """Whether it is made, now or before, when the answer was lost."""
    code = (await ask(question, **given)).get("error", {}).get("err_code", 0)
    return not code or (question.startswith("STREAM.DELETE.") and code == _NO_STREAM)


@asynccontextmanager
async def emptied(cluster: StoreCluster) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Something that empties all streams."""
    async with operator(cluster) as ask:

        async def empty() -> None:
            for name in STREAMS:
                await done(ask, f"STREAM.PURGE.{name}")

        yield empty


def kept_in_streams(folder: Path) -> bytes:
    """All bytes of the streams' files of all servers; not those of the logs by which they
    replicate, which are cut off in their own time."""
    files = [
        path for path in folder.glob("[0-9]/**/*") if path.is_file() and "_js_" not in path.parts
    ]
    return b"".join(path.read_bytes() for path in files)
