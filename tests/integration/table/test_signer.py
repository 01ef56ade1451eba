"""Whole matches at tables whose key is in a signer: the same bytes as with the key in the table,
and clean.
"""

import asyncio

import pytest

from conformance.case import CaseFailed
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import TABLE
from protocol.errors import LocalError
from protocol.identity.keys import Identity, fingerprint
from protocol.limits import MAX_SIGNER_ASKED
from protocol.match.log import Log, decode_entry, encode_entry
from protocol.match.log_file import read_records
from table.__main__ import make_config, make_parser
from table.config import Config
from table.manager.server import TableServer
from table.signer import requests
from table.signer.client import RemoteSigner
from table.signer.requests import SEALING, SESSION, Request
from table.signer.service import SignerService
from table.signer.sign_state import SignState
from table.signer.signer import SignerGone
from table.storage.disk.keys import KEY_FILE
from tests.support.errors import raises_text
from tests.support.signers import KEY, Threaded, program, threaded
from tests.support.tables import config, exported, guest, seated, until
from tests.support.wire_client import Player, WireClient, play_match

pytestmark = pytest.mark.match


def with_signer(folder, signer, **values) -> Config:
    return config(folder, signer=signer.path, **values)


@pytest.mark.process
async def test_signer_match_equals_match_with_local_key(tmp_path):
    with program(tmp_path / "signer"):
        key = Identity((tmp_path / "signer" / KEY_FILE).read_bytes())
        async with TableServer(
            config(tmp_path, signer=tmp_path / "signer" / "signer.sock")
        ) as table:
            assert table.link.fingerprint == fingerprint(key.public)
            players = await play_match(table.link)
            file = await exported(table, players[0].client.match_id)
    assert file == players[0].file and audit(file).verdict is Verdict.CLEAN
    records = list(read_records(file))
    log = Log(records[0][0])
    for number, (raw, head) in enumerate(records):
        entry = decode_entry(raw)
        if number:
            log.append(log.check(raw))
        assert head == log.head(key)
        if entry.author == TABLE:
            signed = key.sign("entry", log.match_id if number else bytes(32), entry.content)
            assert raw == encode_entry(entry.content, signed)
    assert sum(decode_entry(raw).author == TABLE for raw, _ in records) > 3
    assert not (tmp_path / "identity.key").exists()


async def test_a_match_goes_on_over_restarts_of_table_and_signer(tmp_path):
    """The signer is down when the match begins, and again in the middle; then the table is down
    too.
    """
    signer = Threaded(tmp_path / "signer").start()
    async with TableServer(with_signer(tmp_path, signer)) as table:
        clients = [await guest(table, seed, name) for seed, name in ((1, "Ann"), (2, "Bob"))]
        signer.stop()
        await until(lambda: table.identity.away)
        for client in clients:
            await client.join()
        cleo = WireClient(table.link, 3, "Cleo")
        with pytest.raises(CaseFailed, match="ended the handshake"):
            await (await cleo.connect()).greet()
        await cleo.close()
        assert not table.matches.feeds
        signer.start()
        players = [Player(client) for client in clients]
        await asyncio.gather(*(player.run(until=9) for player in players))
        signer.stop()
        await until(lambda: table.identity.away)
    signer.start()
    async with TableServer(with_signer(tmp_path, signer)) as table:
        for number, player in enumerate(players):
            old = player.client
            again = await guest(table, 11 + number, old.name, identity=old.identity)
            again.rng = old.rng
            await again.send("resume", old.match_id, player.holds, None)
            await again.expect("match")
            player.client = again
            await old.close()
        async with asyncio.timeout(60):
            await asyncio.gather(*(player.run() for player in players))
        assert audit(await exported(table, again.match_id)).verdict is Verdict.CLEAN
        for player in players:
            await player.client.close()
    signer.stop()


class Poisoned(SignState):
    """Signer that has signed another host's entry at number 5 of the first match."""

    def judge(self, asked):
        if (
            self._database.execute("SELECT max(number) FROM matches WHERE id = 1").fetchone()[0]
            == 4
        ):
            (match_id,) = self._database.execute(
                "SELECT match FROM matches WHERE id = 1"
            ).fetchone()
            super().judge([requests.head(match_id, 5, b"x" * 32)])
        return super().judge(asked)


async def test_signer_refusal_ends_match_and_table_continues(tmp_path, caplog):
    with threaded(tmp_path / "signer", judge=Poisoned) as signer:
        async with TableServer(with_signer(tmp_path, signer)) as table:
            clients = await seated(table, 1, 2)
            said = await asyncio.gather(
                *(Player(client).run() for client in clients), return_exceptions=True
            )
            assert all(str(Code.CLOSING) in str(error) for error in said), said
            again = await guest(table, 11, "Ann", identity=clients[0].identity)
            await again.send("resume", clients[0].match_id, None, None)
            # an explicit code, because a missing match would be no answer
            await again.expect_closed(Code.MATCH_STOPPED)
            assert audit((await play_match(table.link))[0].file).verdict is Verdict.CLEAN
            for client in (again, *clients):
                await client.close()
    assert "stops after entry 4, the signer refuses: the match has gone on since" in caplog.text


class Deaf(SignerService):
    """Signer that ignores requests about sessions for a time."""

    deaf, unheard = True, 0

    def _take(self, writer, asked):
        if Deaf.deaf and asked.request.purpose == SESSION:
            Deaf.unheard += 1
        else:
            super()._take(writer, asked)


async def test_silent_signer_delays_clients_once(tmp_path):
    handshake = Request(SESSION, (b"s" * 32, b"h" * 64))
    with threaded(tmp_path, kind=Deaf) as signer:
        async with RemoteSigner(signer.path) as key:
            with pytest.raises(SignerGone):
                key.ask(handshake)
            assert key.away
            with pytest.raises(SignerGone):
                key.ask(handshake)
            await until(lambda: not key.away)
            assert Deaf.unheard == 1  # no second request was sent
            Deaf.deaf = False
            assert key.ask(handshake) == KEY.sign(handshake.purpose, *handshake.fields)


async def test_signer_owing_too_many_answers_counts_as_away(tmp_path):
    """Then those that may wait do so. Requests for matches are few."""
    with threaded(tmp_path) as signer:
        async with RemoteSigner(signer.path) as key:
            key.submit([Request(SEALING, ())], lambda answers: None, lambda why: None)
            assert not key.away
            key._pending = dict.fromkeys(range(MAX_SIGNER_ASKED), *key._pending.values())
            assert key.away
            key._pending.clear()


async def test_signer_with_another_key_is_refused(tmp_path, caplog):
    with threaded(tmp_path) as signer:
        async with RemoteSigner(signer.path) as key:
            signer.stop()
            await until(lambda: key.away)
            other = Threaded(tmp_path, key=Identity(bytes(32))).start()
            await until(lambda: "another key" in caplog.text)
            assert key.away
            other.stop()


async def test_signer_socket_open_to_others_is_refused(tmp_path):
    with threaded(tmp_path) as signer:
        signer.path.chmod(0o666)
        with raises_text(LocalError, match="only you"):
            async with TableServer(with_signer(tmp_path / "table", signer)):
                pass


CLUSTER = ["--cluster", "nats://a", "--host-name", "one", "--key", "k"]
STANDBY, SIGNER = ["--standby", "h:1"], ["--signer", "s"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ([*SIGNER, "--key", "k"], "do not go together"),
        (
            [*SIGNER, "--witness"],
            "Choose: --signer SOCKET without --witness, or --witness with --key FILE",
        ),
        (
            [*SIGNER, *STANDBY],
            r"Choose: --signer SOCKET \(alone, or with --cluster\), or --standby with --key FILE",
        ),
        ([*SIGNER, "--alone"], "or --alone with --key FILE"),
        (
            [*CLUSTER, "--witness"],
            r"Choose: several hosts \(--cluster with --key or --signer\), or a witness",
        ),
        ([*CLUSTER, "--witness-for", "a" * 40], "or a witness"),
        ([*CLUSTER, *STANDBY], "--standby does not go with --cluster, .* Choose: --cluster STORE"),
        ([*CLUSTER, "--alone"], "--alone does not go with --cluster"),
    ],
)
def test_incompatible_signer_options_are_explained(asked, said):
    with raises_text(LocalError, match=said):
        make_config(make_parser().parse_args(asked))


async def test_host_ends_match_whose_key_a_signer_has(tmp_path):
    """Also while the signer is away: the end stands when it is back."""
    signer = Threaded(tmp_path / "signer").start()
    async with TableServer(with_signer(tmp_path, signer)) as table:
        clients = await seated(table, 1, 2)
        players = [Player(client) for client in clients]
        await asyncio.gather(*(player.run(until=4) for player in players))
        signer.stop()
        await until(lambda: table.identity.away)
        removal = table.manager.moderation.remove("main", end=True)
        signer.start()
        await removal.over.wait()
        await asyncio.gather(*(player.run() for player in players))
        report = audit(players[0].file)
        assert report.verdict is Verdict.CLEAN
        assert report.reader.match.ended_at == report.entries - 1
        for client in clients:
            await client.close()
    signer.stop()
