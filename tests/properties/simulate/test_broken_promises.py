"""A world in which somebody breaks a promise is seen to: for each promise one who does."""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from player.connection import Connection, connect
from player.disk.times import Times
from player.seat.seat import Seat
from protocol.codes import Code
from protocol.dealing import Post
from protocol.errors import Refused, RemoteError
from protocol.match.fold import apply
from protocol.match.log import chain_position
from protocol.match.state import Match
from table.lobby.matches import Matches
from table.match.clock import Tick
from table.match.hosted_match import HostedMatch
from table.match.live_match import LiveMatch
from tests.properties.simulate.__main__ import terms
from tests.properties.simulate.disk import SimulatedMemory, SimulatedStore
from tests.properties.simulate.parties import Parts, WatchedClient
from tests.properties.simulate.store import SimulatedStorage
from tests.properties.simulate.weather import CALM, Weather
from tests.properties.simulate.world import Failed, Spec, run_world

MORTAL_TABLE = Weather(table_crash=0.03)


def failure(
    parts: Parts, weather: Weather = CALM, seed: int = 1, seats: int = 2, impatient: bool = False
) -> str:
    """What is seen to be wrong."""
    return failure_of(
        Spec(
            seed,
            terms("block-dominoes", "layered", seats, impatient),
            weather,
            4,
            impatient=impatient,
        ),
        parts,
    )


def failure_of(spec: Spec, parts: Parts) -> str:
    """What is seen to be wrong in a world of another kind."""
    with pytest.raises(Failed) as caught:
        run_world(spec, parts)
    return str(caught.value)


def played_in(kind: type[HostedMatch]) -> Parts:
    """A table whose matches are played in this kind of room."""

    class Kind(Matches):
        room_type = kind

    return Parts(matches=Kind)


# --- the table ---


@pytest.mark.slow
def test_table_that_announces_entry_before_storing_is_detected() -> None:
    class Hasty(SimulatedStorage):
        def submit(self, change: Any, done: Callable[[], None], lost: Callable[[], None]) -> None:
            self.network.soon(done, process=self.process)
            self.network.later(
                0.3,
                lambda: super(Hasty, self).submit(change, lambda: None, lost),
                process=self.process,
            )

    assert "which is not stored" in failure(Parts(storage=Hasty))


class Forgetful(SimulatedStorage):
    """Loses acknowledged entries in each crash."""

    lost = 3

    async def start(self) -> Any:
        for match_id, match in self.disk.matches.items():
            if match.seed is not None and len(match.entries) > 5:
                keep = len(match.entries) - self.lost
                entries, heads = match.entries[:keep], match.heads[:keep]
                hashed = chain_position(entries)[1]
                self.disk.matches[match_id] = replace(
                    match, entries=entries, heads=heads, hash=hashed
                )
        self.disk.commit()
        return await super().start()


@pytest.mark.slow
def test_players_give_back_what_a_table_forgets_in_a_crash() -> None:
    class Grateful(HostedMatch):
        given = 0

        def take_back(self, *values: Any) -> bool:
            Grateful.given += 1
            return super().take_back(*values)

    parts = replace(played_in(Grateful), storage=Forgetful)
    run_world(Spec(1, terms("block-dominoes", "layered", 2, False), MORTAL_TABLE, 2), parts)
    assert Grateful.given


@pytest.mark.slow
def test_table_that_recovers_nothing_after_crash_is_detected() -> None:
    class Deaf(HostedMatch):
        def __init__(self, *values: Any) -> None:
            super().__init__(*values)
            self._returning.waits = False

        def enter(self, party: Any, holds: Any = None) -> None:
            super().enter(party)

    assert "Violation" in failure(replace(played_in(Deaf), storage=Forgetful), MORTAL_TABLE)


@pytest.mark.slow
def test_a_table_that_signs_before_the_store_has_answered() -> None:
    """It keeps the heads to itself until the answer, as tables did once."""

    class Early(LiveMatch):
        def _stand(self, raw: bytes) -> None:
            super()._stand(raw)
            self.log.head(self._identity)

    class Hasty(Matches):
        match_type = Early

    assert "which is not stored" in failure(Parts(matches=Hasty))


@pytest.mark.slow
def test_a_table_whose_secrets_do_not_survive() -> None:
    class Careless(LiveMatch):
        @classmethod
        def restore(cls, identity: Any, seed: bytes, records: Any, games: Any) -> LiveMatch:
            return super().restore(identity, bytes(32), records, games)

    class CarelessMatches(Matches):
        match_type = Careless

    assert "cannot go on" in failure(Parts(matches=CarelessMatches), MORTAL_TABLE)


@pytest.mark.slow
def test_a_table_that_refuses_a_legal_entry() -> None:
    class Choosy(LiveMatch):
        def offer(self, raw: bytes, seat: int) -> None:
            if self.log.next_number == 9:
                raise Refused(Code.NOT_NOW)
            super().offer(raw, seat)

    class ChoosyMatches(Matches):
        match_type = Choosy

    assert "a seat was refused an entry that it holds for legal" in failure(
        Parts(matches=ChoosyMatches)
    )


@pytest.mark.slow
def test_a_table_that_refuses_who_comes_too_late() -> None:
    """It would hide how often it lets a seat come too late."""

    class Strict(LiveMatch):
        def offer(self, raw: bytes, seat: int) -> None:
            if apply(self.match, self.log.check(raw)).late_counts != self.match.late_counts:
                raise Refused(Code.ILLEGAL_MOVE)
            super().offer(raw, seat)

    class StrictMatches(Matches):
        match_type = Strict

    spec = Spec(1, terms("scuffle", "none", 4, False), CALM, 4)
    assert "a seat was refused an entry that it holds for legal" in failure_of(
        spec, Parts(matches=StrictMatches)
    )


@pytest.mark.slow
def test_a_table_that_never_lets_a_match_go() -> None:
    class Clinging(Matches):
        def match_settled(self, feed: Any) -> None:
            pass

    assert "left over after the match: {'matches'" in failure(Parts(matches=Clinging))


@pytest.mark.slow
def test_a_table_that_leaves_a_timer_behind() -> None:
    class Leaky(HostedMatch):
        def _finish(self) -> None:
            super()._finish()
            self._loop.call_later(100_000, print)

    assert "left over after the match: {'timers'" in failure(played_in(Leaky))


@pytest.mark.slow
def test_a_table_that_leaves_a_task_behind() -> None:
    class Leaky(HostedMatch):
        def _finish(self) -> None:
            super()._finish()
            self.task = asyncio.create_task(asyncio.Event().wait())

    assert "left over after the match: {'tasks'" in failure(played_in(Leaky))


@pytest.mark.slow
def test_a_table_with_a_bug_in_a_handler() -> None:
    class Wrong(HostedMatch):
        def post(self, party: Any, raw: bytes) -> None:
            raise ZeroDivisionError

    assert "ZeroDivisionError in a handler" in failure(played_in(Wrong))


@pytest.mark.slow
def test_a_table_that_stops_answering() -> None:
    class Deaf(HostedMatch):
        def post(self, party: Any, raw: bytes) -> None:
            pass

    assert "Stuck" in failure(played_in(Deaf))


@pytest.mark.slow
def test_a_table_that_hurries() -> None:
    class Hurried(HostedMatch):
        @staticmethod
        def tick(match: Match, waited: float) -> Tick:
            seat = match.duties()[0].author
            due = match.next_clock_entry(seat) if match.next_number > 10 and seat < 2 else None
            return Tick(Post(due.kind, [seat, due.after]) if due else None, 0.05)

    assert "lapsed, and nothing had befallen it" in failure(played_in(Hurried), impatient=True)


# --- the players ---


@pytest.mark.match
def test_a_player_who_signs_twice() -> None:
    class Forgetful(SimulatedMemory):
        def last(self) -> None:
            """Nothing that was sent is remembered."""

    assert "signed two different entries" in failure(
        Parts(memory=Forgetful), Weather(cut=0.03, player_life=6.0), seed=1, seats=3
    )


@pytest.mark.slow
def test_a_player_whose_secrets_do_not_survive() -> None:
    class Careless(SimulatedMemory):
        seed = property(lambda self: bytes(32))  # type: ignore[assignment]

    assert "names somebody honest" in failure(Parts(memory=Careless), Weather(player_life=3.0))


@pytest.mark.slow
def test_a_player_who_loses_a_part_of_its_log() -> None:
    class Sloppy(SimulatedStore):
        def append(
            self, entry: bytes, head: bytes, live: bool = False, waited: float | None = None
        ) -> None:
            super().append(entry, bytes(64) if len(self._disk.log) == 12 else head, live, waited)

    class SloppyMemory(SimulatedMemory):
        store = Sloppy

    assert "and they differ" in failure(Parts(memory=SloppyMemory))


@pytest.mark.slow
def test_player_that_gives_up_on_repairable_line_is_detected() -> None:
    assert "gave its match up" in failure(Parts(keep_trying=0.0), Weather(cut=0.1), seed=2)


@pytest.mark.slow
def test_player_that_blames_table_for_disturbed_handshake_is_detected() -> None:
    class Impatient(WatchedClient):
        mendable = tuple(code for code in WatchedClient.mendable if code is not Code.BAD_HANDSHAKE)

    assert "gave its match up: The handshake failed" in failure(
        Parts(client=Impatient), Weather(flip=0.05)
    )


@pytest.mark.slow
def test_a_player_who_does_not_notice_a_damaged_record() -> None:
    class Deaf(Connection):
        def data_received(self, data: bytes) -> None:
            with suppress(RemoteError):
                self._take(data)

    assert "Stuck" in failure(Parts(connect=partial(connect, kind=Deaf)), Weather(flip=0.02))


def test_a_player_with_a_bug() -> None:
    class Wrong(Seat):
        def choices(self, match: Match) -> Any:
            return 1 // 0

    assert "ZeroDivisionError" in failure(Parts(seat=Wrong))


def test_randomness_that_is_not_the_seeds() -> None:
    class Stray(Random):
        def randbytes(self, n: int) -> bytes:
            return os.urandom(n)

    assert "is not the seed's" in failure(Parts(random=Stray))


def test_a_clock_that_is_not_the_worlds(tmp_path: Path) -> None:
    class Punctual(SimulatedStore):
        def append(
            self, entry: bytes, head: bytes, live: bool = False, waited: float | None = None
        ) -> None:
            Times(tmp_path / "log").note(0)

    class PunctualMemory(SimulatedMemory):
        store = Punctual

    assert "a clock that is not the world's" in failure(Parts(memory=PunctualMemory))
