"""Matches whose course is kept as text and must be the same over every dealing: test 25 of games by
rule files.
"""

from pathlib import Path

from tests.properties.script_games.play import Kind, played
from tests.properties.script_games.tell import told

FOLDER = Path(__file__).parent / "texts"
SHORT = tuple(range(12))
GOLDEN = {
    "element-duel": (Kind("element-duel", "seeded"), 1),
    "element-duel-together": (
        Kind("element-duel", "seeded", 2, (("early", "yes"), ("together", "yes"))),
        3,
    ),
    "mau-mau": (Kind("mau-mau", "residue", 2, (), (SHORT, SHORT)), 2),
    "mau-mau-shared": (Kind("mau-mau-shared", "verified", 3), 3),
}


def path_of(name: str) -> Path:
    """Return the file with the text of a match."""
    return FOLDER / f"{name}.txt"


def write() -> None:
    """Rewrite all texts, only after an intended change. Review the difference."""
    for name, (kind, seed) in GOLDEN.items():
        path_of(name).write_text(told(played(kind, seed)), encoding="utf-8")
