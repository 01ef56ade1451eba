"""Views and deeds as JSON, for a screen in another process; as plain data for a page, with sentences for phrases."""

import json
from dataclasses import fields, is_dataclass
from typing import Any

from protocol.view.phrase import Phrase
from protocol.view.view import Deed, View
from protocol.view.words import Say

KINDS = frozenset(
    {"Line", "Felt", "Grid", "Heaps", "Generic", "Who", "Pieces"}
)  # values that stand beside others in one place


def encode(value: View | Deed) -> str:
    """As JSON: an object for each value, lists for tuples, hexadecimal digits for bytes. Where one of several can
    stand, `is` says which it is."""
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))


def spoken(value: View | Deed, say: Say) -> Any:
    """As plain data, the same as `encode`, but that every phrase is already the sentence that is shown."""
    return _plain(value, say)


def _plain(value: Any, say: Say | None = None) -> Any:
    if isinstance(value, Phrase) and say is not None:
        return say(value)
    if isinstance(value, Phrase):
        return {"key": value.key, "args": {name: _plain(argument) for name, argument in value.args}}
    if is_dataclass(value):
        name = type(value).__name__
        kind = {"is": name.lower()} if name in KINDS else {}
        return kind | {field.name: _plain(getattr(value, field.name), say) for field in fields(value)}
    if isinstance(value, tuple):
        return [_plain(each, say) for each in value]
    return value.hex() if isinstance(value, bytes) else value
