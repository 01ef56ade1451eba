"""Number of log entries that one table process accepts per second: it checks, folds, chains, signs
and stores them.

The entries of the seats are made beforehand, so only the table's own work is measured. With one
match, each entry waits for the disk before the next is posted. With all matches at once, entries
share commits. Both are measured with the disk's sync and without it.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from protocol.identity.keys import Identity
from protocol.match.log import Log
from protocol.match.setup import Setup
from table.match import live_match
from table.match.live_match import LiveMatch
from table.metrics import Metrics
from table.signer.signer import OwnKey
from table.storage.disk.journal import Journal
from table.storage.disk.writer import Writer
from tests.support.at_once import sign_heads
from tests.support.offline import make_offline

LOOP = {
    "verify": (Log, "check"),
    "chain": (Log, "append"),
    "sign": (OwnKey, "ask"),
    "fold": (live_match, "apply"),
}


@dataclass
class Recorded:
    """A recorded match: the entries that its seats post, in order."""

    identity: Identity
    setup: Setup
    seed: bytes
    posts: list[tuple[bytes, int]] = field(default_factory=list)

    def live(self) -> LiveMatch:
        """Make the match at its beginning."""
        return LiveMatch(self.identity, self.setup, self.seed)


def record(seed: int) -> Recorded:
    """Play and record a match of two seats."""
    offline = make_offline(2, seed=seed)
    live = offline.live
    recorded = Recorded(live._identity, live.match.setup, live.seed)

    def accept(live: LiveMatch, raw: bytes, seat: int) -> None:
        live.offer(raw, seat)
        recorded.posts.append((raw, seat))

    offline.accept = accept
    offline.play()
    return recorded


class Clock:
    """Seconds spent in some functions, and numbers of their calls."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a function so that its time is added to `name`."""

        def run(*args: Any, **kwargs: Any) -> Any:
            begun = time.perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                self.seconds[name] += time.perf_counter() - begun
                self.calls[name] += 1

        return run


async def _replay(recorded: Recorded, writer: Writer) -> int:
    """Post the entries of a match, each after the previous one is on disk. Return the final number
    of entries.
    """
    loop = asyncio.get_running_loop()
    live = recorded.live()
    for post in (None, *recorded.posts):
        if post is not None:
            live.offer(*post)
        on_disk = loop.create_future()
        change = live.change()
        writer.submit(change, partial(on_disk.set_result, None), partial(on_disk.cancel))
        await on_disk
        live.stored(live.log.next_number, heads=change.first)
        sign_heads(live, live.log.next_number)
    return len(live.records)


async def _run(matches: list[Recorded], at_once: int, sync: bool, clock: Clock) -> float:
    """Return the entries per second with `at_once` parallel matches."""
    with TemporaryDirectory() as folder:
        journal = Journal(Path(folder))
        if not sync:
            journal._database.execute("PRAGMA synchronous = OFF")
        journal.write = clock.timed("disk", journal.write)  # type: ignore[method-assign]
        writer = Writer(journal, 1.0, Metrics())
        await writer.start()
        waiting = list(matches)
        entries = 0

        async def work() -> None:
            nonlocal entries
            while waiting:
                count = await _replay(waiting.pop(), writer)
                entries += count

        begun = time.perf_counter()
        await asyncio.gather(*(work() for _ in range(at_once)))
        seconds = time.perf_counter() - begun
        writer.close()
    clock.calls["entries"] += entries
    return entries / seconds


def measure(count: int) -> dict[str, float]:
    """Measure `count` matches: entries per second, with sync and without, and microseconds per
    entry for each kind of work.
    """
    matches = [record(seed) for seed in range(count)]
    figures: dict[str, float] = {}
    for name, at_once in (("one", 1), ("many", count)):
        clock = Clock()
        patches = [
            patch.object(owner, attribute, clock.timed(key, getattr(owner, attribute)))
            for key, (owner, attribute) in LOOP.items()
        ]
        for each in patches:
            each.start()
        durable = asyncio.run(_run(matches, at_once, True, clock))
        for each in patches:
            each.stop()
        entries = clock.calls["entries"]
        without = asyncio.run(_run(matches, at_once, False, Clock()))
        figures |= {
            f"entries_per_s_{name}": durable,
            f"entries_per_s_{name}_without_sync": without,
            f"entries_durable_to_not_{name}": durable / without,
            f"entries_a_commit_{name}": entries / clock.calls["disk"],
        }
        figures |= {
            f"entry_{key}_us_{name}": 1e6 * clock.seconds[key] / entries for key in (*LOOP, "disk")
        }
        figures[f"entry_all_us_{name}"] = 1e6 / durable
    return figures
