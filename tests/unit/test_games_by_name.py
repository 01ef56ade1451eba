"""Product code names no game outside the game's own folder and the registry."""

import ast
import re
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from protocol.games.registry import BUILT_IN
from tests.support import architecture as rooms

ROOT = Path(__file__).parents[2]
# the conformance kit tests games by name
PACKAGES = (
    "protocol",
    "bots",
    "net",
    "commandline",
    "table",
    "player",
    "fairdeal",
    "search",
    "simulation",
    "verification",
    "relay",
    "directory",
)
FOLDERS = (
    *(path for path in (ROOT / "protocol" / "games").iterdir() if path.is_dir()),
    ROOT / "protocol" / "audit" / "poker_hands",  # named by the spec of its game
)
REGISTRY = ROOT / "protocol" / "games" / "registry.py"
LIMITS = ROOT / "protocol" / "limits" / "games.py"  # contains the limits of all games
# models of one game, and the solver of another
RESEARCH = (ROOT / "simulation", ROOT / "search" / "connect_four")
BOTS = {
    ROOT / f"{bot.module.partition(':')[0].replace('.', '/')}.py"
    for row in BUILT_IN.specs.values()
    for bot in row.bots
}
# words with other meanings too: the product plays matches, and searches protocols for an intruder
ENGLISH = {"draw", "four", "matches", "intruder", "script", "shared"}
NAMES = {word for name in BUILT_IN.specs for word in (name, name.split("-")[-1])} | {"texas"}
# not a game: the engine runs the rule files that people name
ENGINE = {"scripted"}
NAMES = (NAMES | {path.name for path in FOLDERS if (path / "spec.py").exists()}) - ENGLISH - ENGINE
NAME = re.compile(f"(?<![a-z])({'|'.join(sorted(NAMES))})(?![a-z])")


def sources() -> Iterator[Path]:
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            own = any(folder in path.parents for folder in (*FOLDERS, *RESEARCH))
            if not own and path not in {REGISTRY, LIMITS, *BOTS}:
                yield path


def said(nodes: Collection[ast.AST]) -> Iterator[tuple[int, str]]:
    """Yield all strings and identifiers except docstrings: a comment may use a game as an
    example.
    """
    about = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        for value in vars(node).values():
            for text in value if isinstance(value, list) else [value]:
                if isinstance(text, str) and id(node) not in about:
                    yield getattr(node, "lineno", 0), text


def named(source: str) -> list[int]:
    """Return the lines that name a game."""
    return lines_of(list(ast.walk(ast.parse(source))))


def lines_of(nodes: Collection[ast.AST]) -> list[int]:
    """Return the line numbers of names of games in these nodes."""
    return [line for line, text in said(nodes) if NAME.search(text.lower())]


@pytest.mark.slow
def test_no_other_file_names_a_game():
    found = {
        str(path.relative_to(ROOT)): lines
        for path in sources()
        if (lines := lines_of(rooms.nodes(path)))
    }
    assert found == {}


@pytest.mark.slow
def test_search_for_game_names_finds_an_example():
    assert named("from protocol.games.poker import rules") and named(
        "if name == 'block-dominoes':\n    pass"
    )
    assert named('x = f"play {y} at TEXAS-holdem"') and named("def is_poker(game): ...")
    assert (
        named('play("connect-four")')
        and named("from protocol.games.connect_four import rules")
        and named("nim = 1")
    )
    assert not named('"""Dominoes, as an example."""\nx = "draw"') and not named(
        "minimum, matches = 1, 2"
    )
    assert len(list(sources())) > 150
