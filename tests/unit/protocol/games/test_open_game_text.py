"""Texts of games without hidden pieces, and typed input."""

import pytest

from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN
from protocol.match.fold import apply
from protocol.match.log import decode_entry
from protocol.match.narration import narrate_entry
from tests.support.game_trees import open_game
from tests.support.guest_games.offline_match import until_playing, written
from tests.support.offline import make_offline
from tests.support.views import position, saying

SAY = saying()


def after(name, *numbers, first=0, **options):
    """Return a game after these moves, each given by the numbers of its action."""
    game = open_game(name, **options)
    state = game.opening(first)
    verb = game.moves(state)[0][0]
    for each in numbers:
        action = (verb, *each) if isinstance(each, tuple) else (verb, each)
        game.check(state, state.to_act, action)
        state = game.apply(state, state.to_act, action)
    return game, state


def text_of(name):
    return BUILT_IN.specs[name].load_text()


def drawn(game, state, you=None):
    return "\n".join(text_of(game.name).table_text(position(game, state, you), SAY, 80))


def typed(game, state, line, you=None):
    return text_of(game.name).parse_choice(
        position(game, state, state.to_act if you is None else you), SAY, line
    )


def wrong(game, state, line, you=None):
    with pytest.raises(LocalError) as error:
        typed(game, state, line, you)
    return SAY(error.value.phrase)


def test_connect_four_is_drawn_and_played_by_columns():
    game, state = after("connect-four", 3, 3, 4, 0, width=5, height=4)
    assert (
        drawn(game, state)
        == """\
→ X Ann
  O Bob

  · · · · ·
  · · · · ·
  · · · O ·
  O · · X X
  1 2 3 4 5"""
    )
    assert typed(game, state, " 3 ") == ("drop", 2)
    assert wrong(game, state, "6") == "Choose a number from 1 to 5."
    assert wrong(game, state, "0") == "Choose a number from 1 to 5."
    assert wrong(game, state, "3", you=1) == "It is not your turn."
    assert typed(game, state, "three") is typed(game, state, "3 4") is None
    game, state = after("connect-four", 0, 0, 0, 0, width=4, height=4)
    assert wrong(game, state, "1") == "Column 1 is full. There is room in 2, 3, 4."
    menu = text_of("connect-four").menu_text(position(game, state, 0), SAY)
    assert menu == ["Your turn:", "  a column: 2, 3, 4"]


def test_wide_board_keeps_its_columns():
    game, state = after("connect-four", 11, width=12, height=4)
    assert drawn(game, state).splitlines()[-2:] == [
        "   ·" + "  ·" * 10 + "  X",
        "   " + "  ".join(map(str, range(1, 10))) + " 10 11 12",
    ]


def test_winning_line_of_four_is_marked():
    game, state = after("connect-four", 0, 0, 1, 1, 2, 2, 3)
    board = BUILT_IN.specs["connect-four"].load_view().board(game, state)
    assert board.line == (0, 1, 2, 3) and board.cells[:8] == (0, 0, 0, 0, None, None, None, 1)


def test_hexapawn_is_drawn_and_played_by_cells():
    game, state = after("hexapawn", (1, 4))
    assert (
        drawn(game, state)
        == """\
  ▲ Ann
→ ▼ Bob

  3 ▼ ▼ ▼
  2 · ▲ ·
  1 ▲ · ▲
    a b c"""
    )
    assert drawn(game, state, you=1).splitlines()[3:] == [
        "  1 ▲ · ▲",
        "  2 · ▲ ·",
        "  3 ▼ ▼ ▼",
        "    c b a",
    ]
    for line in ("a3-a2", "a3a2", "A3 a2", "a3 - a2"):
        assert typed(game, state, line) == ("move", 6, 3)
    assert typed(game, state, "a3xb2") == ("move", 6, 4)
    assert wrong(game, state, "b3-b2") == "You can do this now: a3-a2, a3xb2, c3-c2, c3xb2."
    assert wrong(game, state, "a3-a2", you=0) == "It is not your turn."
    assert typed(game, state, "1") is typed(game, state, "a3") is None
    assert (
        text_of("hexapawn").menu_text(position(game, state, 1), SAY)[1]
        == "  a3-a2, a3xb2, c3-c2, c3xb2"
    )


def test_nim_rows_are_drawn_and_played():
    game, state = after("nim", (3, 7), (1, 1), rows="1-3-12-7")
    assert (
        drawn(game, state)
        == """\
→ Ann
  Bob

   1   1  |
   2   2  ||
   3  12  ||||| ||||| ||
   4   0

Whoever takes the last one wins."""
    )
    assert (
        typed(game, state, "3 12")
        == typed(game, state, "3,12")
        == typed(game, state, " 3 - 12")
        == ("take", 2, 12)
    )
    assert wrong(game, state, "5 1") == wrong(game, state, "0 1") == "The rows are 1 to 4."
    assert wrong(game, state, "4 1") == "Row 4 is empty: take from another one."
    assert (
        wrong(game, state, "3 13")
        == wrong(game, state, "3 0")
        == "From row 3 you can take 1 to 12."
    )
    assert wrong(game, state, "3 1", you=1) == "It is not your turn."
    assert typed(game, state, "3") is None


def test_matches_are_drawn_and_played():
    game, state = after("matches", 3, n=5, misere="yes")
    assert drawn(game, state).splitlines()[3:] == [
        "  2  ||",
        "",
        "Whoever takes the last one loses.",
    ]
    assert typed(game, state, "2") == ("take", 2)
    assert wrong(game, state, "3") == "Choose a number from 1 to 2."
    assert wrong(game, state, "1", you=0) == "It is not your turn."
    assert text_of("matches").menu_text(position(game, state, 1), SAY)[1] == "  take 1 to 2"


ENDS = [
    ("connect-four", {}, [0, 0, 1, 1, 2, 2, 3], "Ann plays column 4.", ["Ann has four in a line."]),
    (
        "hexapawn",
        {"width": 3, "height": 2},
        [(0, 4)],
        "Ann takes a1xb2.",
        ["Ann has reached the other side."],
    ),
    (
        "hexapawn",
        {"width": 2, "height": 3},
        [(0, 2), (5, 2), (1, 2)],
        "Ann takes b1xa2.",
        ["Bob cannot move."],
    ),
    (
        "nim",
        {"rows": "1-2"},
        [(0, 1), (1, 2)],
        "Bob takes 2 from row 2 and leaves 0 there.",
        ["Bob takes the last one, and wins."],
    ),
    (
        "matches",
        {"n": 4, "misere": "yes"},
        [1, 3],
        "Bob takes 3 and leaves 0.",
        ["Bob takes the last one, and loses."],
    ),
]


@pytest.mark.parametrize(("name", "options", "moves", "deed", "result"), ENDS)
def test_end_of_open_game_is_reported_once(name, options, moves, deed, result):
    game, last = after(name, *moves, **options)
    _, before = after(name, *moves[:-1], **options)
    view = BUILT_IN.specs[name].load_view()
    verb = game.moves(game.opening(0))[0][0]
    action = (verb, *(moves[-1] if isinstance(moves[-1], tuple) else (moves[-1],)))
    assert SAY(view.narrate(game, before, before.to_act, action)) == deed
    assert [SAY(told) for told in view.result(game, last, before)] == result
    assert view.result(game, last, last) == () and view.result(game, before) == ()
    assert [SAY(told) for told in view.news(game, None, before)] == [
        f"{'Ann' if before.to_act == 0 else 'Bob'} begins."
    ]
    assert view.result(game, game.forfeit(before, 0), before) == ()


def test_draw_is_reported():
    game = open_game("connect-four", width=4, height=4)
    columns = [0, 1, 0, 1, 1, 0, 1, 0, 2, 3, 2, 3, 3, 2, 3, 2]
    _, state = after("connect-four", *columns, width=4, height=4)
    assert [
        SAY(told) for told in BUILT_IN.specs["connect-four"].load_view().result(game, state)
    ] == ["The board is full, and nobody has won."]


@pytest.mark.parametrize("name", ["matches", "nim", "hexapawn", "connect-four"])
def test_log_reader_gets_each_change_as_text(name):
    match = make_offline(2, 7, name, dealing="none")
    until_playing(match)
    before = match.live.match
    seat = before.game.to_act
    action = before.setup.game.moves(before.game)[0]
    entry = decode_entry(written(match, seat, action))
    later = apply(before, entry)
    view, text = before.setup.view, before.setup.text
    boards = [view.board(match.setup.game, match.game) for match in (before, later)]
    assert (
        text.changed_board_text(*boards, SAY, 80)
        and text.changed_board_text(boards[0], boards[0], SAY, 80) == []
    )
    assert [told.kind for told in narrate_entry(before, entry, later)] == ["move"]
    assert text.hand_text((), SAY) == ""
