"""Vectors of chapter 9: open ends with and without a spinner, the ends that are alike, and points
scored at once.
"""

from typing import Any

from protocol.codes import Code
from protocol.errors import Refused
from protocol.games.dominoes.layout import Layout, open_ends
from protocol.games.dominoes.scoring import Scoring
from tests.vectors.make.forms import Bad, Vector


def lay_tiles(
    spinner: bool, fives: bool, plays: list[list[int]], tile: list[int]
) -> dict[str, Any]:
    """Operation of 9.3.2, 9.5 and 9.9.1: lay tiles, each (high, low, end). Return the open numbers
    and the points after each, and the ends where another tile may be played in the end.
    """
    layout = Layout(spins=spinner, counts=fives)
    scoring, numbers, points = Scoring(0, fives=fives), [], []
    for high, low, end in plays:
        if end not in open_ends((high, low), layout.ends):
            raise Refused(Code.ILLEGAL_MOVE)
        layout = layout.lay((high, low), end)
        numbers.append([each.number for each in layout.ends or ()])
        points.append(scoring.points_of(layout))
    high, low = tile
    return {"ends": numbers, "points": points, "places": list(open_ends((high, low), layout.ends))}


OPERATIONS = {"lay tiles": lay_tiles}

CROSS = [[4, 1, 0], [1, 1, 1], [4, 4, 0], [4, 3, 0], [2, 1, 1]]


def vectors() -> list[Vector]:
    """Return all vectors of this module."""
    return [
        Vector(
            "9.5",
            "short sides open after both long sides, the first double alone (pagat.com, All Fives)",
            "lay tiles",
            {
                "spinner": True,
                "fives": True,
                "plays": [*CROSS, [5, 1, 2], [5, 5, 2], [5, 0, 2], [6, 1, 3]],
                "tile": [6, 3],
            },
            (
                Bad("a free short side is like the other", {"plays/5/2": 3}, "illegal_move"),
                Bad("a short side of a closed spinner", {"plays/4/2": 2}, "illegal_move"),
                Bad("no spinner", {"spinner": False}, "illegal_move"),
                Bad("the second double", {"plays/8": [6, 4, 2]}, "illegal_move"),
            ),
        ),
        Vector(
            "9.3",
            "by fives, a double and a single end with one number differ",
            "lay tiles",
            {
                "spinner": False,
                "fives": True,
                "plays": [[5, 3, 0], [3, 1, 1], [5, 1, 1], [5, 5, 0]],
                "tile": [5, 0],
            },
        ),
        Vector(
            "9.3",
            "by points, they are alike",
            "lay tiles",
            {
                "spinner": False,
                "fives": False,
                "plays": [[5, 3, 0], [3, 1, 1], [5, 1, 1], [5, 5, 0]],
                "tile": [5, 0],
            },
        ),
        Vector(
            "9.3",
            "by points, the side that opens the spinner differs from another end",
            "lay tiles",
            {
                "spinner": True,
                "fives": False,
                "plays": [[5, 3, 0], [5, 5, 0], [3, 1, 1], [5, 1, 1]],
                "tile": [5, 0],
            },
        ),
    ]
