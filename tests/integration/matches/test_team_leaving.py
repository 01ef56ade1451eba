"""Two teams of two: if both players of a team have left, the deal does not wait for them, and is
neither settled nor broken off.
"""

from collections.abc import Iterable

import pytest

from protocol.codes import Code
from protocol.dealing.verified.stages import VerifiedStage as DealStage
from protocol.games import Action
from protocol.games.dominoes.tiles import name, tiles
from protocol.match.state import Match, MatchStage
from tests.adversary.campaign.match_paths import Way, hand, honest, opened, posted, ways

SET = [name(tile) for tile in tiles(6)]
SIXES = (
    ("6-5", "2-1"),
    ("6-6", "1-0"),
    ("6-4", "3-1"),
    ("6-3", "2-0"),
)  # by seat: all but seat 1 could go on from the 6-6


def opening(*hands: Iterable[str], **sharing: int) -> Match:
    """Make the first entry after a deal of these hands."""
    first = [SET.index(tile) for held in hands for tile in held]
    pack = (*first, *(tile for tile in range(len(SET)) if tile not in first))
    rules: dict[str, int | str] = {"partners": "yes", "target": 1, "hand": len(first) // len(hands)}
    return opened(rules, pack, len(hands), "block-dominoes", **sharing)


def first(match: Match, seat: int, legal: tuple[Action, ...]) -> Action:
    return legal[0]


def until(match: Match, stage: DealStage) -> Match:
    while match.deal is None or match.deal.stage is not stage:
        match = honest(match, first)
    return match


def gone(match: Match, *seats: int) -> Match:
    for seat in seats:
        match = posted(match, seat, "leave", [])
    return match


def finished(match: Match) -> Match:
    while not match.over:
        assert match.next_number < 200, "it does not end"
        match = honest(match, first)
    return match


@pytest.mark.parametrize("quorum", [2, 3])
@pytest.mark.parametrize("stage", [DealStage.READY, DealStage.SHOW, DealStage.STAND_IN])
def test_departed_team_ends_match_not_only_hand(quorum: int, stage: DealStage) -> None:
    """An old error: at the close such a hand broke off or was settled, and the other team played on
    alone.
    """
    start = gone(until(opening(*SIXES, quorum=quorum), DealStage.READY), 3)
    match = gone(until(start, stage), 1)
    assert (
        match.stage is MatchStage.RECEIPTS and match.deal is None and match.scores == (0, 0, 0, 0)
    )
    assert finished(match).winners == (0, 2)


def test_leaver_with_departed_team_during_deal_has_not_won() -> None:
    """The rules learn of all three leavers at once, and the match is decided after two. An old
    error kept the third out of the log, and the remaining player waited for ever.
    """
    match = gone(until(opening(*SIXES, quorum=2), DealStage.SHARES), 0, 2)
    assert match.stage is MatchStage.DEALING
    end = finished(gone(match, 3))
    assert (end.winner, end.winners, end.receipts) == (1, (1,), {1})


def test_three_false_passers_are_named_together() -> None:
    """The last shown hand proves all of them false. An old error refused that entry."""
    match = until(opening(*SIXES), DealStage.READY)
    while match.stage is MatchStage.PLAYING:
        (duty,) = match.duties()
        legal = match.setup.game.legal(match.game, duty.author, hand(match, duty.author))
        if duty.author == 1 or legal == (("deny",),):
            match = honest(match, first)
        else:
            match = posted(match, duty.author, "move", [["pass"], []])
    end = finished(match)
    assert {(fault.seat, fault.code) for fault in end.faults} == {
        (seat, Code.FALSE_PASS) for seat in (0, 2, 3)
    }
    assert end.winners == (1,) and end.receipts == {1}


MORE = pytest.mark.slow


@pytest.mark.match
@pytest.mark.parametrize(
    ("quorum", "hows", "most"),
    [
        (3, ("leave",), 2),
        pytest.param(2, ("leave",), 3, marks=MORE),
        pytest.param(2, ("lapse", "leave"), 2, marks=MORE),
    ],
)
def test_leavers_at_any_moment_end_match_and_remaining_wins(
    quorum: int, hows: tuple[str, ...], most: int
) -> None:
    count = 0
    for way in ways(
        Way(until(opening(*SIXES, quorum=quorum), DealStage.SHARES)), first, hows, most
    ):
        end, wrong = way.match, {deed.seat for deed in way.deeds}
        stayed = set(range(4)) - wrong
        assert {fault.seat for fault in end.faults} <= wrong and end.receipts >= stayed, way.deeds
        assert end.gone.isdisjoint(end.winners) and end.winner in end.winners, way.deeds
        teams = [{0, 2} & stayed, {1, 3} & stayed]
        if not all(teams) and end.gone == wrong:
            assert set(end.winners) == teams[0] | teams[1], way.deeds
        count += 1
    assert count > 100 * most
