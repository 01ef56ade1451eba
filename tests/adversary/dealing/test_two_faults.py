"""Two seats go wrong in one match, each by a lie, by leaving or by silence, at any two moments:
only they are named.
"""

from random import Random

import pytest

from protocol.audit.verdict import audit
from protocol.dealing import Post
from tests.support.liars import STEPS, Liar
from tests.support.offline import make_offline

pytestmark = pytest.mark.match

POKER, DOMINOES = ("texas-holdem", "five-card-draw"), ("block-dominoes", "draw-dominoes")
STACK = 40


class Crossing:
    """One match from a seed, and its two dishonest seats."""

    def __init__(self, seed: int) -> None:
        rng = Random(seed)
        self.game, seats = rng.choice((*POKER, *DOMINOES)), rng.choice((3, 4))
        shared = {"leavers": rng.choice(("threshold", "threshold", "void"))}
        if shared["leavers"] == "threshold" and seats == 4 and rng.random() < 0.6:
            shared["quorum"] = 2
        limit = {"limit": "fixed"} if seed % 2 else {}
        dominoes = {"target": 20} | self.scoring(seed, seats)
        options = {"hands": 2, "stack": STACK} | limit if self.game in POKER else dominoes
        liars = dict.fromkeys(range(seats), Liar)
        self.match = make_offline(
            seats, seed, self.game, options, shared, liars, dealing="verified"
        )
        for seat in self.match.seats:
            seat.since = 10_000
        self.bad = rng.sample(range(seats), 2)
        when = [rng.randrange(2 * seats, 90) for _ in self.bad]
        how = [rng.choice(("lie", "leave", "lapse")) for _ in self.bad]
        self.plan = dict(zip(self.bad, zip(when, how, strict=True), strict=True))
        self.silent: list[int] = []

    def scoring(self, seed: int, seats: int) -> dict:
        """Return the scoring options: all-fives in every third match, partners in every other match
        of four.
        """
        fives = {"scoring": "fives"} if seed % 3 == 0 else {}
        return fives | ({"partners": "yes"} if seats == 4 and seed % 2 == 0 else {})

    @property
    def state(self):
        return self.match.live.match

    def play(self) -> None:
        """Play to the end, or until no seat continues."""
        while not self.state.over:
            for number in [
                b
                for b in self.plan
                if self.state.next_number >= self.plan[b][0] and b in self.state.present
            ]:
                self._go_wrong(number, self.plan.pop(number)[1])
            if self.state.over or sum(self.match.step(seat) for seat in self.match.seats):
                continue
            waited = [seat for seat in self.silent if self.state.next_clock_entry(seat)]
            if not waited:
                return
            self.match.lapse(waited[0])

    def _go_wrong(self, number: int, how: str) -> None:
        seat = next(seat for seat in self.match.seats if seat.number == number)
        if how == "lie":
            seat.since, seat.kinds = 0, (*STEPS, "move")
            return
        if how == "leave":
            self.match.catch_up(self.match.readers[number])
            self.match.live.offer(
                seat.entry(self.match.readers[number].log, Post("leave", [])), number
            )
        else:
            self.silent.append(number)
        self.match.seats.remove(seat)


@pytest.mark.parametrize("seed", [1010, *range(1000, 1010)])
def test_two_faulty_seats_are_named_and_nobody_else(seed):
    crossing = Crossing(seed)
    crossing.play()
    report = audit(crossing.match.file())
    assert {fault.seat for fault in report.faults} <= set(crossing.bad)
    assert report.faults == crossing.state.faults
    if crossing.game in POKER and crossing.state.over and crossing.state.game is not None:
        assert sum(crossing.state.scores) <= STACK * crossing.state.setup.seats
