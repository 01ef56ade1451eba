"""`--metrics`: a real scrape, parsed by the library's own parser."""

import asyncio
import contextlib
import os
import re
import socket
import sys
import threading
import urllib.request

import psutil
import pytest
from prometheus_client.parser import text_string_to_metric_families

from net.text_server import TextServer
from protocol.codes import Code
from protocol.errors import LocalError
from protocol.installation import install_command
from protocol.limits import MAX_TEXT_CONNECTIONS
from protocol.session.session import turned_away
from table.manager.server import TableServer
from table.metrics import Histogram
from table.ops.program import exporter
from table.ops.prometheus import exported
from tests.support.errors import raises_text
from tests.support.ports import free_port
from tests.support.tables import close_all, config, guest, seated
from tests.support.wire_client import play_match
from tests.system.test_host import program

pytestmark = pytest.mark.match

HALF_OPEN = 2_000


async def scrape(port: int) -> tuple[str, dict[tuple[str, str], float]]:
    """Return the text, and its samples by name and label value ("" without a label)."""
    url = f"http://127.0.0.1:{port}/metrics"
    text = await asyncio.to_thread(lambda: urllib.request.urlopen(url, timeout=60).read().decode())
    samples = [
        sample for family in text_string_to_metric_families(text) for sample in family.samples
    ]
    return text, {
        (sample.name, next(iter(sample.labels.values()), "")): sample.value for sample in samples
    }


async def test_metrics_accumulate_over_two_matches(tmp_path):
    async with TableServer(config(tmp_path)) as table, exported(table, 0) as port:
        players = await play_match(table.link)
        ann, bob = await seated(table, 1, 2)
        await ann.send("post", ann.match_id, b"x")
        await ann.expect("refused")
        await ann.send("spectate", None)
        await ann.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)
        three = await guest(table, 3, "Three")
        await three.send("join", "nowhere")
        await three.expect_error(Code.NO_SUCH_TABLE)
        text, found = await scrape(port)
        entries = len(players[0].records)
        assert found["fairdeal_entries_total", ""] == entries + 1
        assert found["fairdeal_matches_finished_total", ""] == 1
        assert found["fairdeal_matches_running", ""] == 1
        assert found["fairdeal_seats_playing", ""] == 1
        assert found["fairdeal_connections_accepted_total", ""] == 5
        assert found["fairdeal_refused_posts_total", "bad_entry"] == 1
        assert found["fairdeal_errors_total", "bad_message"] == 1
        assert found["fairdeal_declined_total", "no_such_table"] == 1
        moves = sum(b"\xa4move" in raw[:60] for raw, _ in players[0].records)
        assert found["fairdeal_turn_seconds_count", ""] == moves
        by_seats = (
            found["fairdeal_turn_seconds_count", ""] + found["fairdeal_step_seconds_count", ""]
        )
        assert moves < by_seats < entries
        assert 2 <= found["fairdeal_commit_seconds_count", ""] <= entries + 1
        assert found["fairdeal_commit_records_sum", ""] == entries + 1
        assert (
            found["fairdeal_bytes_out_total", ""]
            > sum(len(raw) for raw, _ in players[0].records) * 2
        )
        assert found["process_open_fds", ""] > 0
        for secret in (
            "Ann",
            "Three",
            "127.0.0",
            ann.identity.public.hex(),
            ann.match_id.hex()[:8],
        ):
            assert secret not in text
        await close_all(ann, bob, three)


async def test_refused_connections_are_counted_by_reason(tmp_path):
    async with (
        TableServer(config(tmp_path, bounds={"per_address": 1})) as table,
        exported(table, 0) as port,
    ):
        ann = await guest(table, 1, "Ann")
        reader, writer = await asyncio.open_connection(table.link.host, table.link.port)
        assert await reader.read() == turned_away(Code.TOO_MANY_HERE)
        writer.close()
        _, found = await scrape(port)
        assert found["fairdeal_connections_refused_total", "crowded"] == 1
        assert found["fairdeal_connections", ""] == 1
        await close_all(ann)


async def test_faults_and_clock_entries_are_counted_by_kind(tmp_path):
    async with TableServer(config(tmp_path)) as table, exported(table, 0) as port:
        ann, bob = await seated(table, 1, 2)
        table.metrics.faults.update([Code.LEFT, Code.LEFT])
        table.metrics.clock["lapse"] += 1
        _, found = await scrape(port)
        assert found["fairdeal_faults_total", "left"] == 2
        assert found["fairdeal_clock_entries_total", "lapse"] == 1
        await close_all(ann, bob)


async def test_half_open_requests_take_no_descriptors_and_threads(tmp_path):
    """A local user holds as many as it can; a scrape comes through, and so do players."""
    async with TableServer(config(tmp_path)) as table, exported(table, 0) as port:
        threads, descriptors = threading.active_count(), psutil.Process().num_fds()
        flood = []
        for _ in range(HALF_OPEN):
            line = socket.create_connection(("127.0.0.1", port))
            line.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n")
            flood.append(line.detach())
            if len(flood) > 100:  # of this process, too; the table's end is what counts
                os.close(flood.pop(0))
            await asyncio.sleep(0)
        await asyncio.sleep(0.05)
        ours = psutil.Process().num_fds() - descriptors - len(flood)
        assert ours <= MAX_TEXT_CONNECTIONS + 8
        assert threading.active_count() == threads
        text, _ = await scrape(port)
        assert "fairdeal_connections" in text
        ann = await guest(table, 1, "Ann")
        await close_all(ann)
        for number in flood:
            os.close(number)


async def test_request_that_does_not_end_is_dropped_in_time():
    server = TextServer("127.0.0.1", 0, "/metrics", "text/plain", lambda: b"", seconds=0.05)
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(b"GET /metrics HTTP/1.1\r\n")
    with contextlib.suppress(ConnectionError):
        assert await reader.read() == b""
    writer.close()
    server.close()


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        (b"POST /metrics HTTP/1.1", b"405"),
        (b"GET /secrets HTTP/1.1", b"404"),
        (b"GET /metrics?x=1 HTTP/1.0", b"200"),
        (b"rubbish", b"405"),
        (b"GET /" + b"x" * 10_000, b"431"),
    ],
)
async def test_requests_get_their_status_and_the_end(tmp_path, request_line, status):
    async with TableServer(config(tmp_path)) as table, exported(table, 0) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request_line + (b"" if status == b"431" else b"\r\n\r\n"))
        assert (await reader.read()).split(b" ")[1] == status
        writer.close()


async def test_metrics_are_served_only_on_loopback(tmp_path):
    async with TableServer(config(tmp_path)) as table, exported(table, 0) as port:
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.2", port)


def test_missing_library_error_says_what_to_install(monkeypatch):
    monkeypatch.delitem(sys.modules, "table.ops.prometheus")
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with raises_text(LocalError, match=re.escape(install_command("metrics"))):
        exporter()


async def test_metrics_on_occupied_port_are_refused(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        async with TableServer(config(tmp_path)) as table:
            with raises_text(LocalError, match="Choose another"):
                async with exported(table, taken.getsockname()[1]):
                    pass


def test_histogram_counts_each_value_in_one_bucket():
    histogram = Histogram((1, 2, 4))
    for value in (0, 1, 1.5, 2, 4, 4.1, 100):
        histogram.observe(value)
    assert histogram.counts == [2, 2, 1, 2]
    assert histogram.total == 112.6


@pytest.mark.process
async def test_table_program_serves_metrics(tmp_path):
    port = free_port()
    async with program(tmp_path, "--metrics", str(port)) as (_, link):
        await play_match(link)
        # the loop checks only now and then: a match may be over before
        async with asyncio.timeout(60):
            while not (found := (await scrape(port))[1])["fairdeal_loop_lag_seconds_count", ""]:
                pass
        assert found["fairdeal_matches_finished_total", ""] == 1
