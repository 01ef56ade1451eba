"""Stores that break a promise: each named mistake is noticed by the part of the suite that it
breaks.
"""

import asyncio
from dataclasses import dataclass

import pytest

from table.storage.interface import NewRecords, OpenMatch
from tests.integration.storage import suite
from tests.integration.storage.calls import Told, game, put
from tests.integration.storage.worlds import Case, SimulatedWorld
from tests.properties.simulate.loop import Stuck
from tests.properties.simulate.store import Place, SimulatedStorage


def world_of(kind: type[SimulatedStorage]) -> type[SimulatedWorld]:
    return type("World", (SimulatedWorld,), {"storage": kind})


async def what_is_shown_and_not_acknowledged_is_not_told(world: SimulatedWorld) -> None:
    """A leader without connection shows an entry, which disappears with it. The entry is not done
    before another server has it.
    """
    there, match = await world.host("a"), game()
    assert await put(there, match.part(0, 1)) == "done"
    world.disk.frozen = True
    told = Told(there, match.part(1, 3, heads=0))
    await asyncio.sleep(10)
    assert world.disk.matches[match.match_id].records == match.stored(3, 1), (
        "it is there to be read"
    )
    assert told.said == []
    world.disk.fail_over()
    assert await told() == "done"
    assert world.disk.durable[match.match_id].records == match.stored(3, 1)


def test_leader_that_withdraws_shown_entries_is_handled(tmp_path) -> None:
    SimulatedWorld(tmp_path).run(what_is_shown_and_not_acknowledged_is_not_told)


@dataclass
class TrustsARead(SimulatedStorage):
    """Store that believes a read after a missing answer."""

    async def reclaim(self, match_id, place) -> bool:
        trail = self.disk.matches[match_id].trail
        if any(who != self.me for who in trail[place.at :]):
            return False
        place.at = len(trail)
        return True


@dataclass
class TakesATimeOutForARefusal(SimulatedStorage):
    """Store that reports the loss of a match after a missing answer."""

    async def look(self, new: NewRecords, place) -> bool:
        return False


@dataclass
class ClaimsByReading(SimulatedStorage):
    """Store that claims a match without an append."""

    async def make_ours(self, match_id: bytes) -> OpenMatch | None:
        kept = self.disk.matches[match_id]
        claims = kept.claim + 1
        self.places[match_id] = Place(claims, len(kept.trail))
        return OpenMatch(match_id, claims, kept.seed or b"", kept.records)


@dataclass
class KeepsTheOldNumber(SimulatedStorage):
    """Store that does not count the claim as a message."""

    async def make_ours(self, match_id: bytes) -> OpenMatch | None:
        kept = await super().make_ours(match_id)
        if match_id in self.places:
            self.places[match_id].at -= 1
        return kept

    async def look(self, new: NewRecords, place) -> bool | None:
        return False  # after a refusal, another host must have the match


class NumbersStampsAnew(SimulatedStorage):
    """Store that gives the stamps of entries to others."""

    async def make_ours(self, match_id: bytes) -> OpenMatch | None:
        kept = await super().make_ours(match_id)
        return None if kept is None else kept._replace(stamps=kept.stamps[1:])


@dataclass
class TellsAtOnce(SimulatedStorage):
    """Store that reports success before it stores."""

    def submit(self, change, done, lost) -> None:
        self.network.soon(done, process=self.process)
        super().submit(change, lambda: None, lambda: None)


@dataclass
class AppendsAnywhere(SimulatedStorage):
    """Store that appends without the condition."""

    async def append(self, new: NewRecords) -> bool:
        trail = self.disk.matches[new.match_id].trail if new.match_id in self.disk.matches else ()
        return bool(await self.ask(self.disk.append, self.me, len(trail), new))


class ForgetsThatItStopped(SimulatedStorage):
    """Store that reports the stop of a match without storing it."""

    async def stop(self, change) -> bool:
        place = self.places.get(change.match_id)
        return place is not None and place.claim == change.claim


MISTAKES: list[tuple[type[SimulatedStorage], Case]] = [
    (TrustsARead, what_is_shown_and_not_acknowledged_is_not_told),
    (TakesATimeOutForARefusal, suite.unknown_outcome_of_append_is_settled),
    (ClaimsByReading, suite.claim_fences_earlier_owner),
    (KeepsTheOldNumber, suite.claimed_match_goes_on),
    (NumbersStampsAnew, suite.stored_outcomes_come_back_by_number),
    (TellsAtOnce, suite.one_of_two_different_appends_is_done),
    (ForgetsThatItStopped, suite.stopped_match_belongs_to_no_host),
    (AppendsAnywhere, suite.claim_fences_earlier_owner),
]


@pytest.mark.parametrize(("kind", "case"), MISTAKES, ids=lambda value: value.__name__)
def test_each_broken_rule_is_noticed(kind: type[SimulatedStorage], case: Case, tmp_path) -> None:
    with pytest.raises((AssertionError, Stuck)):
        world_of(kind)(tmp_path).run(case)
    SimulatedWorld(tmp_path).run(case)
