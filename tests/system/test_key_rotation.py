"""Rotation of a table's key, with tables and players as processes: who follows, and who does not."""

import json
import shutil
import socket
from contextlib import asynccontextmanager

import pytest

from protocol.identity.key_history import KeyHistory, commit, encode_history, rotate
from protocol.identity.keys import Identity, fingerprint
from tests.support.fake_table import FakeTable, listening
from tests.support.tables import until
from tests.support.terminal import at_terminal
from tests.support.wire_client import play_match
from tests.system.test_host import program, run
from tests.system.test_join import program as joining
from tests.system.test_join_unfinished import killed
from tests.system.test_standby import standby
from tests.system.test_table_backup import begun, logs
from tests.system.test_table_command import table_command

pytestmark = pytest.mark.process


def free_port():
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


class House:
    """A table's folder, at one address, and the files of its next keys."""

    def __init__(self, place, port=None, options=()):
        self.data, self.port, self.options = place / "table", port or free_port(), options
        self.next, self.after = place / "next.key", place / "after.key"

    @asynccontextmanager
    async def opened(self):
        place = "--listen", f"127.0.0.1:{self.port}"
        async with program(self.data, *place, *self.options) as (process, link):
            yield link
            process.terminate()
            await process.wait()

    async def command(self, *words):
        """Do what must go well; return what it says."""
        code, said, errors = await table_command(self.data, *words)
        assert code == 0, errors
        return said

    async def commit(self):
        await self.command("next-key", str(self.next))

    async def rotate(self):
        return await self.command("rotate", "--next", str(self.next), "--then", str(self.after))

    @property
    def key(self):
        return fingerprint(Identity((self.data / "identity.key").read_bytes()).public)


async def visit(link, data, language="en"):
    """Look at the table with no terminal; return exit code and words."""
    arguments = (link, "--name", "Zoe", "--data", data, "--list", "--lang", language)
    async with joining(*arguments) as zoe:
        code = await zoe.end()
        return code, zoe.said


@asynccontextmanager
async def at_table(link, data, **environ):
    words = ("-m", "fairdeal", "join", link, "--name", "Zoe", "--data", data)
    async with at_terminal(*words, **environ) as zoe:
        yield zoe


async def follow(link, data):
    """Answer yes, and go when Zoe sits at the table."""
    async with at_table(link, data) as zoe:
        await asked(zoe, "anything else means no")
        zoe.type("yes\r")
        await asked(zoe, "waiting for 1 more")
        assert shows(zoe, "From now on the table is expected with its new key")
        zoe.type("\x03")
        await zoe.end()


def shows(terminal, words):
    """Look for words; the end of a row may divide one."""
    return "".join(words.split()) in "".join(terminal.text.split())


async def asked(terminal, words):
    """Wait for a question."""
    while not shows(terminal, words):
        await terminal.look()


async def made(tmp_path, *options, visited=True):
    """Make a table whose key has committed, and let Zoe visit it; return it and its old link."""
    house = House(tmp_path, options=options)
    async with house.opened() as link:
        await house.commit()
    async with house.opened():
        if visited:
            assert (await visit(link, tmp_path / "zoe"))[0] == 0
    return house, link


async def test_player_follows_committed_rotation_after_yes_and_never_goes_back(tmp_path):
    house, link = await made(tmp_path)
    zoe_data = tmp_path / "zoe"
    shutil.copytree(house.data, tmp_path / "stolen" / "table")
    said = await house.rotate()
    assert link.fingerprint in said and house.key in said and house.key != link.fingerprint
    async with house.opened() as new:
        assert new.fingerprint == house.key
        code, said = await visit(link, zoe_data)
        assert code == 3 and "Nobody has confirmed the new key here" in said
        code, said = await visit(link, zoe_data, "de")
        assert code == 3 and "Hier hat niemand den neuen Schlüssel bestätigt" in said
        async with joining("lobby", link, "--name", "Zoe", "--data", zoe_data) as zoe:
            assert await zoe.end() == 2
            assert "Nobody has confirmed the new key here" in zoe.said
        async with at_table(link, zoe_data) as zoe:
            await asked(zoe, "anything else means no")
            zoe.type("no\r")
            assert await zoe.end() == 3
        async with at_table(link, zoe_data, LANGUAGE="de") as zoe:
            await asked(zoe, "alles andere heißt nein")
            assert shows(zoe, "Der alte hatte sich im Voraus auf ihn festgelegt")
            zoe.type("nein\r")
            assert await zoe.end() == 3
        await follow(link, zoe_data)
        bare = f"fairdeal://{link.host}:{link.port}"
        for later in (link, bare, new):
            code, said = await visit(later, zoe_data)
            assert code == 0 and "committed" not in said
    # whoever has stolen the old key is another table now
    async with House(tmp_path / "stolen", house.port).opened() as stolen:
        assert stolen.fingerprint == link.fingerprint
        code, said = await visit(link, zoe_data)
        assert code == 3 and "does not show the key" in said and house.key in said
    # a second rotation is followed from the first key
    await house.command("rotate", "--next", str(house.after))
    async with house.opened():
        await follow(link, zoe_data)


async def test_stolen_key_alone_hands_no_player_on(tmp_path):
    house, link = await made(tmp_path)
    thief = House(tmp_path / "thief", house.port)
    thief.data.mkdir(parents=True)
    shutil.copy(house.data / "identity.key", thief.data)
    await thief.commit()
    zoe, eve = tmp_path / "zoe", tmp_path / "eve"
    shutil.copytree(zoe, eve)
    # a commitment of the thief's: told at the visit, and no other is followed later
    async with thief.opened():
        code, said = await visit(link, zoe)
        assert code == 0 and "has signed two statements" in said
    await thief.rotate()
    # a rotation of the thief's
    async with thief.opened(), at_table(link, eve) as terminal:
        assert await terminal.end() == 3
        assert shows(terminal, "has signed two statements")
        assert "anything else means no" not in terminal.text
    await house.rotate()
    async with house.opened() as new:
        for data in (zoe, eve):
            code, said = await visit(link, data)
            assert code == 3 and "This program follows neither, and will not again" in said
            assert (await visit(new, data))[0] == 0  # the link from the host in person


async def test_player_who_saw_no_commitment_needs_the_new_link(tmp_path):
    house, link = await made(tmp_path, visited=False)
    await house.rotate()
    async with house.opened() as new:
        async with at_table(link, tmp_path / "zoe") as zoe:
            assert await zoe.end() == 3
            assert shows(zoe, "has never seen the old key")
        code, said = await visit(link, tmp_path / "zoe", "de")
        assert code == 3 and "persönlich um den neuen Link" in said
        assert (await visit(new, tmp_path / "zoe"))[0] == 0


async def test_next_key_alone_changes_nothing_for_players(tmp_path):
    house, link = await made(tmp_path, "--invite")
    thief = House(tmp_path / "thief", house.port, house.options)
    thief.data.mkdir(parents=True)
    shutil.copy(house.next, thief.data / "identity.key")
    await thief.commit()
    async with thief.opened():
        code, said = await visit(link, tmp_path / "zoe")
        assert code == 3 and "not the one in this link" in said
    await house.rotate()
    async with house.opened():
        await follow(link, tmp_path / "zoe")


async def test_table_with_running_match_refuses_to_rotate(tmp_path):
    house = House(tmp_path)
    async with house.opened() as link:
        await house.commit()
        players = await begun(link, 4)
        code, _, errors = await table_command(house.data, "rotate", "--next", str(house.next))
        assert code == 1 and "already runs on this folder" in errors
        for player in players:
            await player.client.close()
    code, _, errors = await table_command(house.data, "rotate", "--next", str(house.next))
    assert code == 1 and "1 match is not over" in errors and house.key == link.fingerprint


async def test_table_with_finished_matches_opens_with_its_new_key(tmp_path):
    house = House(tmp_path)
    async with house.opened() as link:
        await house.commit()
        await play_match(link, 2)
        await until(lambda: logs(house.data))
    await house.rotate()
    async with house.opened() as new:
        assert new.fingerprint not in (link.fingerprint, "") and len(logs(house.data)) == 1
        await play_match(new, 2)
        await until(lambda: len(logs(house.data)) == 2)


async def test_interrupted_rotation_is_said_at_start_and_finished(tmp_path):
    house, link = await made(tmp_path)
    old = (house.data / "identity.key").read_bytes()
    await house.rotate()
    new = house.key
    (house.data / "identity.key").write_bytes(old)  # killed before the key was replaced
    found = run("--listen", "127.0.0.1:0", "--data", str(house.data))
    assert found.returncode == 65 and "type the same command again" in found.stderr
    said = json.loads(await house.command("rotate", "--next", str(house.next), "--json"))
    assert said["new"] == house.key == new and said["old"] == link.fingerprint


async def test_mistakes_with_next_keys_are_named(tmp_path):
    house, _ = await made(tmp_path)
    other = tmp_path / "other.key"
    for words, told in (
        (("next-key", str(other)), "has committed to a next key already"),
        (("rotate", "--next", str(house.data / "identity.key")), "is not the key to which"),
        (("rotate", "--next", str(other)), "cannot be read"),
        (("rotate", "--next", str(house.next), "--then", str(house.next)), "has or had"),
        (("next-key", str(tmp_path / "no" / "next.key")), "has committed"),
    ):
        code, _, errors = await table_command(house.data, *words)
        assert code == 1 and told in errors, errors
        code, said, _ = await table_command(house.data, *words, "--json")
        assert code == 1 and "failed" in json.loads(said)
    assert not other.exists()
    assert "has committed to the key in" in await house.command("next-key", str(house.next))
    code, _, errors = await table_command(tmp_path / "none", "next-key", str(other))
    assert code == 1 and "There is no table's key" in errors
    (house.data / "key-history").write_bytes(b"x")
    code, _, errors = await table_command(house.data, "rotate", "--next", str(house.next))
    assert code == 1 and "is damaged" in errors


class Rotating(FakeTable):
    """A table that shows a history of its key."""

    history = KeyHistory(FakeTable().identity.public)

    def on_hello(self, wire, version, name):
        wire.say("keys", encode_history(self.history))
        super().on_hello(wire, version, name)


async def test_unfinished_match_hides_no_rotation_and_can_be_dropped(tmp_path):
    old, new, data = FakeTable().identity, Identity(b"n" * 32), tmp_path / "zoe"
    table = Rotating()
    table.history = commit(KeyHistory(old.public), old, new.public)
    async with listening(table) as link:
        async with joining(link, "--name", "Zoe", "--data", data) as zoe:
            await killed(zoe)
        kept = list((data / "matches").glob("*.json"))
        table.history, table.identity = rotate(table.history, old, new, None), new
        table.live = None
        code, said = await visit(link, data)
        assert code == 3 and "Nobody has confirmed" in said
        async with at_table(link, data) as zoe:
            await asked(zoe, "anything else means no")
            zoe.type("yes\r")
            await asked(zoe, "A match that you had not finished there is over for the table")
            # no message of a table has the old match thrown away
            await until(lambda: len(list((data / "matches").glob("*.json"))) == 2)
        assert kept[0].exists()
    async with joining("--forget", link, "--data", data) as first:
        assert await first.end() == 0
    async with joining("--forget", link, "--data", data) as second:
        assert await second.end() == 0
    assert not list((data / "matches").glob("*.json"))


@asynccontextmanager
async def second_machine(data, key):
    """Run a standby as a process; yield its port."""
    running = await standby("--listen", "127.0.0.1:0", "--data", str(data), "--key", str(key))
    try:
        said = (await running.stderr.readline()).decode()
        yield said.partition("on port ")[2].partition(",")[0]
    finally:
        running.terminate()
        await running.communicate()


async def test_pair_with_a_standby_goes_on_under_its_new_key(tmp_path):
    key, house, second = tmp_path / "key", House(tmp_path), tmp_path / "second"
    key.write_bytes(bytes(range(32)))
    key.chmod(0o600)
    fingerprints = set()
    for number in (1, 2):
        async with second_machine(second, key) as port:
            house.options = ("--key", str(key), "--standby", f"127.0.0.1:{port}")
            async with house.opened() as link:
                fingerprints.add(link.fingerprint)
                await play_match(link, 2)
                await until(lambda: len(logs(house.data)) == number)  # noqa: B023
        if number == 1:
            await house.command("next-key", str(house.next), "--key", str(key))
            await house.command("rotate", "--next", str(house.next), "--key", str(key))
            shutil.copy(house.next, key)
            shutil.copy(house.data / "key-history", second)
    assert len(fingerprints) == 2 and len(logs(second)) == 2
