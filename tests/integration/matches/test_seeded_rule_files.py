"""Card games by rule files with seeded dealing: whole matches, and every cheat that the close
finds.
"""

import pytest

from player.client.seat import Seat
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import Post
from protocol.dealing.registry import fitting_dealings
from protocol.dealing.seeded.stages import SeededStage
from protocol.games.registry import BUILT_IN
from tests.support.guest_games.offline_match import leave
from tests.support.offline import Offline, make_offline

pytestmark = pytest.mark.match
GAMES = ("element-duel", "mau-mau")


def scripted(game: str, seed: int, liar: type[Seat] | None = None) -> Offline:
    match = make_offline(2, seed, game, {}, {}, {1: liar} if liar else {}, dealing="seeded")
    match.bots = ("random",)
    return match


class Giver(Seat):
    """Seat that contributes numbers which do not follow from its seed."""

    def respond(self, match):
        post = super().respond(match)
        return Post("give", [bytes(32)]) if post and post.kind == "give" else post


class Shower(Seat):
    """Seat that names its first hidden cards when cards are revealed to all."""

    def respond(self, match):
        post = super().respond(match)
        if post is None or post.kind != "show":
            return post
        own = [card for card, owner in match.deal.owners.items() if owner == self.number]
        free = [piece for piece in own if piece not in match.deal.public_faces.values()]
        return Post("show", [free[: len(post.body[0])]])


@pytest.mark.parametrize("game", GAMES)
def test_bots_play_seeded_game_to_clean_end(game):
    match = scripted(game, 1)
    match.play()
    assert match.live.match.winner is not None and match.refused == []
    assert audit(match.file()).verdict is Verdict.CLEAN


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(("liar", "code"), [(Giver, Code.BAD_GIVE), (Shower, Code.BAD_OPENING)])
def test_liar_has_lost_once_seeds_are_open(game, liar, code):
    match = scripted(game, 3, liar)
    match.play()
    end = match.live.match
    assert {(fault.seat, fault.code) for fault in end.faults} == {(1, code)} and end.winner == 0


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("at", [25, 50, 75])
def test_leaver_has_lost_and_is_the_only_one_named(game, at):
    match = scripted(game, 5)
    while match.live.match.next_number < at:
        assert any(match.step(seat) for seat in match.seats)
    leave(match, 1)
    match.play()
    end = match.live.match
    assert (
        end.over
        and [(fault.seat, fault.code) for fault in end.faults] == [(1, Code.LEFT)]
        and end.winner == 0
    )


@pytest.mark.parametrize("game", GAMES)
def test_liar_that_opens_and_leaves_voids_nothing(game):
    match = scripted(game, 3, Giver)
    while not (deal := match.live.match.deal) or deal.stage is not SeededStage.OPEN:
        assert any(match.step(seat) for seat in match.seats)
    assert match.step(match.seats[1])
    leave(match, 1)
    match.play()
    end = match.live.match
    assert end.winner == 0
    assert {(fault.seat, fault.code) for fault in end.faults} == {
        (1, Code.LEFT),
        (1, Code.BAD_GIVE),
    }
    assert audit(match.file()).faults == end.faults


def test_seeded_dealing_takes_only_games_with_own_piles():
    offered = {
        name
        for name, row in BUILT_IN.specs.items()
        if "seeded" in fitting_dealings(row.create(row.seats[0], {}))
    }
    assert offered == {"element-duel", "mau-mau"}
