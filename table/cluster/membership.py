"""Who is there, and who has what: what one host makes of what the others say. Pure: time comes as
an argument.

Nothing here fences anybody: hosts that see each other differently claim what is not theirs, and the
store decides.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from protocol.crypto.hashing import digest
from protocol.limits import MAX_HOMES_KEPT
from table.cluster.heartbeats import Heartbeat, Host, MatchLoad, prefix
from table.config import Pace
from table.storage.interface import MatchOwnership


def chosen(place: bytes, names: Iterable[str]) -> str | None:
    """Whose a place is, of these hosts: each of them finds the same, and when one goes only what it
    had moves.

    Rendezvous hashing (Thaler and Ravishankar, 1998).
    """
    return max(
        names, key=lambda name: (digest("cluster rendezvous", name, place), name), default=None
    )


class TableLocation(NamedTuple):
    """Where a match is."""

    match_id: bytes
    host: Host | None  # None: its host is gone, and nobody has said yet that it goes on
    table_id: str  # as in `MatchLoad`


class _Places(NamedTuple):
    """Where everything is that others have; what was found first stands."""

    matches: dict[bytes, TableLocation]
    seats: dict[bytes, TableLocation]  # by `prefix`
    tables: dict[str, TableLocation]

    def add(self, row: MatchLoad, found: TableLocation) -> None:
        """One more."""
        self.matches.setdefault(row.match_id, found)
        self.tables.setdefault(row.table_id, found)
        for seat in row.seats:
            self.seats.setdefault(seat, found)


class Membership:
    """What this host knows of the others."""

    def __init__(self, me: Host, run: bytes, now: float, pace: Pace) -> None:
        """`now`: seconds of this host's own clock, which cannot be set."""
        self.me, self._run, self._begun, self.pace = me, run, now, pace
        self.takes = False  # what is to be somebody's: we listen, and do not stop
        self.fit = True  # we can append and sign
        # by name, of those that are there, and when they came
        self._beats: dict[str, tuple[Heartbeat, float]] = {}
        self._gone: dict[
            str, tuple[Heartbeat, float]
        ] = {}  # of those that are gone, and since when
        self.twin = False  # somebody else has our name
        self._places: _Places | None = None  # made when it is asked for, from what was heard last
        self._homes: dict[tuple[str, str], str | None] = {}  # by table and rules, of these hosts
        self._homes_of: dict[str, Host] = {}

    def heard(self, beat: Heartbeat, now: float) -> None:
        """A host has said something."""
        if beat.host.name == self.me.name:
            self.twin = self.twin or beat.run != self._run
            return
        self._beats[beat.host.name] = beat, now
        self._gone.pop(beat.host.name, None)
        self._places = None

    def update(self, now: float) -> list[str]:
        """Time has passed: who is gone since."""
        late = [name for name, (_, when) in self._beats.items() if now - when >= self.pace.silent]
        for name in late:
            self._gone[name] = self._beats.pop(name)[0], now
        past = [name for name, (_, when) in self._gone.items() if now - when >= self.pace.pending]
        for name in past:
            del self._gone[name]
        if late or past:
            self._places = None
        return late

    @property
    def others(self) -> list[Heartbeat]:
        """What those say who are there."""
        return [beat for beat, _ in self._beats.values()]

    def last_heard(self) -> float:
        """When anybody else was heard; the beginning, if nobody was."""
        return max((when for _, when in self._beats.values()), default=self._begun)

    @property
    def ready(self) -> bool:
        """Whether we take what is to be somebody's, and can go on with it."""
        return self.takes and self.fit

    def taking(self, rules: str = "") -> dict[str, Host]:
        """The hosts, this one too, that take what is to be somebody's: matches of these rules."""
        found = {beat.host.name: beat.host for beat in self.others if beat.takes}
        if self.ready:
            found[self.me.name] = self.me
        return {name: host for name, host in found.items() if not rules or host.rules == rules}

    def is_ours(self, owned: MatchOwnership, now: float) -> bool:
        """Whether a match that runs nowhere here is ours to claim."""
        if not self.ready or owned.rules not in ("", self.me.rules):
            return False
        if owned.owner == self.me.name:
            return True
        if now - self._begun < self.pace.silent:
            return False  # we have not listened for long enough to know who is not there
        there = self._beats.get(owned.owner)
        # a host that has come back with other rules has it no more than one that is gone
        if there is not None and owned.rules in ("", there[0].host.rules):
            return False
        return chosen(owned.match_id, self.taking(owned.rules)) == self.me.name

    def orphaned(self, owned: MatchOwnership) -> bool:
        """Whether nobody who is there can go on with it."""
        return not self.taking(owned.rules) and owned.owner not in self._beats

    def successor(self, match_id: bytes, rules: str) -> Host | None:
        """Whom we leave a match to."""
        there = {name: host for name, host in self.taking(rules).items() if name != self.me.name}
        return there.get(chosen(match_id, there) or "")

    def refuge(self, match_id: bytes) -> Host | None:
        """Who may have a match while we hear nobody: one that was there not long ago."""
        there = {name: beat.host for name, (beat, _) in (*self._beats.items(), *self._gone.items())}
        return there.get(chosen(match_id, there) or "")

    def is_sure(self, host: Host | None, now: float) -> bool:
        """Whether a host is there as far as one can know: it has not missed a beat."""
        when = None if host is None else self._beats.get(host.name)
        return (
            when is not None and bool(when[0].host.address) and now - when[1] < 1.5 * self.pace.beat
        )

    def is_alive(self, run: bytes) -> bool:
        """Tell if this process is there, as far as one can know."""
        return run == self._run or any(beat.run == run for beat in self.others)

    def named(self, name: str) -> Host | None:
        """A host that is there."""
        return self._beats[name][0].host if name in self._beats else None

    def of_match(self, match_id: bytes) -> TableLocation | None:
        """Which of the others has a match."""
        return self._where().matches.get(match_id)

    def of_seat(self, identity: bytes) -> TableLocation | None:
        """In which of their matches somebody plays."""
        return self._where().seats.get(prefix(identity))

    def of_table(self, table_id: str) -> TableLocation | None:
        """Which match of theirs runs at a table."""
        return self._where().tables.get(table_id)

    def home(self, table_id: str, rules: str = "") -> Host | None:
        """Where a table is at which no match runs: at a host of these rules, as long as there is
        one.

        None: nobody takes tables.
        """
        taking, asked = self.taking(), (table_id, rules)
        if taking != self._homes_of or len(self._homes) >= MAX_HOMES_KEPT:
            self._homes, self._homes_of = {}, taking
        if asked not in self._homes:
            self._homes[asked] = chosen(table_id.encode(), self.taking(rules) or taking)
        return taking.get(self._homes[asked] or "")

    def _where(self) -> "_Places":
        if self._places is None:
            self._places = _Places({}, {}, {})
            for row, found in self._matches():
                self._places.add(row, found)
        return self._places

    def _matches(self) -> Iterator[tuple[MatchLoad, TableLocation]]:
        """Of those that are there, and then of those that are gone."""
        for beat in self.others:
            for row in beat.rows:
                if row.match_id:
                    yield row, TableLocation(row.match_id, beat.host, row.table_id)
        for beat, _ in self._gone.values():
            for row in beat.rows:
                if row.match_id:
                    yield row, TableLocation(row.match_id, None, row.table_id)
