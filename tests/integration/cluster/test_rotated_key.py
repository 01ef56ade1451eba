"""The hosts of a table rotate its key, and go on with their store."""

import asyncio
import shutil

import pytest

from protocol.codes import Code
from protocol.errors import LocalError
from protocol.identity.keys import Identity
from protocol.match.terms import encode_terms
from table.config import default_terms
from table.control.key_rotation import commit_to_next, rotate_key
from table.control.messages import Done, Request
from table.control.service import ControlService
from table.storage.disk.keys import HISTORY_FILE
from table.storage.shared.lobby_items import decode_item
from table.storage.shared.lobby_subjects import TABLES
from tests.integration.cluster.hosts import Hosts, hosts
from tests.integration.cluster.test_takeover import back, begun, finished, home
from tests.support.errors import raises_text
from tests.support.tables import guest, until

pytestmark = pytest.mark.match


def rotate(there: Hosts, *names: str) -> None:
    """Rotate the key in the folder of the first host, and bring key and history to all."""
    first, following = there.folder / names[0], there.folder / "next.key"
    commit_to_next(first, there.key, following)
    rotate_key(first, there.key, following, None)
    there.key.write_bytes(following.read_bytes())
    for name in names[1:]:
        shutil.copy(first / HISTORY_FILE, there.folder / name / HISTORY_FILE)


async def test_hosts_go_on_with_their_store_after_a_rotation(tmp_path):
    async with hosts(tmp_path, "a", "b") as there:
        table = await home(there)
        await finished(await begun(table), table)
        ann = await guest(table, 9, "Ann")
        await ann.send("create", encode_terms(default_terms()))
        (created,) = await ann.expect("created")
        for name in ("a", "b"):
            await there.kill(name)
        await ann.close()
        rotate(there, "a", "b")
        await there.begin("a", "b")
        table = await home(there)
        assert created in table.lobby.tables
        await finished(await begun(table), table)


async def test_match_under_the_old_key_keeps_its_store(tmp_path):
    async with hosts(tmp_path, "a") as there:
        players = await begun(there.tables["a"])
        await there.kill("a")
        rotate(there, "a")
        with raises_text(LocalError, match="1 match in the store is not over"):
            await there.begin("a")
        (tmp_path / "a" / HISTORY_FILE).unlink()
        there.key.write_bytes(b"k" * 32)
        (again,) = await there.begin("a")
        await until(lambda: again.matches.feeds)
        await back(again, players)
        await finished(players, again)


async def test_host_without_history_or_with_old_key_is_refused(tmp_path):
    async with hosts(tmp_path, "a", "b") as there:
        for name in ("a", "b"):
            await there.kill(name)
        rotate(there, "a")
        with raises_text(LocalError, match="belongs to another table.*key-history"):
            await there.begin("b")
        await there.begin("a")
        there.key.write_bytes(b"k" * 32)
        with raises_text(LocalError, match="belongs to another table"):
            await there.begin("b")


async def test_two_hosts_at_once_take_the_store_over_once(tmp_path):
    async with hosts(tmp_path, "a", "b") as there:
        for name in ("a", "b"):
            await there.kill(name)
        rotate(there, "a", "b")
        before = len(there.shared.items)
        await asyncio.gather(there.begin("a"), there.begin("b"))
        added = [data for subject, data in there.shared.items[before:] if subject == TABLES]
        items = [decode_item(data)[1] for data in added]
        assert [item for item in items if item[0] == "store"] == [
            ["store", Identity(there.key.read_bytes()).public]
        ]


async def test_last_host_lets_its_matches_end_and_begins_none(tmp_path):
    async with hosts(tmp_path, "a", "b") as there:
        table = await home(there)
        players = await begun(table)
        drain = Request("drain", [True])
        with raises_text(LocalError, match="other hosts"):
            await ControlService(table.manager).do(drain)
        (other,) = [name for name, each in there.tables.items() if each is not table]
        await there.kill(other)
        await until(lambda: not table.manager.cluster.view.others)
        (done,) = await ControlService(table.manager).do(drain)
        assert done == Done(1)
        ann = await guest(table, 9, "Ann")
        await ann.send("join", "main")
        await ann.expect_error(Code.DRAINING)
        await ann.close()
        await finished(players, table)
        await table.manager.drain.done.wait()


async def test_forgotten_host_with_the_old_key_says_what_to_do(tmp_path, caplog):
    async with hosts(tmp_path, "a", "b") as there:
        await there.kill("b")
        rotate(there, "b")
        await there.begin("b")
        await until(lambda: "has taken the store over" in caplog.text)
        # what runs there goes on
        players = await begun(there.tables["a"])
        await finished(players, there.tables["a"])
        assert caplog.text.count("has taken the store over") == 1
