"""Results of a person's matches, out of their logs: a little at a time, and kept in a file.

Reading a log is an audit, which takes up to a second for a long match. So each turn reads for
`PAGE_READ_SECONDS`, and facts are kept with size and time of the log's file. A file of facts that
is broken, or of another version, is written anew.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from player.storage.files import write_whole
from player.ui.web.home.log_files import log_files
from player.ui.web.home.match_facts import (
    Ending,
    MatchFacts,
    decode_facts,
    encode_facts,
    match_facts,
)
from protocol.audit.replay import Replay
from protocol.errors import LocalError
from protocol.games.registry import Games
from protocol.limits import HISTORY_RESULTS, MAX_HISTORY_FACTS, PAGE_READ_SECONDS
from protocol.local_files import read_log

FILE = "history-facts.json"
VERSION = 2  # of the facts: it changes whenever the same log and rules give other facts
Clock = Callable[[], float]


class Stamp(NamedTuple):
    """Size and time of a file: facts are those of the file as it was then."""

    size: int
    changed: int  # nanoseconds

    @classmethod
    def read(cls, path: Path) -> "Stamp":
        """Read the stamp of a file; zeros if there is none."""
        try:
            found = path.stat()
        except OSError:
            return cls(0, 0)
        return cls(found.st_size, found.st_mtime_ns)


class FactCache:
    """Facts by the name of the log, in a file of the data folder."""

    def __init__(self, data: Path, games: Games) -> None:
        self._path = data / FILE
        rules = sorted((row.name, row.version or "") for row in games.specs.values())
        self._version = sha256(json.dumps([VERSION, rules]).encode()).hexdigest()
        self._facts: dict[str, tuple[Stamp, MatchFacts]] = {}
        with suppress(OSError, ValueError, RecursionError):
            with self._path.open("rb") as file:
                raw = file.read(MAX_HISTORY_FACTS + 1)
            self._facts = self._decode(raw)

    def get(self, name: str, stamp: Stamp) -> MatchFacts | None:
        """Return the facts of a log; None if its file has changed since."""
        found = self._facts.get(name)
        return found[1] if found is not None and found[0] == stamp else None

    def put(self, name: str, stamp: Stamp, facts: MatchFacts) -> None:
        """Add the facts of a log."""
        self._facts[name] = stamp, facts

    def store(self, names: list[str]) -> None:
        """Write the facts of these logs, and forget all others. A disk that does not take them is
        no error.
        """
        self._facts = {name: self._facts[name] for name in names if name in self._facts}
        logs = {name: [*stamp, encode_facts(facts)] for name, (stamp, facts) in self._facts.items()}
        raw = json.dumps({"version": self._version, "logs": logs}, ensure_ascii=False)
        with suppress(LocalError, UnicodeEncodeError):
            if len(encoded := raw.encode()) <= MAX_HISTORY_FACTS:
                write_whole(self._path, encoded)

    def _decode(self, raw: bytes) -> dict[str, tuple[Stamp, MatchFacts]]:
        """Raises: ValueError."""
        value = json.loads(raw) if len(raw) <= MAX_HISTORY_FACTS else None
        if not isinstance(value, dict) or value.get("version") != self._version:
            raise ValueError("facts of another version")
        logs = value.get("logs")
        if not isinstance(logs, dict) or len(logs) > HISTORY_RESULTS:
            raise ValueError("no facts")
        return {name: _decode_row(row) for name, row in logs.items()}


def _decode_row(row: Any) -> tuple[Stamp, MatchFacts]:
    """Raises: ValueError."""
    if not isinstance(row, list) or len(row) != 3:
        raise ValueError("no row")
    size, changed, facts = row
    if type(size) is not int or type(changed) is not int:
        raise ValueError("no stamp")
    return Stamp(size, changed), decode_facts(facts)


class MatchResults:
    """The facts of the newest logs, the newest first, as far as they have been read."""

    def __init__(self, data: Path, games: Games, clock: Clock = time.monotonic) -> None:
        self._data = data
        self._games = games
        self._clock = clock
        self._cache = FactCache(data, games)
        files = log_files(data)
        self.left_out = max(0, len(files) - HISTORY_RESULTS)
        self._files = files[:HISTORY_RESULTS]
        self.facts: list[tuple[str, MatchFacts]] = []  # by the log's name in the data folder
        self._reading: Iterator[MatchFacts | None] | None = None
        self._stamp = Stamp(0, 0)  # of the log that is being read
        self._changed = False

    @property
    def total(self) -> int:
        """Number of logs that are read."""
        return len(self._files)

    @property
    def is_complete(self) -> bool:
        """All logs have been read."""
        return len(self.facts) == len(self._files)

    def read(self) -> None:
        """Read on for a moment, one entry at least."""
        if self.is_complete:
            return
        until = self._clock() + PAGE_READ_SECONDS
        while not self.is_complete:
            self._step()
            if self._clock() >= until:
                break
        if self.is_complete and self._changed:
            self._changed = False
            self._cache.store([name for name, _ in self.facts])

    def _step(self) -> None:
        """Read an entry of the next log, or take its facts from the cache."""
        name, path = self._files[len(self.facts)]
        if self._reading is None:
            self._stamp = Stamp.read(path)
            known = self._cache.get(name, self._stamp)
            if known is not None:
                self.facts.append((name, known))
                return
            self._reading = _read_facts(path, self._games)
        found = next(self._reading)
        if found is not None:
            self._reading = None
            self._changed = True
            self._cache.put(name, self._stamp, found)
            self.facts.append((name, found))


def _read_facts(path: Path, games: Games) -> Iterator[MatchFacts | None]:
    """Yield None for each entry of a log, and its facts at last."""
    try:
        replay = Replay(read_log(path), games)
        for _ in replay:
            yield None
        facts = match_facts(replay)
    except Exception:  # no log, or a game of a plugin fails: the others are read all the same
        facts = MatchFacts(Ending.UNREADABLE)
    yield facts
