"""TLS to stores: a wrong certificate ends the connection, and passwords go to the right server
only.
"""

import asyncio
from contextlib import suppress

import pytest

from protocol.errors import LocalError
from table.storage.shared.nats.engine import NatsEngine
from table.storage.shared.nats.jetstream import JetStream
from table.storage.shared.nats.store_address import parse_address
from table.storage.shared.postgres.engine import PostgresEngine
from tests.support.between import between, speaking_tls
from tests.support.certificates import Authority
from tests.support.nats_cluster import store_cluster
from tests.support.postgres_cluster import postgres_cluster
from tests.support.table_stores.owners import Owner, hosted

pytestmark = pytest.mark.process

SECONDS, SECRET = 120, "correct horse"
RULES = "host fairdeal host 127.0.0.1/32 scram-sha-256\nhost all postgres 127.0.0.1/32 trust\n"


async def refused(engine):
    with pytest.raises(LocalError) as caught:
        await engine.open()
    assert SECRET not in str(caught.value)
    return caught.value.phrase.key.removeprefix("wrong.store.")


async def works(engine, folder):
    async with hosted(engine, "a", folder) as store:
        return await Owner(store, b"m" * 32, "a").append()


async def test_database_needs_right_certificate(tmp_path, caplog, capfd):
    ours, others = Authority(tmp_path), Authority(tmp_path, "others")
    passfile = tmp_path / "passfile"
    passfile.touch(0o600)

    def engine(port, host="localhost", authority=ours, password=SECRET, **given):
        passfile.write_text(f"*:*:*:host:{password}\n")
        words = {
            "sslmode": "verify-full",
            "sslrootcert": authority.file,
            "passfile": passfile,
        } | given
        query = "&".join(f"{name}={value}" for name, value in words.items())
        return PostgresEngine(
            f"postgresql://host@{host}:{port}/fairdeal?{query}", "a", answer_seconds=3
        )

    async with asyncio.timeout(SECONDS), postgres_cluster(1) as cluster:
        (node,) = cluster.nodes
        await node.sql(f"ALTER ROLE host PASSWORD '{SECRET}'")
        (node.folder / "pg_hba.conf").write_text(RULES)
        await node.sql("SELECT pg_reload_conf()")
        async with between(node.port, speaking_tls(ours.served("localhost"))) as middle:
            assert await works(engine(middle.port), tmp_path)
            assert await refused(engine(middle.port, authority=others)) == "certificate"
            assert await refused(engine(middle.port, host="127.0.0.1")) == "certificate"
            assert await refused(engine(middle.port, password="wrong")) == "database"
        assert await refused(engine(node.port)) == "database"  # this server has no TLS
        assert SECRET not in caplog.text + "".join(capfd.readouterr())


async def test_store_servers_need_right_certificates(tmp_path, caplog, capfd):
    ours, others = Authority(tmp_path), Authority(tmp_path, "others")
    async with asyncio.timeout(SECONDS), store_cluster(tmp_path, authority=ours) as cluster:
        link = cluster.link()
        assert await works(NatsEngine(parse_address(link), "a"), tmp_path)
        strange = link.replace(str(ours.file), str(others.file))
        assert (
            await refused(NatsEngine(parse_address(strange), "a", connect_seconds=1))
            == "certificate"
        )
        bare = link.partition("&cert=")[0]
        assert (
            await refused(NatsEngine(parse_address(bare), "a", connect_seconds=1)) == "certificate"
        )
        assert "secret" not in caplog.text + "".join(capfd.readouterr())


async def test_store_login_is_withheld_when_server_denies_tls(tmp_path):
    """The denial is not encrypted, so a person in the middle could send it."""
    heard = []

    async def serve(reader, writer):
        writer.write(
            b"INFO "
            b'{"server_id":"x","version":"2.15.1","auth_required":true,"max_payload":1048576}\r\n'
        )
        heard.append(await reader.read(1 << 16))
        writer.close()

    login = tmp_path / "login"
    login.touch(0o600)
    login.write_text(f"host:{SECRET}")
    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        address = parse_address(
            f"tls://127.0.0.1:{port}?login={login}&ca={Authority(tmp_path).file}"
        )
        line = JetStream(address, connect_seconds=1)
        with suppress(LocalError):
            await line.connect()
        await line.close()
    assert heard and SECRET.encode() not in b"".join(heard)
