"""A host that prunes a store, as a process that a test kills: it says when each turn begins.

`python -P -m tests.support.table_stores.pruner STORE FOLDER`
"""

import asyncio
import sys
from pathlib import Path

from table.cluster.store_backends import backend_of
from table.storage.shared.pruning import PruneLimits
from tests.support.table_stores.owners import hosted


async def main(store: str, folder: Path) -> None:
    """Remove one item a turn."""
    async with hosted(backend_of(store, "pruner"), "pruner", folder) as there:
        looking = there.prune(PruneLimits(age=0.0))
        more = True
        while more:
            print("turn", flush=True)
            more = await looking.turn(steps=1)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
