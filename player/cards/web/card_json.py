"""What is shown of cards, as JSON: the fields of `player.cards.card_models` by name, every phrase
already a sentence.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from protocol.view.phrase import Phrase
from protocol.view.text import Say, sanitize


def told(value: object, say: Say) -> Any:
    """A value of `player.cards.card_models` as JSON. Texts of others are made fit for a screen."""
    if isinstance(value, Phrase):
        return say(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str):
        return sanitize(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: told(getattr(value, one.name), say) for one in fields(value)}
    if isinstance(value, Mapping):
        return {key: told(one, say) for key, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [told(one, say) for one in value]
    return value
