"""What is asked of a store on other machines: appending to subjects, conditionally, and reading
them.

A subject is a list of items that only grows; each item has a number of the store's own, greater
than those before it. `table.storage.shared.subject_append` makes of this what may be relied upon.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from protocol.errors import LocalError


class Item(NamedTuple):
    """An item of a subject."""

    number: int  # from 1
    data: bytes


class AgedItem(NamedTuple):
    """An item, and for how long it has stood: by the store's clock or this host's, whichever says less.
    So one clock that is ahead removes nothing too early.
    """

    item: Item
    age: float  # seconds


class AgedSubject(NamedTuple):
    """A subject, and for how long one of its items has stood, as in `AgedItem`."""

    subject: str
    age: float  # seconds


class Held(NamedTuple):
    """Number and size of some subjects in a store."""

    subjects: int
    size: int  # bytes on each machine


class Walk(Protocol):
    """Walk over subjects of a store, in the order in which they began."""

    async def next(self) -> AgedSubject | None:
        """Return the next subject with the age of one of its items; None: there is none now. A subject
        may come several times; a purged one does not come any more. A read. Raises: Unanswered.
        """


class Unanswered(Exception):
    """There was no answer that says anything: what was asked may have been done, or not, or may yet
    be.
    """


class Conflict(Exception):
    """Something else stands there, says one that may not know the newest: look, and decide."""


class SharedLog(Protocol):
    """A store. Everything may take long, and raise `Unanswered`."""

    @property
    def most(self) -> int:
        """Bytes of the largest item that it takes; known once it is open, and another after that
        perhaps.
        """

    @property
    def parts(self) -> int:
        """Number of parts into which the store divides matches; a subject has the number of its part.
        8 if the store has no use for parts. Known once it is open, and the same for ever.
        """

    async def append(self, subject: str, after: int, data: bytes) -> int:
        """Append an item, if the subject's last one has the number `after` (0: if there is none),
        and give its number.

        When it returns, a majority of the store's machines have it on disk. Raises: Conflict.
        """

    async def next(self, subject: str, after: int) -> Item | None:
        """The first item beyond this number, if there is one. A read: it proves nothing."""

    async def last(self, subject: str) -> Item | None:
        """The newest item, if there is one. A read: it proves nothing."""

    async def names(self, prefix: str) -> list[str]:
        """The subjects that begin with this, which ends with a dot, and have items. A read."""

    async def erase(self, subject: str) -> None:
        """Overwrite and forget all items of a subject in which seeds or marks lie. Nothing there is
        fine.
        """

    async def last_aged(self, subject: str) -> AgedItem | None:
        """Return the newest item with its age; None if there is none. A read."""

    def oldest(self, prefix: str) -> Walk:
        """Return a walk over the subjects that begin with this. The store finds each by the order of its
        items, or by an index.
        """

    async def held(self, prefix: str) -> Held:
        """Return number and size of the subjects that begin with this. A read."""

    async def trim(self, subject: str, first: int) -> None:
        """Remove the items of a subject that have lower numbers than `first`, which is the number of one
        of its items. Raises: Unanswered; then some of them may be gone.
        """

    async def purge(self, subject: str, last: int) -> int:
        """Remove all items of a subject, or none, if `last` is the number of its newest one. Return how
        many bytes that frees; 0: nothing is removed. Raises: Unanswered.
        """


class StoreBackend(SharedLog, Protocol):
    """A store that is to be opened first."""

    async def open(self) -> None:
        """Find it, and make sure that it is safe. Raises: LocalError, saying what to change."""

    @property
    def safe(self) -> bool:
        """Whether this host may append, as far as it can see; while it may not, appends wait."""

    async def beat(self) -> None:
        """Return when a majority of its machines has answered. Raises: Unanswered."""

    async def announce(self, data: bytes) -> None:
        """Say something to all hosts that hear, this one too. Nothing rests on it: it may be lost,
        or come twice.
        """

    async def hear(self, heard: Callable[[bytes], None]) -> None:
        """From now on, call this with what hosts announce. Called once at most, when it is open."""

    async def close(self) -> None:
        """Let go of it. Nothing is answered after that."""


async def opened(engine: StoreBackend) -> None:
    """Open it. Raises: LocalError; of any other error no more than its kind: its text may have the
    address in it.
    """
    try:
        await engine.open()
    except LocalError:
        raise
    except Exception as error:
        raise LocalError(
            "wrong.cluster.plugin_broken", name=type(engine).__name__, why=type(error).__name__
        ) from None
