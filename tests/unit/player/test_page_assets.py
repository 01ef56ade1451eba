"""The page's files: what a first view of a match takes is asked for at once, and is little."""

import posixpath
import re
from gzip import compress
from importlib.resources import files
from pathlib import Path

from player.page.replay import single

STATIC = Path(str(files("player.page") / "static"))
MOST = 60_000  # bytes on the line for the first view of a match, without fonts or pictures: there are none
IMPORT = re.compile(r'(?:from|import)\s+"(\.{1,2}/[^"]+)"')
LINK = re.compile(r'(?:href|src)="/static/([^"]+)"')


def needed(*modules: str) -> set[str]:
    """These modules, and what they import when they are loaded."""
    found: set[str] = set()
    new = list(modules)
    while new:
        path = new.pop()
        if path not in found:
            found.add(path)
            new += [posixpath.normpath(posixpath.join(posixpath.dirname(path), other)) for other in imports(path)]
    return found


def imports(path: str) -> list[str]:
    return IMPORT.findall((STATIC / path).read_text("utf-8"))


def test_the_first_view_of_a_match_is_asked_for_at_once_and_is_little():
    page = (STATIC / "index.html").read_text("utf-8")
    linked = set(LINK.findall(page))
    modules = {path for path in linked if path.endswith(".js")}
    assert modules == needed("main.js", "match/screen.js")
    assert sum(len(compress((STATIC / path).read_bytes())) for path in linked | {"index.html"}) <= MOST


def test_every_file_is_used():
    linked = LINK.findall((STATIC / "index.html").read_text("utf-8"))
    screens = [module for module in linked if module.endswith(".js")]
    later = re.findall(r'import\("\./([^"]+)"\)', (STATIC / "main.js").read_text("utf-8"))
    used = needed(*screens, *later, single.FIRST) | set(linked) | {"index.html"}
    assert {path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*") if path.is_file()} <= used
