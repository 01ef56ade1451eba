"""An unprovoked protest at every point of a match, while the other seats have already decided on
their next posts.
"""

import pytest

from protocol.audit.verdict import audit
from protocol.codes import Code
from protocol.dealing import Post
from protocol.match.state import MatchStage
from tests.support.offline import Offline, make_offline

pytestmark = pytest.mark.match

GAME, OPTIONS = "draw-dominoes", {"hand": 3}


def everybody_decides(offline: Offline) -> None:
    """Let every seat respond to its view; none of these posts reaches the table."""
    for seat, reader in zip(offline.seats, offline.readers, strict=True):
        offline.catch_up(reader)
        assert seat.respond(reader.match) == seat.respond(reader.match)


def length(seats: int) -> int:
    """Count the entries that the seats post in the undisturbed match."""
    offline = make_offline(seats, seats, GAME, OPTIONS)
    steps = 0
    while sum(_step(offline, number) for number in range(seats)):
        steps += seats
    return steps


def _step(offline: Offline, number: int) -> bool:
    everybody_decides(offline)
    return offline.step(offline.seats[number])


@pytest.mark.parametrize("seats", [2, 3])
def test_false_protest_names_only_its_author(seats: int) -> None:
    tried = 0
    for steps in range(0, length(seats), 3):
        offline = make_offline(seats, seats, GAME, OPTIONS)
        for number in range(steps):
            offline.step(offline.seats[number % seats])
        everybody_decides(offline)
        liar = offline.seats[steps % seats]
        match = offline.live.match
        if match.stage not in (MatchStage.DEALING, MatchStage.PLAYING):
            continue
        post = Post("protest", [match.next_number - 1])
        offline.live.offer(liar.entry(offline.readers[liar.number].log, post), liar.number)
        offline.play()
        assert [(fault.seat, fault.code) for fault in audit(offline.file()).faults] == [
            (liar.number, Code.FALSE_PROTEST)
        ]
        tried += 1
    assert tried > 10


def test_seat_repeats_same_post_after_loss_on_the_way() -> None:
    """Asked again without new entries, a seat gives the same answer and never protests."""
    offline = make_offline(3, 1, GAME, OPTIONS)
    for _ in range(2000):
        everybody_decides(offline)
        if not sum(offline.step(seat) for seat in offline.seats):
            break
    assert offline.live.match.over
    assert offline.live.match.faults == ()
    assert offline.refused == []
