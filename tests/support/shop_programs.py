"""A creator's shop as a program of its own, and other people's programs of cards."""

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from player.cards.creator.element_set.cards import CARDS

ROOT = Path(__file__).parents[2]
PATIENCE = 90  # seconds for anything on a busy machine
NAMES = [card.name for card in CARDS[:10]]  # types in the run of the press
PACK = 10  # cards of each of its packs


async def run_program(*words: object, module: str = "fairdeal") -> str:
    """Run a program to its end, and return its output. Its exit code must be 0."""
    code, said = await finish_program(*words, module=module)
    assert code == 0, said
    return said


async def finish_program(*words: object, module: str = "fairdeal") -> tuple[int | None, str]:
    """Run a program to its end. Return its exit code and its output."""
    program = await _begin(module, words)
    async with asyncio.timeout(PATIENCE):
        said, _ = await program.communicate()
    return program.returncode, said.decode()


async def _begin(module: str, words: tuple[object, ...]) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module, *map(str, words)),
        cwd=ROOT,
        env={**os.environ, "LANGUAGE": "en"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )


async def make_press(data: Path) -> None:
    """Make the creator `The Press`, with a sealed run of two packs."""
    await run_program("creator", "new", "--name", "The Press", "--set", "elements", "--data", data)
    copies = [word for name in NAMES for word in ("--copies", f"{name}=2")]
    await run_program("creator", "run", *copies, "--pack-size", PACK, "--data", data)


def free_port() -> int:
    """Return a port at which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@asynccontextmanager
async def open_shop(
    data: Path, *words: object, port: int = 0, defect: tuple[str, Path] | None = None
) -> AsyncIterator[str]:
    """Run the shop of the creator in `data`, with a defect of `broken_shop`. Yield its link."""
    module = "fairdeal" if defect is None else "tests.support.broken_shop"
    before = () if defect is None else defect
    sell = ("creator", "sell", "--listen", f"127.0.0.1:{port}", "--data", data)
    program = await _begin(module, (*before, *sell, *words))
    assert program.stdout is not None
    try:
        async with asyncio.timeout(PATIENCE):
            said = ""
            while "://" not in said:
                line = (await program.stdout.readline()).decode()
                assert line, f"the shop has ended: {said}"
                said += line
        yield said.split()[-1]
    finally:
        if program.returncode is None:
            program.terminate()
        await program.communicate()
