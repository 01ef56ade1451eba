"""Pages of a table manager's tables, and the search among them.

A page has the tables from one place on, in the manager's order, of those that a search finds. The
place means something to this manager only: whoever asks for the next page gives back what the last
page said.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from unicodedata import normalize

from protocol.limits import (
    MAX_GAMES_SOUGHT,
    MAX_NAME,
    MAX_SEARCH,
    MAX_TABLES_FOUND,
)
from protocol.schema import Shape, either, many, nothing, text, uint

SEARCHED = either(text(MAX_SEARCH), nothing)
# text, games, first place, rows at most
FIND: tuple[Shape, ...] = (
    SEARCHED,
    many(text(MAX_NAME), 0, MAX_GAMES_SOUGHT),
    uint(),
    uint(MAX_TABLES_FOUND),
)


def found_shapes(row: Shape) -> tuple[Shape, ...]:
    """Return the shapes of a page whose rows have this shape: text and first place as they were
    asked for, tables found before this page and in all, rows, the next page's place.
    """
    return (
        SEARCHED,
        uint(),
        uint(),
        uint(),
        many(row, 0, MAX_TABLES_FOUND),
        either(uint(), nothing),
    )


class TableSearch(NamedTuple):
    """A question for a page of tables.

    `text`: a table's id, or a part of an id, of a game's name or of the name of somebody who waits;
    None for all tables. `games`: names of games that a text finds too, because people know them by
    other words. `start`: the page's first place, 0 for the first page. `most`: rows at most.
    """

    text: str | None = None
    games: tuple[str, ...] = ()
    start: int = 0
    most: int = MAX_TABLES_FOUND

    def values(self) -> tuple[object, ...]:
        """Return the fields of the message."""
        return self.text, list(self.games), self.start, self.most

    def finds(self, table_id: str, game: str, people: Iterable[str]) -> bool:
        """Tell if a table is found, apart from one whose id is the text."""
        if self.text is None:
            return not self.games or game in self.games
        if game in self.games:
            return True
        part = fold(self.text)
        return any(part in fold(name) for name in (table_id, game, *people))


class TablePage(NamedTuple):
    """A page of tables. `before` and `total`: tables found before this page, and in all. `next`:
    the next page's first place; None if this page is the last.
    """

    text: str | None
    start: int
    before: int
    total: int
    rows: Sequence[list[Any]]
    next: int | None

    def values(self) -> tuple[object, ...]:
        """Return the fields of the message."""
        return (*self[:4], list(self.rows), self.next)

    def answers(self, search: TableSearch) -> bool:
        """Tell if this is the answer to a question."""
        return (self.text, self.start) == (search.text, search.start)


FIRST_PAGE = TableSearch()


def fold(name: str) -> str:
    """Return a name as searches compare it: without case and compatibility forms."""
    return normalize("NFKC", name).casefold()
