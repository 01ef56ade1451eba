"""Game of own piles with seeded dealing at a table: a liar is named at the close and loses, and no
other seat is named.
"""

import pytest

from player.client.seat import Seat
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import Post
from protocol.dealing.seeded.deck import give_number
from protocol.match.log import decode_entry
from tests.support.guest_games.draws import PILE
from tests.support.guest_games.offline_match import (
    GUESTS,
    agreed,
    guest_match,
    leave,
    until_playing,
)
from tests.support.offline import Offline, make_offline
from tests.support.without_table import play, two

pytestmark = pytest.mark.match


def draws(seats: int = 2, seed: int = 1, liar: type[Seat] | None = None) -> Offline:
    types = {seats - 1: liar} if liar else {}
    match = make_offline(seats, seed, "draws", {}, {}, types, dealing="seeded", games=GUESTS)
    match.bots = ("random",)
    return match


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_game_is_played_to_its_end_with_equal_results(seats):
    match = guest_match("draws", seats, seats, "seeded")
    match.play()
    end = agreed(match)
    assert end.over and not end.faults and match.refused == [] and end.winner is not None
    assert audit(match.file(), GUESTS).verdict is Verdict.CLEAN
    kinds = [decode_entry(record.entry).kind for record in match.live.records]
    assert kinds.count("open_seed") == seats and ("give" in kinds) is (seats > 1)


def always_shows(view, rng):
    return next(
        action for offer in view.offers for action in offer.actions() if action[0] == "show"
    )


class Bluffer(Seat):
    """Seat that shows each card as the highest of its pile that it has not shown yet."""

    def move(self, match, action):
        if action[0] == "show":
            known = set(match.deal.public_faces.values())
            action = (
                "show",
                action[1],
                max(set(range(self.number * PILE, (self.number + 1) * PILE)) - known),
            )
        return super().move(match, action)


class Giver(Seat):
    """Seat that contributes numbers which do not follow from its seed."""

    def respond(self, match):
        post = super().respond(match)
        return Post("give", [bytes(32)]) if post and post.kind == "give" else post


class Opener(Seat):
    """Seat that opens another seed than its commitment."""

    def respond(self, match):
        post = super().respond(match)
        return (
            Post("open_seed", [bytes(32), post.body[1]])
            if post and post.kind == "open_seed"
            else post
        )


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize(
    ("liar", "code"), [(Bluffer, Code.BAD_OPENING), (Giver, Code.BAD_GIVE), (Opener, Code.BAD_SEED)]
)
def test_liar_is_named_at_seed_opening_and_loses(liar, code, seats):
    match = draws(seats, 7, liar)
    match.bots = (always_shows,)
    match.play()
    end = agreed(match)
    assert end.over and {(fault.seat, fault.code) for fault in end.faults} == {(seats - 1, code)}
    assert (
        end.winner is not None
        and end.winner != seats - 1
        and end.present == frozenset(range(seats - 1))
    )
    kinds = [decode_entry(record.entry).kind for record in match.live.records]
    first = kinds.index("open_seed")
    assert all(fault.entry >= first for fault in end.faults) or code is not Code.BAD_SEED
    assert audit(match.file(), GUESTS).verdict is Verdict.FAULT


def kinds_of(match: Offline) -> list[str]:
    return [decode_entry(record.entry).kind for record in match.live.records]


@pytest.mark.parametrize("until", ["commit", "give", "show", "open_seed"])
@pytest.mark.parametrize("seats", [2, 3])
def test_leaver_is_named_for_leaving_only_and_others_play(until, seats):
    match = draws(seats, 3)
    while until not in [
        duty.kind for duty in match.live.match.duties() if duty.author == seats - 1
    ]:
        assert any(match.step(seat) for seat in match.seats)
    leave(match, seats - 1)
    match.play()
    end = agreed(match)
    assert end.over and [(fault.seat, fault.code) for fault in end.faults] == [
        (seats - 1, Code.LEFT)
    ]
    # only the leaver could have shown the card that all wait for
    robbed = until == "show" and seats > 2
    assert (end.winner is None) is robbed and end.winner != seats - 1
    assert kinds_of(match).count("open_seed") == (
        0 if robbed or (until == "commit" and seats == 2) else seats - 1
    )


def test_seat_that_opens_no_seed_lapses_and_loses():
    match = draws(2, 5)
    while match.live.match.game is None or match.live.match.game.stage != "settle":
        assert any(match.step(seat) for seat in match.seats)
    match.seats = [seat for seat in match.seats if seat.number == 0]
    match.play()
    match.lapse(1)
    match.play()
    end = agreed(match)
    assert [(fault.seat, fault.code) for fault in end.faults] == [
        (1, Code.LAPSED)
    ] and end.winner == 0


def test_number_is_given_once_for_all_requests_of_entry():
    match = draws(3, 4)
    until_playing(match)
    gives = match.live.match.deal.gives
    assert len(gives) == 1 and gives[0].first == 0 and gives[0].drawers == {0, 1, 2}
    half = match.seats[1]._half
    assert gives[0].given[1][0] == give_number(
        match.live.match.deal.context.deal_id, 1, half._seed, 0
    )


def test_match_without_table_restarts_for_each_parcel(tmp_path):
    ann, bob = two(tmp_path, "draws", "seeded", games=GUESTS)
    play(ann, bob)
    assert ann.log() == bob.log() and {side.outcome().verdict for side in (ann, bob)} == {
        Verdict.CLEAN
    }
    assert audit(ann.log(), GUESTS).verdict is Verdict.CLEAN


def test_rules_may_request_thousand_simultaneous_operations():
    match = guest_match("restless", 2, 1, "seeded")
    match.play()
    end = agreed(match)
    assert end.over and not end.faults and end.winner is not None


def test_rules_requesting_impossible_operation_end_match_unnamed():
    match = guest_match("greedy", 2, 1, "seeded")
    match.play()
    end = agreed(match)
    assert end.over and not end.faults and end.winner is None and match.refused == []
