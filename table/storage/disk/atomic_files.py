"""Files that are replaced whole: whoever reads sees the old content or the new one, also after a crash."""

import os
import sys
from pathlib import Path


def write_beside(path: Path, content: bytes) -> Path:
    """Write a draft beside a file, for its owner only, and return its path. It is on disk whole, to be
    put into the file's place. Raises: OSError.
    """
    draft = path.with_suffix(f".{os.getpid()}.new")
    # of a process that had our number, and crashed: as in a container, all have 1
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return draft


def replace_whole(path: Path, content: bytes) -> None:
    """Write a file, or put it in the place of the one that is there. It is on disk when this returns,
    with its name. Raises: OSError.
    """
    write_beside(path, content).replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on disk. Raises: OSError."""
    if sys.platform in ("emscripten", "win32"):  # they open no folders
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
