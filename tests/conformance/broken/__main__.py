"""`scripts/run tests.conformance.broken DEFECT`: run a table with one defect. The first line of its
output is its link.
"""

import argparse
import asyncio
import logging
import signal
import tempfile
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from table.config import Bounds, Config, Creation
from table.manager.server import TableServer
from tests.conformance.broken import DEFECTS
from tests.support.ready import settle

NONE = "none"


async def serve(config: Config, tell: Callable[[str], None]) -> None:
    """Run a table until this process is terminated. `tell` receives the link."""
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with TableServer(config) as table:
        tell(str(table.link))
        await stop.wait()


def config_for(data: Path, **bounds: Any) -> Config:
    """Make the configuration of a table for the whole kit."""
    return Config(data, port=0, bounds=Bounds(**bounds), creation=Creation.ANY, witness=True)


def host(defect: str, handshake_seconds: float, data: Path, tell: Callable[[str], None]) -> None:
    """Break the program, and run a table. The process cannot be used for anything else
    afterwards.
    """
    bounds = {"handshake_seconds": handshake_seconds}
    if defect != NONE:
        bounds |= DEFECTS[defect].apply() or {}
    asyncio.run(serve(config_for(data, **bounds), tell))


def forked(defect: str, handshake_seconds: float, data: Path, pipe: Connection) -> None:
    """Run a broken table in a forked process, which sends its link through the pipe.

    This function is in this module so that its imports are loaded before the fork.
    """
    logging.disable()
    settle(pipe)
    host(defect, handshake_seconds, data, pipe.send)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser("scripts/run tests.conformance.broken", description=__doc__)
    parser.add_argument("defect", choices=[NONE, *DEFECTS])
    defect = parser.parse_args().defect
    with tempfile.TemporaryDirectory() as folder:
        host(defect, Bounds.handshake_seconds, Path(folder), lambda link: print(link, flush=True))


if __name__ == "__main__":
    main()
