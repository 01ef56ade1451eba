"""Fixed limit: each street has one bet size and a maximum number of bets."""

from random import Random

import pytest

from bots.registry import BOTS
from protocol.codes import Code
from protocol.errors import LocalError, Refused
from protocol.games.poker import text, view
from protocol.games.poker.phases import Decision
from protocol.games.poker.rules import DRAW, HOLDEM
from protocol.limits import MAX_POKER_RAISES
from tests.support.poker import Table, played_by, poker, table
from tests.support.views import position, saying

SAY = saying()


def begun(name: str = HOLDEM, seats: int = 3, **options: int | str) -> Table:
    match = table(poker(name, seats, **({"limit": "fixed", "blind": 10} | options)))
    match.settle_down()
    return match


def raised(match: Table) -> list[int]:
    """Let the players raise as long as anybody may; return the amounts."""
    amounts = []
    while match.state.raise_amounts:
        (amount,) = match.state.raise_amounts
        match.act(("raise", amount))
        amounts.append(amount)
    return amounts


def call_round(match: Table) -> None:
    """Let everybody call, up to the next street."""
    board = match.state.board
    while match.state.decision is Decision.BET and match.state.board == board:
        match.play(("call",))


def test_holdem_allows_a_bet_and_three_raises_doubling_on_turn() -> None:
    match, streets = begun(stack=1000), []
    for _ in range(4):
        streets.append(raised(match))
        call_round(match)
    assert streets == [[20, 30, 40], [10, 20, 30, 40], [20, 40, 60, 80], [20, 40, 60, 80]]


def test_big_blind_is_first_bet_with_fixed_amount() -> None:
    match = begun()
    for amount in (19, 21, 30, 200):
        with pytest.raises(Refused) as caught:
            match.game.check(match.state, match.state.to_act, ("raise", amount))
        assert caught.value.code is Code.ILLEGAL_MOVE
    raised(match)
    with pytest.raises(Refused):
        match.act(("raise", 50))


def test_draw_allows_a_bet_and_four_raises_doubling_after_exchange() -> None:
    match = begun(DRAW, stack=1000)
    before = raised(match)
    call_round(match)
    while match.state.decision is Decision.EXCHANGE:
        match.play(("exchange",))
    assert (before, raised(match)) == ([10, 20, 30, 40, 50], [20, 40, 60, 80, 100])


def test_two_players_raise_past_the_cap_but_not_forever() -> None:
    match = begun(seats=2, stack=10_000)
    assert len(raised(match)) == MAX_POKER_RAISES - 1, "the big blind is the first bet"


def test_player_with_less_than_a_bet_is_all_in() -> None:
    match = begun(stack=25)
    assert raised(match) == [20, 25]


@pytest.mark.match
def test_raise_has_street_size_and_loses_no_chip() -> None:
    """Bots play some hundred hands with short stacks, levels and rebuys; the test computes each
    amount independently.
    """
    for seed in range(12):
        name, seats = ((HOLDEM, 2), (HOLDEM, 5), (DRAW, 4))[seed % 3]
        options = {"limit": "fixed", "hands": 25, "stack": 60, "levels": 9, "rebuys": 1}
        match = table(
            poker(name, seats, **options), seed, played_by(BOTS[("sensible", "random")[seed % 2]])
        )
        for state in match.run():
            total = 60 * (seats + sum(state.bought))
            assert sum(state.chips) + state.pot == total
            if state.decision is not Decision.BET:
                continue
            early = len(state.board) < 4 if name == HOLDEM else not state.facts.exchanged
            seat, hand = state.to_act, state.running
            own = hand.bets[state.players.index(seat)] + state.chips[seat]
            size = state.stakes.blind * (1 if early else 2)
            least = hand.full + size
            assert tuple(state.raise_amounts) in ((), (min(least, own),))
            assert 2 * (hand.level - hand.full) < size, "half a bet is a bet"


def test_fixed_limit_amounts_are_shown_and_typed() -> None:
    match = begun()
    shown = position(match.game, match.state, match.state.to_act, match.hands[match.state.to_act])
    assert (shown.board.fixed, shown.board.least_bet) == (True, 10)
    assert "Limit: bets and raises of 10 on this street." in text.table_text(shown, SAY, 80)
    assert text.menu_text(shown, SAY) == ["Your turn: fold, call 10, raise 20"]
    assert (
        text.parse_choice(shown, SAY, "raise")
        == text.parse_choice(shown, SAY, "raise 20")
        == ("raise", 20)
    )
    for line in ("raise 21", "all-in"):
        with pytest.raises(LocalError):
            text.parse_choice(shown, SAY, line)
    short = begun(stack=15)
    shown = position(short.game, short.state, short.state.to_act, short.hands[short.state.to_act])
    assert text.parse_choice(shown, SAY, "all-in") == ("raise", 15)
    call_round(match)
    call_round(match)
    assert view.board(match.game, match.state).least_bet == 20


def test_texts_without_limit_mention_none() -> None:
    match = begun(limit="none")
    shown = position(match.game, match.state, match.state.to_act, match.hands[match.state.to_act])
    assert not shown.board.fixed and "all-in" in text.menu_text(shown, SAY)[0]
    assert not any("Limit" in line for line in text.table_text(shown, SAY, 80))


def test_bot_plays_offered_fixed_limit_actions() -> None:
    match = begun(stack=400)
    strong = position(match.game, match.state, match.state.to_act, (51, 50))
    assert BOTS["sensible"](strong, Random(1)) == ("raise", 20)
