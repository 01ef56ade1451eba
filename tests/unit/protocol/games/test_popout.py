"""PopOut: its rules one by one, and in lockstep with a second implementation on lists.

Rules: Hasbro, Connect 4 with PopOut, 2009. The seat that moves wins if a pop makes four for both: J.
Pekkala, Computer analysis of Connect-4 PopOut, University of Oulu 2014, and Four-The-Win
(github.com/TheTrustedComputer/Four-The-Win, alphabeta.c), which looks for the mover's line alone.
"""

from random import Random

import pytest

from protocol.codes import Code
from protocol.errors import LocalError, Refused
from protocol.games.connect_four.popout import PopOut
from protocol.games.connect_four.rules import ConnectFour, ConnectFourState
from protocol.games.open_game import DRAW
from protocol.games.registry import BUILT_IN
from protocol.limits import MAX_POPOUT_MOVES
from search.search_game import search_game
from tests.support.game_trees import open_game
from tests.support.views import position, saying

SIZES = [(7, 6), (4, 4), (12, 4), (4, 15)]
SMALL = {"width": 4, "height": 4}
SAY = saying()


def popout(width=7, height=6):
    return open_game("connect-four", width=width, height=height, popout="yes")


def stands(game, *columns, to_act=0, moves=0):
    """Make a position from its columns, each written from below: X for seat 0, O for seat 1."""
    bits = {
        mark: sum(
            1 << column * game.line + row
            for column, stones in enumerate(columns)
            for row, stone in enumerate(stones)
            if stone == mark
        )
        for mark in "XO"
    }
    return ConnectFourState(bits["XO"[to_act]], bits["X"] | bits["O"], to_act, None, moves)


def columns_of(game, state):
    """List the columns of a position, each from below with the seats of its stones."""
    stones = state.stones(0), state.stones(1)
    return [
        [
            seat
            for row in range(game.height)
            for seat in (0, 1)
            if stones[seat] >> column * game.line + row & 1
        ]
        for column in range(game.width)
    ]


class Oracle:
    """A second implementation: columns as lists, and lines found cell by cell."""

    def __init__(self, width, height):
        self.height, self.columns = height, [[] for _ in range(width)]
        self.to_act, self.moves, self.result = 0, 0, None

    def legal(self):
        numbers = range(len(self.columns))
        drops = {("drop", at) for at in numbers if len(self.columns[at]) < self.height}
        return drops | {("pop", at) for at in numbers if self.columns[at][:1] == [self.to_act]}

    def has_line(self, seat):
        mine = {
            (at, row)
            for at, column in enumerate(self.columns)
            for row, stone in enumerate(column)
            if stone == seat
        }
        ways = ((1, 0), (0, 1), (1, 1), (1, -1))
        return any(
            all((at + step * right, row + step * up) in mine for step in range(4))
            for at, row in mine
            for right, up in ways
        )

    def play(self, verb, at):
        if verb == "drop":
            self.columns[at].append(self.to_act)
        else:
            del self.columns[at][0]
        self.moves += 1
        for seat in (self.to_act, 1 - self.to_act):
            if self.result is None and self.has_line(seat):
                self.result = seat
        if self.result is None and self.moves == MAX_POPOUT_MOVES:
            self.result = DRAW
        self.to_act = 1 - self.to_act


def lockstep(width, height, rng):
    """Play a random game in both; return the rules and the last two positions."""
    game, oracle = popout(width, height), Oracle(width, height)
    state = before = game.opening(0)
    while oracle.result is None:
        legal = game.legal(state, state.to_act, ())
        assert len(legal) == len(set(legal)) and set(legal) == oracle.legal()
        # pops are rare on a wide board: half of the moves are, where there are any
        pops = [action for action in legal if action[0] == "pop"]
        action = rng.choice(pops if pops and rng.random() < 0.5 else legal)
        before, state = state, game.apply(state, state.to_act, action)
        oracle.play(*action)
        assert columns_of(game, state) == oracle.columns
        assert (state.to_act, state.moves, state.result) == (
            oracle.to_act,
            oracle.moves,
            oracle.result,
        )
    assert game.legal(state, state.to_act, ()) == ()
    return game, before, state


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_popout_agrees_with_second_implementation(width, height):
    rng = Random(width)
    ends = [lockstep(width, height, rng) for _ in range(60)]
    assert {state.result for _, _, state in ends} >= {0, 1}
    assert any(state.result != before.to_act for _, before, state in ends), "lost by the own move"


def test_pop_takes_out_lowest_own_stone_only():
    game = popout()
    state = stands(game, "XOX", "OX", "")
    assert [action for action in game.moves(state) if action[0] == "pop"] == [("pop", 0)]
    after = game.apply(state, 0, ("pop", 0))
    assert columns_of(game, after)[:2] == [[1, 0], [1, 0]]
    for column in (1, 2):
        with pytest.raises(Refused) as refused:
            game.check(state, 0, ("pop", column))
        assert refused.value.code is Code.ILLEGAL_MOVE


@pytest.mark.parametrize(("last", "winner"), [("XXO", 0), ("XOO", 1)])
def test_pop_with_two_lines_wins_for_its_mover(last, winner):
    """Column 1 falls: X has four in the second row, unless O stands in it, and O in the third."""
    game = popout(**SMALL)
    state = stands(game, "XOXO", "XXO", "OXO", last)
    assert not game.line_starts(state.stones(0)) and not game.line_starts(state.stones(1))
    after = game.apply(state, 0, ("pop", 0))
    assert game.line_starts(after.stones(1)) and after.result == winner
    assert game.scores(after) == ((1, 0), (0, 1))[winner]
    said = [SAY(line) for line in BUILT_IN.spec("connect-four").load_view().result(game, after)]
    assert said == [
        ("Both have four in a line. Ann made the move, and wins.", "Bob has four in a line.")[
            winner
        ]
    ]


def test_full_board_leaves_only_pops():
    game = popout(**SMALL)
    state = stands(game, "XOXO", "XOXO", "OXOX", "OXO", to_act=0)
    full = game.apply(state, 0, ("drop", 3))
    assert full.result is None and game.moves(full) == (("pop", 2), ("pop", 3))
    plain = open_game("connect-four", **SMALL)
    assert plain.apply(state, 0, ("drop", 3)).result == DRAW


@pytest.mark.parametrize("popped", [False, True])
def test_game_without_line_ends_after_last_move(popped):
    game = popout(**SMALL)
    state = stands(game, "XO", "", "", "", moves=MAX_POPOUT_MOVES - 2)
    state = game.apply(state, 0, ("pop", 0) if popped else ("drop", 1))
    assert state.result is None
    state = game.apply(state, 1, ("drop", 3))
    assert state.result == DRAW and game.winner(state) is None
    view = BUILT_IN.spec("connect-four").load_view()
    assert [SAY(line) for line in view.result(game, state)] == [
        f"{MAX_POPOUT_MOVES} moves have been played, and nobody has won."
    ]


def test_line_in_last_move_still_wins():
    game = popout(**SMALL)
    state = stands(game, "XXX", "OOO", moves=MAX_POPOUT_MOVES - 1)
    assert game.apply(state, 0, ("drop", 0)).result == 0


def test_same_board_after_more_moves_is_another_position():
    game = popout()
    state = game.position("4545")
    again = game.position("45p4p54545")
    assert again is not None and (state.own, state.occupied) == (again.own, again.occupied)
    assert state != again and game.key(state) != game.key(again)
    assert game.key(game.mirror(game.mirror(state))) == game.key(state)


@pytest.mark.parametrize("text", ["", "p", "p4", "4p4", "44pp4", "8", "4x", "P4", "44p½"])
def test_written_position_with_illegal_move_is_none(text):
    assert popout().position(text) is None


def test_without_the_option_game_is_connect_four():
    spec = BUILT_IN.spec("connect-four")
    plain = spec.create(2, {})
    assert type(plain) is ConnectFour and type(spec.create(2, {"popout": "no"})) is ConnectFour
    assert type(popout()) is PopOut and spec.edition == "1"
    with pytest.raises(Refused) as refused:
        plain.parse(["pop", 3])
    assert refused.value.code is Code.BAD_ACTION
    state = plain.position("444")
    assert state.moves == 0 and plain.position("44p4") is None


def test_solver_of_connect_four_does_not_judge_popout():
    solver = BUILT_IN.spec("connect-four").load_solver()
    assert search_game(open_game("connect-four"), solver).solver is not None
    assert search_game(popout(), solver).solver is None


def wrong(seen, line):
    with pytest.raises(LocalError) as error:
        BUILT_IN.spec("connect-four").load_text().parse_choice(seen, SAY, line)
    return SAY(error.value.phrase)


def test_popout_is_narrated_and_typed():
    game = popout(**SMALL)
    spec = BUILT_IN.spec("connect-four")
    state = stands(game, "XOXO", "XOXO", "OXOX", "OXO")
    text, seen = spec.load_text(), position(game, state, 0)
    assert text.menu_text(seen, SAY) == [
        "Your turn:",
        "  a column: 4; or take out your lowest stone: p1, p2",
    ]
    assert text.parse_choice(seen, SAY, "4") == ("drop", 3)
    for line in ("p2", " P 2", "pop 2"):
        assert text.parse_choice(seen, SAY, line) == ("pop", 1)
    assert SAY(spec.load_view().narrate(game, state, 0, ("pop", 1))) == (
        "Ann takes a stone out of column 2."
    )
    assert wrong(seen, "p3") == (
        "The lowest stone of column 3 is not yours. You can take one out with p1, p2."
    )
    assert wrong(seen, "p5") == "Choose a number from 1 to 4."
    full = game.apply(state, 0, ("drop", 3))
    assert wrong(position(game, full, 1), "1") == (
        "All columns are full. Take out a stone of yours: p3, p4."
    )
    assert wrong(position(game, stands(game, "O", "O"), 0), "p1") == (
        "No stone can be taken out of column 1. There is room in 1, 2, 3, 4."
    )
    assert text.menu_text(position(game, full, 1), SAY)[1] == (
        "  the board is full: take out your lowest stone: p3, p4"
    )
