"""Small files in the player's data folder: written whole or not at all."""

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import IO, Any

from protocol.errors import LocalError


def write_whole(path: Path, data: bytes, *, replace: bool = True) -> bool:
    """Write a file (mode 0600) so that a reader sees all of it or what was there before, also after
    a crash.

    With `replace` false an existing file is left alone, and the answer is False. Raises:
    LocalError.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # made with mode 0600
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if replace:
                Path(name).replace(path)
            elif sys.platform == "emscripten":
                # a tab has no hard links, and no other program has its folder
                if path.exists():
                    return False
                Path(name).replace(path)
            else:
                path.hardlink_to(name)
        except FileExistsError:
            return False
        finally:
            Path(name).unlink(missing_ok=True)
        sync_folder(path.parent)
    except OSError as error:
        raise LocalError("wrong.write.data", path=str(path), why=str(error.strerror)) from None
    return True


def sync_folder(folder: Path) -> None:
    """Put the names in a folder on disk: without it a power cut may take a file whose bytes are
    there. Windows opens no folders, and orders names itself.
    """
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def sole_player(folder: Path) -> Iterator[None]:
    """Hold a data folder for one seat at a time: a second program with the same key would take over
    the first one's.

    Raises: LocalError if another program holds it.
    """
    with _lock(folder) as lock:
        if not take_alone(lock):
            raise LocalError("wrong.folder.held", folder=str(folder))
        yield


@contextmanager
def own_folder(parent: Path) -> Iterator[Path]:
    """Hold a folder in this one that no other program holds: the first of 1, 2, …, so that the next
    run has it again.

    Raises: LocalError.
    """
    for number in count(1):
        folder = parent / str(number)
        with _lock(folder) as lock:
            if take_alone(lock):
                yield folder
                return


def take_alone(file: IO[bytes]) -> bool:
    """Hold a file until it is closed; False if another program does."""
    try:
        _lock_file(file)
    except OSError:
        return False
    return True


if sys.platform == "win32":
    import msvcrt

    def _lock_file(file: IO[bytes]) -> None:
        file.seek(0)  # the lock is on one byte, which need not be there
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock_file(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _lock(folder: Path) -> IO[bytes]:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return (folder / "playing.lock").open("wb")
    except (FileExistsError, NotADirectoryError):
        raise LocalError("wrong.folder.file", folder=str(folder)) from None
    except OSError as error:
        raise LocalError("wrong.folder", folder=str(folder), why=str(error.strerror)) from None


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object from a file; empty if there is none. Raises `LocalError` if it is not one."""
    try:
        value = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        value = None
    if not isinstance(value, dict):
        raise LocalError("wrong.read.mend", path=str(path))
    return value


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Write a JSON object; raises `LocalError`."""
    write_whole(
        path, json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False).encode() + b"\n"
    )
