"""A world in which somebody breaks a promise is seen to: for each promise one who does."""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from player.at_table import client, visit
from player.connection import Connection
from player.seat.seat import Seat
from protocol.codes import Code
from protocol.dealing import Post
from protocol.errors import RemoteError
from protocol.match.state import Match
from table.matches import Matches
from table.room.clock import Tick
from table.room.live_match import LiveMatch, Record
from table.room.room import Room
from table.room.storage import NewRecords
from tests.simulate import disk, parties, world
from tests.simulate.__main__ import terms
from tests.simulate.disk import SimulatedMemory, SimulatedStorage, TableDisk
from tests.simulate.weather import CALM, Weather
from tests.simulate.world import Failed, Spec, run_world

MORTAL_TABLE = Weather(table_crash=0.03)


def failure(weather: Weather = CALM, seed: int = 1, seats: int = 2, impatient: bool = False) -> str:
    """What is seen to be wrong."""
    with pytest.raises(Failed) as caught:
        run_world(Spec(seed, terms("block-dominoes", "layered", seats, impatient), weather, 4, impatient=impatient))
    return str(caught.value)


# --- the table ---


def test_a_table_that_tells_of_an_entry_before_it_is_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    class Hasty(SimulatedStorage):
        def submit(self, change: Any, done: Callable[[], None]) -> None:
            self._network.soon(done, process=self._process)
            self._later(lambda: self._disk.apply(change), 0.3)

    monkeypatch.setattr(parties, "SimulatedStorage", Hasty)
    assert "is not on the table's disk" in failure()


def test_a_table_that_forgets_an_acknowledged_entry_in_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    load = SimulatedStorage.load

    def forgetful(self: SimulatedStorage) -> Any:
        for match in self._disk.matches.values():
            if match.seed is not None and len(match.records) > 5:
                match.records.pop()
        return load(self)

    monkeypatch.setattr(SimulatedStorage, "load", forgetful)
    assert "Violation" in failure(MORTAL_TABLE)


def test_a_table_that_stores_an_entry_twice() -> None:
    record = Record(0, b"entry", b"head")
    stored = TableDisk()
    stored.apply(NewRecords(b"match", (record,), b"seed"))
    with pytest.raises(world.Violation, match="twice"):
        stored.apply(NewRecords(b"match", (record,)))


def test_a_table_whose_secrets_do_not_survive(monkeypatch: pytest.MonkeyPatch) -> None:
    restore = LiveMatch.restore.__func__  # type: ignore[attr-defined]
    changed = classmethod(lambda cls, identity, seed, records: restore(cls, identity, bytes(32), records))
    monkeypatch.setattr(LiveMatch, "restore", changed)
    assert "cannot go on" in failure(MORTAL_TABLE)


def test_a_table_that_never_lets_a_match_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Matches, "match_settled", lambda self, feed: None)
    assert "left over after the match: {'matches'" in failure()


def test_a_table_that_leaves_a_timer_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    finish = Room._finish

    def leaky(self: Room) -> None:
        finish(self)
        self._loop.call_later(100_000, print)

    monkeypatch.setattr(Room, "_finish", leaky)
    assert "left over after the match: {'timers'" in failure()


def test_a_table_that_leaves_a_task_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    finish = Room._finish

    def leaky(self: Room) -> None:
        finish(self)
        self.task = asyncio.create_task(asyncio.Event().wait())  # type: ignore[attr-defined]

    monkeypatch.setattr(Room, "_finish", leaky)
    assert "left over after the match: {'tasks'" in failure()


def test_a_table_with_a_bug_in_a_handler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Room, "post", lambda self, connection, raw: 1 // 0)
    assert "ZeroDivisionError in a handler" in failure()


def test_a_table_that_stops_answering(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Room, "post", lambda self, connection, raw: None)
    assert "Stuck" in failure()


def test_a_table_that_hurries(monkeypatch: pytest.MonkeyPatch) -> None:
    def hurried(match: Match, waited: float) -> Tick:
        seat = match.duties()[0].author
        due = match.due(seat) if match.number > 10 and seat < 2 else None
        return Tick(Post(due.kind, [seat, due.after]) if due else None, 0.05)

    monkeypatch.setattr("table.room.room.tick", hurried)
    assert "lapsed, and nothing had befallen it" in failure(impatient=True)


# --- the players ---


@pytest.mark.match
def test_a_player_who_signs_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SimulatedMemory, "last", lambda self: None)  # nothing that was sent is remembered
    assert "signed two different entries" in failure(Weather(cut=0.03, player_life=6.0), seed=3, seats=3)


def test_a_player_whose_secrets_do_not_survive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SimulatedMemory, "seed", property(lambda self: bytes(32)))
    assert "names somebody honest" in failure(Weather(player_life=3.0))


def test_a_player_who_loses_a_part_of_its_log(monkeypatch: pytest.MonkeyPatch) -> None:
    append = disk.SimulatedStore.append

    def sloppy(self: disk.SimulatedStore, entry: bytes, head: bytes, live: bool = False) -> None:
        if len(self._disk.log) != 12:
            append(self, entry, head, live)
        else:
            append(self, entry, bytes(64), live)

    monkeypatch.setattr(disk.SimulatedStore, "append", sloppy)
    assert "and they differ" in failure()


def test_a_player_who_gives_up_where_the_line_can_be_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visit, "KEEP_TRYING_SECONDS", 0.0)
    assert "gave its match up" in failure(Weather(cut=0.1), seed=2)


def test_a_player_who_takes_a_disturbed_handshake_for_a_wrong_table(monkeypatch: pytest.MonkeyPatch) -> None:
    mendable = tuple(code for code in client.MENDABLE if code is not Code.BAD_HANDSHAKE)
    monkeypatch.setattr(client, "MENDABLE", mendable)
    assert "gave its match up: The handshake failed" in failure(Weather(flip=0.05))


def test_a_player_who_does_not_notice_a_damaged_record(monkeypatch: pytest.MonkeyPatch) -> None:
    def deaf(self: Connection, data: bytes) -> None:
        with suppress(RemoteError):
            self._take(data)

    monkeypatch.setattr(Connection, "data_received", deaf)
    assert "Stuck" in failure(Weather(flip=0.02))


def test_a_player_with_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Seat, "choices", lambda self, match: 1 // 0)
    assert "ZeroDivisionError" in failure()


def test_randomness_that_is_not_the_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    stray = lambda self, *name: type("", (Random,), {"randbytes": lambda self, n: os.urandom(n)})()  # noqa: E731
    monkeypatch.setattr(world.World, "random", stray)
    assert "is not the seed's" in failure()
