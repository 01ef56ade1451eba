"""Four-seat matches in a row on one table, by bots over TCP: how many of 100 end with a clean audit, and what leaks."""

import asyncio
import secrets
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from player.bots import BOTS
from player.visit import Outcome, play
from protocol.audit import audit
from protocol.identity import Identity, JoinLink
from table.config import Config, make_terms
from table.server import Table

MATCHES = 100
TARGET = 30  # points; a match is one or two hands
NAMES = (("Ann", "greedy"), ("Bob", "random"), ("Cleo", "greedy"), ("Dan", "random"))


async def one_match(link: JoinLink, folder: Path) -> bool:
    """Play a match; whether every player found it clean, and the audit of every player's file too."""

    def visit(name: str, bot: str) -> asyncio.Task[Outcome]:
        rng = secrets.SystemRandom()
        identity = Identity(rng.randbytes(32))
        log = folder / f"{name}.fairdeal"
        return asyncio.ensure_future(play(link, identity, name, BOTS[bot], rng=rng, log_path=log))

    outcomes = await asyncio.gather(*(visit(name, bot) for name, bot in NAMES))
    return all(outcome.verdict == "clean" for outcome in outcomes) and _audits_clean(folder)


def _audits_clean(folder: Path) -> bool:
    verdicts = []
    for name, _ in NAMES:
        path = folder / f"{name}.fairdeal"
        verdicts.append(audit(path.read_bytes()).verdict)
        path.unlink()
    return all(verdict == "clean" for verdict in verdicts)


async def _all(folder: Path) -> dict[str, float]:
    config = Config(
        folder / "table", port=0, terms=make_terms("block-dominoes", (("target", TARGET),), "layered", (), 4)
    )
    process = psutil.Process()
    async with Table(config) as table:
        link = JoinLink.parse(str(table.link))
        clean = int(await one_match(link, folder))
        tasks, descriptors = len(asyncio.all_tasks()), process.num_fds()
        for _ in range(MATCHES - 1):
            clean += await one_match(link, folder)
        leaked = len(asyncio.all_tasks()) - tasks, process.num_fds() - descriptors
    return {"matches_clean_of_100": clean, "leaked_tasks": leaked[0], "leaked_descriptors": leaked[1]}


def measure() -> dict[str, float]:
    """Clean matches, and tasks and descriptors beyond those after the first match."""
    with TemporaryDirectory() as folder:
        return asyncio.run(_all(Path(folder)))
