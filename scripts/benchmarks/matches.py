"""Matches of four bots, one after the other, on one table over TCP: clean audits in 100 matches,
and leaked resources.
"""

import asyncio
import secrets
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from bots.registry import BOTS
from player.client.environment import Environment
from player.client.outcome import Outcome
from player.client.reconnect import visit
from player.client.seat import Seat
from player.client.table_client import Plan, TableClient
from player.storage.recovery_state import MatchFiles
from protocol.audit.verdict import audit
from protocol.identity.keys import Identity, JoinLink
from protocol.match.clock import Allowance
from protocol.match.terms import make_terms
from protocol.options import Selection
from table.config import Config
from table.manager.server import TableServer

TARGET = 30  # points, so a match is one or two hands
SHORT = 1  # point, so a match is one hand unless it is tied
NAMES = (("Ann", "greedy"), ("Bob", "random"), ("Cleo", "greedy"), ("Dan", "random"))


async def one_match(link: JoinLink, folder: Path) -> bool:
    """Play a match. Return True if all players and the audits of all their files say clean."""

    def visited(name: str, bot: str) -> asyncio.Task[Outcome]:
        rng = secrets.SystemRandom()
        identity = Identity(rng.randbytes(32))
        log = folder / f"{name}.fairdeal"
        files = MatchFiles(folder, link, identity.public, log, resumable=False)
        environment = Environment(identity, rng, Seat, BOTS[bot], lambda event: None, files)
        return asyncio.ensure_future(
            visit(TableClient(Plan(name), environment), link, link.fingerprint)
        )

    outcomes = await asyncio.gather(*(visited(name, bot) for name, bot in NAMES))
    return all(outcome.verdict == "clean" for outcome in outcomes) and _audits_clean(folder)


def _audits_clean(folder: Path) -> bool:
    verdicts = []
    for name, _ in NAMES:
        path = folder / f"{name}.fairdeal"
        verdicts.append(audit(path.read_bytes()).verdict)
        path.unlink()
    return all(verdict == "clean" for verdict in verdicts)


async def _all(folder: Path, dealing: str, target: int, count: int) -> tuple[float, int, int]:
    """Return the clean matches per hundred, and the tasks and descriptors that were added after the
    first match.
    """
    terms = make_terms(
        Selection("block-dominoes", (("target", target),)),
        Selection(dealing),
        Allowance().options(),
        4,
    )
    config = Config(folder / "table", port=0, terms=terms)
    process = psutil.Process()
    async with TableServer(config) as table:
        link = JoinLink.parse(str(table.link))
        clean = int(await one_match(link, folder))
        tasks = len(asyncio.all_tasks())
        descriptors = process.num_fds()
        for _ in range(count - 1):
            clean += await one_match(link, folder)
        return (
            100 * clean / count,
            len(asyncio.all_tasks()) - tasks,
            process.num_fds() - descriptors,
        )


def _measure(prefix: str, dealing: str, target: int, count: int) -> dict[str, float]:
    keys = ("matches_clean_of_100", "leaked_tasks", "leaked_descriptors")
    with TemporaryDirectory() as folder:
        figures = asyncio.run(_all(Path(folder), dealing, target, count))
    return {prefix + key: figure for key, figure in zip(keys, figures, strict=True)}


def measure(count: int) -> dict[str, float]:
    """Measure layered dealing."""
    return _measure("", "layered", TARGET, count)


def measure_verified(count: int) -> dict[str, float]:
    """Measure verified dealing."""
    return _measure("verified_", "verified", SHORT, count)
