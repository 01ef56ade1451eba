"""Edition 1: a poker hand of minimal raises ends, and no step recomputes the whole hand."""

import pytest

from protocol.codes import Code
from protocol.errors import Refused
from protocol.games.poker.edition_1 import engine
from protocol.games.poker.edition_1.engine import MAX_RAISES
from protocol.games.poker.edition_1.spec import HOLDEM
from protocol.games.poker.edition_1.state import PokerState
from tests.support.poker import Table, table


def holdem(seats: int, stack: int) -> Table:
    """Return a table of edition 1 at the first bet."""
    players = table(HOLDEM.create(seats, {"stack": stack, "blind": 2}))
    players.settle_down()
    return players


def war(seats: int, stack: int) -> PokerState:
    """Let the players make minimal raises as long as anybody may."""
    players = holdem(seats, stack)
    while players.state.raise_amounts:
        players.act(("raise", players.state.raise_amounts[0]))
    return players.state


def test_raises_of_a_street_are_bounded():
    players = holdem(2, 2000)
    for _ in range(MAX_RAISES):
        least, *_, most = players.state.raise_amounts
        players.act(("raise", least))
    assert players.state.raise_amounts == range(most, most + 1) == range(2000, 2001), (
        "all in is always left"
    )
    with pytest.raises(Refused) as refusal:
        players.act(("raise", least + 2))
    assert refusal.value.code is Code.ILLEGAL_MOVE
    players.play(("call",))
    assert players.state.raise_amounts[0] < 2000, "the next street has raises of its own"


def test_poker_step_reuses_the_previous_state(monkeypatch):
    """Otherwise a hand would cost the square of its length, at the table, at every player and in
    the audit.
    """
    taken = []
    real = engine._apply_step
    monkeypatch.setattr(
        engine, "_apply_step", lambda state, step: (taken.append(step), real(state, step))
    )
    engine.replay_hand.cache_clear()
    state = war(2, 1999)
    assert len(taken) == len(state.steps) > MAX_RAISES


def test_poker_state_is_independent_of_computation_path():
    """The state is the same step by step, from the start, and by pokerkit without a cache."""
    state = war(3, 501)
    stacks = tuple(state.stacks[seat] for seat in state.players)
    stepwise = engine.replay_hand(state.stakes, stacks, state.steps)
    engine.replay_hand.cache_clear()
    again, plain = (
        engine.replay_hand(state.stakes, stacks, state.steps),
        engine._new_hand(state.stakes, stacks),
    )
    for step in state.steps:
        engine._apply_step(plain, step)
        engine._deal_face_down(plain)
    # pokerkit's history, its own deck's order, functions
    left_out = {"operations", "deck_cards", "divmod", "rake"}
    one, two, three = (
        {k: v for k, v in vars(h).items() if k not in left_out} for h in (stepwise, again, plain)
    )
    assert one == two == three
    assert {*stepwise.deck_cards} == {*plain.deck_cards}
