"""The command `solve`: input, output, drawings and exit codes."""

import re
from xml.etree import ElementTree

import pytest

from fairdeal.__main__ import main as door
from protocol.limits import MAX_DRAWN_ROWS
from search.__main__ import main
from search.algorithms import ALGORITHMS

SVG = "{http://www.w3.org/2000/svg}"


def solve(capsys, *words, status=0):
    try:
        found = main(["solve", *words])
    except SystemExit as left:
        found = left.code
    printed = capsys.readouterr()
    assert found == status, printed
    return printed.out if status != 2 else printed.err


def test_solve_prints_value_move_line_and_cost(capsys):
    said = solve(capsys, "matches", "--option", "n=10", "--algorithm", "full")
    assert "First wins" in said and "600 nodes" in said and "line:" in said


def test_position_is_given_by_moves(capsys):
    said = solve(
        capsys, "matches", "--option", "n=10", "--position", "2, 3", "--algorithm", "formula"
    )
    assert "First wins" in said  # five are left, and First needs one move


@pytest.mark.parametrize("position", ["2 3", "2,3", " 2 ; 3 "])
def test_moves_are_separated_by_commas_or_spaces(capsys, position):
    assert "First wins" in solve(capsys, "matches", "--option", "n=10", "--position", position)


def test_solve_compares_all_algorithms(capsys):
    said = solve(capsys, "hexapawn", "--algorithm", "all", "--simulations", "200")
    rows = [
        line.split()
        for line in said.splitlines()
        if line.split()[:1] and line.split()[0] in ALGORITHMS
    ]
    assert [row[0] for row in rows] == [
        name for name in ALGORITHMS if name not in ("sweep", "formula", "perfect")
    ]
    assert "252" in rows[0] and "77" in rows[1]


def test_too_few_nodes_exit_with_1(capsys):
    assert "Given up after 50 nodes" in solve(
        capsys, "hexapawn", "--algorithm", "full", "--nodes", "50", status=1
    )


def test_unsolved_early_position_names_another_algorithm(capsys):
    words = ("connect-four", "--position", "444", "--algorithm", "perfect", "--nodes", "5000")
    said = " ".join(solve(capsys, *words, status=1).split())
    assert "Not solved within 5000 nodes" in said
    assert "--algorithm scout says which move looks best" in said
    guess = solve(capsys, *words[:3], "--nodes", "5000", status=1)
    assert "Not certain" in guess and "best move: " in guess


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["chess"], "hexapawn"),
        (["draw-dominoes"], "hidden pieces"),
        (["hexapawn", "--algorithm", "fast"], "alpha-beta"),
        (["hexapawn", "--option", "width=99"], "99"),
        (["hexapawn", "--option", "width"], "NAME=VALUE"),
        (["matches", "--position", "3,7"], "Move 2, 7"),
        (["matches", "--position", "nonsense"], "Move 1, nonsense"),
        (["matches", "--option", "n=3", "--position", "3,1"], "over"),
        (["matches", "--option", "n=3", "--position", "3"], "over"),
        (["intruder"], "for games of two"),
        (
            ["connect-four", "--option", "width=12", "--option", "height=9"],
            "`height` can only be 4 here, not 9",
        ),
        (["hexapawn", "--algorithm", "perfect"], "perfect cannot solve hexapawn"),
        (
            ["connect-four", "--option", "popout=yes", "--algorithm", "perfect"],
            "There is no solver for connect-four with these options. Take one of these: full",
        ),
        (["hexapawn", "--algorithm", "formula"], "Take one of these: full, first-win"),
        (["matches", "--nodes", "0"], "1 to 1,000,000,000"),
        (["matches", "--nodes", "many"], "number"),
        (["matches", "--explain", "tree.png"], ".svg"),
        (["matches", "--explain", "tree.svg", "--algorithm", "all"], "one algorithm"),
        (["matches", "--explain", "tree.svg", "--algorithm", "mcts"], "first-win"),
        (["matches", "--explain", "tree.svg", "--algorithm", "full"], "too large"),
        (["matches", "--explain", "nowhere/tree.svg", "--option", "n=3"], "nowhere/tree.svg"),
    ],
)
def test_solve_error_lists_allowed_values(capsys, words, why):
    assert why in solve(capsys, *words, status=2)


def test_help_has_an_example(capsys):
    said = solve(capsys, "--help")
    assert (
        all(f"  {name} " in said for name in ALGORITHMS) and "exit codes" in said and "rows" in said
    )


def test_fairdeal_solve_runs_and_shows_progress(capsys):
    assert door(["solve", "matches", "--option", "n=4"]) == 0
    assert "Second wins" in capsys.readouterr().out


def drawn(capsys, tmp_path, *words):
    path = tmp_path / "tree.svg"
    solve(capsys, *words, "--explain", str(path))
    return ElementTree.parse(path).getroot()


def boxes(root):
    """Return the box of each text: left, right, line."""
    for text in root.iter(f"{SVG}text"):
        x = float(text.get("x"))
        yield x, x + 7.9 * len(text.text), float(text.get("y"))


@pytest.mark.parametrize("name", [name for name, row in ALGORITHMS.items() if row.tree])
def test_drawing_has_text_per_node_without_overlap(capsys, tmp_path, name):
    root = drawn(capsys, tmp_path, "matches", "--option", "n=7", "--algorithm", name)
    found = sorted(boxes(root), key=lambda box: (box[2], box[0]))
    width, height = float(root.get("width")), float(root.get("height"))
    assert all(right <= width and y <= height for _, right, y in found)
    for one, left, y in found:
        for two, _, other in found:
            assert (one, y) == (two, other) or abs(y - other) >= 14 or two < one or two >= left


@pytest.mark.parametrize("name", ["full", "first-win", "alpha-beta", "table", "order"])
def test_drawing_has_counted_nodes_and_cuts(capsys, tmp_path, name):
    path = tmp_path / "tree.svg"
    said = solve(capsys, "matches", "--option", "n=8", "--algorithm", name, "--explain", str(path))
    nodes, cuts, hits = (
        int(re.search(rf"(\d+) {word}", said)[1]) for word in ("nodes", "cuts", "table hits")
    )
    texts = list(ElementTree.parse(path).getroot().iter(f"{SVG}text"))
    assert len([text for text in texts if text.get("class") == "cut"]) == cuts
    assert len([text for text in texts if text.get("class") is None]) == nodes
    assert len([text for text in texts if text.get("class") is None and "▤" in text.text]) == hits


@pytest.mark.parametrize(
    "name", [name for name, row in ALGORITHMS.items() if row.tree and name != "depth"]
)
@pytest.mark.parametrize(("game", "value"), [("hexapawn", "−1"), ("matches", "+1")])
def test_drawing_root_has_the_found_value(capsys, tmp_path, name, game, value):
    options = ("--option", "n=7") if game == "matches" else ()
    texts = drawn(capsys, tmp_path, game, *options, "--algorithm", name).iter(f"{SVG}text")
    assert next(text.text for text in texts if text.get("class") is None) == value


@pytest.mark.slow
def test_drawing_of_large_tree_is_marked_as_cut(capsys, tmp_path):
    root = drawn(capsys, tmp_path, "matches", "--option", "n=13", "--algorithm", "full")
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert len(texts) < MAX_DRAWN_ROWS * 2 and any(
        "nodes; what lies further" in text for text in texts
    )


def test_drawing_suits_light_and_dark_themes(capsys, tmp_path):
    root = drawn(capsys, tmp_path, "matches", "--option", "n=3")
    assert "prefers-color-scheme: dark" in root.find(f"{SVG}style").text


@pytest.mark.parametrize(
    ("game", "position", "moves"),
    [
        ("nim", "2 3", "2 3,"),  # one move of two words
        ("nim", "1-0-5-7", "2 3"),  # the game's own notation
        ("nim", "1-3-4-7", "3 1"),
        ("connect-four", "4453", "4, 4, 5, 3"),
        ("hexapawn", "a1-a2 b3xa2", "a1-a2; b3xa2"),
    ],
)
def test_position_may_be_given_in_several_notations(capsys, game, position, moves):
    def board(text):
        said = solve(capsys, game, "--position", text, "--algorithm", "depth", "--depth", "2")
        return [line.replace("→", " ") for line in said.partition("value:")[0].splitlines()[3:]]

    assert board(position) == board(moves)


@pytest.mark.parametrize(
    ("game", "position"), [("nim", "9-9-9-9"), ("nim", "9 9"), ("connect-four", "4444444")]
)
def test_impossible_position_is_refused(capsys, game, position):
    assert "Move 1" in solve(capsys, game, "--position", position, status=2)
