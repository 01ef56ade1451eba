"""What the operator of a store does to it, and sees of it."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import nats

from table.stores.nats.layout import STREAMS
from tests.support.nats_cluster import StoreCluster

Ask = Callable[..., Awaitable[Any]]


@asynccontextmanager
async def operator(cluster: StoreCluster) -> AsyncIterator[Ask]:
    """Questions to JetStream by one who may do everything."""
    client = await nats.connect(cluster.address().urls, user="operator", password="secret")

    async def ask(question: str, **given: Any) -> Any:
        return json.loads((await client.request(f"$JS.API.{question}", json.dumps(given).encode(), timeout=5)).data)

    try:
        yield ask
    finally:
        await client.close()


@asynccontextmanager
async def emptied(cluster: StoreCluster) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Something that empties all streams."""
    async with operator(cluster) as ask:

        async def empty() -> None:
            for name in STREAMS:
                assert "error" not in await ask(f"STREAM.PURGE.{name}")

        yield empty


def kept_in_streams(folder: Path) -> bytes:
    """All bytes of the streams' files of all servers; not those of the logs by which they replicate, which are cut off
    in their own time."""
    files = [path for path in folder.glob("[0-9]/**/*") if path.is_file() and "_js_" not in path.parts]
    return b"".join(path.read_bytes() for path in files)
