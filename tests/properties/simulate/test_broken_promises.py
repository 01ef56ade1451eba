"""The simulation notices every broken promise: one test for each promise breaks it."""

import asyncio
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from player.client.connection import Connection, connect
from player.client.seat import Seat
from player.storage.arrival_times import ArrivalTimes
from protocol.codes import Code
from protocol.dealing import Post
from protocol.errors import Refused, RemoteError
from protocol.match.clock import Allowance
from protocol.match.fold import apply
from protocol.match.log import chain_position
from protocol.match.state import Match
from table.lobby.matches import Matches
from table.match.clock import Tick
from table.match.hosted_match import HostedMatch
from table.match.live_match import LiveMatch
from table.match.status import ClockDuty
from table.workers.pool import FoldPool
from tests.properties.simulate.__main__ import long_terms, terms
from tests.properties.simulate.disk import SimulatedMemory, SimulatedStore
from tests.properties.simulate.parties import Parts, WatchedClient
from tests.properties.simulate.store import SimulatedStorage
from tests.properties.simulate.weather import CALM, WEATHERS, Weather
from tests.properties.simulate.world import Failed, Spec, run_world
from tests.support.memo import memoised_fold

MORTAL_TABLE = Weather(table_crash=0.03)


def failure(
    parts: Parts, weather: Weather = CALM, seed: int = 1, seats: int = 2, impatient: bool = False
) -> str:
    """Return the failure that the simulation reports."""
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
    """Return the failure that the simulation reports in a world of another kind."""
    with pytest.raises(Failed) as caught:
        run_world(spec, parts)
    return str(caught.value)


def played_in(kind: type[HostedMatch]) -> Parts:
    """Return a table whose matches are played in this kind of room."""

    class Kind(Matches):
        room_type = kind

    return Parts(matches=Kind)


# --- the table ---


@pytest.mark.slow
def test_table_announcing_entry_before_storing_is_detected() -> None:
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
    """Disk that loses acknowledged entries in each crash."""

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
def test_players_return_entries_lost_in_a_crash() -> None:
    class Grateful(HostedMatch):
        given = 0

        def take_back(self, *values: Any) -> bool:
            Grateful.given += 1
            return super().take_back(*values)

    parts = replace(played_in(Grateful), storage=Forgetful)
    run_world(Spec(1, terms("block-dominoes", "layered", 2, False), MORTAL_TABLE, 2), parts)
    assert Grateful.given


@pytest.mark.slow
def test_table_recovering_nothing_after_crash_is_detected() -> None:
    class Deaf(HostedMatch):
        def __init__(self, *values: Any) -> None:
            super().__init__(*values)
            self.machine.recovery.close()

        def enter(self, party: Any, holds: Any = None) -> None:
            super().enter(party)

    assert "Violation" in failure(replace(played_in(Deaf), storage=Forgetful), MORTAL_TABLE)


@pytest.mark.slow
def test_table_signing_before_store_answers_is_detected() -> None:
    """The table withholds the heads until the answer, as earlier tables did."""

    class Early(LiveMatch):
        def _append_raw(self, raw: bytes) -> None:
            super()._append_raw(raw)
            self.log.head(self._identity)

    class Hasty(Matches):
        match_type = Early

    assert "which is not stored" in failure(Parts(matches=Hasty))


@pytest.mark.slow
def test_table_losing_its_secrets_is_detected() -> None:
    class Careless(LiveMatch):
        @classmethod
        def restore_parts(cls, identity: Any, seed: bytes, *stored: Any) -> Any:
            return super().restore_parts(identity, bytes(32), *stored)

    class CarelessMatches(Matches):
        match_type = Careless

    assert "cannot go on" in failure(Parts(matches=CarelessMatches), MORTAL_TABLE)


@pytest.mark.slow
def test_table_refusing_legal_entry_is_detected() -> None:
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
def test_table_refusing_late_entry_is_detected() -> None:
    """Such a table would hide how often it delays a seat."""

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
def test_table_never_releasing_a_match_is_detected() -> None:
    class Clinging(Matches):
        def match_settled(self, feed: Any) -> None:
            pass

    assert "left over after the match: {'matches'" in failure(Parts(matches=Clinging))


@pytest.mark.slow
def test_table_leaving_a_timer_is_detected() -> None:
    class Leaky(HostedMatch):
        def _finish(self) -> None:
            super()._finish()
            self._loop.call_later(100_000, print)

    assert "left over after the match: {'timers'" in failure(played_in(Leaky))


@pytest.mark.slow
def test_table_leaving_a_task_is_detected() -> None:
    class Leaky(HostedMatch):
        def _finish(self) -> None:
            super()._finish()
            self.task = asyncio.create_task(asyncio.Event().wait())

    assert "left over after the match: {'tasks'" in failure(played_in(Leaky))


@pytest.mark.slow
def test_table_with_handler_bug_is_detected() -> None:
    class Wrong(HostedMatch):
        def post(self, party: Any, raw: bytes) -> None:
            raise ZeroDivisionError

    assert "ZeroDivisionError in a handler" in failure(played_in(Wrong))


@pytest.mark.slow
def test_silent_table_is_detected() -> None:
    class Deaf(HostedMatch):
        def post(self, party: Any, raw: bytes) -> None:
            pass

    assert "Stuck" in failure(played_in(Deaf))


@pytest.mark.slow
def test_table_with_early_lapse_is_detected() -> None:
    class Hurried(HostedMatch):
        looks = 0

        @staticmethod
        def clock_rule(duties: Sequence[ClockDuty], allowance: Allowance, waited: Any) -> Tick:
            Hurried.looks += 1
            seat, due = duties[0] if duties else (2, ())
            hurried = due[-1] if Hurried.looks > 10 and seat < 2 else None
            return Tick(Post(hurried.kind, [seat, hurried.after]) if hurried else None, 0.05)

    assert "lapsed, and nothing had befallen it" in failure(played_in(Hurried), impatient=True)


@pytest.mark.slow
def test_table_counting_its_standstills_is_detected() -> None:
    class Counting(HostedMatch):
        def _tell_time(self) -> float:
            return self._loop.time()

    spec = Spec(8, long_terms(20), WEATHERS["still"], 1, workers=2)
    with memoised_fold():
        assert "was warned, and nothing had befallen it" in failure_of(spec, played_in(Counting))


@pytest.mark.slow
def test_pool_losing_requests_of_dead_worker_is_detected() -> None:
    class Forgetful(FoldPool):
        async def _replace(self, worker: Any, under_way: Any, code: int) -> None:
            worker.jobs.clear()
            await super()._replace(worker, None, code)

    spec = Spec(6, long_terms(20), WEATHERS["still"], 1, workers=2)
    with memoised_fold():
        assert "Stuck" in failure_of(spec, Parts(pool=Forgetful))


# --- the players ---


@pytest.mark.match
def test_player_signing_twice_is_detected() -> None:
    class Forgetful(SimulatedMemory):
        def last(self) -> None:
            """Remember no sent entry."""

    assert "signed two different entries" in failure(
        Parts(memory=Forgetful), Weather(cut=0.03, player_life=6.0), seed=3, seats=3
    )


@pytest.mark.slow
def test_player_losing_its_secrets_is_detected() -> None:
    class Careless(SimulatedMemory):
        seed = property(lambda self: bytes(32))  # type: ignore[assignment]

    assert "names somebody honest" in failure(Parts(memory=Careless), Weather(player_life=3.0))


@pytest.mark.slow
def test_player_losing_part_of_its_log_is_detected() -> None:
    class Sloppy(SimulatedStore):
        def append(
            self, entry: bytes, head: bytes, live: bool = False, waited: float | None = None
        ) -> None:
            super().append(entry, bytes(64) if len(self._disk.log) == 12 else head, live, waited)

    class SloppyMemory(SimulatedMemory):
        store = Sloppy

    assert "and they differ" in failure(Parts(memory=SloppyMemory))


@pytest.mark.slow
def test_player_abandoning_repairable_line_is_detected() -> None:
    assert "gave its match up" in failure(Parts(keep_trying=0.0), Weather(cut=0.1), seed=2)


@pytest.mark.slow
def test_player_blaming_table_for_disturbed_handshake_is_detected() -> None:
    class Impatient(WatchedClient):
        mendable = tuple(code for code in WatchedClient.mendable if code is not Code.BAD_HANDSHAKE)

    assert "gave its match up: The handshake failed" in failure(
        Parts(client=Impatient), Weather(flip=0.05)
    )


@pytest.mark.slow
def test_player_missing_a_damaged_record_is_detected() -> None:
    class Deaf(Connection):
        def data_received(self, data: bytes) -> None:
            with suppress(RemoteError):
                self._take(data)

    assert "Stuck" in failure(
        Parts(connect=partial(connect, kind=Deaf)), Weather(flip=0.02), seed=2
    )


def test_player_with_a_bug_is_detected() -> None:
    class Wrong(Seat):
        def choices(self, match: Match) -> Any:
            return 1 // 0

    assert "ZeroDivisionError" in failure(Parts(seat=Wrong))


def test_randomness_outside_the_seed_is_detected() -> None:
    class Stray(Random):
        def randbytes(self, n: int) -> bytes:
            return os.urandom(n)

    assert "is not the seed's" in failure(Parts(random=Stray))


def test_clock_outside_the_world_is_detected(tmp_path: Path) -> None:
    class Punctual(SimulatedStore):
        def append(
            self, entry: bytes, head: bytes, live: bool = False, waited: float | None = None
        ) -> None:
            ArrivalTimes(tmp_path / "log").note(0)

    class PunctualMemory(SimulatedMemory):
        store = Punctual

    assert "a clock that is not the world's" in failure(Parts(memory=PunctualMemory))
