"""Table by invitation over real sockets: nobody connects without the secret, and nobody learns of
it.
"""

import logging
import stat
from dataclasses import replace
from random import Random

import pytest

from bots.dominoes import greedy_bot
from player.client.table_client import Plan
from protocol.audit.verdict import Verdict
from protocol.codes import Code
from protocol.errors import LocalError
from protocol.i18n import english_text
from protocol.identity.keys import INVITE_SIZE, Identity
from protocol.messages.table import VERSION
from table.__main__ import make_config, make_parser
from table.manager.server import TableServer
from table.storage.disk.keys import INVITE_FILE, load_invite
from tests.support.errors import raises_text
from tests.support.play import play
from tests.support.tables import config, guest
from tests.support.wire_client import WireClient, play_match

WRONG = bytes(INVITE_SIZE)


async def at_the_door(table: TableServer) -> WireClient:
    """Open a session, and send nothing."""
    return await (await WireClient(replace(table.link, invite=b""), 7, "Eve").connect()).handshake()


async def test_client_without_secret_is_refused(tmp_path):
    async with TableServer(config(tmp_path, invite=True)) as table, await at_the_door(table) as eve:
        await eve.send("hello", VERSION, "Eve")
        await eve.expect_closed(Code.BY_INVITATION, error=Code.BY_INVITATION)
        assert not table.manager.lobby.reserved


async def test_a_connection_has_one_guess(tmp_path):
    async with TableServer(config(tmp_path, invite=True)) as table, await at_the_door(table) as eve:
        await eve.send("invite", WRONG)
        await eve.send("invite", table.link.invite)
        await eve.send("hello", VERSION, "Eve")
        await eve.expect_closed(Code.BY_INVITATION, error=Code.BY_INVITATION)


async def test_table_without_invitation_ignores_one(tmp_path):
    async with TableServer(config(tmp_path)) as table, await at_the_door(table) as eve:
        assert table.link.invite == b""
        await eve.send("invite", WRONG)
        await eve.hello()


@pytest.mark.match
async def test_client_with_secret_plays_and_log_lacks_secret(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    async with TableServer(config(tmp_path, invite=True)) as table:
        link, secret = table.link, table.link.invite
        assert len(secret) == INVITE_SIZE and str(link).count("/") == 4
        players = await play_match(link, 2)
        assert all(player.reader.over for player in players)
    letters = str(link).rpartition("/")[2]
    kept = [
        path.read_bytes()
        for path in tmp_path.rglob("*")
        if path.is_file() and path.name != INVITE_FILE
    ]
    assert kept and not any(secret in data or letters.encode() in data for data in kept)
    assert (
        letters not in caplog.text
        and secret.hex() not in caplog.text
        and repr(secret) not in caplog.text
    )


@pytest.mark.match
async def test_player_program_shows_invitation_and_advises_without_one(tmp_path):
    async with TableServer(config(tmp_path, invite=True)) as table:
        link, me = table.link, Identity(b"m" * 32)
        outcome = await play(replace(link, invite=b""), me, "Zoe", greedy_bot, rng=Random(1))
        assert outcome.verdict is Verdict.INCOMPLETE
        assert english_text(outcome.reason) == (
            "This table is by invitation only. Ask the host for the whole link."
        )
        for plan in (
            Plan("Zoe", only_list=True, invite=link.invite),
            Plan("Zoe", spectate=True, invite=WRONG),
        ):
            outcome = await play(link, me, "Zoe", None, rng=Random(1), plan=plan)
            assert (outcome.reason is None) == plan.only_list


async def test_invitation_link_survives_restart_and_is_private(tmp_path):
    async with TableServer(config(tmp_path, invite=True)) as table:
        first = table.link.invite
    path = tmp_path / INVITE_FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    async with TableServer(config(tmp_path, invite=True)) as table, await guest(table) as ann:
        assert table.link.invite == first and ann.table_name
    path.unlink()
    assert load_invite(tmp_path) != first
    path.chmod(0o644)
    with raises_text(LocalError, match="chmod 600"):
        load_invite(tmp_path)


def test_command_line_asks_for_secret(tmp_path):
    words = ["--data", str(tmp_path)]
    assert make_config(make_parser().parse_args([*words, "--invite"])).invite
    assert not make_config(make_parser().parse_args(words)).invite
