"""Think times of bots in simultaneous play: drawn as configured; a choice that has become
impossible is made anew.
"""

import asyncio
from math import log
from random import Random
from statistics import fmean, median, stdev
from types import SimpleNamespace

import pytest

from bots.pace import ThinkTime
from bots.think_limits import ThinkDeadline
from player.client import events
from player.client.bot_pace import ThinkingBot
from protocol.dealing import Post
from protocol.games import Action
from protocol.match.log import decode_entry
from protocol.match.state import MatchStage
from protocol.view.view import View
from tests.integration.guest_games.test_simultaneous_programs import Table
from tests.unit.bots.test_think_limits import until


@pytest.mark.slow
@pytest.mark.parametrize(("mean", "spread"), [(1.0, 0.5), (2.5, 0.5), (0.2, 1.5)])
def test_think_times_have_requested_mean_and_spread(mean, spread):
    rng = Random(1)
    drawn = [ThinkTime(mean, spread).draw(rng) for _ in range(40_000)]
    assert fmean(drawn) == pytest.approx(mean, rel=0.03)
    assert stdev(drawn) / fmean(drawn) == pytest.approx(spread, rel=0.1)
    assert log(median(drawn)) == pytest.approx(log(mean) - log(1 + spread**2) / 2, abs=0.03)
    assert min(drawn) > 0


def test_same_generator_gives_same_think_times():
    one, other = ([ThinkTime(1.0).draw(rng) for _ in range(5)] for rng in (Random(3), Random(3)))
    assert one == other and len(set(one)) == 5


@pytest.mark.parametrize("pace", [ThinkTime(), ThinkTime(0.0, 2.0), ThinkTime(0.7, 0.0)])
def test_fixed_pace_uses_no_randomness(pace):
    assert pace.draw(Random(1)) == pace.mean


class Hall:
    """Match of `grab` for two: seat 0 takes the first thing that it sees, after its think time; the
    test moves the clock.
    """

    def __init__(self, mean: float = 30.0) -> None:
        self.table = Table("grab", 2, 1, person=0)
        while self.table.live.match.stage is not MatchStage.PLAYING:
            assert self.table.round()
        self.playing, self.other = self.table.programs
        self.environment, self.finished = SimpleNamespace(rng=Random(1)), False
        self.now, self.seen, self.chosen = 0.0, list[tuple[int, ...]](), list[Action]()
        self.patience = ThinkDeadline(ThinkTime(mean, 0.0), clock=lambda: self.now)
        self.thinker = ThinkingBot(self.bot, self.patience)
        self.asked: events.YourTurn | None = None  # newest question
        self.look()

    def bot(self, view: View, rng: Random) -> Action:
        self.seen.append(tuple(offer.action[1] for offer in view.offers))
        return view.offers[0].action

    def choose(self, action: Action) -> None:
        self.chosen.append(action)
        self.playing.choose(action)

    def look(self) -> None:
        """Do a client's work after an event."""
        self.table.told.clear()
        self.table.send_out()
        # no time passes here
        while (raw := self.playing.next_post()) and decode_entry(raw).kind == "doubt":
            self.table.live.offer(raw, 0)
            self.table.send_out()
        for event in self.table.told:
            self.asked = event if isinstance(event, events.YourTurn) else self.asked
            if isinstance(event, events.YourTurn):
                self.thinker.turn(self, event.match)

    def lapse(self) -> None:
        """Let the bot's time run out by the table's entry."""
        for due in iter(lambda: self.table.live.match.next_clock_entry(0), None):
            self.table.live.post_clock(Post(due.kind, [0, due.after]))
            if due.kind == "lapse":
                break
        self.look()

    def other_takes(self, thing: int) -> None:
        seat = self.other.seat
        raw = seat.entry(self.other.reader.log, seat.move(self.other.reader.match, ("take", thing)))
        self.table.live.offer(raw, 1)
        self.look()

    async def picked(self, times: int) -> None:
        await until(lambda: len(self.seen) == times)
        await asyncio.sleep(0)


async def test_bot_keeps_its_choice_while_others_change():
    hall = Hall()
    await hall.picked(1)
    hall.other_takes(5)
    hall.now = 31.0
    hall.other_takes(6)
    await until(lambda: not hall.thinker.thinking)
    assert hall.chosen == [("take", 0)] and len(hall.seen) == 1


async def test_bot_chooses_again_after_its_choice_is_gone():
    hall = Hall()
    await hall.picked(1)
    hall.now = 20.0
    hall.other_takes(0)
    await hall.picked(2)
    assert hall.seen[1][0] == 1
    hall.now = 31.0  # when the first think time would have ended
    hall.other_takes(5)
    await asyncio.sleep(0)
    assert hall.thinker.thinking and hall.chosen == []
    hall.now = 51.0
    hall.other_takes(6)
    await until(lambda: not hall.thinker.thinking)
    assert hall.chosen == [("take", 1)]


async def test_bot_acts_within_turn_for_any_think_time():
    hall = Hall(mean=10_000.0)
    await hall.picked(1)
    hall.now = hall.table.live.match.deadline(0) / 2000
    hall.other_takes(5)
    await until(lambda: not hall.thinker.thinking)
    assert hall.chosen == [("take", 0)]


async def test_bot_choice_gone_before_sending_is_chosen_anew():
    """The thread of an outdated search may still be running."""
    hall = Hall()
    await hall.picked(1)
    # so that the first search lasts longer than the later ones
    hall.patience.pace = ThinkTime(5.0, 0.0)
    hall.lapse()
    await hall.picked(2)
    hall.now = 6.0
    hall.thinker.turn(hall, hall.asked.match)  # wakes the search
    await until(lambda: hall.chosen == [("take", 0)])
    hall.other_takes(0)
    await hall.picked(3)
    assert hall.seen[2][0] == 1 and hall.chosen == [("take", 0)]
    hall.now = 12.0
    hall.other_takes(5)
    await until(lambda: not hall.thinker.thinking)
    assert hall.chosen == [("take", 0), ("take", 1)]


async def test_bot_thought_from_before_its_timeout_is_forgotten():
    hall = Hall()
    await hall.picked(1)
    hall.lapse()
    await hall.picked(2)
    hall.now = 31.0
    hall.other_takes(5)
    await until(lambda: not hall.thinker.thinking)
    assert hall.chosen == [("take", 0)] and len(hall.seen) == 2, (
        "chosen once, for the turn that there is now"
    )
