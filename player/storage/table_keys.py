"""Keys of tables that this person has met: to which next key each has committed, and which new key
the person has accepted for an old one (docs/protocol, 38).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from player.storage.files import read_json, write_json
from protocol.errors import LocalError
from protocol.identity.key_history import (
    KeyHistory,
    KeyPin,
    Rotation,
    Succession,
    learn,
    succession,
)
from protocol.identity.keys import fingerprint

FILE = "table-keys.json"
_PINS, _FOLLOWED = "pins", "followed"
# pins that the person must know of before another key is tried
_KEPT = (Succession.SAME, Succession.FOLLOWED, Succession.CONFLICT)


class TableKeys:
    """The pins and the accepted keys in a data folder."""

    def __init__(self, data: Path) -> None:
        self._path = data / FILE

    def latest(self, expected: str) -> str:
        """Return the fingerprint that the person has accepted last for a table of this fingerprint.
        Raises: LocalError.
        """
        followed = self._read(_FOLLOWED)
        seen = {expected}
        while (after := followed.get(expected)) is not None and after not in seen:
            expected = str(after)
            seen.add(expected)
        return expected

    def consider(self, expected: str, history: KeyHistory) -> Succession:
        """Return how the history leads from the key with the expected fingerprint to the one that is
        shown, and pin what it says. A history of another table is not pinned. Raises: LocalError.
        """
        before = self._pins()
        pins = learn(before, history)
        found = succession(pins, expected, history)
        if found in _KEPT and pins != before:
            self._write(_PINS, {key.hex(): _values(pin) for key, pin in pins.items()})
        return found

    def is_in_conflict(self, key: bytes) -> bool:
        """Return True if this key has signed two statements that differ. Raises: LocalError."""
        pin = self._pins().get(key)
        return pin is not None and pin.in_conflict

    def follow(self, expected: str, history: KeyHistory) -> None:
        """Note that the person has accepted the key of a history. Raises: LocalError."""
        self._write(_FOLLOWED, self._read(_FOLLOWED) | {expected: fingerprint(history.key)})

    def _pins(self) -> dict[bytes, KeyPin]:
        try:
            return {bytes.fromhex(key): _pin(value) for key, value in self._read(_PINS).items()}
        except (ValueError, TypeError, KeyError):
            raise LocalError("wrong.read.mend", path=str(self._path)) from None

    def _read(self, name: str) -> dict[str, Any]:
        found = read_json(self._path).get(name, {})
        if not isinstance(found, dict):
            raise LocalError("wrong.read.mend", path=str(self._path))
        return found

    def _write(self, name: str, value: dict[str, Any]) -> None:
        write_json(self._path, read_json(self._path) | {name: value})


def _values(pin: KeyPin) -> dict[str, Any]:
    rotation = pin.rotation and [
        part.hex() if isinstance(part, bytes) else part for part in pin.rotation
    ]
    return {
        "number": pin.number,
        "next": pin.next.hex(),
        "rotation": rotation,
        "conflict": pin.in_conflict,
    }


def _pin(value: Mapping[str, Any]) -> KeyPin:
    """Raises: ValueError, TypeError, KeyError."""
    rotation = value["rotation"]
    if rotation is not None:
        old, new, number, *others = rotation
        next_, *signatures = map(bytes.fromhex, others)
        rotation = Rotation(bytes.fromhex(old), bytes.fromhex(new), int(number), next_, *signatures)
    return KeyPin(
        int(value["number"]), bytes.fromhex(value["next"]), rotation, bool(value["conflict"])
    )
