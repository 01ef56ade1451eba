"""Ligretto at a table: entries cross, a seat leaves or sleeps, and no honest seat is named."""

import asyncio
from dataclasses import replace
from random import Random

import pytest

from bots.ligretto import ligretto_bot
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import Post
from protocol.errors import Refused
from protocol.games.ligretto.state import LigrettoPhase
from protocol.identity.keys import Identity, JoinLink
from protocol.match.clock import Allowance
from protocol.match.state import MatchStage
from protocol.match.terms import make_terms
from protocol.options import Selection
from table.manager.server import TableServer
from tests.support.guest_games.offline_match import agreed, leave, until_playing, written
from tests.support.offline import Offline, make_offline
from tests.support.play import play
from tests.support.race import Race, Way
from tests.support.tables import config

pytestmark = pytest.mark.match
SHARED = {"leavers": "threshold"}


def match_of(seats: int, seed: int = 1, **options: int | str) -> Offline:
    match = make_offline(seats, seed, "ligretto", options, SHARED, dealing="verified")
    match.bots = ("ligretto",)
    until_playing(match)
    return match


def chosen(match: Offline, seat: int) -> bytes | None:
    """Return the entry that this seat's bot would post now, without posting it."""
    reader, player = match.readers[seat], match.seats[seat]
    match.catch_up(reader)
    if not player.choices(reader.match):
        return None
    return written(match, seat, ligretto_bot(player.view(reader.match), match.rng))


def cross(match: Offline, at: str) -> tuple[bytes, int]:
    """Let two seats act at the same time until the first one's act is the "stop" or leads to a
    "rescue". Return the other's entry, still in transit, and its seat.
    """
    while True:
        one = match.rng.randrange(2)
        first, second = chosen(match, one), chosen(match, 1 - one)
        before = match.live.match.game
        if first is not None:
            match.live.offer(first, one)
        after = match.live.match.game
        happened = (
            "stop"
            if after.phase is LigrettoPhase.DEAL
            else "rescue"
            if after.rescues > before.rescues
            else ""
        )
        if second is not None and happened == at:
            return second, 1 - one
        if second is not None and happened != "rescue":
            match.live.offer(second, 1 - one)
        assert match.live.match.stage is MatchStage.PLAYING


def clean(match: Offline) -> None:
    match.play()
    assert agreed(match).over and not match.live.match.faults
    assert audit(match.file()).verdict is Verdict.CLEAN


def test_four_racing_seats_have_no_faults():
    match = match_of(4, rounds=1)
    race = Race(match, [Way(0.1, 0.1, 0.3)] * 4, near=1).run()
    assert sum(match.live.match.late_counts) > 5 and not race.refused
    assert match.live.match.game.result.stopped is not None
    clean(match)


@pytest.mark.parametrize(("seats", "seed"), [(2, 1), (3, 2)])
def test_racing_seats_of_dutch_blitz_have_no_faults(seats, seed):
    match = match_of(seats, seed, blitz="yes", rounds=1)
    race = Race(match, [Way(0.1, 0.1, 0.3)] * seats, near=1).run()
    assert sum(match.live.match.late_counts) > 0 and not race.refused
    assert match.live.match.game.result is not None
    clean(match)


def test_action_crossing_rescue_is_refused_without_fault():
    """The action would turn up another place than its author meant."""
    match = match_of(2, 5, rounds=1)
    under_way, seat = cross(match, "rescue")
    before = match.live.match
    with pytest.raises(Refused) as refusal:
        match.live.offer(under_way, seat)
    assert refusal.value.code is Code.STALE and match.live.match == before
    again = chosen(match, seat)
    assert again is not None
    match.live.offer(again, seat)
    clean(match)


def test_action_crossing_stop_is_late_during_next_deal():
    match = match_of(2, 1, rounds=2, target=99)
    under_way, seat = cross(match, "stop")
    before = match.live.match
    assert before.stage is MatchStage.DEALING and before.game.result.stopped == 1 - seat
    match.live.offer(under_way, seat)
    after = match.live.match
    assert after.late_counts[seat] == before.late_counts[seat] + 1 and (
        after.stage,
        after.game,
    ) == (
        before.stage,
        before.game,
    )
    reader, player = match.readers[seat], match.seats[seat]
    match.catch_up(reader)
    with pytest.raises(Refused) as refusal:
        # its author has seen the stop
        match.live.offer(player.entry(reader.log, Post("move", [["flip"], []])), seat)
    assert refusal.value.code is Code.NOT_NOW
    clean(match)
    assert match.live.match.game.round == 2


def test_leaver_has_no_deck_in_next_round_and_others_play():
    match = match_of(3, 2, rounds=2, target=99)
    for _ in range(4):
        [match.step(seat) for seat in match.seats]
    leave(match, 1)
    assert match.live.match.stage is MatchStage.PLAYING
    match.play()
    end = agreed(match)
    assert end.over and [(fault.seat, fault.code) for fault in end.faults] == [(1, Code.LEFT)]
    assert end.game.round == 2 and end.game.result.points[1] is None and end.winner in (0, 2)
    assert not end.game.seats[1].row and end.game.seats[2].laid


def test_remaining_seat_of_two_wins():
    match = match_of(2)
    leave(match, 0)
    match.play()
    assert agreed(match).winner == 1


def test_sleeping_seat_rests_and_others_go_on():
    match = match_of(2, rounds=1)
    under_way = chosen(match, 1)
    before = match.live.match.game
    match.lapse(0)
    after = match.live.match.game
    assert (after.seats, after.piles, after.dry, after.actions) == (
        before.seats,
        before.piles,
        before.dry,
        1,
    )
    assert under_way is not None
    match.live.offer(under_way, 1)
    clean(match)


async def test_four_bots_play_ligretto_at_real_table(tmp_path):
    """Over TCP at full speed."""
    game = Selection("ligretto", (("rounds", 1), ("row", 4)))
    terms = make_terms(game, Selection("verified", tuple(SHARED.items())), Allowance().options(), 4)
    async with TableServer(replace(config(tmp_path), terms=terms)) as table:
        link, rng = JoinLink.parse(str(table.link)), Random(1)
        bots = (
            play(link, Identity(rng.randbytes(32)), f"Bot {n}", ligretto_bot, rng=Random(n))
            for n in range(4)
        )
        outcomes = await asyncio.gather(*bots)
    assert {outcome.verdict for outcome in outcomes} == {Verdict.CLEAN}
    assert all(outcome.faults == () for outcome in outcomes)
