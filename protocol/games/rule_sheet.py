"""Interface of a game's rule sheet: a function for each game. The spec of the game names it."""

from collections.abc import Callable
from dataclasses import dataclass

from protocol.options import Values
from protocol.view.rule_sheet import RuleSheet


@dataclass(frozen=True)
class SheetRequest:
    """The match, or the terms, that a rule sheet is about."""

    game: str
    seats: int
    values: Values  # all options, with defaults
    # Language of the reader, such as "de". Phrases do not need it: only a writer whose texts come
    # from outside of the catalogues chooses by it.
    language: str = "en"
    # Text that a player brought and the options name, such as an own rule file. Empty: not here.
    brought: str = ""


# None: the game has no rule sheet for this request.
RuleSheetWriter = Callable[[SheetRequest], RuleSheet | None]
