"""Views and narrations as JSON for a screen in another process, and as data with sentences for a
page.
"""

import json
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from protocol.view.phrase import Phrase
from protocol.view.text import Say
from protocol.view.view import Narration, View

# types of fields that can have several types
TAGGED_TYPES = frozenset({"Line", "Felt", "Grid", "Heaps", "Generic", "Who", "Pieces"})

SCALAR_TYPES = frozenset({str, int, bool, type(None)})  # most frequent types in a view


def encode_json(value: View | Narration) -> str:
    """Encode as JSON: objects for dataclasses, lists for tuples, hexadecimal digits for bytes. The
    key `is` tells the type in fields that can have several.
    """
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))


def encode_page_data(value: View | Narration, say: Say) -> Any:
    """Return the data of `encode_json` with a sentence in place of every phrase."""
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
        kind = {"is": made.__name__.lower()} if made.__name__ in TAGGED_TYPES else {}
        return kind | {name: _plain(getattr(value, name), say) for name in names}
    if isinstance(value, tuple):
        return [_plain(each, say) for each in value]
    return value.hex() if isinstance(value, bytes) else value


@cache
def _fields(made: type) -> tuple[str, ...] | None:
    """Return the names of the fields of a dataclass; None for another type."""
    return tuple(field.name for field in fields(made)) if is_dataclass(made) else None
