"""Help text of a rule file: its rules for people, in each language, as headings, paragraphs, items
and rows of cards (docs/protocol, 33.9).
"""

from functools import lru_cache
from typing import Final, NamedTuple

from protocol.games.scripted.rule_file.contract import RuleContract
from protocol.games.scripted.rule_file.sentences import SENTENCE_CACHE, by_language
from protocol.limits import MAX_HELP_BLOCK, MAX_HELP_BLOCKS, MAX_HELP_CARDS, MAX_HELP_TEXT
from protocol.rules import RuleError
from protocol.view.harmless import is_safe_to_show

HELP: Final = "HELP"  # the constant
HEADING_MARK: Final = "# "
ITEM_MARK: Final = "- "


class HelpHeading(NamedTuple):
    text: str


class HelpParagraph(NamedTuple):
    text: str


class HelpItem(NamedTuple):
    """Item of a list; items that follow each other are one list."""

    text: str


class HelpCards(NamedTuple):
    """Row of cards as an example, as indices of `CARDS`, with a sentence about them."""

    cards: tuple[int, ...]
    text: str


HelpBlock = HelpHeading | HelpParagraph | HelpItem | HelpCards
HelpTexts = tuple[tuple[str, tuple[HelpBlock, ...]], ...]  # by language, in the file's order


@lru_cache(SENTENCE_CACHE)
def help_of(contract: RuleContract) -> HelpTexts:
    """Return the help texts of a file; empty if it has none, or wrong ones."""
    try:
        return read_help(contract)
    except RuleError:
        return ()


def read_help(contract: RuleContract) -> HelpTexts:
    """Read the constant `HELP`. Raises: RuleError at the line of the constant."""
    value = contract.module.constants.get(HELP)
    if HELP not in contract.module.constants:
        return ()
    try:
        return tuple(
            (language, _blocks(blocks, f'{HELP}["{language}"]', len(contract.cards)))
            for language, blocks in by_language(value, HELP).items()
        )
    except RuleError as error:
        raise RuleError(*contract.module.place(HELP), error.key, **error.values) from None


def _blocks(value: object, where: str, cards: int) -> tuple[HelpBlock, ...]:
    if type(value) is not list or not 0 < len(value) <= MAX_HELP_BLOCKS:
        want = f'["# …", "…", "- …", [0, 1, "…"]], 1 … {MAX_HELP_BLOCKS}'
        raise RuleError(0, 0, "script.constant", name=where, want=want)
    found = tuple(_block(block, f"{where}[{number}]", cards) for number, block in enumerate(value))
    if sum(len(block.text) for block in found) > MAX_HELP_TEXT:
        raise RuleError(0, 0, "script.help.long", where=where, most=MAX_HELP_TEXT)
    return found


def _block(value: object, where: str, cards: int) -> HelpBlock:
    if type(value) is list:
        *numbers, text = value or [None]
        good = 0 < len(numbers) <= MAX_HELP_CARDS and all(
            type(number) is int and 0 <= number < cards for number in numbers
        )
        if not good:
            want = f'[0, 1, "…"], 0 … {cards - 1}, 1 … {MAX_HELP_CARDS}'
            raise RuleError(0, 0, "script.constant", name=where, want=want)
        return HelpCards(tuple(numbers), _text(text, where))
    text = _text(value, where)
    if text.startswith(HEADING_MARK):
        return HelpHeading(_text(text.removeprefix(HEADING_MARK), where))
    if text.startswith(ITEM_MARK):
        return HelpItem(_text(text.removeprefix(ITEM_MARK), where))
    return HelpParagraph(text)


def _text(value: object, where: str) -> str:
    if type(value) is not str or not 0 < len(value) <= MAX_HELP_BLOCK or not is_safe_to_show(value):
        raise RuleError(0, 0, "script.template.text", where=where, most=MAX_HELP_BLOCK)
    return value
