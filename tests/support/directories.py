"""Reports of tables, lists of directories, directories and web servers for tests."""

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any

import pytest

from directory.server import DirectoryConfig, DirectoryServer
from protocol import wire
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.directory.link import ListLink
from protocol.directory.report import TableReport, encode_report, sign_report
from protocol.directory.table_list import LABEL, MAGIC, ROWS_LABEL
from protocol.errors import RemoteError
from protocol.identity.address import Address
from protocol.identity.keys import Identity, fingerprint
from protocol.messages import directory as directory_messages

NOW = 1_900_000_000  # seconds since 1970
DIRECTORY = Identity(b"directory".ljust(32, b"."))
ANN, BOB = (Identity(bytes([number]) * 32) for number in (1, 2))
HERE = "127.0.0.1"
PUBLIC = "93.184.216.34"
GAMES = ("connect-four", "draw-dominoes", "ligretto", "nim", "texas-holdem")


def report(identity: Identity = ANN, **values: Any) -> TableReport:
    """Make a signed report."""
    plain = TableReport(
        identity.public,
        "Ann's table",
        ("draw-dominoes",),
        f"{PUBLIC}:7500",
        1,
        3,
        number=NOW,
        expires=NOW + 900,
        signature=bytes(64),
    )
    return sign_report(plain._replace(**values), identity)


def claimed(
    made: TableReport,
    identity: Identity = ANN,
    nonce: bytes = bytes(32),
    directory: bytes = DIRECTORY.public,
) -> directory_messages.Report:
    """Return the message with a report, for this nonce."""
    encoded = encode_report(made)
    signed = directory_messages.claim_fields(nonce, directory, encoded)
    return directory_messages.Report(encoded, identity.sign(directory_messages.LABEL, *signed))


def sign_rows(rows: bytes) -> bytes:
    """Return the file of a directory that signs whatever bytes there are as its reports."""
    of_rows = digest(ROWS_LABEL, rows)
    signature = DIRECTORY.sign(LABEL, 3, NOW, of_rows)
    head = wire.encode([MAGIC, DIRECTORY.public, 3, NOW, of_rows, signature])
    return wire.encode_frame(head) + rows


def many_reports(count: int, signed: int = 0) -> list[TableReport]:
    """Return reports of many tables; only the first `signed` of them have valid keys and
    signatures, which takes a while to make.
    """
    rng = Random(7)
    found = []
    for number in range(count):
        values: dict[str, Any] = {
            "name": f"Table {number}",
            "games": tuple(sorted(rng.sample(GAMES, 2))),
            "address": f"93.{rng.randrange(1, 250)}.{rng.randrange(250)}.{number % 250}:7500",
            "taken": rng.randrange(9),
            "free": rng.randrange(4),
        }
        if number < signed:
            found.append(report(Identity(rng.randbytes(32)), **values))
        else:
            found.append(report()._replace(public=rng.randbytes(32), **values))
    return found


@contextmanager
def refused(code: Code) -> Iterator[None]:
    """Expect that another program's bytes are refused with this code."""
    with pytest.raises(RemoteError) as found:
        yield
    assert found.value.code is code


def anything(address: Address) -> bool:
    """Let a directory list addresses of this machine, as no other does."""
    return True


@asynccontextmanager
async def directory(
    data: Path, may_list: Callable[[Address], bool] = anything, **values: Any
) -> AsyncIterator[DirectoryServer]:
    """Run a directory that makes its list at once."""
    made = DirectoryConfig(
        HERE,
        0,
        DIRECTORY,
        data / "tables.list",
        list_seconds=0.05,
        may_list=may_list,
        rng=Random(3),
        **values,
    )
    async with DirectoryServer(made) as server:
        yield server


@contextmanager
def web_server(data: Callable[[], bytes], status: int = 200) -> Iterator[ListLink]:
    """Serve a list of `DIRECTORY`, asked for anew each time."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = data()
            self.send_response(status if self.path == "/a/some.list" else 404)
            self.send_header("Content-Length", str(len(found)))
            self.end_headers()
            self.wfile.write(found)

        def log_message(self, *words: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer((HERE, 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            url = f"http://{HERE}:{server.server_port}/a/some.list"
            yield ListLink(url, fingerprint(DIRECTORY.public))
        finally:
            server.shutdown()
            thread.join()
