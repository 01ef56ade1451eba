"""Pause of a match when its line breaks: two people on this machine with a direct line and a
table's pipe.

`line_switch_s`: from the break of the direct line until both players have another entry through the
pipe. `line_return_s`: from the time when calls work again until both use the direct line. Both are
medians. A lost or repeated entry is an error.
"""

import asyncio
import tempfile
from pathlib import Path
from statistics import median

from player.multipath.line_set import LineKind
from protocol.audit.verdict import Verdict, audit
from table.manager.server import TableServer
from tests.support.reached import Played
from tests.support.tables import config


def measure(switches: int) -> dict[str, float]:
    """Measure `switches` breaks, one match each."""
    there, back = zip(*(asyncio.run(_match()) for _ in range(switches)), strict=True)
    return {"line_switch_s": median(there), "line_return_s": median(back)}


async def _match() -> tuple[float, float]:
    loop = asyncio.get_running_loop()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with (
            TableServer(config(folder / "table")) as table,
            Played(folder, table=table.link) as played,
        ):
            await played.until(LineKind.LAN, 8)
            await played.beside(LineKind.RELAY)
            begun = loop.time()
            played.gate.cut()
            await played.until(LineKind.RELAY, played.number + 1)
            there = loop.time() - begun
            begun = loop.time()
            played.gate.shut = False
            await played.until(LineKind.LAN)
            back = loop.time() - begun
            await played.over()
            ann, bob = (person.side.log() for person in played.people)
            if ann != bob or audit(ann).verdict is not Verdict.CLEAN:
                raise RuntimeError("an entry was lost, or came twice")
    return there, back
