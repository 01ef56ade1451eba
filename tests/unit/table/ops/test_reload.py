"""Reading the configuration again while a table runs: all of it, or nothing."""

import io
import logging

import pytest

from commandline.log_output import LogOutput
from protocol.codes import Code
from protocol.errors import LocalError
from protocol.messages.table import SIGN_OF_LIFE
from table.__main__ import read_command
from table.config import LIVE_BOUNDS, Bounds
from table.control.messages import Done, Request, encode_request
from table.control.service import command_socket
from table.manager.server import TableServer
from table.ops.reload import LIVE_KEYS, Reload
from tests.adversary.hostile.test_turned_away import end_of
from tests.support.tables import until
from tests.support.wire_client import WireClient
from tests.unit.table.control.test_service import asked

pytestmark = pytest.mark.match


class Host:
    """A table with a configuration file."""

    def __init__(self, folder, text, *words):
        self.path, self.data = folder / "table.toml", folder / "data"
        self.write(text)
        self.command = read_command(
            [f"--config={self.path}", "--listen=127.0.0.1:0", f"--data={self.data}", *words]
        )
        self.stream = io.StringIO()
        self.reload = Reload(self.command, LogOutput(self.stream, self.command.log, {}))

    def write(self, text):
        self.path.write_text(f"workers = 0\n{text}", "utf-8")


async def greeted(table, seed):
    return await (await WireClient(table.link, seed, f"p{seed}").connect()).greet()


async def test_what_can_change_changes(tmp_path):
    host = Host(tmp_path, 'name = "Old"', "--greeting=Mine")
    async with TableServer(host.command.config()) as table:
        first = await greeted(table, 1)
        assert host.reload(table) == []
        host.write(
            'name = "New"\ngreeting = "Theirs"\nallow-create = "none"\nallow-watch = "nobody"\n'
            'bound = ["per_address=1", "tables=3"]\nlog-format = "json"\nlog-addresses = true\n'
        )
        changed = host.reload(table)
        assert changed == [
            "name",
            "allow-create",
            "allow-watch",
            "log-format",
            "log-addresses",
            "bound per_address",
            "bound tables",
        ]
        config = table.manager.config
        assert (config.name, config.greeting) == ("New", "Mine")
        assert (config.creation, config.watching) == ("none", "nobody")
        assert config.bounds.tables == table.lobby._bounds.tables == 3
        assert host.reload(table) == []
        assert await end_of(table) == Code.TOO_MANY_HERE
        await first.close()


async def test_bounds_reach_matches_that_run_and_rates(tmp_path):
    host = Host(tmp_path, 'game = "nim"\nseats = 2')
    async with TableServer(host.command.config()) as table:
        people = [await greeted(table, seed) for seed in (1, 2)]
        for one in people:
            await one.join()
        await until(lambda: len(table.matches.feeds) == 1)
        bounds = '["spectators=1", "requests=7/2", "creations_per_address=3/1"]'
        host.write(f'game = "nim"\nseats = 2\nbound = {bounds}')
        assert len(host.reload(table)) == 3
        (feed,) = table.matches.feeds.values()
        assert feed.bounds.spectators == table.matches.config.bounds.spectators == 1
        tokens = table.manager.requests
        assert [tokens.take(b"key", 1.0) for _ in range(8)] == [True] * 7 + [False]
        tokens = table.manager.creations
        assert [tokens.take("address", 1.0) for _ in range(4)] == [True] * 3 + [False]
        for one in people:
            await one.close()


FLOOR = (
    '["connections=1", "per_address=1", "arrivals=1/0.001", "arrivals_per_address=1/0.001", '
    '"rare_arrivals=1/0.001", "requests=1/0.001", "tables=1", "seats_per_address=1"]'
)


async def test_seats_of_a_match_outlive_bounds_below_what_is_in_use(tmp_path):
    text = 'game = "nim"\nseats = 2\n'
    host = Host(tmp_path, text)
    async with TableServer(host.command.config()) as table:
        ann, bob = [await greeted(table, seed) for seed in (1, 2)]
        for one in (ann, bob):
            await one.join()
        for one in (ann, bob):
            if not one.match_id:
                await one.expect("match")
        ticket = await ann.keep_ticket()
        host.write(f"{text}bound = {FLOOR}")
        assert len(host.reload(table)) == 8
        assert await end_of(table) == Code.TOO_MANY
        again = WireClient(table.link, 3, "p1", ann.identity, ticket=ticket)
        await (await again.connect()).greet()
        await again.send("resume", ann.match_id, None, None)
        await again.expect("match")
        await bob.send("pong", bob.match_id, SIGN_OF_LIFE)
        assert len(table.manager.people) == 2
        for one in (ann, again, bob):
            await one.close()


async def test_what_cannot_change_is_named_and_nothing_is_taken(tmp_path, caplog):
    host = Host(tmp_path, 'name = "Old"')
    async with TableServer(host.command.config()) as table:
        host.write(
            'name = "New"\nseats = 3\nbound = ["tables=3", "reserve=3"]\nlog-level = "debug"'
        )
        with caplog.at_level(logging.ERROR), pytest.raises(LocalError) as error:
            host.reload(table)
        assert error.value.phrase.key == "wrong.config.restart"
        assert dict(error.value.phrase.args)["keys"] == "seats, bound reserve"
        assert "seats, bound reserve" in caplog.text
        assert table.manager.config.name == "Old"
        assert table.manager.config.bounds.tables == Bounds().tables
        host.write('name = "New"')
        assert host.reload(table) == ["name"]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("name = 5", "wrong.config.value"),
        ("nome = 5", "wrong.config.key.near"),
        ("name", "wrong.config.toml"),
        ('witness = true\nsigner = "x"', "wrong.config.options"),
    ],
)
async def test_wrong_file_changes_nothing(tmp_path, text, key):
    host = Host(tmp_path, 'name = "Old"')
    async with TableServer(host.command.config()) as table:
        host.write(text)
        with pytest.raises(LocalError) as error:
            host.reload(table)
        assert error.value.phrase.key == key
        assert table.manager.config.name == "Old"


async def test_command_reloads_and_hears_why_not(tmp_path):
    host = Host(tmp_path, 'name = "Old"')
    sent = encode_request(Request("reload", []))
    async with (
        TableServer(host.command.config()) as table,
        command_socket(table.manager, host.data, reload=lambda: host.reload(table)),
    ):
        host.write('name = "New"')
        changed, done = await asked(host.data, sent)
        assert (changed.key, done) == ("name", Done(1))
        host.write("name = 5")
        (failed,) = await asked(host.data, sent)
        assert failed.why.key == "wrong.config.value"
        assert dict(failed.why.args)["what"].key == "config.allowed.text"


async def test_table_without_a_file_says_so(tmp_path):
    command = read_command(["--listen=127.0.0.1:0", f"--data={tmp_path}", "--workers=0"])
    reload = Reload(command, LogOutput(io.StringIO(), command.log, {}))
    async with TableServer(command.config()) as table:
        with pytest.raises(LocalError, match=r"wrong\.config\.none"):
            reload(table)
        async with command_socket(table.manager, tmp_path):
            (failed,) = await asked(tmp_path, encode_request(Request("reload", [])))
            assert failed.why.key == "wrong.config.none"


def test_live_keys_and_bounds_exist():
    assert set(vars(Bounds())) >= LIVE_BOUNDS
    assert set(read_command([]).settings.sources) >= LIVE_KEYS
