"""Two hosts claim one match at the same time, again and again. One must win each time, and no log
may fork.

`scripts/store_duels --rounds 1000` starts three NATS servers and runs this module.
"""

import argparse
import asyncio
import secrets
import tempfile
from collections import Counter
from pathlib import Path

from table.storage.shared.store import SharedStore
from tests.support.nats_cluster import store_cluster
from tests.support.table_stores.owners import Owner, opened


async def duel(one: SharedStore, two: SharedStore, rounds: int) -> Counter[str]:
    """Run duels, and count the results. Raises: AssertionError for a fork."""
    ends: Counter[str] = Counter()
    for _ in range(rounds):
        match_id = secrets.token_bytes(32)
        owners = Owner(one, match_id, "one"), Owner(two, match_id, "two")
        begun = await asyncio.gather(*(owner.append() for owner in owners))
        assert sum(begun) == 1, "both have begun it, or nobody"
        ends["begun by one" if begun[0] else "begun by two"] += 1
        for _ in range(2):
            won = await asyncio.gather(*(_take(owner) for owner in owners))
            if all(won):
                # one was so slow that it claimed what the other had appended: not at one time
                first, second = sorted(owners, key=lambda owner: len(owner.told))
                assert second.told[: len(first.told)] == first.told != second.told, (
                    "both have appended under a claim"
                )
                ends["won by both in turn"] += 1
                continue
            ends["won by one" if won[0] else "won by two" if won[1] else "nobody's for now"] += 1
        judge = Owner(one, match_id, "judge")
        assert await judge.take()
        for owner in owners:
            assert judge.told[: len(owner.told)] == owner.told, "what a host was told is not there"
    return ends


async def _take(owner: Owner) -> bool:
    """Claim the match and append to it while it is ours, twice. Return True if it is ours at the
    end.
    """
    if not await owner.take():
        return False
    await asyncio.sleep(0.01)
    return await owner.append()


async def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with (
            store_cluster(folder) as cluster,
            opened(cluster.address(), "one", folder) as one,
            opened(cluster.address(), "two", folder) as two,
        ):
            ends = await duel(one, two, rounds)
    print(
        f"{rounds} rounds, 0 forks: "
        f"{', '.join(f'{what} {count}' for what, count in sorted(ends.items()))}"
    )


if __name__ == "__main__":
    asyncio.run(main())
