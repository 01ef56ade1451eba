"""This person's identity on disk: made at the first start, read at every other."""

from pathlib import Path
from random import Random

from player.storage.files import write_whole
from player.storage.profile_state import check_profile_here
from protocol.errors import LocalError
from protocol.identity.keyfile import Cost, KeyFile, new_keyfile, open_keyfile, parse_keyfile
from protocol.identity.keys import KEY_SIZE, Identity

FILE = "identity"


def read_keyfile(data: Path) -> KeyFile | None:
    """The identity file in a data folder, not yet opened; None if there is none.

    Raises: LocalError if it is damaged, or readable by others, or if the profile was carried away.
    """
    check_profile_here(data)
    path = data / FILE
    try:
        mode = path.stat().st_mode
        raw = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LocalError("wrong.read", path=str(path), why=str(error.strerror)) from None
    if mode & 0o077:
        raise LocalError("wrong.readable", path=str(path))
    return parse_keyfile(raw)


def load_identity(
    data: Path, passphrase: bytes | None, rng: Random, cost: Cost | None = None
) -> Identity:
    """The identity in a data folder; a new one (mode 0600, sealed if there is a passphrase) if
    there is none.

    Raises: LocalError.
    """
    file = read_keyfile(data)
    if file is None:
        raw = new_keyfile(rng.randbytes(KEY_SIZE), passphrase, rng, cost)
        # another process may have been first: then its is read
        write_whole(data / FILE, raw, replace=False)
        file = read_keyfile(data)
        assert file is not None
    return open_keyfile(file, passphrase)
