"""The person's key, opened for as long as the program runs.

The passphrase of a protected key is in the memory of the program alone. Each attempt at it takes
about a second of computation, and after a wrong one nobody can try for `KEY_TRY_SECONDS`.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from player.storage.files import write_whole
from player.storage.identity_file import FILE, load_identity, read_keyfile
from protocol.errors import LocalError
from protocol.identity.keyfile import (
    Cost,
    KeyFile,
    open_keyfile,
    parse_keyfile,
    reseal_keyfile,
)
from protocol.identity.keys import Identity
from protocol.limits import KEY_TRY_SECONDS


class OwnKey:
    """The key in a data folder. `passphrase`: known from the start of the program."""

    def __init__(
        self,
        data: Path,
        rng: Random,
        passphrase: bytes | None = None,
        clock: Callable[[], float] = time.monotonic,
        cost: Cost | None = None,
    ) -> None:
        self._data = data
        self._rng = rng
        self._passphrase = passphrase
        self._clock = clock
        self._cost = cost  # of new protection
        self._opened: tuple[KeyFile, Identity] | None = None
        self._next_try = 0.0  # by the clock

    @property
    def file(self) -> KeyFile | None:
        """The key file; None if there is none. Raises: LocalError."""
        return read_keyfile(self._data)

    @property
    def is_locked(self) -> bool:
        """A passphrase is needed that the program does not have. Raises: LocalError."""
        file = self.file
        return file is not None and file.protected and self._passphrase is None

    @property
    def passphrase(self) -> bytes | None:
        """The passphrase for a command that reads the key. A new key is protected by it, too."""
        file = self.file
        return self._passphrase if file is None or file.protected else None

    def identity(self) -> Identity | None:
        """Return the key; None if there is none, or it is locked. Raises: LocalError."""
        file = self.file
        if file is None or (file.protected and self._passphrase is None):
            return None
        if self._opened is None or self._opened[0] != file:
            try:
                self._opened = file, open_keyfile(file, self.passphrase)
            except LocalError:
                if not file.protected:
                    raise
                self._passphrase = None  # it is wrong: the person is asked
                return None
        return self._opened[1]

    def unlock(self, passphrase: bytes) -> None:
        """Open the key. Raises: LocalError for a wrong passphrase, or an attempt too soon."""
        with self._attempt():
            file = self.file
            if file is not None and file.protected:
                self._opened = file, open_keyfile(file, passphrase)
                self._passphrase = passphrase

    def change(self, old: bytes, new: bytes) -> None:
        """Set, change or (empty `new`) remove the passphrase; make the key if there is none.

        The file is replaced only when the new one has been opened. Raises: LocalError.
        """
        with self._attempt():
            file = self.file
            wanted = new or None
            if file is None:
                load_identity(self._data, wanted, self._rng, self._cost)
            else:
                given = old if file.protected else None
                raw = reseal_keyfile(file, given, wanted, self._rng, self._cost)
                open_keyfile(parse_keyfile(raw), wanted)
                write_whole(self._data / FILE, raw)
            self._opened = None
            self._passphrase = wanted

    @contextmanager
    def _attempt(self) -> Iterator[None]:
        """Bound the attempts that fail. Raises: LocalError."""
        if self._clock() < self._next_try:
            raise LocalError("home.key.wait")
        try:
            yield
        except LocalError:
            self._next_try = self._clock() + KEY_TRY_SECONDS
            raise
