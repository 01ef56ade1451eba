"""`python -m tests.conformance.broken DEFECT`: a table with one defect; the first line is its link."""

import argparse
import asyncio
import tempfile
from collections.abc import Callable
from pathlib import Path

from table.config import Bounds, Config
from table.server import Table
from tests.conformance.broken import DEFECTS

NONE = "none"


async def serve(config: Config, tell: Callable[[str], None]) -> None:
    """Host until somebody ends this process; `tell` is given the link."""
    async with Table(config) as table:
        tell(str(table.link))
        await asyncio.Event().wait()


def host(defect: str, handshake_seconds: float, tell: Callable[[str], None]) -> None:
    """Break the program, and serve. The process is good for nothing else after that."""
    bounds = {"handshake_seconds": handshake_seconds}
    if defect != NONE:
        bounds |= DEFECTS[defect].apply() or {}
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(serve(Config(Path(folder), port=0, bounds=Bounds(**bounds)), tell))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser("python -m tests.conformance.broken", description=__doc__)
    parser.add_argument("defect", choices=[NONE, *DEFECTS])
    host(parser.parse_args().defect, Bounds.handshake_seconds, lambda link: print(link, flush=True))


if __name__ == "__main__":
    main()
