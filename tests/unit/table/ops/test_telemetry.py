"""`--telemetry`: data about a store's work, sent by the library's own exporters, without any
private data.
"""

import asyncio
import re
import sqlite3
import sys
import threading
from contextlib import closing
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from protocol.crypto.hashing import digest
from protocol.errors import LocalError
from protocol.installation import install_command
from table.ops.program import telemetered
from table.ops.telemetry import MATCH_LETTERS, TracedStore, hidden, observed
from table.storage.disk.journal import JOURNAL_FILE
from tests.support.errors import raises_text
from tests.support.tables import close_all, config, seated
from tests.support.wire_client import Player, play_match
from tests.system.test_host import program

WORDS = {"stored", "lost", "restored", "failed", "claimed", "NewRecords", "NewTable", "NoTable"}
NAMES = {"append", "restore", "claim"}


def only_figures(spans) -> None:
    """Check that spans have only our own constants, digests of match ids, and numbers."""
    for span in spans:
        assert span.name in NAMES and not span.events and span.status.description is None
        for name, value in span.attributes.items():
            assert (
                value in WORDS
                or type(value) is int
                or re.fullmatch(f"[0-9a-f]{{{MATCH_LETTERS}}}", value)
            ), name
        assert set(span.resource.attributes) - {"service.name", "service.instance.id"} <= {
            "telemetry.sdk.language",
            "telemetry.sdk.name",
            "telemetry.sdk.version",
        }


@pytest.mark.match
async def test_telemetry_covers_a_match_and_a_restart(tmp_path):
    sent = InMemorySpanExporter()
    async with observed(config(tmp_path), sent) as made, made as table:
        (done,) = {player.client.match_id for player in await play_match(table.link)}
        players = [Player(client) for client in await seated(table, 1, 2)]
        await asyncio.gather(*(player.run(until=5) for player in players))
        running, known = players[0].client.match_id, len(players[0].records)
        await close_all(*(player.client for player in players))
    first = sent.get_finished_spans()
    appended = [span.attributes for span in first]
    assert {each["fairdeal.match"] for each in appended} == {hidden(done), hidden(running)}
    assert {each["fairdeal.outcome"] for each in appended} == {"stored"}
    assert all(span.name == "append" and span.end_time > span.start_time for span in first)

    again = InMemorySpanExporter()
    async with observed(config(tmp_path), again) as made, made as table:
        assert table.lobby.tables["main"].room.match_id == running
    (claimed,) = [span for span in again.get_finished_spans() if span.name == "claim"]
    assert dict(claimed.attributes) == {
        "fairdeal.match": hidden(running),
        "fairdeal.outcome": "claimed",
    }
    (restored,) = [span for span in again.get_finished_spans() if span.name == "restore"]
    assert restored.attributes["fairdeal.match"] == hidden(running)
    assert restored.attributes["fairdeal.records"] >= known
    assert restored.attributes["fairdeal.outcome"] == "restored"

    everything = "".join(span.to_json() for span in (*first, *again.get_finished_spans()))
    only_figures((*first, *again.get_finished_spans()))
    secrets = [
        done.hex(),
        running.hex(),
        done.hex()[:8],
        running.hex()[:8],
        "127.0.0.1",
        "Ann",
        "Bob",
        "Seat A",
    ]
    secrets += [player.client.identity.public.hex() for player in players] + [str(table.link)]
    assert [secret for secret in secrets if secret in everything] == []
    assert (
        hidden(done)
        == digest("telemetry match", done).hex()[:MATCH_LETTERS]
        != done.hex()[:MATCH_LETTERS]
    )


@pytest.mark.match
async def test_stopped_match_is_counted_without_its_reason(tmp_path):
    async with observed(config(tmp_path), InMemorySpanExporter()) as made, made as table:
        await close_all(*await seated(table, 1, 2))
    with closing(sqlite3.connect(tmp_path / JOURNAL_FILE)) as database:
        database.execute("UPDATE records SET entry = x'00'")
        database.commit()
    sent = InMemorySpanExporter()
    async with observed(config(tmp_path), sent) as made, made:
        pass
    (failed,) = [span for span in sent.get_finished_spans() if span.name == "restore"]
    assert failed.attributes["fairdeal.outcome"] == "failed"
    only_figures([failed])


class Shared:
    """A shared store that loses entries to other writers."""

    def __init__(self):
        self.asked = []

    def submit(self, change, done, lost):
        self.asked.append((done, lost))

    def claim(self, match_id, done, new):
        self.asked.append(done)

    def silent(self):
        return 7.0


def test_telemetry_counts_losses_and_claims():
    sent, provider, store, heard = InMemorySpanExporter(), TracerProvider(), Shared(), []
    provider.add_span_processor(SimpleSpanProcessor(sent))
    watched = TracedStore(store, provider.get_tracer("test"))
    watched.submit(("not", "records"), partial(heard.append, "done"), partial(heard.append, "lost"))
    watched.claim(b"m" * 32, lambda found: heard.append(found))
    watched.claim(b"n" * 32, lambda found: heard.append(found))
    assert watched.silent() == 7.0 and not sent.get_finished_spans()
    store.asked[0][1]()
    store.asked[1](None)
    store.asked[2]("a match")
    assert heard == ["lost", None, "a match"]
    told = [(span.name, span.attributes["fairdeal.outcome"]) for span in sent.get_finished_spans()]
    assert told == [("append", "lost"), ("claim", "lost"), ("claim", "claimed")]


def test_missing_library_error_says_what_to_install(monkeypatch):
    monkeypatch.delitem(sys.modules, "table.ops.telemetry")
    monkeypatch.setitem(sys.modules, "opentelemetry.context", None)
    with raises_text(LocalError, match=re.escape(install_command("telemetry"))):
        telemetered()


class Collector(BaseHTTPRequestHandler):
    """HTTP server that receives spans."""

    def do_POST(self):
        self.server.got.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *words):
        pass


@pytest.mark.process
@pytest.mark.parametrize("asked", [True, False])
async def test_program_exports_telemetry_only_if_configured(tmp_path, asked):
    with HTTPServer(("127.0.0.1", 0), Collector) as server:
        server.got = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        before = ["env", f"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:{server.server_port}"]
        async with program(tmp_path, "--once", *["--telemetry"] * asked, before=before) as (
            process,
            link,
        ):
            players = await play_match(link)
            async with asyncio.timeout(60):
                assert await process.wait() == 0
        server.shutdown()
    assert bool(server.got) == asked
    assert {path for path, _ in server.got} == ({"/v1/traces"} if asked else set())
    body = b"".join(body for _, body in server.got)
    assert (b"append" in body) == asked
    assert b"Ann" not in body and players[0].client.match_id not in body


@pytest.mark.process
async def test_missing_collector_delays_nobody(tmp_path):
    before = ["env", "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:9"]
    async with program(tmp_path, "--once", "--telemetry", before=before) as (process, link):
        await play_match(link)
        async with asyncio.timeout(60):
            assert await process.wait() == 0
        _, errors = await process.communicate()
        assert b"Traceback" not in errors
