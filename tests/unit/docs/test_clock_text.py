"""Next entries of the clock by sections 14.1 and 14.3 alone, compared with the fold's."""

from random import Random

import pytest

from protocol.limits import MAX_SLOW_STEPS, SLOW_SECONDS, WARNING_SECONDS
from protocol.match import clock
from protocol.match.clock import Allowance

KINDS = ("warning", "extension", "lapse", "slow")


class ClockText:
    """Variables of one seat: of its duty, of the deal and of the match."""

    def __init__(self, allowance: Allowance) -> None:
        self.allowance = allowance
        self.e, self.w, self.said = 0, None, False
        self.used = self.slow_steps = 0

    def new_duty(self) -> None:
        self.e, self.w, self.said = 0, None, False

    def slow(self) -> int:
        return 1000 * max(SLOW_SECONDS, self.allowance.step // 10)

    def each(self, on_turn: bool, dealing: bool) -> int:
        if on_turn:
            return 1000 * self.allowance.turn
        step = 1000 * self.allowance.step
        short = dealing and self.slow_steps == MAX_SLOW_STEPS and not self.said
        return min(step, self.slow()) if short else step

    def due(self, on_turn: bool, dealing: bool) -> dict[str, int]:
        """Return the entries that may come next, each with the least that it must say."""
        each = self.each(on_turn, dealing)
        limit, notice = each * (1 + self.e), min(1000 * WARNING_SECONDS, each // 2)
        found: dict[str, int] = {}
        if self.w is None:
            found["warning"] = limit - notice
        else:
            extend = on_turn and self.used < self.allowance.extensions
            found["extension" if extend else "lapse"] = max(limit, self.w + notice)
        if dealing and not self.said and self.slow_steps < MAX_SLOW_STEPS:
            found["slow"] = self.slow()
        return found

    def apply(self, kind: str, waited: int) -> None:
        if kind == "warning":
            self.w = waited
        elif kind == "slow":
            self.said, self.slow_steps = True, self.slow_steps + 1
        else:
            self.used, self.e, self.w = self.used + 1, self.e + 1, None


def due_by_fold(state, allowance, since, on_turn, dealing):
    """Return what the fold takes next, in the form of `ClockText.due`."""
    steps = clock.step_allowance(state, allowance, 0, since) if dealing else allowance
    due = clock.next_clock_entry(state, steps, 0, since, on_turn=on_turn)
    found = {due.kind: due.after}
    slow = clock.slow_due_after(state, allowance, 0, since) if dealing else None
    return found if slow is None else found | {"slow": slow}


@pytest.mark.parametrize("seed", range(30))
def test_text_and_fold_agree_on_next_clock_entries(seed):
    rng = Random(seed)
    allowance = Allowance(rng.randint(0, 3), rng.choice((5, 60, 600)), rng.choice((7, 90)))
    text, state, since = ClockText(allowance), clock.new_clock(1), 1
    on_turn = dealing = False
    for _ in range(80):
        if rng.random() < 0.3:  # another duty of this seat
            since += 1
            text.new_duty()
            dealing = rng.random() < 0.6
            on_turn = not dealing and rng.random() < 0.7
        if rng.random() < 0.03:  # the next deal
            state = state.reset_for_deal()
            text.slow_steps = 0
        due = text.due(on_turn, dealing)
        assert due == due_by_fold(state, allowance, since, on_turn, dealing)
        kind = rng.choice(sorted(due))
        if kind != "lapse":
            waited = due[kind] + rng.choice((0, 0, 1, 5000))
            state = clock.record_clock_entry(state, kind, 0, since, waited)
            text.apply(kind, waited)
