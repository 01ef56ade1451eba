"""The files of a page: a document, a script and a style sheet, put together at the program's start.

Developers read and test the modules and sheets below `static`. A browser that loaded each of them
would send fifty requests and wait for all answers before it drew anything.
"""

from collections.abc import Mapping
from functools import cache
from gzip import compress
from types import MappingProxyType
from typing import NamedTuple

from player.cards.creator.element_set.cards import FACES
from player.ui.web.bundle import bundle, static, style

DOCUMENT = "index.html"
SCRIPT = "all.js"
STYLE = "all.css"
ICON = "icon.svg"
KINDS = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}


class Parts(NamedTuple):
    """The parts of a page: its first module and its style sheets."""

    first: str
    styles: tuple[str, ...]


MATCH = Parts(
    "main.js",
    (
        "style.css",
        "boards/boards.css",
        "boards/field/field.css",
        "match/match.css",
        "match/room.css",
        "match/thoughts.css",
        "lobby/lobby.css",
        "replay/replay.css",
    ),
)
APP = Parts("home/main.js", (*MATCH.styles, "cards/cards.css", "decks/decks.css", "home/home.css"))
CARDS = Parts("cards/main.js", ("style.css", "cards/cards.css", "decks/decks.css"))


class Asset(NamedTuple):
    """A file of a page."""

    data: bytes
    packed: bytes  # there is no secret in it that its length could tell
    kind: str


@cache
def assets(parts: Parts = MATCH) -> Mapping[str, Asset]:
    """Return all files of one page, by name."""
    texts = {
        DOCUMENT: static(DOCUMENT),
        SCRIPT: bundle(parts.first, static),
        STYLE: style(parts.styles),
        ICON: static(ICON),
    }
    return MappingProxyType({name: _asset(name, text.encode()) for name, text in texts.items()})


@cache
def pictures() -> Mapping[str, Asset]:
    """Return the pictures of the element set, by path. A page fetches those that lie on its table."""
    found = {
        f"elements/{path.name}": _asset(path.name, path.read_bytes())
        for path in FACES.glob("*.svg")
    }
    return MappingProxyType(found)


def _asset(name: str, data: bytes) -> Asset:
    return Asset(data, compress(data, mtime=0), KINDS[name.rpartition(".")[2]])
