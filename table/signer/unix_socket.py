"""The socket of a signer: whoever may open it can have the table's key used, so it is its owner's
alone.
"""

import os
import socket
import stat
from pathlib import Path

from protocol.errors import LocalError

_OTHERS, _OTHERS_WRITE = 0o077, 0o022  # permission bits


def bound(path: Path) -> socket.socket:
    """A listening socket at this path, mode 0600; its folder is made if there is none.

    Raises: LocalError if others could put something in its place, or somebody listens there.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _check_folder(path.parent)
        _clear(path)
        return _made(path)
    except OSError as error:
        raise LocalError(
            "wrong.signer.socket", path=str(path), why=str(error.strerror or error)
        ) from None


def check(path: Path) -> None:
    """Raises: LocalError unless the socket at this path is one that only we, or root, can have put
    there and open; FileNotFoundError if there is none."""
    found = path.lstat()
    _check_folder(path.parent)
    if not stat.S_ISSOCK(found.st_mode) or not _ours(found) or found.st_mode & _OTHERS:
        raise LocalError("wrong.signer.others", path=str(path))


def _made(path: Path) -> socket.socket:
    made, mask = socket.socket(socket.AF_UNIX), os.umask(0o177)
    try:
        made.bind(str(path))
        made.listen()
        made.setblocking(False)
    except OSError:
        made.close()
        raise
    finally:
        os.umask(mask)
    return made


def _check_folder(folder: Path) -> None:
    found = folder.stat()
    if not _ours(found) or found.st_mode & _OTHERS_WRITE:
        raise LocalError("wrong.signer.folder", path=str(folder))


def _ours(found: os.stat_result) -> bool:
    return found.st_uid in (os.geteuid(), 0)


def _clear(path: Path) -> None:
    """Take away the socket of a signer that is gone."""
    if not path.is_socket():
        return
    with socket.socket(socket.AF_UNIX) as other:
        try:
            other.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
