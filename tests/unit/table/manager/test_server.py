"""A table server that cannot start leaves nothing open."""

import socket

import pytest

from protocol.errors import LocalError
from table.manager.server import TableServer
from table.net.relays.relays import Relays
from tests.support.tables import config


class WithoutLibrary(TableServer):
    """A server for which the library of its relays is missing."""

    port = 0

    def _call_relays(self) -> Relays:
        WithoutLibrary.port = self.link.port
        raise LocalError("wrong.web.tls", where="")


async def test_start_that_fails_after_listening_frees_its_port(tmp_path):
    with pytest.raises(LocalError):
        await WithoutLibrary(config(tmp_path)).__aenter__()
    with socket.create_server(("127.0.0.1", WithoutLibrary.port)) as free:
        assert free.getsockname()[1] == WithoutLibrary.port
