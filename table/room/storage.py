"""What a table asks of its disk, and in which words: the interface between the running table and what it must not lose.

`table.disk.writer.Writer` is the real one, over a `table.disk.journal.Journal`. A simulation brings one of its own,
without threads, and decides itself when something is on disk and what a crash takes.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from protocol.match.log import Record
from protocol.match.terms import Terms


class NewRecords(NamedTuple):
    """What came to a match's log. A room has one of these under way at a time."""

    match_id: bytes
    first: int  # the number of the first of them
    records: tuple[Record, ...]
    seed: bytes | None = None  # with record 0: what the table's secrets in this match come from
    over: bool = False  # the match ends with these: its seed is to be forgotten


class NewTable(NamedTuple):
    """Somebody created a table."""

    number: int  # never used again
    terms: Terms
    creator: bytes


class NoTable(NamedTuple):
    """A created table is gone."""

    number: int


class NewWords(NamedTuple):
    """What a witness signs: `words` are slot and `seen` record each, from this position on; `records` are id and bytes
    of what it needs to know what it signed. A slot that is on disk is never written a second time."""

    first: int
    words: tuple[tuple[bytes, bytes], ...]
    records: tuple[tuple[bytes, bytes], ...]


class HeadAhead(NamedTuple):
    """A head that this witness once signed and that goes beyond what it knows, encoded."""

    head: bytes


Change = NewRecords | NewTable | NoTable | NewWords | HeadAhead


class OpenMatch(NamedTuple):
    """A match that was not over."""

    match_id: bytes
    seed: bytes
    records: list[Record]


class Kept(NamedTuple):
    """What a table begins with again."""

    matches: list[OpenMatch]
    tables: list[NewTable]
    last_number: int  # of a created table, whether there still or not; 0: there was none
    unexported: list[bytes]  # matches that are over and have no log file
    words: Sequence[bytes] = ()  # of a witness: its `seen` records by position
    ledger: Sequence[bytes] = ()  # the records that these rest on, as they came
    ahead: bytes | None = None  # see `HeadAhead`


class Storage(Protocol):
    """A table's disk. All calls come from the event loop and return at once; `done` is called in the loop, later."""

    def load(self) -> Kept:
        """Everything that was ever `done`. Called once, first. Raises: LocalError, saying what to do."""

    def submit(self, change: Change, done: Callable[[], None]) -> None:
        """Put a change on disk, whole or not at all, and then call `done`; as long as the disk refuses, not yet.

        The order is not promised: whoever needs one waits for `done`.
        """

    def fetch(self, match_id: bytes, done: Callable[[Sequence[Record]], None]) -> None:
        """The records of a match that is over; none if there is no such match, or it cannot be read."""

    def export(self, match_id: bytes) -> None:
        """Write the log file of a match that is over, as soon as there is time."""

    def close(self) -> None:
        """Finish what was submitted, or say in the log what could not be; then let go."""
