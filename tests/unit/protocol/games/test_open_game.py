"""Rules of games without hidden pieces: each rule separately, and the rules common to all games."""

from random import Random

import pytest

from protocol.codes import Code
from protocol.crypto.joint_randomness import JointRandomness
from protocol.errors import Refused
from protocol.games import Act, Over
from protocol.games.connect_four.rules import ConnectFour
from protocol.games.hexapawn.rules import Hexapawn
from protocol.games.open_game import DRAW
from protocol.games.registry import BUILT_IN
from protocol.games.spec import Information
from protocol.i18n import english_text
from protocol.options import BadOptions
from tests.support.game_trees import open_game

GAMES = {
    "matches": [{}, {"n": 1}, {"n": 100, "misere": "yes"}],
    "nim": [{}, {"rows": "1"}, {"rows": 7}, {"rows": "20-1-20", "misere": "yes"}],
    "hexapawn": [
        {},
        {"width": 2, "height": 2},
        {"width": 9, "height": 9},
        {"width": 5, "height": 3},
    ],
    "connect-four": [
        {},
        {"width": 4, "height": 4},
        {"width": 12},
        {"width": 4, "height": 15},
        {"popout": "yes"},
    ],
}
ALL = [(name, options) for name, each in GAMES.items() for options in each]


def played(game, rng):
    """Yield all positions of a random game, with the final one."""
    state = game.start(JointRandomness(rng.randbytes(32), [rng.randbytes(32)]))
    yield state
    while game.wants(state) != Over():
        state = game.apply(state, state.to_act, rng.choice(game.legal(state, state.to_act, ())))
        yield state


def refused(game, state, seat, action):
    with pytest.raises(Refused) as refusal:
        game.check(state, seat, action)
    return refusal.value.code


def some_actions(game, rng):
    """Yield actions of the game's shape, and nearly of it."""
    for verb in ("take", "drop", "pop", "move"):
        yield from ([verb, number] for number in range(-1, 101))
        yield from (
            [verb, rng.randrange(-1, most), rng.randrange(-1, most)]
            for most in (10, 82)
            for _ in range(500)
        )


@pytest.mark.parametrize(("name", "options"), ALL)
def test_legal_actions_equal_the_accepted_actions(name, options):
    game, rng = open_game(name, **options), Random(1)
    shaped = []
    for raw in some_actions(game, rng):
        try:
            shaped.append(game.parse(raw))
        except Refused as refusal:
            assert refusal.code is Code.BAD_ACTION
    for state in played(game, rng):
        legal = game.legal(state, state.to_act, ())
        assert len(set(legal)) == len(legal) and all(
            game.parse(list(action)) == action for action in legal
        )
        if game.wants(state) == Over():
            assert not legal and refused(game, state, state.to_act, shaped[0]) is Code.NOT_YOUR_TURN
            continue
        assert game.wants(state) == Act((state.to_act,)) and legal
        assert not game.legal(state, 1 - state.to_act, ())
        assert refused(game, state, 1 - state.to_act, legal[0]) is Code.NOT_YOUR_TURN
        for action in {*rng.sample(shaped, min(len(shaped), 100)), *legal}:
            if action in legal:
                assert game.check(state, state.to_act, action) == ()
            else:
                assert refused(game, state, state.to_act, action) is Code.ILLEGAL_MOVE


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(
    "raw",
    [None, [], ["take"], ["drop", "1"], ["move", 0, 3, 6], ["take", True], ("take", 1), "take"],
)
def test_malformed_open_game_action_is_refused(name, raw):
    with pytest.raises(Refused) as refusal:
        open_game(name).parse(raw)
    assert refusal.value.code is Code.BAD_ACTION


@pytest.mark.parametrize(("name", "options"), ALL)
def test_every_open_game_ends_with_a_result(name, options):
    game, rng = open_game(name, **options), Random(2)
    for _ in range(5):
        states = list(played(game, rng))
        assert all(state.result is None and game.winner(state) is None for state in states[:-1])
        assert {game.scores(state) for state in states[:-1]} <= {(0, 0)}
        last = states[-1]
        assert game.scores(last) == {0: (1, 0), 1: (0, 1), DRAW: (0, 0)}[last.result]
        assert game.winner(last) == (None if last.result == DRAW else last.result)


@pytest.mark.parametrize("name", GAMES)
def test_first_seat_is_random(name):
    game, rng = open_game(name), Random(3)
    begun = [game.start(JointRandomness(rng.randbytes(32), [])).to_act for _ in range(200)]
    assert 60 < sum(begun) < 140


@pytest.mark.parametrize("name", GAMES)
def test_leaver_of_open_game_loses(name):
    game = open_game(name)
    for first in (0, 1):
        for seat in (0, 1):
            left = game.forfeit(game.opening(first), seat)
            assert game.wants(left) == Over() and game.winner(left) == 1 - seat
            for again in (0, 1):
                with pytest.raises(Refused) as refusal:
                    game.forfeit(left, again)
                assert refusal.value.code is Code.NOT_NOW


@pytest.mark.parametrize("name", GAMES)
def test_lapsed_turn_makes_no_move(name):
    game = open_game(name)
    assert game.timeout(game.opening(0), 0) is None


@pytest.mark.parametrize("name", GAMES)
def test_open_games_are_registered_as_open(name):
    row = BUILT_IN.specs[name]
    assert (
        row.information is Information.PERFECT
        and row.dealing.name == "none"
        and row.seats == (2, 2)
    )
    assert not open_game(name).pieces


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("matches", {"n": 0}, "`n` must be 1 to 100, not 0"),
        ("matches", {"misere": "maybe"}, "`misere` must be no or yes, not maybe"),
        (
            "nim",
            {"rows": "1-3--5"},
            "`rows` must be numbers as in 1-3-5-7, for 1 to 10 rows of 1 to 20, not 1-3--5",
        ),
        (
            "nim",
            {"rows": "1-21"},
            "`rows` must be numbers as in 1-3-5-7, for 1 to 10 rows of 1 to 20, not 1-21",
        ),
        ("nim", {"rows": "1-1-1-1-1-1-1-1-1-1-1"}, None),
        ("nim", {"rows": "1-0"}, None),
        ("nim", {"rows": "01-1"}, None),
        ("nim", {"rows": "٣-1"}, None),
        ("nim", {"rows": ""}, None),
        ("nim", {"rows": 0}, None),
        ("nim", {"rows": 2**62}, None),
        ("hexapawn", {"width": 1}, "`width` must be 2 to 9, not 1"),
        ("hexapawn", {"height": 10}, "`height` must be 2 to 9, not 10"),
        ("connect-four", {"width": 13}, "`width` must be 4 to 12, not 13"),
        ("connect-four", {"width": 7, "height": 9}, "`height` must be 4 to 8, not 9"),
        ("connect-four", {"width": 12, "height": 5}, "`height` can only be 4 here, not 5"),
    ],
)
def test_invalid_option_value_error_lists_valid_ones(name, options, said):
    with pytest.raises(BadOptions) as unfit:
        open_game(name, **options)
    assert unfit.value.code is Code.BAD_OPTIONS
    assert said is None or english_text(unfit.value.reason) == said


def drops(columns, width=7, height=6):
    """Return the position after stones in these columns, seat 0 first."""
    game = open_game("connect-four", width=width, height=height)
    assert isinstance(game, ConnectFour)
    state = game.opening(0)
    for column in columns:
        game.check(state, state.to_act, ("drop", column))
        state = game.apply(state, state.to_act, ("drop", column))
    return game, state


@pytest.mark.parametrize(
    "columns",
    [
        [0, 0, 1, 1, 2, 2, 3],
        [3, 0, 3, 0, 3, 0, 3],
        [0, 1, 1, 2, 2, 3, 2, 3, 3, 6, 3],
        [6, 5, 5, 4, 4, 3, 4, 3, 3, 0, 3],
    ],
)
def test_four_stones_in_line_win(columns):
    game, state = drops(columns)
    assert game.winner(state) == 0
    assert all(drops(columns[:count])[1].result is None for count in range(len(columns)))


def plain_four(cells, width, height):
    """Return whether four of these (column, row) are in line, by plain comparison."""
    return any(
        all((c + n * dc, r + n * dr) in cells for n in range(4))
        for c, r in cells
        for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1))
    )


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), [(7, 6), (4, 4), (12, 4), (4, 15), (8, 7)])
def test_line_does_not_continue_in_next_column(width, height):
    game, rng = open_game("connect-four", width=width, height=height), Random(4)
    assert isinstance(game, ConnectFour)
    board = [(c, r) for c in range(width) for r in range(height)]
    for count in range(400):
        cells = set(rng.sample(board, rng.randrange(4, len(board) // 2)))
        bits = sum(1 << c * (height + 1) + r for c, r in cells)
        assert bool(game.line_starts(bits)) is plain_four(cells, width, height)
        makes = (
            {cell for cell in board if plain_four({*cells, cell}, width, height)}
            if count < 20
            else set()
        )
        if makes and not game.line_starts(bits):
            lacking = game.completing_cells(bits) & game.full & ~bits
            assert lacking == sum(1 << c * (height + 1) + r for c, r in makes)
    # every pattern that a shift could find, across the edges too
    for start in range(width * (height + 1)):
        for step in (1, height, height + 1, height + 2):
            cells = [start + n * step for n in range(4)]
            if all(game.full >> cell & 1 for cell in cells):
                apart = {(cell // (height + 1), cell % (height + 1)) for cell in cells}
                assert plain_four(apart, width, height)


def test_full_board_is_a_draw():
    game, rng = open_game("connect-four", width=4, height=4), Random(5)
    ends = [list(played(game, rng))[-1] for _ in range(100)]
    full = [state for state in ends if state.occupied == game.full]
    assert {state.result for state in full} >= {DRAW}
    assert all(state.occupied == game.full for state in ends if state.result == DRAW)


@pytest.mark.parametrize("name", ["hexapawn", "connect-four"])
def test_mirrored_position_has_mirrored_moves(name):
    game, rng = open_game(name, width=5, height=4), Random(6)
    assert isinstance(game, Hexapawn | ConnectFour)
    for _ in range(10):
        for state in played(game, rng):
            other = game.mirror(state)
            assert game.mirror(other) == state and other.result == state.result
            assert len(game.moves(other)) == len(game.moves(state))
            assert game.guess(other, 0) == game.guess(state, 0) == -game.guess(state, 1)
            assert -1 < game.guess(state, 0) < 1
            assert sorted(game.order(state, game.moves(state))) == sorted(game.moves(state))


def test_pawns_move_and_capture_as_documented():
    game = open_game("hexapawn")
    start = game.opening(0)
    assert game.legal(start, 0, ()) == (("move", 0, 3), ("move", 1, 4), ("move", 2, 5))
    met = game.apply(start, 0, ("move", 1, 4))
    assert game.legal(met, 1, ()) == (
        ("move", 6, 3),
        ("move", 6, 4),
        ("move", 8, 5),
        ("move", 8, 4),
    )
    taken = game.apply(met, 1, ("move", 6, 4))
    assert [pawns.bit_count() for pawns in taken.pawns] == [2, 3]


def test_side_without_a_move_has_lost():
    game = open_game("hexapawn", width=2, height=3)
    state = game.opening(0)
    for action in (("move", 0, 2), ("move", 5, 2), ("move", 1, 2)):
        game.check(state, state.to_act, action)
        state = game.apply(state, state.to_act, action)
    assert state.result == 0 and not game.moves(state)


def test_pawn_reaching_other_side_wins():
    game = open_game("hexapawn", width=3, height=2)
    state = game.apply(game.opening(1), 1, ("move", 3, 1))
    assert state.result == 1
