"""Short names for tiles and moves, and positions for the tests."""

from dataclasses import replace

import pytest

from protocol.codes import Code
from protocol.errors import Refused
from protocol.games import Action, Hand
from protocol.games.dominoes import Dominoes
from protocol.games.dominoes.state import DominoesState


def tile(name: str) -> int:
    high, low = (int(number) for number in name.split("-"))
    return high * (high + 1) // 2 + low


def hand(*names: str) -> Hand:
    return tuple(tile(name) for name in names)


def move(text: str) -> Action:
    """Parse a move: `6-4<` plays on the left, `6-4>` on the right, `6-4^` at the top, `6-4_` at the
    bottom; other actions are words.
    """
    return ("play", tile(text[:-1]), "<>^_".index(text[-1])) if text[-1] in "<>^_" else (text,)


def run(game: Dominoes, state: DominoesState, *texts: str) -> DominoesState:
    """Let the seat in turn do each of these actions; each is checked."""
    for text in texts:
        assert state.to_act is not None
        game.check(state, state.to_act, move(text))
        state = game.apply(state, state.to_act, move(text))
    return state


def led(game: Dominoes, leader: int = 0) -> DominoesState:
    """Return a later hand, in which the leader may play anything."""
    state = replace(game.start(), hand=1, leader=(leader - 1) % game.seats)
    return game.after_deal(state)


def numbers(state: DominoesState) -> list[int]:
    """Return the open numbers: left, right, and with open short sides up and down."""
    return [end.number for end in state.ends or ()]


def refused(game: Dominoes, state: DominoesState, seat: int, text: str) -> Code:
    with pytest.raises(Refused) as caught:
        game.check(state, seat, move(text))
    return caught.value.code
