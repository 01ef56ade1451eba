"""Replay of a log file, step by step. The audit, `show`, the check of clock claims and all pages
use it.

    replay = Replay(data)
    for step in replay:
        ...               # step.before, step.entry, step.after, step.faults
    replay.reader         # the log as far as it could be read
    replay.cut_short      # the file ends inside an entry
    replay.damage         # code for bytes after the last step that differ from the signed ones
    replay.unknown        # rules of the match that are not installed: then there are no steps
    replay.failure        # error of the installed rules after a fault
    replay.attempts       # actions in simultaneous play

Steps are read only on demand. No content of the file makes a replay raise, except by a bug in the
installed rules. After a fault such a bug only ends the replay. Otherwise a cheat could use a known
bug to escape.
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
    """An entry of a log, with the states before and after it."""

    number: int
    before: Match | None  # None for the first entry
    # None: the entry must be refused, and a fault names the party that put it into the log
    entry: Entry | None
    after: Match
    faults: tuple[Fault, ...]  # faults that the entry proves
    raw: bytes  # bytes of the entry in the file


class Replay:
    """The steps of one log file, and the end of the file once all steps have been taken."""

    def __init__(self, data: bytes, games: Games = BUILT_IN) -> None:
        self.reader: LogReader | None = None  # None: not even the first entry could be read
        self.cut_short = False
        self.damage: Code | None = None
        self.unknown: UnknownRules | None = None
        self.failure: Exception | None = None
        self.attempts = AttemptSample()  # actions in simultaneous play
        self._games = games
        self._steps = self._read(data)

    def __iter__(self) -> Iterator[Step]:
        """Return the steps that have not been taken yet."""
        return self._steps

    def finish(self) -> "Replay":
        """Take all remaining steps."""
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
        number = reader.log.next_number
        before = reader.match
        known = len(reader.faults)
        entry = reader.feed(raw, head)
        if entry is not None:
            attempt = classify_attempt(before, entry, reader.match)
        else:
            attempt = None
        if attempt is not None:
            self.attempts.add(attempt)
        return Step(number, before, entry, reader.match, reader.faults[known:], raw)
