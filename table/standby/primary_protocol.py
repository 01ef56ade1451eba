"""The primary's side: what is to be done when a standby has said where it stands. Pure over a book.

Three rules, which `tests/integration/standby` breaks one by one:

1. Nothing is released before the standby has said that it stands where the own journal stands: same
   number, same hash.
2. A primary has one standby, which it knows by name from the copy on. No other one's answers count;
   to have another one, the operator says first that the table goes on alone.
3. A copy goes to a standby that has never had anything, and only while none is relied on. Whoever
   is ahead, or has lost what it once had, is a person's to judge.
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

from protocol.errors import LocalError
from table.standby.messages import At, copies, parts
from table.storage.disk.replication_state import ReplicationState, Role
from table.storage.disk.transactions import Transaction, follows


class PrimaryJournal(Protocol):
    """What a journal is for a primary (`table.storage.disk.journal.Journal`); what it writes is durable as
    it returns.
    """

    standing: ReplicationState

    def stand(self, standing: ReplicationState) -> None:
        """Stand so from now on."""

    def unsent(self) -> list[Transaction]:
        """The transactions that the standby may not have yet, in order."""

    def acknowledged(self, number: int) -> None:
        """The standby has all up to this one."""

    def rows(self) -> Iterator[tuple[str, list[Any]]]:
        """All that a standby begins with."""


class CatchUp(NamedTuple):
    """It has everything."""


class Pin(NamedTuple):
    """It is to be ours: note its name, before it gets anything."""


class Copy(NamedTuple):
    """It is to get everything."""


class Joined(NamedTuple):
    """It has its copy: from now on it is relied on."""


class Send(NamedTuple):
    """It is to get these."""

    transactions: tuple[Transaction, ...]


class Stop(NamedTuple):
    """We must not go on with it: why, and what to do."""

    key: str


Step = CatchUp | Pin | Copy | Joined | Send | Stop


def next_step(standing: ReplicationState, unsent: list[Transaction], at: At) -> Step:
    """What follows from where the two stand."""
    if at.role is Role.PROMOTED:
        return Stop("wrong.standby.promoted")
    if not standing.role.paired:
        return Pin() if at.role is Role.EMPTY else Stop("wrong.standby.used")
    if at.name != standing.standby:
        return Stop("wrong.standby.another")
    if at.role is Role.LEFT:
        return Stop("wrong.standby.left")
    if standing.role is Role.JOINING:
        return _joining(standing, at)
    if at.role is Role.EMPTY:
        return Stop("wrong.standby.behind")
    return _follow(standing, unsent, at)


def _joining(standing: ReplicationState, at: At) -> Step:
    if at.role is Role.EMPTY:
        return Copy()
    return Joined() if at.place == standing.place else Stop("wrong.standby.ahead")


def _follow(standing: ReplicationState, unsent: list[Transaction], at: At) -> Step:
    if at.place == standing.place:
        return CatchUp()
    if at.number >= standing.number:
        return Stop("wrong.standby.ahead")
    missing = tuple(each for each in unsent if each.number > at.number)
    if not missing or missing[0].number != at.number + 1:
        return Stop("wrong.standby.behind")
    return (
        Send(missing)
        if follows(at.place, missing[0].body) == missing[0]
        else Stop("wrong.standby.ahead")
    )


Asking = Generator[Iterable[bytes], At, None]


def leaving(standing: ReplicationState, at: At) -> Stop | None:
    """Whether a table must not go on without the standby that stands there."""
    if at.name != standing.standby:
        return None
    if at.role is Role.PROMOTED:
        return Stop("wrong.standby.promoted")
    ahead = at.number > standing.number or (
        at.number == standing.number and at.hash != standing.hash
    )
    return Stop("wrong.standby.ahead") if ahead and at.role is not Role.EMPTY else None


Decide = Callable[[ReplicationState, list[Transaction], At], Step]


def levelling(
    book: PrimaryJournal,
    address: str,
    random: Callable[[int], bytes],
    at: At,
    decide: Decide = next_step,
) -> Asking:
    """Bring the standby that stands there to where the book stands: gives messages, and is sent its
    answer to them.

    It ends when the standby has everything. Begun anew after whatever was lost on the way, it goes
    on where it was. `address`: the standby's. What its answers mean, `decide` says. Raises:
    LocalError if we must not go on with it.
    """
    while True:
        step = decide(book.standing, book.unsent(), at)
        match step:
            case CatchUp():
                book.acknowledged(at.number)
                return
            case Stop(key):
                raise LocalError(key, address=address)
            case Pin():
                book.stand(ReplicationState(Role.JOINING, at.name, 0, random(32), peer=address))
            case Joined():
                book.stand(book.standing._replace(role=Role.PRIMARY, peer=address))
            case Copy():
                at = yield copies(book.standing.hash, book.rows())
            case Send(transactions):
                for transaction in transactions:
                    at = yield parts(transaction)
