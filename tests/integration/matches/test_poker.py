"""Whole matches of poker over each dealing: clean, with all chips, described in words; and with
leavers at any moment.
"""

from random import Random

import pytest

from protocol.audit.report_text import report_lines
from protocol.audit.transcript import transcript_lines
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import Post
from protocol.errors import Refused
from tests.support.offline import Offline, make_offline

pytestmark = pytest.mark.match

SHARED = {"leavers": "threshold"}


def match(
    game: str, seats: int, seed: int = 1, dealing: str = "verified", hands: int = 2, **options
) -> Offline:
    made = make_offline(seats, seed, game, {"hands": hands}, options, dealing=dealing)
    made.bots = ("sensible", "random", "sensible")
    return made


@pytest.mark.parametrize(
    ("game", "seats", "dealing"),
    [
        ("texas-holdem", 10, "verified"),
        ("five-card-draw", 6, "verified"),
        ("texas-holdem", 3, "commutative"),
        ("five-card-draw", 2, "commutative"),
        ("omaha", 3, "commutative"),
        ("omaha", 2, "verified"),
    ],
)
def test_poker_match_is_clean_and_described(game: str, seats: int, dealing: str) -> None:
    hands = 2 if seats < 4 else 1
    played = match(game, seats, seats, dealing, hands)
    played.play()
    report = audit(played.file())
    assert (report.verdict, played.refused) == (Verdict.CLEAN, [])
    assert sum(played.live.match.scores) == 200 * seats
    told = list(transcript_lines(played.file()))
    assert report_lines(report)[-1] in told
    assert (
        len([line for line in told if line.strip().startswith("Chips: ")])
        == played.live.match.game.hand
    )
    assert any(" wins " in line and "pot" in line for line in told)
    verbs = ("folds", "checks", "calls", "bets", "raises")
    assert any(
        f"{name} {verb}" in line for line in told for name in ("Ann", "Bob") for verb in verbs
    )


@pytest.mark.parametrize(("game", "seats"), [("texas-holdem", 3), ("five-card-draw", 3)])
def test_a_seat_leaves_at_any_moment(game: str, seats: int) -> None:
    """With shared keys the others play on, and all chips stay. Seats leave at moments of every
    kind.
    """
    moments = set()
    for seed in range(20):
        rng = Random(seed)
        played = match(game, seats, seed % 4, hands=1, **SHARED)
        # each of the few deals, which are most of the work, is played in several ways
        played.rng = Random(seed)
        for step in range(rng.randrange(6, 90)):
            played.step(played.seats[step % seats])
        if (
            played.live.match.deal is None
            or played.live.match.over
            or played.live.match.stage == "receipts"
        ):
            continue
        moments.add((played.live.match.stage, played.live.match.game.phase))
        leaver = rng.randrange(seats)
        played.catch_up(played.readers[leaver])
        played.live.offer(
            played.seats[leaver].entry(played.readers[leaver].log, Post("leave", [])), leaver
        )
        others = [seat for seat in played.seats if seat.number != leaver]
        while sum(played.step(seat) for seat in others):
            pass
        report = audit(played.file())
        assert [(fault.seat, fault.code) for fault in report.faults] == [(leaver, Code.LEFT)]
        assert played.live.match.over and sum(played.live.match.scores) == 200 * seats
        assert played.live.match.winner != leaver and played.refused == []
    assert len(moments) > 1


def test_layered_dealing_cannot_deal_poker() -> None:
    with pytest.raises(Refused) as refusal:
        match("texas-holdem", 2, dealing="layered")
    assert refusal.value.code is Code.BAD_OPTIONS
