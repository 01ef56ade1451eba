"""The keys whose remarks a person does not see, in lobbies and matches."""

from typing import Protocol

from protocol.identity.keys import fingerprint


class MutedKeys(Protocol):
    """The muted keys. `player.storage.mute_list.MuteList` stores them."""

    def __contains__(self, key: bytes) -> bool: ...

    def add(self, key: bytes, name: str) -> None:
        """Mute this key. Raises: LocalError."""

    def remove(self, key: bytes) -> None:
        """Unmute this key. Raises: LocalError."""


class MutedHere:
    """Muted keys of a program without a data folder."""

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
