"""A store that breaks a promise is noticed: each named mistake, by the part of the suite that it
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
    """A leader that is cut off shows an entry, and is gone with it; the entry is not done before
    another has it.
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


def test_a_leader_that_takes_back_what_it_has_shown(tmp_path) -> None:
    SimulatedWorld(tmp_path).run(what_is_shown_and_not_acknowledged_is_not_told)


@dataclass
class TrustsARead(SimulatedStorage):
    """Believes, when nobody has answered, what it sees."""

    async def reclaim(self, match_id, place) -> bool:
        trail = self.disk.matches[match_id].trail
        if any(who != self.me for who in trail[place.at :]):
            return False
        place.at = len(trail)
        return True


@dataclass
class TakesATimeOutForARefusal(SimulatedStorage):
    """Says that another has the match when nobody has answered."""

    async def look(self, new: NewRecords, place) -> bool:
        return False


@dataclass
class ClaimsByReading(SimulatedStorage):
    """Takes a match over without a word to the store."""

    async def make_ours(self, match_id: bytes) -> OpenMatch | None:
        kept = self.disk.matches[match_id]
        claims = kept.claim + 1
        self.places[match_id] = Place(claims, len(kept.trail))
        return OpenMatch(match_id, claims, kept.seed or b"", kept.records)


@dataclass
class KeepsTheOldNumber(SimulatedStorage):
    """Goes on, after a claim, as if the claim were no message."""

    async def make_ours(self, match_id: bytes) -> OpenMatch | None:
        kept = await super().make_ours(match_id)
        if match_id in self.places:
            self.places[match_id].at -= 1
        return kept

    async def look(self, new: NewRecords, place) -> bool | None:
        return False  # it was refused: somebody else must have it


@dataclass
class TellsAtOnce(SimulatedStorage):
    """Says that it is there, and then puts it there."""

    def submit(self, change, done, lost) -> None:
        self.network.soon(done, process=self.process)
        super().submit(change, lambda: None, lambda: None)


@dataclass
class AppendsAnywhere(SimulatedStorage):
    """Leaves the condition away."""

    async def append(self, new: NewRecords) -> bool:
        trail = self.disk.matches[new.match_id].trail if new.match_id in self.disk.matches else ()
        return bool(await self.ask(self.disk.append, self.me, len(trail), new))


class ForgetsThatItStopped(SimulatedStorage):
    """Says that a match has stopped, and keeps that nowhere."""

    async def stop(self, change) -> bool:
        place = self.places.get(change.match_id)
        return place is not None and place.claim == change.claim


MISTAKES: list[tuple[type[SimulatedStorage], Case]] = [
    (TrustsARead, what_is_shown_and_not_acknowledged_is_not_told),
    (TakesATimeOutForARefusal, suite.an_unknown_outcome_is_found_out),
    (ClaimsByReading, suite.whoever_had_a_match_before_a_claim_is_fenced),
    (KeepsTheOldNumber, suite.it_goes_on_after_a_claim),
    (TellsAtOnce, suite.of_two_that_append_different_things_one_is_done),
    (ForgetsThatItStopped, suite.a_match_that_has_stopped_is_nobodys),
    (AppendsAnywhere, suite.whoever_had_a_match_before_a_claim_is_fenced),
]


@pytest.mark.parametrize(("kind", "case"), MISTAKES, ids=lambda value: value.__name__)
def test_each_mistake_is_noticed(kind: type[SimulatedStorage], case: Case, tmp_path) -> None:
    with pytest.raises((AssertionError, Stuck)):
        world_of(kind)(tmp_path).run(case)
    SimulatedWorld(tmp_path).run(case)
