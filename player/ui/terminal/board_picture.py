"""The picture above the prompt while seats act at once: the table, the others' actions, the own
keys.
"""

import re
from collections.abc import Sequence
from textwrap import wrap

from player.presenter.action_picker import ActionPicker, key_label
from player.presenter.wait_status import round_trip_lines
from protocol.games.game_text import GameText
from protocol.view.board import Board, Offer, RegionBoard
from protocol.view.phrase import phrase
from protocol.view.text import Say, capitalize, display_width
from protocol.view.view import View

APART = "   "  # what keys do, in a line
COLOURS = {
    "red": "bold ansired",
    "yellow": "bold ansiyellow",
    "green": "bold ansigreen",
    "blue": "bold ansibrightblue",
}
Line = list[tuple[str, str]]  # its parts: how each looks, and what it says


def picture(view: View, text: GameText, say: Say, picker: ActionPicker, width: int) -> list[Line]:
    """Return the lines of the picture from above; the last ones matter most."""
    if view.board is None:
        table = []
    else:
        table = text.table_text(view, say, width)
    plain = [*map(say, picker.news), *table, *map(say, round_trip_lines(view))]
    styles = _coloured(view.board, text, say)
    lines = [
        _parts(part, styles)
        for line in plain
        for part in wrap(line, max(width - 1, 1), subsequent_indent="  ") or [""]
    ]
    if picker.status is not None:
        style, told = picker.status
        lines.append([(style.value, capitalize(say(told)))])
    if picker.typing:
        does = wrap(say(phrase("live.typing")), max(width - 1, 1))
    else:
        does = legend(view.offers, say, width)
    return lines + [[("bold", line)] for line in does]


def _coloured(board: Board | None, text: GameText, say: Say) -> dict[str, str]:
    """Pieces that lie open and have a colour, as they are said, and how they look."""
    regions = board.regions if isinstance(board, RegionBoard) else ()
    shown = [
        piece
        for region in regions
        for piece in region.pieces
        if piece.faces and piece.faces[0] in COLOURS
    ]
    return {
        text.hand_text((piece,), say): COLOURS[str(piece.faces[0])]
        for piece in shown
        if piece.faces
    }


def _parts(line: str, styles: dict[str, str]) -> Line:
    """A line in which these pieces have their colours."""
    if not styles:
        return [("", line)]
    named = "|".join(re.escape(name) for name in sorted(styles, key=len, reverse=True))
    return [
        (styles.get(part, ""), part) for part in re.split(rf"(?<!\w)({named})(?!\w)", line) if part
    ]


def legend(offers: Sequence[Offer], say: Say, width: int) -> list[str]:
    """Return the action of each key; of several actions with one key, the first."""
    taken: set[str] = set()
    shown = []
    for offer in offers:
        if offer.key and offer.key[0] not in taken:
            taken.add(offer.key[0])
            shown.append(say(phrase("live.key", key=key_label(offer.key[0]), what=offer.label)))
    return _in_lines(shown, width)


def _in_lines(parts: Sequence[str], width: int) -> list[str]:
    """Put as many parts into each line as fit."""
    lines: list[str] = []
    for part in parts:
        longer = f"{lines[-1]}{APART}{part}" if lines else part
        if lines and display_width(longer) < width:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines
