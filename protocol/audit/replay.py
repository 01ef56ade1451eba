"""A log file step by step: the one way through it, under the audit, `show`, the claims of the
clock, and every page.

    replay = Replay(data)
    for step in replay:
        ...               # step.before, step.entry, step.after, step.faults
    replay.reader         # as far as it could be read
    replay.cut_short      # the file ends inside an entry
    replay.damage         # why what follows the last step is not what was signed
    replay.unknown        # the rules that it was played by, if they are not here: then there are no steps
    replay.failure        # the error with which the rules here failed behind a fault
    replay.attempts       # what seats tried that acted independently

Nothing is read ahead of the step that is asked for, and nothing in the bytes makes it raise.
Only a mistake in the rules here can. Behind a fault it ends the reading and no more: else a cheat
who knows of the mistake escapes by it.
"""

from collections.abc import Iterator
from typing import NamedTuple

from protocol.audit.fairness.attempts import AttemptSample, classify_attempt
from protocol.codes import Code
from protocol.dealing import Fault
from protocol.errors import RemoteError
from protocol.games.registry import BUILT_IN, Games, UnknownRules
from protocol.match.log import Entry, decode_entry
from protocol.match.log_file import TruncatedLog, read_records
from protocol.match.log_reader import LogReader
from protocol.match.state import Match


class Step(NamedTuple):
    """One entry of a log."""

    number: int
    before: Match | None  # None: it is the first, with which the match begins
    entry: Entry | None  # None: it cannot stand, and somebody is at fault that it is here
    after: Match
    faults: tuple[Fault, ...]  # that it shows
    raw: bytes  # the entry as it stands in the file


class Replay:
    """The steps of one log file; once they have been taken, how it ended."""

    def __init__(self, data: bytes, games: Games = BUILT_IN) -> None:
        self.reader: LogReader | None = None  # None: not even the first entry could be read
        self.cut_short = False
        self.damage: Code | None = None
        self.unknown: UnknownRules | None = None
        self.failure: Exception | None = None
        self.attempts = AttemptSample()  # of seats that acted independently
        self._games = games
        self._steps = self._read(data)

    def __iter__(self) -> Iterator[Step]:
        """The steps that have not been taken yet."""
        return self._steps

    def finish(self) -> "Replay":
        """Take all steps that are left."""
        for _ in self:
            pass
        return self

    def _read(self, data: bytes) -> Iterator[Step]:
        try:
            for raw, head in read_records(data):
                yield self._step(raw, head)
        except TruncatedLog:
            self.cut_short = True
        except UnknownRules as unknown:
            self.unknown = unknown
        except RemoteError as error:
            self.damage = error.code
        except Exception as error:
            if self.reader is None or not self.reader.faults:
                raise
            self.failure = error

    def _step(self, raw: bytes, head: bytes) -> Step:
        reader = self.reader
        if reader is None:
            reader = self.reader = LogReader(raw, head, self._games)
            return Step(0, None, decode_entry(raw), reader.match, (), raw)
        number, before, known = reader.log.next_number, reader.match, len(reader.faults)
        entry = reader.feed(raw, head)
        attempt = classify_attempt(before, entry, reader.match) if entry is not None else None
        if attempt is not None:
            self.attempts.add(attempt)
        return Step(number, before, entry, reader.match, reader.faults[known:], raw)
