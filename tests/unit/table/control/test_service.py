"""The socket of a host's commands: its owner's alone, and what a command does wrong harms nobody."""

import asyncio
import contextlib
import os
import socket
import stat

import pytest

from protocol import wire
from protocol.limits import MAX_CONTROL_FRAME, MAX_CONTROLS
from table.control.messages import (
    Done,
    Failed,
    HeadRow,
    Request,
    TableRow,
    decode_answer,
    encode_request,
)
from table.control.service import ControlService, command_socket
from table.control.socket_file import SOCKET_FILE
from table.manager.server import TableServer
from tests.support.tables import config, resources, until

pytestmark = pytest.mark.match


async def asked(data, sent):
    """Return the frames that come for these bytes."""
    reader, writer = await asyncio.open_unix_connection(data / SOCKET_FILE)
    writer.write(sent)
    async with asyncio.timeout(30):
        said = await reader.read()
    writer.close()
    await writer.wait_closed()
    return [decode_answer(frame) for frame in wire.FrameDecoder(MAX_CONTROL_FRAME).feed(said)]


STATUS = encode_request(Request("status", []))


async def test_socket_is_its_owners_and_goes_with_the_table(tmp_path):
    async with TableServer(config(tmp_path)) as table, command_socket(table.manager, tmp_path):
        assert stat.S_IMODE((tmp_path / SOCKET_FILE).stat().st_mode) == 0o600
        rows = await asked(tmp_path, STATUS)
        assert [type(row) for row in rows] == [HeadRow, TableRow, Done]
    assert not (tmp_path / SOCKET_FILE).exists()


@pytest.mark.parametrize(
    "sent",
    [
        b"\0\0\0\0",
        b"\xff\xff\xff\xff",
        b"\0\0\0\1\xc0",
        (MAX_CONTROL_FRAME + 1).to_bytes(4) + b"x",
        b"GET / HTTP/1.1\r\n\r\n",
    ],
)
async def test_wrong_bytes_get_no_answer_and_the_next_command_does(tmp_path, sent):
    async with TableServer(config(tmp_path)) as table, command_socket(table.manager, tmp_path):
        before = resources()
        assert await asked(tmp_path, sent) == []
        assert (await asked(tmp_path, STATUS))[-1] == Done(2)
        await until(lambda: resources() <= before)


@pytest.mark.parametrize("named", ["", "ab" * 32, "table-" + "9" * 99])
async def test_word_that_names_no_table_is_answered(tmp_path, named):
    async with TableServer(config(tmp_path)) as table, command_socket(table.manager, tmp_path):
        (answer,) = await asked(tmp_path, encode_request(Request("remove", [named, True])))
        assert isinstance(answer, Failed) and answer.why.key == "wrong.control.table"


async def test_silent_commands_are_dropped_in_time(tmp_path):
    service = lambda manager: ControlService(manager, seconds=0.05)  # noqa: E731
    async with (
        TableServer(config(tmp_path)) as table,
        command_socket(table.manager, tmp_path, service),
    ):
        lines = []
        for _ in range(MAX_CONTROLS + 2):
            lines.append(await asyncio.open_unix_connection(tmp_path / SOCKET_FILE))
            lines[-1][1].write(b"\0")
        async with asyncio.timeout(30):
            for reader, writer in lines:
                with contextlib.suppress(ConnectionResetError):
                    assert await reader.read() == b""
                writer.close()
        assert (await asked(tmp_path, STATUS))[-1] == Done(2)


async def test_table_without_its_socket_is_a_table_all_the_same(tmp_path, caplog):
    (tmp_path / SOCKET_FILE).write_bytes(b"")
    async with TableServer(config(tmp_path)) as table, command_socket(table.manager, tmp_path):
        assert "fairdeal table" in caplog.text
    assert (tmp_path / SOCKET_FILE).is_file()


async def test_socket_that_a_killed_table_has_left_is_replaced(tmp_path):
    with socket.socket(socket.AF_UNIX) as old:
        old.bind(str(tmp_path / SOCKET_FILE))
    async with TableServer(config(tmp_path)) as table, command_socket(table.manager, tmp_path):
        assert (await asked(tmp_path, STATUS))[-1] == Done(2)


async def test_folder_where_others_write_gets_no_socket(tmp_path):
    folder = tmp_path / "open"
    async with TableServer(config(tmp_path / "data")) as table:
        folder.mkdir()
        os.chmod(folder, 0o777)
        async with command_socket(table.manager, folder):
            assert not (folder / SOCKET_FILE).exists()
