"""Rule sheet as plain text, for a terminal."""

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Final

from protocol.games.game_text import GameText, PictureText
from protocol.games.spec import GameSpec
from protocol.view.phrase import phrase
from protocol.view.rule_sheet import (
    Block,
    BulletList,
    Figure,
    Heading,
    Paragraph,
    PieceRow,
    RuleSheet,
)
from protocol.view.text import Say, display_width, pad_to_width

WIDEST: Final = 80  # columns of a line that people read with ease
INDENT: Final = "  "
BULLET: Final = "- "
GAP: Final = "  "  # between names and pieces


def rules_text(spec: GameSpec, sheet: RuleSheet | None, say: Say, width: int) -> list[str]:
    """Draw the rules of a game under its name, or say that there are none."""
    if sheet is None:
        return [say(phrase("sheet.none", game=spec.name))]
    title = say(phrase("sheet.title", game=spec.name))
    return [title, "", *sheet_text(sheet, spec.load_text(), say, width)]


def sheet_text(sheet: RuleSheet, text: GameText, say: Say, width: int) -> list[str]:
    """Draw a rule sheet, at most `width` columns wide. `text` draws the pieces of its game."""
    wide = max(min(width, WIDEST) - len(INDENT), 1)
    lines: list[str] = []
    for block in sheet.blocks:
        if isinstance(block, Heading):
            lines += ["", say(block.text)]
        else:
            lines += [f"{INDENT}{line}".rstrip() for line in _block_lines(block, text, say, wide)]
    return lines[1:] if lines[:1] == [""] else lines


def _block_lines(block: Block, text: GameText, say: Say, width: int) -> Iterator[str]:
    match block:
        case Heading(told) | Paragraph(told):
            yield from wrap(say(told), width)
        case BulletList(items):
            for item in items:
                yield from wrap(
                    say(item), width, initial_indent=BULLET, subsequent_indent=" " * len(BULLET)
                )
        case Figure():
            yield from _figure_lines(block, text, say, width)


def _figure_lines(figure: Figure, text: GameText, say: Say, width: int) -> Iterator[str]:
    drawn = list(_row_lines(figure.rows, text, say, width))
    if figure.board is not None and isinstance(text, PictureText):
        drawn = [*text.picture_text(figure.board, say, width), *drawn]
    if drawn:
        yield from ("", *drawn, "")
    yield from wrap(say(figure.caption), width)


def _row_lines(rows: Sequence[PieceRow], text: GameText, say: Say, width: int) -> Iterator[str]:
    """Draw rows of pieces behind their names; below them, where there is no room beside."""
    names = [say(row.name) for row in rows]
    wide = max(map(display_width, names), default=0) + len(GAP)
    drawn = [text.hand_text(row.pieces, say, width - len(INDENT)) for row in rows]
    beside = wide + max(map(display_width, drawn), default=0) <= width
    for name, pieces in zip(names, drawn, strict=True):
        if beside:
            yield pad_to_width(name, wide) + pieces
        else:
            yield from wrap(name, width)
            yield from wrap(pieces, width, initial_indent=INDENT, subsequent_indent=INDENT)
