"""Views and deeds as plain data: as JSON with phrases as keys for a program that has the catalogue
of sentences, and with sentences for every other reader.
"""

import json
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from protocol.view.board import DominoLine, GridBoard, HeapRows, PokerTable, RegionBoard
from protocol.view.phrase import Phrase, Pieces, SeatRef, Sentence
from protocol.view.rule_sheet import BulletList, Figure, Heading, Paragraph, RuleSheet
from protocol.view.text import Say
from protocol.view.view import Narration, View

# Types of which several can stand in one place, and how JSON and the page tell them apart.
TYPE_TAGS: dict[type, str] = {
    DominoLine: "line",
    PokerTable: "felt",
    GridBoard: "grid",
    HeapRows: "heaps",
    RegionBoard: "generic",
    SeatRef: "who",
    Pieces: "pieces",
    Sentence: "sentence",
    Heading: "heading",
    Paragraph: "paragraph",
    BulletList: "list",
    Figure: "figure",
}

SCALAR_TYPES = frozenset({str, int, bool, type(None)})  # most of what is in a view


def encode_json(value: View | Narration) -> str:
    """Return a value as JSON: objects for values, lists for tuples, hexadecimal digits for bytes.

    Phrases are keys with arguments. `is` tells types apart that can stand in the same place.
    """
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))


def encode_with_sentences(value: View | Narration | RuleSheet, say: Say) -> Any:
    """Return a value as plain data for `json.dumps`, with the sentence of `say` for each phrase."""
    return _plain(value, say)


def _plain(value: Any, say: Say | None = None) -> Any:
    made: Any = type(value)
    if made in SCALAR_TYPES:
        return value
    if isinstance(value, Phrase) and say is not None:
        return say(value)
    if isinstance(value, Phrase):
        return {"key": value.key, "args": {name: _plain(argument) for name, argument in value.args}}
    names = _fields(made)
    if names is not None:
        kind = {"is": TYPE_TAGS[made]} if made in TYPE_TAGS else {}
        return kind | {name: _plain(getattr(value, name), say) for name in names}
    if isinstance(value, tuple):
        return [_plain(each, say) for each in value]
    return value.hex() if isinstance(value, bytes) else value


@cache
def _fields(made: type) -> tuple[str, ...] | None:
    """The names of its fields; None: it has none."""
    if is_dataclass(made):
        return tuple(field.name for field in fields(made))
    return None
