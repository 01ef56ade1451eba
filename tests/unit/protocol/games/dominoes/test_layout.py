"""Layout of tiles: where they fit, how they are turned, and which ends are alike."""

import pytest

from protocol.games.dominoes.layout import End, Layout, open_ends
from protocol.games.dominoes.tiles import Tile

SPINS, FIVES = Layout(spins=True), Layout(spins=True, counts=True)
MUGGINS = Layout(counts=True)


def laid(layout: Layout, *plays: tuple[int, int, int]) -> Layout:
    for high, low, end in plays:
        assert end in open_ends((high, low), layout.ends)
        layout = layout.lay((high, low), end)
    return layout


@pytest.mark.parametrize(
    ("tile", "numbers", "where"),
    [
        ((6, 4), None, (0,)),
        ((5, 3), (3, 5), (0, 1)),
        ((5, 3), (5, 1), (0,)),
        ((5, 3), (1, 5), (1,)),
        ((5, 3), (1, 2), ()),
        ((5, 3), (3, 3), (0,)),
        ((3, 3), (3, 3), (0,)),
        ((5, 5), (3, 5), (1,)),
        ((6, 4), (3, 3), ()),
        ((6, 4), (6, 1, 3, 3), (0,)),
        ((6, 3), (6, 1, 3, 3), (0, 2)),
        ((6, 3), (1, 1, 3, 6), (2, 3)),
    ],
)
def test_open_ends_follow_played_tiles(
    tile: Tile, numbers: tuple[int, ...] | None, where: tuple[int, ...]
) -> None:
    assert open_ends(tile, None if numbers is None else tuple(map(End, numbers))) == where


def test_tiles_are_turned_to_fit() -> None:
    found = laid(Layout(), (6, 4, 0), (6, 1, 0), (4, 4, 1), (4, 2, 1), (1, 0, 0))
    assert found.line == ((0, 1), (1, 6), (6, 4), (4, 4), (4, 2))


def test_tiles_of_arms_are_turned_outwards() -> None:
    found = laid(SPINS, (3, 3, 0), (5, 3, 0), (3, 1, 1), (6, 3, 2), (6, 2, 2), (3, 0, 3))
    assert (found.line, found.spinner_place) == (((5, 3), (3, 3), (3, 1)), 1)
    assert found.arms == (((3, 6), (6, 2)), ((3, 0),))
    assert [end.number for end in found.ends or ()] == [5, 1, 2, 0]


def test_short_sides_open_after_both_long_sides() -> None:
    """Source: pagat.com, All Fives: the first and second tiles played against the spinner must be
    placed against a side, the third and fourth against the ends.
    """
    one = laid(SPINS, (3, 3, 0), (5, 3, 0))
    assert one.arms is None and len(one.ends or ()) == 2
    both = laid(one, (3, 1, 1))
    assert both.arms == ((), ()) and [end.number for end in both.ends or ()] == [5, 1, 3, 3]


def test_first_double_is_spinner_wherever_it_is_played() -> None:
    """Source: pagat.com, All Fives: "the first double, and only the first double"."""
    found = laid(SPINS, (6, 4, 0), (6, 6, 0), (4, 4, 1), (4, 3, 1))
    assert (found.spinner, found.arms) == (6, None)  # the 4-4 has two sides, and stays closed
    assert laid(found, (6, 1, 0)).arms == ((), ())


def test_without_spinner_no_double_opens_short_sides() -> None:
    assert laid(MUGGINS, (3, 3, 0), (5, 3, 0), (3, 1, 1)).arms is None


def test_free_short_sides_are_alike() -> None:
    both = laid(FIVES, (3, 3, 0), (5, 3, 0), (3, 1, 1))
    assert open_ends((6, 3), both.ends) == (2,)
    assert open_ends((4, 3), laid(both, (6, 3, 2)).ends) == (3,)


def test_double_and_single_end_differ_by_fives_only() -> None:
    """Muggins: after 5-5 on the left, 5-0 makes 5 there and 10 on the right."""
    plays = ((5, 3, 0), (3, 1, 1), (5, 1, 1), (5, 5, 0))
    line = laid(MUGGINS, *plays)
    assert open_ends((5, 0), line.ends) == (0, 1)
    assert [line.lay((5, 0), end).end_sum for end in (0, 1)] == [5, 10]
    assert open_ends((5, 0), laid(Layout(), *plays).ends) == (0,)


def test_side_that_opens_spinner_differs_from_another_end() -> None:
    """Points for pips alone: a tile at the spinner opens its short sides, at the other end not."""
    line = laid(SPINS, (5, 3, 0), (5, 5, 0), (3, 1, 1), (5, 1, 1))
    assert open_ends((5, 0), line.ends) == (0, 1)
    assert line.lay((5, 0), 0).arms == ((), ()) and line.lay((5, 0), 1).arms is None


@pytest.mark.parametrize(
    ("plays", "count"),
    [
        (((3, 3, 0),), 6),
        (((3, 3, 0), (5, 3, 0)), 11),  # the spinner counts with both halves while a side is free
        (((3, 3, 0), (5, 3, 0), (3, 1, 1)), 6),  # and no more, though its short sides are open
        (((3, 3, 0), (5, 3, 0), (3, 1, 1), (6, 3, 2)), 12),
        (((3, 3, 0), (5, 3, 0), (3, 1, 1), (6, 3, 2), (6, 6, 2)), 18),
        (((3, 3, 0), (5, 3, 0), (3, 1, 1), (6, 3, 2), (3, 0, 3)), 12),
    ],
)
def test_spinner_counts_until_both_sides_have_tiles(
    plays: tuple[tuple[int, int, int], ...], count: int
) -> None:
    """Source: pagat.com, All Fives, "Scoring"."""
    assert laid(FIVES, *plays).end_sum == count


def test_highest_count_is_35() -> None:
    """Source: pagat.com, All Fives: 6-6, 5-5 and 4-4 on three arms, and a 5 on the fourth."""
    cross = ((1, 1, 0), (6, 1, 0), (6, 6, 0), (5, 1, 1), (5, 5, 1), (4, 1, 2), (4, 4, 2))
    # the fourth arm runs by the 2, as the 5-1 lies already
    assert laid(FIVES, *cross, (2, 1, 3), (5, 2, 3)).end_sum == 35
