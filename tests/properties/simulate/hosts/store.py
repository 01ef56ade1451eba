"""Store of a simulated table of many hosts: several machines, one of them the leader, and their
faults.

An appended item is shown at once and is durable once committed. An uncommitted item may disappear
at the next change of leader, and its number is then used again. No simulated process owns the
callbacks of the store.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from protocol.match.log import chain_position
from table.storage.shared.backend import Conflict, Item
from table.storage.shared.match_notes import EXPORTED, RUNS, MatchNotes, decode_note
from tests.properties.simulate.checks import Violation
from tests.properties.simulate.link import Network
from tests.properties.simulate.loop import Process

WAY = (0.0005, 0.008)  # seconds between a host and the store, one way
COMMIT = (0.001, 0.02)  # seconds from an append to its commit
ELECTION = (0.1, 3.0)  # seconds without a leader
MOST_LOST = 6  # items lost at once, at most
CUT_OFF = (0.2, 2.0)  # seconds until a leader that cannot commit notices it

Answer = Callable[[Any], None]


@dataclass
class SharedStore:
    """Contents of the store's machines."""

    network: Network
    rng: Random
    items: list[tuple[str, bytes]] = field(default_factory=list)
    subjects: dict[str, list[Item]] = field(default_factory=dict)
    times: dict[int, float] = field(default_factory=dict)  # when items were shown, by number
    committed: int = 0  # number of durable items
    epoch: int = 0  # changes of leader
    # numbers of lost items are not given again: see decision 95, "not covered"
    keeps_numbers: bool = False
    losses: int = 0  # times that durable items were lost
    leads: bool = True  # whether a leader exists
    commits: bool = True  # whether the leader has a majority
    # hosts that hear announcements
    ears: dict[Process, Callable[[bytes], None]] = field(default_factory=dict)
    matches: dict[bytes, MatchNotes] = field(
        default_factory=dict
    )  # by match id: its committed content
    # by match id: its entries before each loss
    lost: dict[bytes, list[list[bytes]]] = field(default_factory=dict)

    # --- for the checks ---

    def holds(self, match_id: bytes, number: int, raw: bytes) -> bool:
        """Return whether this entry is or was durable."""
        return any(entries[number : number + 1] == [raw] for entries in self._of(match_id))

    def stands(self, match_id: bytes, number: int, hashed: bytes) -> bool:
        """Return whether an entry with this number and hash is or was durable."""
        return any(
            number < len(entries) and chain_position(entries[: number + 1]) == (number, hashed)
            for entries in self._of(match_id)
        )

    def _of(self, match_id: bytes) -> list[list[bytes]]:
        """Return the entries of a match, and its entries before each loss."""
        told = self.matches.get(match_id)
        return [*([told.entries] if told is not None else []), *self.lost.get(match_id, ())]

    def running(self) -> list[bytes]:
        return [match_id for match_id, told in self.matches.items() if told.state == RUNS]

    # --- requests of hosts ---

    def append(self, subject: str, after: int, data: bytes, answer: Answer) -> None:
        """Show an item if it follows the newest, and answer once it is committed. Raises:
        Conflict.
        """
        there = self.subjects.get(subject)
        # a conflict without a reason
        if (there[-1].number if there else 0) != after or self.network.strikes("conflict"):
            raise Conflict
        self.items.append((subject, data))
        number = len(self.items)
        self.times[number] = self.network.loop.time()
        self.subjects.setdefault(subject, []).append(Item(number, data))
        self.network.later(self.rng.uniform(*COMMIT), self._commit, number, self.epoch, answer)

    def read(self, subject: str) -> list[Item]:
        """Return the shown items; sometimes from a machine that lacks the newest."""
        there = self.subjects.get(subject, [])
        return there[:-1] if self.network.strikes("stale") else there

    def names(self, prefix: str) -> list[str]:
        return [
            subject
            for subject, there in self.subjects.items()
            if there and subject.startswith(prefix)
        ]

    def erase(self, subject: str) -> None:
        self.subjects.pop(subject, None)

    def age(self, number: int) -> float:
        return self.network.loop.time() - self.times[number]

    def oldest(self, prefix: str, after: int) -> tuple[str, int] | None:
        """Return the subject that began first after this number, and the number of its first item."""
        begun = ((self.subjects[name][0].number, name) for name in self.names(prefix))
        number, name = min((each for each in begun if each[0] > after), default=(0, ""))
        return (name, number) if number else None

    def purge(self, subject: str, last: int) -> int:
        """Remove a match. Raises: Violation if it is not finished."""
        there = self.subjects.get(subject)
        if not there or there[-1].number != last:
            return 0
        told = self.matches[_match_id(subject)]
        if told.state != EXPORTED or len(told.heads) != len(told.entries):
            raise Violation(f"a match that is not finished was removed: state {told.state}")
        self.network.happened["pruned"] += 1
        self.erase(subject)
        return len(there)

    def trim(self, subject: str, first: int) -> None:
        """Remove the items before this one. Raises: Violation if this one may still disappear."""
        if first > self.committed:
            raise Violation(f"{subject} was trimmed up to an item that may disappear")
        self.network.happened["trimmed"] += 1
        there = self.subjects.get(subject, [])
        self.subjects[subject] = [item for item in there if item.number >= first]

    def announce(self, data: bytes) -> None:
        for hear in list(self.ears.values()):
            self.network.later(self.rng.uniform(*WAY), hear, data)

    # --- faults ---

    def lose_the_leader(self) -> None:
        """Kill the leader at once, or let it commit nothing for a while before it notices."""
        self.network.happened["leader lost"] += 1
        self.epoch += 1
        if self.rng.random() < 0.5:
            self._elect()
        else:
            self.commits = False
            self.network.later(self.rng.uniform(*CUT_OFF), self._elect)

    def _elect(self) -> None:
        self.leads = False
        self.network.later(self.rng.uniform(*ELECTION), self._lead)

    def _lead(self) -> None:
        """Elect a leader that has the committed items, and perhaps some of the others."""
        if not self.leads:
            self.epoch += 1
            self.take_back(self.rng.randint(self.committed, len(self.items)))
            self.leads = self.commits = True

    def take_back(self, count: int) -> None:
        """Keep only the first `count` items."""
        while len(self.items) > count:
            subject, _ = self.items.pop()
            there = self.subjects.get(subject)
            if there and there[-1].number > len(self.items):
                there.pop()

    def lose(self) -> None:
        """Lose the newest durable items of running matches, which a correct store never does.

        The first item of a match stays: losing it is a different fault, in which its players would
        find no match.
        """
        left = self.committed
        least = max(0, left - self.rng.randint(1, MOST_LOST))
        while left > least and self._may_go(left):
            left -= 1
        if left == self.committed:
            return
        self.network.happened["store lost"] += 1
        lost = {subject for subject, _ in self.items[left : self.committed]}
        self.epoch += 1
        self.losses += 1
        before = self.committed
        self.take_back(left)
        if self.keeps_numbers:
            self.items += [("lost", b"")] * (before - left)
        self.committed = len(self.items)
        for subject in lost:
            match_id = _match_id(subject)
            self.lost.setdefault(match_id, []).append(self.matches.pop(match_id).entries)
            for item in self.subjects[subject]:
                self._stands(item, subject)

    def _may_go(self, number: int) -> bool:
        subject, data = self.items[number - 1]
        return (
            subject.startswith("m.")
            and self.subjects[subject][0].number < number
            and decode_note(data).state == RUNS
        )

    def _commit(self, number: int, epoch: int, answer: Answer) -> None:
        if epoch != self.epoch or not self.commits:
            return
        while self.committed < number:
            self.committed += 1
            self._stands(
                Item(self.committed, self.items[self.committed - 1][1]),
                self.items[self.committed - 1][0],
            )
        answer(number)

    def _stands(self, item: Item, subject: str) -> None:
        if subject.startswith("m."):
            self.matches.setdefault(_match_id(subject), MatchNotes()).take(item)


def _match_id(subject: str) -> bytes:
    return bytes.fromhex(subject.rpartition(".")[2])
