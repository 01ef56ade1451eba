"""Clock entries of the table may come between any two entries; a seat rebuilt from the log gives
the same answers.
"""

import pytest

from protocol.dealing import Post
from tests.support.at_once import StoredAtOnce
from tests.support.deterministic import SteadyMatch

pytestmark = pytest.mark.match


class Hurrying(SteadyMatch):
    """Table that now and then posts the clock entries that are due before a seat posts, but no
    lapse.
    """

    said = 0

    def step(self, steady, at_every_step):
        seats = [duty.author for duty in self.live.match.duties() if duty.author < len(self.seats)]
        for seat in seats[: self.rng.randrange(3)]:
            due = self.live.match.next_clock_entry(seat)
            if due.kind != "lapse":
                self.live.post_clock(Post(due.kind, [seat, due.after]))
                self.said += 1
        for record in self.live.records[self.reader.log.next_number :]:
            assert self.reader.feed(record.entry, record.head) is not None
            self.moments.append(self.moment)
            for other in self.seats:
                other.follow()
            at_every_step()
        return super().step(steady, at_every_step)


@pytest.mark.parametrize("dealing", ["layered", "verified"])
def test_rebuilt_seat_answers_same_with_clock_entries(dealing):
    match = Hurrying(2, 5, game="draw-dominoes", options={"hand": 2}, dealing=dealing)

    def compare():
        for live in match.seats if len(match.moments) % 4 == 0 else ():
            assert match.rebuilt(live.seat.number, match.moments).due == live.due

    match.play(compare)
    assert match.reader.over and match.reader.faults == ()
    assert match.said > 10
    again = StoredAtOnce.restore(match.live._identity, match.live.seed, match.live.records)
    assert again.records == match.live.records and again.match == match.live.match
