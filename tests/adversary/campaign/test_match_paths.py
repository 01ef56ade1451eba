"""Every continuation of a poker hand from a given state, with a few wrongs of colluding or
disconnected seats.

No honest seat may be named or have less than the cards give it. One exception is known: a hand
whose board cannot be opened any more is shared (docs/attacks.md, 19).
"""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from protocol.games import Action
from protocol.games.poker.cards import CARDS
from protocol.games.poker.phases import Decision, PokerPhase
from protocol.match.state import Match
from tests.adversary.campaign.match_paths import Chooser, Way, honest, lapsed, opened, posted, ways
from tests.support.poker import cards

pytestmark = pytest.mark.match

HANDS = ("As Ah", "Ks Kh", "Qs Qh", "Js Jh")
BOARD = cards("2c 3d 4h 8s 9c")
STACK = 20
HOLDEM, DRAW = "texas-holdem", "five-card-draw"


def pack(seats: int, best: int) -> tuple[int, ...]:
    """Return two cards for each seat, of which those of `best` win, then the board."""
    first = [cards(HANDS[(seat - best) % seats]) for seat in range(seats)]
    dealt = (*(card for hand in first for card in hand), *BOARD)
    return (*dealt, *(card for card in range(len(CARDS)) if card not in dealt))


def of_kind(legal: tuple[Action, ...], *kinds: str) -> Action:
    """Return the last action of the first of `kinds` that is legal."""
    return next(
        action
        for kind in (*kinds, *(legal[0][0],))
        for action in reversed(legal)
        if action[0] == kind
    )


def all_in(match: Match, seat: int, legal: tuple[Action, ...]) -> Action:
    return of_kind(legal, "raise", "call", "show")


def but_for(folder: int) -> Chooser:
    """Let every seat go all in except `folder`, which folds as soon as it must pay."""
    return lambda match, seat, legal: (
        of_kind(legal, "fold", "call") if seat == folder else all_in(match, seat, legal)
    )


def only(short: int) -> Chooser:
    """Let `short` go all in while the other seats call and check."""
    return lambda match, seat, legal: of_kind(
        legal, *("raise",) * (seat == short), "call", "exchange", "show"
    )


def until(match: Match, choose: Chooser, *decisions: Decision) -> Match:
    while not (
        match.game and match.game.phase is PokerPhase.PLAY and match.game.decision in decisions
    ):
        match = honest(match, choose)
    return match


def dealt(
    seats: int, best: int, stacks: tuple[int, ...] = (), game: str = HOLDEM, **rules: int
) -> Match:
    match = opened({"stack": STACK, "hands": 1, **rules}, pack(seats, best), seats, game)
    return replace(match, game=replace(match.game, stacks=stacks or (STACK,) * seats))


def judged(start: Match, choose: Chooser, hows: tuple[str, ...], most: int) -> int:
    """Play every continuation and count them. Check that each ends and that no honest seat loses by
    it.
    """
    (proper,) = (way.match.scores for way in ways(Way(start), choose, (), 0))
    count = 0
    for way in ways(Way(start), choose, hows, most):
        end, wrong = way.match, {deed.seat for deed in way.deeds}
        assert sum(end.scores) == sum(proper) and {fault.seat for fault in end.faults} <= wrong, (
            way.deeds
        )
        shared = (
            end.abandoned_deals and end.game.result.board != BOARD
        )  # before the last card was turned up
        for seat in set(range(len(proper))) - wrong:
            least = min(proper[seat], STACK) if shared else proper[seat]
            assert end.scores[seat] >= least, (way.deeds, end.scores)
        if len(way.deeds) == 1 and way.deeds[0].how == "lapse":
            assert end.scores == proper, way.deeds
        count += 1
    return count


@pytest.mark.parametrize("best", range(3))
def test_all_in_hand_with_two_silent_or_leaving_costs_nobody(
    best: int,
) -> None:
    start = until(dealt(3, best), all_in, Decision.BOARD)
    assert judged(start, all_in, ("lapse", "leave"), 2) > 1000


@pytest.mark.parametrize(("folder", "best"), [(0, 1), (1, 0), (2, 1)])
def test_hand_leaver_with_folded_ally_gains_nothing(folder: int, best: int) -> None:
    start = until(dealt(3, best), but_for(folder), Decision.BOARD)
    assert judged(start, but_for(folder), ("lapse", "leave"), 2) > 1000


@pytest.mark.parametrize("folder", [3, None])
def test_four_seats_leaver_with_folded_ally_gains_nothing(folder: int | None) -> None:
    choose = all_in if folder is None else but_for(folder)
    start = until(dealt(4, 0), choose, Decision.SHOW)
    assert judged(start, choose, ("lapse", "leave"), 2) > 100


@pytest.mark.slow
@pytest.mark.parametrize(("folder", "best"), [(3, 0), (1, 2), (None, 0), (None, 2)])
def test_four_seats_leaver_from_first_card_gains_nothing(folder: int | None, best: int) -> None:
    choose = all_in if folder is None else but_for(folder)
    start = until(dealt(4, best), choose, Decision.BOARD)
    assert judged(start, choose, ("lapse", "leave"), 2) > 5000


def silences(start: Match, choose: Chooser) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield each way in which one seat is silent once at the showdown, and the final chips of every
    seat.
    """
    match = start
    while not match.over:
        for duty in match.duties():
            if match.game.is_all_in(duty.author):
                (end,) = ways(Way(lapsed(match, duty.author)), choose, (), 0)
                yield duty.author, end.match.scores
        match = honest(match, choose)


@pytest.mark.parametrize("best", range(3))
@pytest.mark.parametrize("game", [HOLDEM, DRAW])
def test_short_stack_keeps_its_part_of_main_pot(game: str, best: int) -> None:
    """The others bet on, and all show: the seat that is all in owes only its parts of the others'
    cards.
    """
    start = until(dealt(3, best, (5, STACK, STACK), game), only(0), Decision.BET)
    (proper,) = (way.match.scores for way in ways(Way(start), only(0), (), 0))
    found = list(silences(start, only(0)))
    assert {seat for seat, _ in found} == {0, 1, 2}
    assert {scores for _, scores in found} == {proper}


def test_sitting_out_seat_has_same_outcome_as_lapsing_seat() -> None:
    """On its turn the sitting-out seat acts at once by default; only the clock of the next seat
    restarts.
    """
    start = until(dealt(3, 0, hands=2), only(0), Decision.BET)
    compared = 0
    for way in _sitting(Way(start), 2):
        match = way.match
        for seat in match.present:
            if match.sit_kind(seat) != "sit_out":
                continue
            after = posted(match, seat, "sit_out", [])
            if match.waits_for_move and match.may_post(seat, "move"):
                late = lapsed(match, seat)
                assert after.game.betting == late.game.betting
                compared += 1
            elif match.deal is not None and after.duties() == match.duties():
                assert all(
                    after.duty_since(duty.author) == match.duty_since(duty.author)
                    for duty in match.duties()
                )
    assert compared > 100


def test_sitting_out_and_returning_names_nobody_and_costs_the_pot() -> None:
    start = until(dealt(3, 0, hands=2), only(0), Decision.BET)
    for way in ways(Way(start), only(0), ("sit_out", "sit_in"), 2):
        assert (
            not way.match.faults
            and sum(way.match.scores) == 3 * STACK
            and way.match.receipts == {0, 1, 2}
        )


def _sitting(way: Way, most: int) -> Iterator[Way]:
    """Yield every state on each way in which at most `most` seats sit out and return."""
    while not way.match.over:
        yield way
        if len(way.deeds) < most:
            for seat in way.match.present:
                kind = way.match.sit_kind(seat)
                if kind is not None:
                    yield from _sitting(
                        Way(posted(way.match, seat, kind, []), (*way.deeds, None)), most
                    )
        way = replace(way, match=honest(way.match, only(0)))
