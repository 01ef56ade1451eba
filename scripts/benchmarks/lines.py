"""How long a match stands still when its line breaks: two people on this machine, a direct line, a
table's pipe beside.

`line_switch_s`: from the moment the direct line breaks until both have another entry, over the
pipe. `line_return_s`: from the moment it can be called again until both go over it. Medians;
whoever loses an entry, or has one twice, fails.
"""

import asyncio
import tempfile
from pathlib import Path
from statistics import median

from player.lines.lineset import Kind
from protocol.audit.verdict import Verdict, audit
from table.manager.server import TableServer
from tests.support.reached import Played
from tests.support.tables import config


def measure(switches: int) -> dict[str, float]:
    """So many breaks, one match each."""
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
            await played.until(Kind.LAN, 8)
            await played.beside(Kind.RELAY)
            begun = loop.time()
            played.gate.cut()
            await played.until(Kind.RELAY, played.number + 1)
            there = loop.time() - begun
            begun = loop.time()
            played.gate.shut = False
            await played.until(Kind.LAN)
            back = loop.time() - begun
            await played.over()
            ann, bob = (person.side.log() for person in played.people)
            if ann != bob or audit(ann).verdict is not Verdict.CLEAN:
                raise RuntimeError("an entry was lost, or came twice")
    return there, back
