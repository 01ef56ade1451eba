"""Files that a person names on the command line: read whole or refused, and written whole.

Every error is a `LocalError` that names the file and says what to do.
"""

from pathlib import Path

from protocol.errors import LocalError
from protocol.limits import MAX_LOG_FILE
from protocol.match.log_file import SUFFIX
from protocol.view.text import sanitize

CHUNK = 1 << 20  # bytes read at a time


def read_file(path: Path) -> bytes:
    """Read a file of at most `MAX_LOG_FILE` bytes. Raises: LocalError."""
    data = read_log(path)
    if len(data) > MAX_LOG_FILE:
        raise LocalError("wrong.file.large", name=sanitize(str(path)), suffix=SUFFIX)
    return data


def read_log(path: Path) -> bytes:
    """Read a log file; of a larger file, read `MAX_LOG_FILE` + 1 bytes and stop.

    The audit then judges the beginning: bytes appended to a log must not keep it from an audit.
    Raises: LocalError.
    """
    name = sanitize(str(path))
    data = bytearray()
    try:
        with path.open("rb") as file:
            while part := file.read(min(CHUNK, MAX_LOG_FILE + 1 - len(data))):
                data += part
            return bytes(data)
    except FileNotFoundError:
        raise LocalError("wrong.no_file", name=name, suffix=SUFFIX) from None
    except IsADirectoryError:
        raise LocalError("wrong.file.folder", name=name, suffix=SUFFIX) from None
    except PermissionError:
        raise LocalError("wrong.file.denied", name=name) from None
    except OSError as error:
        raise LocalError("wrong.file.read", name=name, why=str(error.strerror)) from None


def write_text(path: str, text: str) -> None:
    """Write a file in UTF-8. Raises: LocalError."""
    write_bytes(Path(path), text.encode())


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file. Raises: LocalError."""
    try:
        path.write_bytes(data)
    except OSError as error:
        raise LocalError("wrong.file.write", path=str(path), why=str(error.strerror)) from None
