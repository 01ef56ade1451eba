"""Many hosts over one unreliable store that all try to continue the same matches, and the
invariants of the store.

Each entry contains its host, so two hosts never make the same entry. A host passes every
acknowledgement on to people. So every acknowledged entry must be permanent, and no number may have
two.
"""

import asyncio
from collections.abc import Callable
from random import Random

from table.storage.interface import MatchBeginning, NewRecords, hash_after
from table.storage.shared.match_subjects import MatchSubjects
from tests.support.table_stores.memory import MemoryEngine, Shared, in_no_time

MATCHES = [bytes([place]) * 32 for place in range(2)]


class Forked(AssertionError):
    """Raised if people have been shown two entries with one number, or one that is not
    permanent.
    """


class Host:
    """Host that claims matches, appends entries, and believes acknowledgements. `changed` breaks
    its rules.
    """

    def __init__(self, world: "World", name: str) -> None:
        self.world, self.name, self.rng = world, name, world.rng
        self.matches = MatchSubjects(MemoryEngine(world.shared), name)
        world.changed(self.matches)

    async def live(self) -> None:
        for turn in range(self.world.turns):
            await self.play(self.rng.choice(MATCHES), turn)
            await asyncio.sleep(self.rng.uniform(0, 0.05))

    async def play(self, match_id: bytes, turn: int) -> None:
        """Begin or claim a match, and append entries until another host has the match."""
        known = self.world.known(match_id)
        claimed = await self.matches.claim(match_id)
        if claimed is None:
            begun = NewRecords(
                match_id, 0, bytes(32), 0, (self.entry(turn, 0),), begin=MatchBeginning(b"sealed")
            )
            if not await self.matches.append(begun):
                return
            self.world.tell(begun)
            number, hashed, claim = 1, hash_after(begun), 0
        else:
            self.world.read(match_id, [record.entry for record in claimed.records], known)
            old = NewRecords(
                match_id, 0, bytes(32), 0, tuple(record.entry for record in claimed.records)
            )
            number, hashed, claim = len(old.entries), hash_after(old), claimed.claim
        for more in range(self.rng.randrange(4)):
            entries = tuple(
                self.entry(turn, 10 * more + each) for each in range(self.rng.randrange(1, 4))
            )
            new = NewRecords(match_id, number, hashed, claim, entries)
            if not await self.matches.append(new):
                return
            self.world.tell(new)
            number, hashed = number + len(entries), hash_after(new)
            await asyncio.sleep(self.rng.uniform(0, 0.1))

    def entry(self, turn: int, which: int) -> bytes:
        size = self.rng.choice((1, 1, 1, 1500))
        return f"{self.name} {turn} {which} ".encode() + bytes(size)


class World:
    """A store, some hosts, and all entries that people have been shown."""

    def __init__(
        self,
        seed: int,
        changed: Callable[[MatchSubjects], object] = lambda matches: None,
        turns: int = 6,
    ) -> None:
        self.rng, self.changed, self.turns = Random(seed), changed, turns
        self.shared = Shared(self.rng, trouble=self.rng.choice((0.0, 0.05, 0.15, 0.3)))
        self.told: dict[tuple[bytes, int], bytes] = {}

    def tell(self, new: NewRecords) -> None:
        """Let a host show these entries to people."""
        for number, entry in enumerate(new.entries, new.first):
            if self.told.setdefault((new.match_id, number), entry) != entry:
                raise Forked

    def known(self, match_id: bytes) -> int:
        """Return the number of entries of a match that people have been shown."""
        return sum(told == match_id for told, _ in self.told)

    def read(self, match_id: bytes, entries: list[bytes], known: int) -> None:
        """Check a claim. The host continues from `entries`, and shows them on request. `known` is
        the number that people had been shown before.
        """
        for number, entry in enumerate(entries):
            if self.told.setdefault((match_id, number), entry) != entry:
                raise Forked
        if len(entries) < known:
            raise Forked

    def run(self) -> None:
        """Run all hosts. Raises: Forked."""
        in_no_time(self._run())

    async def _run(self) -> None:
        async with asyncio.TaskGroup() as group:
            for name in "abc":
                group.create_task(Host(self, name).live())
        self.shared.trouble = 0
        self.shared.lead_anew()
        reader = MatchSubjects(MemoryEngine(self.shared), "reader")
        for match_id in MATCHES:
            if (claimed := await reader.claim(match_id)) is not None:
                self.read(
                    match_id, [record.entry for record in claimed.records], self.known(match_id)
                )
