"""Rule sheet of a game by a rule file: the file's own help text, in the language of the reader. A
`protocol.games.rule_sheet.RuleSheetWriter`.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby

from protocol.games.rule_sheet import SheetRequest
from protocol.games.scripted import told
from protocol.games.scripted.rule_file.built_in import rule_digest, text_of_digest
from protocol.games.scripted.rule_file.contract import RuleContract, parse_contract
from protocol.games.scripted.rule_file.help_text import (
    HelpBlock,
    HelpCards,
    HelpHeading,
    HelpItem,
    HelpParagraph,
    help_of,
)
from protocol.rules import RuleError
from protocol.view.board import CardView
from protocol.view.phrase import Phrase, phrase
from protocol.view.rule_sheet import (
    Block,
    BulletList,
    Figure,
    Heading,
    Paragraph,
    PieceRow,
    RuleSheet,
)
from protocol.view.text import FALLBACK

NO_NAME = phrase("script.name", name="")


def write_sheet(request: SheetRequest) -> RuleSheet | None:
    """Write the rule sheet of the file that the options name; None if the file is not here, has no
    help text, or is no game.
    """
    digest = str(request.values["rules"])
    text = text_of_digest(digest)
    ours = text is not None
    if text is None and request.brought and rule_digest(request.brought) == digest:
        text = request.brought
    if text is None:
        return None
    try:
        contract = parse_contract(text)
    except RuleError:
        return None
    texts = dict(help_of(contract))
    if not texts:
        return None
    blocks = texts.get(request.language) or texts.get(FALLBACK) or next(iter(texts.values()))
    whose = () if ours else (Paragraph(phrase("script.help.foreign", name=contract.name)),)
    return RuleSheet((*whose, *_chosen_options(contract, request), *_blocks(contract, blocks)))


def _chosen_options(contract: RuleContract, request: SheetRequest) -> Iterator[Paragraph]:
    """Name the options of the file that do not stand at their default."""
    chosen = [
        f"{option.name}={request.values[option.name]}"
        for option in contract.options
        if request.values.get(option.name, option.choices[0]) != option.choices[0]
    ]
    if chosen:
        yield Paragraph(phrase("script.help.options", options=", ".join(chosen)))


def _blocks(contract: RuleContract, blocks: Iterable[HelpBlock]) -> Iterator[Block]:
    for kind, found in groupby(blocks, key=type):
        if kind is HelpItem:
            yield BulletList(tuple(_own_words(block.text) for block in found))
            continue
        for block in found:
            match block:
                case HelpHeading(text):
                    yield Heading(_own_words(text))
                case HelpParagraph(text):
                    yield Paragraph(_own_words(text))
                case HelpCards(cards, text):
                    yield _example(contract, cards, text)


def _example(contract: RuleContract, cards: tuple[int, ...], caption: str) -> Figure:
    row = tuple(
        CardView(card, told.faces(contract, face), values=told.card_values(face))
        for card in cards
        for face in (contract.cards[card],)
    )
    return Figure(_own_words(caption), (PieceRow(NO_NAME, row),))


def _own_words(text: str) -> Phrase:
    """A text of the file. It is a value, so that nothing in it is filled in or marked up."""
    return phrase("script.name", name=text)
