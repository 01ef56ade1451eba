"""docs/search.md: its outputs and drawings come from the code, and its corrections of the paper are
verified by counting.
"""

from functools import cache
from math import prod

import pytest

from search.algorithms import ALGORITHMS
from tests.support import search_page
from tests.support.game_trees import open_game

RENEW = "run `scripts/run tests.support.search_page` and read what changes"


@pytest.mark.slow
@pytest.mark.parametrize("command", search_page.commands())
def test_search_page_outputs_and_drawings_match_code(command, tmp_path):
    said, drawing = search_page.answered(command, tmp_path)
    assert said == search_page.shown(command), RENEW
    if drawing is not None:
        kept = search_page.ROOT / "docs" / "figures" / drawing.name
        assert drawing.read_text("utf-8") == kept.read_text("utf-8"), RENEW


def test_search_page_covers_every_algorithm():
    text = search_page.PAGE.read_text("utf-8")
    assert all(name in text for name in ALGORITHMS)


@cache
def nim_tree(rows: tuple[int, ...], merged: bool = False) -> tuple[int, int]:
    """Return the nodes of the full tree and the plays in it; `merged` joins successors that differ
    only in the order of rows.
    """
    after = [
        (*rows[:row], left, *rows[row + 1 :])
        for row, most in enumerate(rows)
        for left in range(most)
    ]
    if merged:
        after = list({tuple(sorted(rows)) for rows in after})
    below = [nim_tree(tuple(sorted(rows)), merged) for rows in after]
    return 1 + sum(nodes for nodes, _ in below), sum(plays for _, plays in below) or 1


def test_corrections_of_the_paper_are_right():
    text = search_page.PAGE.read_text("utf-8")
    nodes, plays = nim_tree((1, 3, 5, 7))
    merged, _ = nim_tree((1, 3, 5, 7), merged=True)
    assert (nodes, plays, merged) == (516_124_195, 212_100_984, 80_833_814)
    for number in (nodes, plays, merged, 8**8, 3**10, prod((2, 4, 6, 8))):
        assert f"{number:,}" in text
    for number, said in (
        (2**49, "5.6·10^14"),
        (7**42, "3.1·10^35"),
        (3**42, "1.1·10^20"),
        (4_531_985_219_092, "4.53·10^12"),
    ):
        mantissa, power = f"{number:.{len(said.split('·')[0]) - 2}e}".split("e+")
        assert f"{mantissa}·10^{int(power)}" == said and said in text


def test_tree_of_matches_grows_as_stated():
    sizes = [0, 1]
    for n in range(1, 40):
        sizes.append(1 + sum(sizes[max(1, n - 2) : n + 1]))
    assert (sizes[11], sizes[21]) == (600, 266_079)
    assert round(sizes[-1] / sizes[-2], 3) == 1.839


@pytest.mark.slow
def test_good_move_order_may_be_bad_once():
    from search import SearchEffort
    from search.algorithms import solve

    game, text = open_game("connect-four", width=4, height=4), search_page.PAGE.read_text("utf-8")
    for name in ("table", "order"):
        assert f"{solve(game, game.opening(0), name, SearchEffort(100_000)).counts.nodes:,}" in text
