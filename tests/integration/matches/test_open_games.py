"""Whole matches of the games without hidden pieces: at a table, resumed from its journal, and
without a table.
"""

import pytest

from protocol.audit.transcript import transcript_lines
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import Post
from protocol.errors import Refused
from protocol.match.state import MatchStage
from tests.support.guest_games.offline_match import agreed, leave, until_playing, written
from tests.support.offline import Offline, make_offline
from tests.support.without_table import play, two

GAMES = [
    ("matches", {"misere": "yes"}),
    ("nim", {}),
    ("hexapawn", {}),
    ("connect-four", {"width": 5, "height": 4}),
]


def match_of(game: str, options: dict, seed: int = 1) -> Offline:
    match = make_offline(2, seed, game, options, dealing="none")
    match.bots = ("random",)
    return match


@pytest.mark.parametrize(("game", "options"), GAMES)
def test_all_readers_of_log_agree(game, options):
    match = match_of(game, options)
    match.play()
    end = agreed(match)
    assert end.over and not match.refused and audit(match.file()).verdict is Verdict.CLEAN
    assert sum(end.scores) == (end.winner is not None)
    assert list(transcript_lines(match.file()))[-1].startswith("clean: ")


@pytest.mark.parametrize(("game", "options"), GAMES)
@pytest.mark.parametrize("silent", [True, False])
def test_leaver_has_lost_and_is_named(game, options, silent):
    match = match_of(game, options)
    until_playing(match)
    gone = match.live.match.game.to_act
    if silent:
        match.lapse(gone)
        match.seats = [seat for seat in match.seats if seat.number != gone]
    else:
        leave(match, gone)
    assert match.live.match.stage is MatchStage.RECEIPTS
    match.play()
    end = agreed(match)
    assert end.over and end.winner == 1 - gone and end.scores[1 - gone] == 1
    assert [(fault.seat, fault.code) for fault in end.faults] == [
        (gone, Code.LAPSED if silent else Code.LEFT)
    ]


@pytest.mark.parametrize(("game", "options"), GAMES)
def test_refused_move_may_be_corrected(game, options):
    """A refused entry changes nothing, and its sequence number is free for the right move."""
    match = match_of(game, options)
    until_playing(match)
    before, seat = match.live.match, match.live.match.game.to_act
    right = before.setup.game.moves(before.game)[0]
    for wrong, code in (((right[0], 99, 99), Code.BAD_ACTION), (("timeout",), Code.BAD_ACTION)):
        player, reader = match.seats[seat], match.readers[seat]
        match.catch_up(reader)
        with pytest.raises(Refused) as refusal:
            match.live.offer(player.entry(reader.log, Post("move", [list(wrong), []])), seat)
        assert refusal.value.code is code and match.live.match == before
    match.live.offer(written(match, seat, right), seat)
    assert match.live.match.game.to_act == 1 - seat


@pytest.mark.parametrize(("game", "options"), GAMES)
@pytest.mark.slow
def test_match_without_table_is_played_by_two(tmp_path, game, options):
    ann, bob = two(tmp_path, game, "none", 3)
    play(ann, bob)
    assert ann.log() == bob.log() and audit(ann.log()).verdict is Verdict.CLEAN
