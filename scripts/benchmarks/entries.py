"""Log entries that one table process accepts per second: checked, folded, chained, signed and on disk."""

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from protocol.log import Log
from table import host as host_module
from table.host import Host
from table.journal import Journal
from tests.support.offline import make_offline

MATCHES = 5


class Clock:
    """Seconds spent in each of some functions, while the table is at work (`running`)."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.running = False

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, with its time added to `name`."""

        def run(*args: Any, **kwargs: Any) -> Any:
            begun = time.perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                if self.running:
                    self.seconds[name] += time.perf_counter() - begun

        return run


def measure() -> dict[str, float]:
    """Entries a second, and microseconds an entry by what they are spent on."""
    clock, entries = Clock(), 0
    with TemporaryDirectory() as folder:
        journal = Journal(Path(folder))

        def offer(host: Host, raw: bytes, seat: int) -> None:
            nonlocal entries
            clock.running = True
            try:
                records = accept(host, raw, seat)
                store(host.log.match_id, records)
            finally:
                clock.running = False
            entries += len(records)

        accept = clock.timed("all", Host.offer)
        store = clock.timed("disk", journal.store)
        parts = {"verify": (Log, "check"), "chain": (Log, "append"), "sign": (Log, "head")}
        patches = [
            patch.object(owner, name, clock.timed(key, getattr(owner, name))) for key, (owner, name) in parts.items()
        ]
        patches.append(patch.object(host_module, "apply", clock.timed("fold", host_module.apply)))
        for seed in range(MATCHES):
            match = make_offline(4, seed=seed, options={"target": 50})
            for each in patches if seed == 0 else ():
                each.start()
            match.accept = offer
            match.play()
        for each in patches:
            each.stop()
        journal.close()
    total = clock.seconds["all"] + clock.seconds["disk"]
    split = {f"entry_{name}_us": 1e6 * clock.seconds[name] / entries for name in (*parts, "fold", "disk")}
    return {"entries_per_s": entries / total, **split}
