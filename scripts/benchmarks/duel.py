"""Time of a whole element duel of two bots over TCP, from taking seats until both have signed the
result.

The table is a process. The two players run in this process, each with its own keys, proofs and
audit.
"""

import asyncio
import secrets
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from bots.registry import BOTS
from player.client.environment import Environment
from player.client.outcome import Outcome
from player.client.reconnect import visit
from player.client.seat import Seat
from player.client.table_client import Plan, TableClient
from player.storage.recovery_state import MatchFiles
from protocol.identity.keys import Identity, JoinLink
from scripts.benchmarks.process import run_table

BOT = "foresight"  # default bot


async def _duel(link: JoinLink, folder: Path) -> float:
    """Play a duel, and return its seconds. Raises: AssertionError if the verdict is not clean."""

    def visited(name: str) -> asyncio.Task[Outcome]:
        rng = secrets.SystemRandom()
        identity = Identity(rng.randbytes(32))
        files = MatchFiles(
            folder, link, identity.public, folder / f"{name}.fairdeal", resumable=False
        )
        environment = Environment(identity, rng, Seat, BOTS[BOT], lambda event: None, files)
        return asyncio.ensure_future(
            visit(TableClient(Plan(name), environment), link, link.fingerprint)
        )

    began = time.perf_counter()
    outcomes = await asyncio.gather(visited("Ann"), visited("Bob"))
    assert all(outcome.verdict == "clean" for outcome in outcomes)
    return time.perf_counter() - began


async def _duels(link: JoinLink, folder: Path, count: int) -> list[float]:
    found = []
    for number in range(count):
        found.append(await _duel(link, folder / str(number)))
    return found


def measure(count: int) -> dict[str, float]:
    """Return the median of `count` duels with the dealing `verified`."""
    with (
        TemporaryDirectory() as folder,
        run_table("--game", "element-duel", "--seats", "2") as (_, link),
    ):
        found = asyncio.run(_duels(JoinLink.parse(str(link)), Path(folder), count))
    return {"duel_match_s": statistics.median(found)}
