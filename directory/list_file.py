"""The file with the list of a directory: read at the start, replaced whole by each new list."""

from pathlib import Path

from protocol.directory.table_list import TableList, decode_list
from protocol.errors import LocalError, RemoteError
from protocol.limits import MAX_DIRECTORY_LIST
from table.storage.disk.atomic_files import sync_folder, write_beside

_FOR_WEB_SERVERS = 0o644


def read_list(path: Path, public: bytes) -> TableList | None:
    """Return the list in the file; None if there is no file. Raises: LocalError if it cannot be
    read, or is none of this directory (`public`).
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_DIRECTORY_LIST + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LocalError("wrong.directory.file", path=str(path), why=str(error.strerror)) from None
    try:
        found = decode_list(data)
    except RemoteError:
        raise LocalError("wrong.directory.file.other", path=str(path)) from None
    if found.public != public:
        raise LocalError("wrong.directory.file.other", path=str(path))
    return found


def write_list(path: Path, data: bytes) -> None:
    """Replace the file; a reader sees the old list or the new one, also after a crash. Raises:
    OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = write_beside(path, data)
    try:
        draft.chmod(_FOR_WEB_SERVERS)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(path.parent)
