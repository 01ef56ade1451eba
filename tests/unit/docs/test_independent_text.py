"""Variables of seats that act independently, by section 20.2 alone, along a whole log."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from protocol.games import Act
from protocol.match.fold import apply, begin
from protocol.match.log import Entry, decode_entry
from protocol.match.state import Match, MatchStage
from tests.integration.matches.test_ligretto import match_of
from tests.support.race import Race, Way

pytestmark = pytest.mark.match
PLAYING = MatchStage.PLAYING


@dataclass
class IndependentText:
    """Variables of 20.2.2; `own` is None while there are none of them."""

    seats: int
    actions: list[int] = field(default_factory=list)
    own: list[int] | None = None
    ended: int | None = None
    since: list[int | None] = field(default_factory=list)
    dealt: int = -1  # number of the newest deal that has been dealt
    late: int = 0

    def entry(self, number: int, entry: Entry, before: Match, after: Match) -> None:
        late = after.late_counts != before.late_counts
        acted = entry.kind == "move" and not late
        if late:
            self.check_late(entry)
        if acted:
            self.actions.append(number)
        if (acted or late) and self.own is not None:
            self.own[entry.author] = number
            if self.since[entry.author] is not None:
                self.since[entry.author] = number
        want = after.setup.game.wants(after.game) if after.game is not None else None
        if not (after.stage is PLAYING and isinstance(want, Act) and want.simultaneous):
            if before.active_simultaneous is not None:
                self.ended = number
            return
        if after.deal_number != self.dealt:  # 5: the next deal has been dealt
            self.actions, self.own, self.dealt = [], None, after.deal_number
        if self.own is None or self.ended is not None:
            self.own, self.ended = [number] * self.seats, None
            self.since = [None] * self.seats
        for seat in range(self.seats):
            if seat not in want.awaited_seats:
                self.since[seat] = None
            elif self.since[seat] is None or before.stage is not PLAYING:
                self.since[seat] = number

    def check_late(self, entry: Entry) -> None:
        """Check 20.2.3 (b) to (d)."""
        self.late += 1
        seen = entry.seen_number
        assert self.own is not None and seen >= self.own[entry.author]
        assert self.ended is None or seen < self.ended
        assert sum(action <= seen for action in self.actions) < len(self.actions)

    def compare(self, match: Match) -> None:
        free: Any = match.simultaneous
        if free is not None:
            assert list(free.newest_actions) == self.own
            assert free.ended_at == self.ended
            assert list(free.waited_since) == self.since
            assert list(match.action_entries) == self.actions


def test_text_of_independent_seats_follows_a_racing_match():
    offline = match_of(4, rounds=2, target=200)
    Race(offline, [Way(0.1, 0.1, 0.3)] * 4, near=1).run()
    offline.play()
    _, *records = offline.live.records
    match = begin(offline.live.match.setup, offline.live.match.match_id)
    text = IndependentText(4)
    compared = 0
    for number, record in enumerate(records, 1):
        entry = decode_entry(record.entry)
        after = apply(match, entry)
        text.entry(number, entry, match, after)
        text.compare(after)
        compared += after.simultaneous is not None
        match = after
    assert match.over and compared > 100 and text.late > 5 and text.dealt == 1
