"""Files that a person names on the command line: read whole or refused, and written whole.

Every error is a `LocalError` that names the file and says what to do.
"""

import sys
from pathlib import Path
from typing import IO

from protocol.errors import LocalError, RemoteError
from protocol.limits import MAX_LOG_FILE
from protocol.match.log_file import MAGIC, SUFFIX
from protocol.match.packed_log import plain_log
from protocol.view.text import sanitize

CHUNK = 1 << 20  # bytes read at a time
MOST_NAMES = 1000  # names of a folder that are looked at for a similar one
STANDARD_INPUT = Path("-")

# first bytes of files that are compressed, by the name of the format
_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"7z\xbc\xaf\x27\x1c": "7z",
}
# first bytes of a log that a program has taken for text
_MANGLED = (
    MAGIC.replace(b"\n", b"\r\n"),
    b"\xef\xbb\xbf" + MAGIC[:8],
    MAGIC[:8].decode().encode("utf-16"),
    MAGIC[:8].decode().encode("utf-16-be"),
)
_PAGES = (b"<!doctype html", b"<html")


def read_file(path: Path) -> bytes:
    """Read a file of at most `MAX_LOG_FILE` bytes. Raises: LocalError."""
    data = _read(path)
    if len(data) > MAX_LOG_FILE:
        raise LocalError("wrong.file.large", name=sanitize(str(path)), suffix=SUFFIX)
    return data


def read_log(path: Path) -> bytes:
    """Read a log file in its plain form; of a larger file, read `MAX_LOG_FILE` + 1 bytes and stop.

    The audit then judges the beginning: bytes appended to a log must not keep it from an audit.
    Raises: LocalError, also for a file that is compressed, a page, or damaged by a way that takes
    it for text, or was packed by a table and is damaged: nobody of the match is to be suspected for
    that.
    """
    return check_log(_read(path), sanitize(str(path)))


def check_log(data: bytes, name: str) -> bytes:
    """Return the plain form of what somebody gives as a log file. `name`: the name of the file, fit
    to be shown.

    Raises: LocalError for a file that is compressed, a page, damaged by a way that takes it for
    text, or packed and damaged.
    """
    packed = next((kind for mark, kind in _COMPRESSED.items() if data.startswith(mark)), None)
    if packed is not None:
        raise LocalError("wrong.file.compressed", name=name, kind=packed)
    if data.startswith(_MANGLED):
        raise LocalError("wrong.file.mangled", name=name)
    if data[:64].lstrip().lower().startswith(_PAGES):
        raise LocalError("wrong.file.page", name=name)
    try:
        return plain_log(data)
    except RemoteError:
        raise LocalError("wrong.file.packed", name=name) from None


def _read(path: Path) -> bytes:
    """Read a file or, by the name `-`, standard input: at most `MAX_LOG_FILE` + 1 bytes."""
    if path == STANDARD_INPUT:
        return _read_stream(sys.stdin.buffer)
    name = sanitize(str(path))
    try:
        with path.open("rb") as file:
            return _read_stream(file)
    except FileNotFoundError:
        other = _similar_name(path)
        if other is not None:
            raise LocalError("wrong.no_file.similar", name=name, other=other) from None
        raise LocalError("wrong.no_file", name=name, suffix=SUFFIX) from None
    except IsADirectoryError:
        raise LocalError("wrong.file.folder", name=name, suffix=SUFFIX) from None
    except PermissionError:
        raise LocalError("wrong.file.denied", name=name) from None
    except OSError as error:
        raise LocalError("wrong.file.read", name=name, why=str(error.strerror)) from None


def _read_stream(file: IO[bytes]) -> bytes:
    data = bytearray()
    while part := file.read(min(CHUNK, MAX_LOG_FILE + 1 - len(data))):
        data += part
    return bytes(data)


def _similar_name(path: Path) -> str | None:
    """Return a file beside a missing one, whose name a system has changed: `a.fairdeal.txt`,
    `a (1).fairdeal`, `A.fairdeal`.
    """
    wanted = path.name.casefold()
    stem = path.stem.casefold()
    try:
        names = [
            each.name for each, _ in zip(path.parent.iterdir(), range(MOST_NAMES), strict=False)
        ]
    except OSError:
        return None
    for name in sorted(names):
        folded = name.casefold()
        changed = folded.startswith(f"{stem} (") and folded.endswith(path.suffix.casefold())
        if folded == wanted or folded.startswith(f"{wanted}.") or changed:
            return sanitize(str(path.parent / name))
    return None


def write_text(path: str, text: str) -> None:
    """Write a file in UTF-8. Raises: LocalError."""
    write_bytes(Path(path), text.encode())


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file. Raises: LocalError."""
    try:
        path.write_bytes(data)
    except OSError as error:
        raise LocalError("wrong.file.write", path=str(path), why=str(error.strerror)) from None
