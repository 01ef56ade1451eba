"""The person's settings of pages: looks and sounds. Nothing in this file is secret.

The file follows the person to every page: each program serves its page at another port, where a
browser has kept nothing.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from player.storage.files import write_json
from protocol.errors import LocalError
from protocol.limits import MAX_SETTINGS

FILE = "settings.json"
Setting = str | int
# permitted values by name; a page has its own default for a setting that is not in the file
SETTINGS: Mapping[str, tuple[Setting, ...]] = {
    "theme": ("system", "light", "dark"),
    "colour": ("green", "blue", "purple", "red", "ochre", "teal"),
    "text": (90, 100, 125, 150, 200),  # percent
    "packs": ("four", "two"),  # colours of a pack of cards
    "sound": ("off", "on", "hidden"),
    "volume": tuple(range(101)),  # percent
    "letters": ("on", "off"),  # keys without Ctrl or Alt
    "confirm": ("off", "back", "again"),  # before a choice is sent
    "ahead": ("on", "off"),  # the next choice can be marked before the own turn
    "awake": ("on", "off"),  # the screen stays on in the own turn and while a hand is dealt
    "tour": ("new", "seen"),  # of the first match
}


def are_settings(value: Mapping[str, object]) -> bool:
    """Check names, types and values."""
    return all(
        any(type(given) is type(each) and given == each for each in SETTINGS.get(name, ()))
        for name, given in value.items()
    )


def read_settings(data: Path) -> dict[str, Setting]:
    """Return the settings that the person has chosen; none if the file is broken."""
    try:
        with (data / FILE).open("rb") as file:
            raw = file.read(MAX_SETTINGS + 1)
        value = json.loads(raw) if len(raw) <= MAX_SETTINGS else None
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) and are_settings(value) else {}


def store_settings(data: Path, chosen: Mapping[str, Setting]) -> None:
    """Change these settings. A disk that does not take them is no error."""
    with suppress(LocalError):
        write_json(data / FILE, read_settings(data) | dict(chosen))
