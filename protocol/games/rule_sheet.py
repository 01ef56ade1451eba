"""Interface of a game's rule sheet: a function for each game. The spec of the game names it.

A sheet follows the options in force: readers get the rules of their own table. Numbers come from
the options and from the constants of the rules, never from the prose.
"""

from collections.abc import Callable
from dataclasses import dataclass

from protocol.options import Values
from protocol.view.phrase import Phrase
from protocol.view.rule_sheet import Block, BulletList, Heading, RuleSheet


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


def section(title: Phrase, *blocks: Block | None) -> tuple[Block, ...]:
    """Return blocks under a heading. None stands for a block that these options do not need."""
    return (Heading(title), *(block for block in blocks if block is not None))


def bullets(*items: Phrase | None) -> BulletList:
    """Return a list. None stands for an item that these options do not need."""
    return BulletList(tuple(item for item in items if item is not None))
