"""Rule sheets: every game has one in every language, and it follows the options in force."""

import re

import pytest

from protocol.games import generic_text
from protocol.games.connect_four import sheet as connect_four
from protocol.games.connect_four.rules import ConnectFour
from protocol.games.dominoes import sheet as dominoes
from protocol.games.dominoes import tiles
from protocol.games.hexapawn.rules import Hexapawn, HexapawnState
from protocol.games.ligretto import sheet as ligretto
from protocol.games.matchsticks.rules import Matchsticks, MatchsticksState
from protocol.games.poker import sheet as poker
from protocol.games.poker.cards import CARDS
from protocol.games.poker.ranking import HandKind, value
from protocol.games.registry import BUILT_IN
from protocol.games.sheet_text import sheet_text
from protocol.i18n import available_languages, load_translator
from protocol.options import BadOptions
from protocol.view.board import HeapRows
from protocol.view.phrase import phrase
from protocol.view.rule_sheet import Figure, Heading, RuleSheet
from protocol.view.text import display_width, phrase_renderer

LANGUAGES = available_languages()
# games with a sheet in code; rule files bring theirs
OWN = [
    spec
    for spec in BUILT_IN.specs.values()
    if all(option.name != "rules" for option in spec.options)
]
BY_RULE_FILE = [spec for spec in BUILT_IN.specs.values() if spec not in OWN]
EDITIONS = [edition for spec in OWN for edition in (spec, *spec.older)]
# columns of a common terminal, and of a narrow one
WIDTHS = (80, 40)
LEAST, MOST = 90, 700  # words of a sheet
# what some options need besides
ALSO = {"partners": (4, {}), "small": (2, {"blind": 4}), "hand": (4, {})}


def lines(spec, seats=None, given=None, language="en", width=80):
    """Return the sheet of a game as text."""
    sheet = spec.rule_sheet(seats or spec.default_seats, given or {}, language)
    say = phrase_renderer(load_translator(language), ())
    return sheet_text(sheet, spec.load_text(), say, width)


def figures(spec, seats=None, given=None):
    """Return the pictures of a sheet."""
    sheet = spec.rule_sheet(seats or spec.default_seats, given or {})
    return [block for block in sheet.blocks if isinstance(block, Figure)]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "spec", [*EDITIONS, *BY_RULE_FILE], ids=lambda spec: f"{spec.name}-{spec.edition}"
)
def test_every_game_has_a_sheet_in_every_language(spec, language):
    for width in WIDTHS:
        text = lines(spec, language=language, width=width)
        words = " ".join(text).split()
        assert LEAST < len(words) < MOST
        assert not [word for word in words if word.startswith("sheet.") or "{who" in word]
        assert [line for line in text if display_width(line) > width] == []
    assert language == "en" or text != lines(spec, width=WIDTHS[-1])


def test_languages_of_sheets_include_english_and_german():
    assert {"en", "de"} <= set(LANGUAGES)


@pytest.mark.parametrize("spec", OWN, ids=lambda spec: spec.name)
def test_sheet_begins_with_goal_and_ends_with_example(spec):
    say = phrase_renderer(load_translator("en"), ())
    sheet = spec.rule_sheet(spec.default_seats, {})
    titles = [say(block.text) for block in sheet.blocks if isinstance(block, Heading)]
    assert (titles[0], titles[-1]) == ("Goal", "Example")
    assert "End of the match" in titles or spec.name == "ligretto"


def other_values(spec, option, seats, given):
    """Return values of an option that are not its default, next to these of other options."""
    values = spec.values(seats, given)
    usual = values[option.name]
    if option.choices:
        return [choice for choice in option.choices if choice != usual]
    if option.text_format is not None:
        return ["2-4"]
    low, high = option.bounds(seats, values)
    return [number for number in {low, usual + 1} if number != usual and low <= number <= high]


@pytest.mark.parametrize(
    ("spec", "option"),
    [(spec, option) for spec in OWN for option in spec.options],
    ids=lambda one: one.name,
)
def test_every_option_changes_the_sheet(spec, option):
    seats, given = ALSO.get(option.name, (None, {}))
    seats = min(max(seats or spec.default_seats, spec.seats[0]), spec.seats[1])
    usual = lines(spec, seats, given)
    others = other_values(spec, option, seats, given)
    assert others
    for other in others:
        changed = {**given, option.name: other}
        assert lines(spec, seats, changed) != usual, (option.name, other)


def test_number_of_seats_changes_the_sheet_where_it_matters():
    draw = BUILT_IN.specs["draw-dominoes"]
    assert lines(draw, 2) != lines(draw, 3)
    assert lines(BUILT_IN.specs["ligretto"], 2) != lines(BUILT_IN.specs["ligretto"], 4)


def test_no_sheet_for_options_that_are_not_allowed():
    with pytest.raises(BadOptions):
        BUILT_IN.specs["connect-four"].rule_sheet(2, {"width": 99})


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_in_sheets_come_from_the_rules(language):
    """Texts have placeholders in place of numbers, but for zero and one."""
    translate = load_translator(language)
    keys = set(re.findall(r'"(sheet\.[a-z_.]+)"', sources()))
    assert len(keys) > 100
    for key in keys:
        for count in (None, 1, 2):
            text = re.sub(r"\{\w+\}", "", translate(key, count))
            assert set(re.findall(r"\d+", text)) <= {"0", "1"}, key


def sources():
    """Return the code of all sheets."""
    from importlib import import_module
    from inspect import getsource

    return "".join(getsource(import_module(spec.sheet.partition(":")[0])) for spec in OWN)


def test_figure_without_a_drawn_board_shows_its_caption():
    board = HeapRows((3,), (3,), 3, misere=False)
    sheet = RuleSheet((Heading(phrase("Goal")), Figure(phrase("Three are left."), board=board)))
    say = phrase_renderer(load_translator("en"), ())
    assert sheet_text(sheet, generic_text, say, 80) == ["Goal", "  Three are left."]
    heaps = BUILT_IN.specs["nim"].load_text()
    assert "    3  |||" in sheet_text(sheet, heaps, say, 80)


# The examples agree with the rules.


@pytest.mark.parametrize("scoring", ["points", "fives"])
@pytest.mark.parametrize("name", ["block-dominoes", "draw-dominoes"])
def test_dominoes_example_tiles_fit_where_it_says(name, scoring):
    spec = BUILT_IN.specs[name]
    game = spec.create(3, {"scoring": scoring})
    state = dominoes.example_state(game)
    hand = [game.pieces.index(tiles.name(tile)) for tile in (dominoes.LEFT, dominoes.RIGHT)]
    nowhere = game.pieces.index(tiles.name(dominoes.NEITHER))
    seat = len(dominoes.PLAYS) % 3
    assert set(game.legal(state, seat, (*hand, nowhere))) == {
        ("play", hand[0], 0),
        ("play", hand[1], 1),
    }
    (example,) = figures(spec, 3, {"scoring": scoring})
    told = dict(example.caption.args)
    assert (told["left"], told["right"]) == example.board.ends[:2]
    assert ("sum" in told) is (scoring == "fives")
    # "its last tile scored"
    assert state.events[-1].points == told.get("sum", 0)


def pieces(cards):
    return tuple(map(CARDS.index, cards.split()))


def test_poker_ranking_is_in_order():
    found = [value(pieces(hand), ()) for hand in poker.RANKING]
    assert found == sorted(found, reverse=True)
    assert {kind for kind, _ in found} == set(HandKind)


def test_poker_examples_are_what_they_say():
    board = pieces(poker.BOARD)
    assert value(pieces(poker.OTHER), board) > value(pieces(poker.OWN), board)
    omaha = pieces(poker.OMAHA_OWN), pieces(poker.OMAHA_BOARD)
    assert value(*omaha).kind is HandKind.FLUSH
    assert value(*omaha, own=2).kind is HandKind.TWO_PAIR
    for cards in (poker.BEFORE, poker.AFTER):
        assert set(pieces(poker.KEPT)) < set(pieces(cards))


def test_ligretto_example_cards_fit_where_it_says():
    assert (ligretto.BELOW[0], ligretto.BELOW[1] + 1) == ligretto.FITS
    assert ligretto.OPENS[1] == 1
    top = ligretto.PILES[1]
    assert (top[0], top[1] + 1) == ligretto.LATER
    assert (top[0], top[1] + 2) == ligretto.WAITS
    assert {ligretto.FITS, ligretto.OPENS} <= set(ligretto.ROW[:3])


@pytest.mark.parametrize("size", [(7, 6), (4, 4), (12, 4)])
def test_connect_four_example_ends_with_its_last_stone(size):
    game = ConnectFour("connect-four", 2, dict(zip(("width", "height"), size, strict=True)))
    state = game.opening(0)
    for column in connect_four.GAME:
        assert state.result is None
        action = ("drop", column)
        assert game.is_legal(state, action)
        state = game.apply(state, state.to_act, action)
    assert state.result == 0


@pytest.mark.parametrize("size", [(3, 3), (2, 2), (9, 9), (2, 9)])
def test_hexapawn_example_pawn_has_both_moves(size):
    values = dict(zip(("width", "height"), size, strict=True))
    (_, example) = figures(BUILT_IN.specs["hexapawn"], given=values)
    game = Hexapawn("hexapawn", 2, values)
    pawns = tuple(
        sum(bit for bit, who in zip(game.bits, example.board.cells, strict=True) if who == seat)
        for seat in (0, 1)
    )
    moves = game.moves(HexapawnState(pawns, 0))
    assert moves == (("move", 0, size[0]), ("move", 0, size[0] + 1))


@pytest.mark.parametrize("misere", ["no", "yes"])
def test_matches_example_move_is_the_best(misere):
    given = {"misere": misere}
    (example,) = figures(BUILT_IN.specs["matches"], given=given)
    assert isinstance(example.board, HeapRows)
    (left,) = example.board.rows
    game = Matchsticks("matches", 2, {"n": 20, "misere": misere})
    assert game.solve_by_formula(MatchsticksState(left, 0)) == (1.0, ("take", 1))
    assert dict(example.caption.args)["take"] == 1


@pytest.mark.parametrize("rows", ["1", "1-1-1", "2", "1-3-5-7"])
def test_nim_example_leaves_something_to_take(rows):
    (example,) = figures(BUILT_IN.specs["nim"], given={"rows": rows})
    assert sum(example.board.rows) >= 1
