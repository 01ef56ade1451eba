"""The keys that a person does not hear: in a lobby, and in a match."""

from typing import Protocol

from protocol.identity.keys import fingerprint


class MutedKeys(Protocol):
    """The keys that are not heard. `player.storage.mute_list.MuteList` keeps them."""

    def __contains__(self, key: bytes) -> bool: ...

    def add(self, key: bytes, name: str) -> None:
        """Hear this key no more. Raises: LocalError."""

    def remove(self, key: bytes) -> None:
        """Hear it again. Raises: LocalError."""


class MutedHere:
    """Muted keys of a program that keeps nothing."""

    def __init__(self) -> None:
        self._muted: set[str] = set()

    def __contains__(self, key: bytes) -> bool:
        return fingerprint(key) in self._muted

    def add(self, key: bytes, name: str) -> None:
        """See `MutedKeys`."""
        self._muted.add(fingerprint(key))

    def remove(self, key: bytes) -> None:
        """See `MutedKeys`."""
        self._muted.discard(fingerprint(key))
