"""A person's words for tables: as a search that a table manager understands."""

from collections.abc import Collection

from protocol.errors import LocalError
from protocol.games.registry import Games
from protocol.limits import MAX_GAMES_SOUGHT, MAX_SEARCH
from protocol.messages.table_search import FIRST_PAGE, TableSearch, fold
from protocol.view.phrase import phrase
from protocol.view.text import Say


def search_by_words(words: str, games: Games, say: Say, named: Collection[str] = ()) -> TableSearch:
    """Return the search for these words, which also finds games that are described by them in the
    person's language. `named`: games that a screen calls so. Raises: LocalError if they are too long.
    """
    words = " ".join(words.split())
    if len(words) > MAX_SEARCH:
        raise LocalError("wrong.search", most=MAX_SEARCH, characters=len(words))
    if not words:
        return FIRST_PAGE
    # from the beginning of a word: "ann" is somebody's name, and in "cannot"
    part = f" {fold(words)}"
    sought = [
        name
        for name, row in games.specs.items()
        if name in named or part in f" {fold(say(phrase(row.about)))}"
    ]
    return TableSearch(words, tuple(sought[:MAX_GAMES_SOUGHT]))
