"""Random simulation of a table with its standby: lines that break anywhere, kills at every point,
promotion at any time.

The rules and messages of both sides are real (`leading`, `following`, `promotion`). Journals are in
memory, and only they survive a kill. Two invariants are checked all the time: each number has one
signed entry, and every signed entry is in every log that goes on.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from protocol import wire
from protocol.errors import LocalError, RemoteError
from table.standby.messages import alone, decode_at, here
from table.standby.primary_protocol import Asking, Decide, leaving, levelling, next_step
from table.standby.promotion import PrimaryStatus, promoted
from table.standby.standby_protocol import StandbyProtocol
from table.storage.disk.replication_state import ReplicationState, Role
from table.storage.disk.transactions import Transaction, follows

EVENTS = 200


class Killed(Exception):
    """Raised where the process dies."""


@dataclass
class Disk:
    """Journal in memory. `entries` are its contents by number."""

    standing: ReplicationState = field(default_factory=ReplicationState)
    entries: list[bytes] = field(default_factory=list)
    kept: list[Transaction] = field(default_factory=list)
    has: int = 0  # entries that the other side is known to have; lost with the process
    copying: list[bytes] | None = None  # lost with the process
    danger: Callable[[], None] = lambda: None

    def commit(self, entry: bytes) -> None:
        self.danger()
        if self.standing.role.paired:
            transaction = follows(self.standing.place, entry)
            self.kept = [each for each in self.kept if each.number > self.has] + [transaction]
            self.standing = self.standing._replace(number=transaction.number, hash=transaction.hash)
        self.entries.append(entry)
        self.danger()

    def stand(self, standing: ReplicationState) -> None:
        self.danger()
        self.standing = standing
        self.kept = self.kept if standing.role.paired else []
        self.danger()

    def unsent(self) -> list[Transaction]:
        return [each for each in self.kept if each.number > self.has]

    def acknowledged(self, number: int) -> None:
        self.has = number

    def rows(self) -> Any:
        return (("ahead", [entry]) for entry in self.entries)

    def begin_copy(self) -> None:
        assert not self.entries
        self.copying = []

    def put_rows(self, table: str, rows: list[list[Any]]) -> None:
        assert self.copying is not None
        self.copying += [row[0] for row in rows]

    def give_up_copy(self) -> None:
        self.copying = None

    def end_copy(self, standing: ReplicationState) -> None:
        assert self.copying is not None
        self.danger()
        self.entries, self.standing, self.copying = self.copying, standing, None
        self.danger()

    def follow(self, transaction: Transaction, standing: ReplicationState) -> None:
        self.danger()
        self.entries, self.standing = [*self.entries, transaction.body], standing
        self.danger()

    def restarted(self) -> None:
        """Forget everything that only the process knew."""
        self.has, self.copying = 0, None


class Pair:
    """Both machines with their operator, who makes every mistake that is possible."""

    following: type[StandbyProtocol] = StandbyProtocol
    decide: Decide = staticmethod(next_step)
    fence = True  # a promotion fences the standby

    def __init__(self, seed: int) -> None:
        self.rng, self.now = Random(seed), 1000
        self.first = Disk(danger=self._danger)
        self.second = Disk(
            ReplicationState(Role.EMPTY, self.rng.randbytes(16)), danger=self._danger
        )
        self.backup = replace(
            self.first, entries=list(self.first.entries), kept=list(self.first.kept)
        )
        self.signed: dict[int, bytes] = {}
        self.made, self.stopped = 0, ""
        # The operator's knowledge. parted: the second machine was not informed. again: a new
        # standby is wanted. older: a backup was restored.
        self.parted = self.again = self.older = False
        # level: the first machine's table has had its answer since its start
        self.promotions, self.level = 0, False
        self._cut()

    # --- checks ---

    def sign(self, disk: Disk, end: int) -> None:
        """Note that a table shows the entries before `end`, with heads."""
        for number, entry in enumerate(disk.entries[:end]):
            assert self.signed.setdefault(number, entry) == entry, f"two heads for number {number}"

    def complete(self, disk: Disk) -> None:
        """Check that a table that goes on has every entry that was ever shown."""
        assert all(
            disk.entries[number : number + 1] == [entry] for number, entry in self.signed.items()
        ), "lost"

    # --- the machines ---

    def _danger(self) -> None:
        if self.rng.random() < 0.03:
            raise Killed

    def _cut(self) -> None:
        """Break the line. Messages on it are lost, or have arrived."""
        self.requests: list[bytes] = []
        self.answers: list[bytes] = []
        self.asking: Asking | None = None
        self.line = self.following(self.second)
        self.second.give_up_copy()

    def kill_first(self) -> None:
        """Kill the first machine. It restarts, and shows none of its entries before an answer."""
        self._cut()
        self.first.restarted()
        self.level = False

    def kill_second(self) -> None:
        self._cut()
        self.second.restarted()

    def ask(self) -> None:
        """Let the first machine open a line, or check again that both are level."""
        if self.first.standing.role is Role.ALONE and not self.again:
            return
        if not self.requests and self.asking is None and not self.stopped:
            self.requests.append(here(""))

    def arrive(self) -> None:
        """Deliver a message to the second machine, perhaps twice."""
        if not self.requests:
            return
        message = self.requests[0] if self.rng.random() < 0.1 else self.requests.pop(0)
        try:
            answer = self.line.heard(message, self.now)
        except RemoteError:
            self._cut()
            return
        if answer is not None:
            self.answers.append(answer)

    def answered(self) -> None:
        """Deliver an answer to the first machine, perhaps twice, or late."""
        if not self.answers:
            return
        at = decode_at(self.answers[0] if self.rng.random() < 0.1 else self.answers.pop(0))
        try:
            if self.asking is None:
                self.asking = levelling(self.first, "b:1", self.rng.randbytes, at, self.decide)
                self.requests += next(self.asking)
            else:
                self.requests += self.asking.send(at)
        except StopIteration:
            self.asking, self.level = None, True
            self.sign(self.first, len(self.first.entries))
        except LocalError as error:
            self.stopped = error.phrase.key
            self.kill_first()

    def play(self) -> None:
        """Add an entry at the first table, if it runs and no other is in transit."""
        going = self.level and self.asking is None and not self.first.unsent()
        if going and (self.first.standing.role is not Role.LONE):
            self.first.commit(self._entry(b"first"))
            self.shown_early()
            if self.first.standing.role is Role.ALONE:
                self.sign(self.first, len(self.first.entries))

    def shown_early(self) -> None:
        """Do nothing: an honest table shows no entry early."""

    def _entry(self, whose: bytes) -> bytes:
        self.made += 1
        return wire.encode([whose, self.made])

    # --- the operator ---

    def promote(self) -> None:
        """Promote the standby at any time."""
        answers = self.level and self.rng.random() < 0.5
        try:
            after = promoted(PrimaryStatus(self.second.standing, self.now, answers), anyway=False)
        except LocalError:
            return
        if self.parted:
            # the operator knows that the first machine goes on alone, and that the second was not
            # informed
            return
        if self.fence:
            self.second.stand(after)
        self.promotions += 1
        self.complete(self.second)
        self.branch = (
            self.second if self.fence else replace(self.second, entries=list(self.second.entries))
        )

    def play_second(self) -> None:
        """Add an entry at the promoted table."""
        if self.promotions:
            self.branch.entries.append(self._entry(b"second"))
            self.sign(self.branch, len(self.branch.entries))

    def go_alone(self) -> None:
        """Let the first machine go on alone. It informs the second if possible. A promoted one is
        noticed, because its table answers there.
        """
        if not self.first.standing.role.paired or self.promotions:
            return
        self.kill_first()
        if self.first.standing.standby == self.second.standing.standby and self.rng.random() < 0.5:
            at = decode_at(self.following(self.second).heard(here(""), self.now) or b"")
            if leaving(self.first.standing, at) is not None:
                return
            self.following(self.second).heard(alone(), self.now)
        elif self.older:
            return
        else:
            self.parted = True
        self.first.stand(self.first.standing._replace(role=Role.ALONE))
        self.level, self.stopped = True, ""
        self.complete(self.first)
        self.sign(self.first, len(self.first.entries))

    def pair_again(self) -> None:
        """Restart the lone table with a standby, perhaps the old one."""
        if self.first.standing.role is Role.ALONE and not self.again:
            self.kill_first()
            self.again = True
            if self.rng.random() < 0.7:
                self.another(sure=True)

    def another(self, sure: bool = False) -> None:
        """Start an empty standby in place of the old one."""
        if sure or self.promotions or self.rng.random() < 0.1:
            self._cut()
            self.parted |= self.second.standing.role is not Role.EMPTY and not sure
            self.second = Disk(
                ReplicationState(Role.EMPTY, self.rng.randbytes(16)), danger=self._danger
            )
            self.line = self.following(self.second)

    def keep_backup(self) -> None:
        self.backup = replace(
            self.first, entries=list(self.first.entries), kept=list(self.first.kept)
        )

    def put_backup_back(self) -> None:
        """Restore a backup of the first machine's folder, of any age."""
        if self.first.standing.role.paired and self.backup.standing.role.paired:
            self.first.standing, self.first.kept = self.backup.standing, list(self.backup.kept)
            self.first.entries = list(self.backup.entries)
            self.older = True
            self.kill_first()

    def happen(self) -> None:
        """Do one random thing."""
        often = [
            self.ask,
            self.arrive,
            self.arrive,
            self.answered,
            self.answered,
            self.play,
            self.play,
        ]
        seldom = [self._cut, self.kill_first, self.kill_second, self.play_second, self.keep_backup]
        rare = [
            self.promote,
            self.go_alone,
            self.pair_again,
            self.another,
            self.put_backup_back,
            self.put_backup_back,
        ]
        event = self.rng.choice(self.rng.choices([often, seldom, rare], [40, 5, 1])[0])
        try:
            event()
        except Killed:
            self.rng.choice([self.kill_first, self.kill_second])()
            if event in (self.play, self.answered, self.go_alone):
                self.kill_first()
            else:
                self.kill_second()


def run(kind: type[Pair], seed: int) -> Pair:
    """Run a simulation. Raises: AssertionError if an entry is signed twice or lost."""
    pair = kind(seed)
    for _ in range(EVENTS):
        pair.happen()
        pair.now += 1
    return pair
