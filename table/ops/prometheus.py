"""`--metrics PORT`: the counters in Prometheus' text format, for this machine alone.

The library writes the text; the table's own server sends it, in the event loop, with few
connections and no thread. Only this file needs the library (the extra `metrics`).
"""

import asyncio
import contextlib
import errno
import os
import platform
import shutil
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.metrics_core import Metric

from net.text_server import TextServer
from protocol.errors import LocalError
from protocol.limits import HOST_STALE_SECONDS
from protocol.wire import VERSION
from table.manager.server import TableServer
from table.metrics import Histogram

ADDRESS = "127.0.0.1"
LAG_SECONDS = 0.1  # between two looks at how late the event loop is
DISK_SECONDS = 15.0  # between two looks at how much room the disk has
PATH = "/metrics"


class Disk(NamedTuple):
    """File system of the table's folder, in bytes."""

    size: int
    free: int  # for the table: what is kept for root is not


def disk_of(folder: Path) -> Disk:
    """Raises: OSError."""
    found = shutil.disk_usage(folder)
    return Disk(found.total, found.free)


@asynccontextmanager
async def exported(
    table: TableServer,
    port: int,
    disk: Callable[[Path], Disk] = disk_of,
    seconds: float = DISK_SECONDS,
) -> AsyncIterator[int]:
    """Serve a running table's metrics; gives the port (0 takes any free one). `disk` is asked every
    `seconds`, by a thread: a network's file system may take its time.

    Raises: LocalError, saying what to do, if the port is taken.
    """
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)  # memory, processor time, descriptors
    collector = _Collector(table, disk)
    collector.look()
    registry.register(collector)
    try:
        server = TextServer(
            ADDRESS, port, PATH, CONTENT_TYPE_LATEST, lambda: generate_latest(registry)
        )
    except OSError as error:
        why = os.strerror(error.errno or errno.EADDRINUSE)
        raise LocalError("wrong.table.metrics.port", port=port, why=why) from None
    watches = [
        asyncio.create_task(_watch_lag(table.metrics.lag)),
        asyncio.create_task(_watch_disk(collector, seconds)),
    ]
    try:
        yield server.port
    finally:
        for watch in watches:
            watch.cancel()
        server.close()


async def _watch_lag(lag: Histogram) -> None:
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + LAG_SECONDS
        await asyncio.sleep(LAG_SECONDS)
        lag.observe(max(0.0, loop.time() - due))


class _Collector:
    """Figures of the table, in the form that the library asks for at each scrape."""

    def __init__(self, table: TableServer, disk: Callable[[Path], Disk]) -> None:
        self._table, self._ask = table, disk
        self._disk: Disk | None = None

    def look(self) -> None:
        """Look how much room the disk has. Of one that does not say nothing is told."""
        self._disk = None
        with contextlib.suppress(OSError):
            self._disk = self._ask(self._table.config.data)

    def describe(self) -> list[Metric]:
        """Nothing, so that registering does not ask for figures."""
        return []

    def collect(self) -> list[Metric]:
        """All figures as they stand."""
        table = self._table
        disk = [] if self._disk is None else _disk_gauges(self._disk)
        return [*_gauges(table), *disk, *_counters(table), *_histograms(table)]


async def _watch_disk(collector: _Collector, seconds: float) -> None:
    while True:
        await asyncio.sleep(seconds)
        await asyncio.to_thread(collector.look)


def _disk_gauges(disk: Disk) -> list[Metric]:
    return [
        GaugeMetricFamily(
            "fairdeal_disk_size_bytes", "Size of the file system with the table's folder", disk.size
        ),
        GaugeMetricFamily("fairdeal_disk_free_bytes", "What is free there", disk.free),
    ]


def _gauges(table: TableServer) -> Iterator[Metric]:
    running = [each.room for each in table.lobby.tables.values() if each.room is not None]
    seated = sum(len(room.seated) for room in running)
    yield GaugeMetricFamily("fairdeal_connections", "Connections now", len(table.connections))
    yield GaugeMetricFamily(
        "fairdeal_half_open", "Connections that have not said hello", table.admission.half_open
    )
    yield GaugeMetricFamily(
        "fairdeal_connections_held",
        "Connections that wait because their addresses have spent too much processor time",
        len(table.read_queue),
    )
    yield GaugeMetricFamily("fairdeal_tables", "Tables in the lobby", len(table.lobby.tables))
    yield GaugeMetricFamily(
        "fairdeal_seats_reserved",
        "Seats kept for players who wait for a match",
        len(table.lobby.reserved),
    )
    yield GaugeMetricFamily(
        "fairdeal_seats_playing", "Seats of running matches whose players are connected", seated
    )
    yield GaugeMetricFamily("fairdeal_matches_running", "Matches that have not ended", len(running))
    waited = table.storage.silent()
    stalled = not table.storage.safe or waited >= HOST_STALE_SECONDS
    held_up = sum(room.presence.held_up() or (stalled and not room.durable) for room in running)
    yield GaugeMetricFamily(
        "fairdeal_matches_held_up",
        "Matches that wait for their store, or for what it has lost",
        held_up,
    )
    yield GaugeMetricFamily(
        "fairdeal_store_safe", "1: the store takes entries; 0: all wait", int(table.storage.safe)
    )
    yield GaugeMetricFamily(
        "fairdeal_store_wait_seconds", "How long the store has owed an answer", waited
    )
    if table.metrics.standby_heard is not None:
        yield GaugeMetricFamily(
            "fairdeal_standby_silent_seconds",
            "Seconds since the standby had everything and said so",
            time.monotonic() - table.metrics.standby_heard,
        )
    if table.metrics.store_held is not None:
        matches, size, excess = table.metrics.store_held
        yield GaugeMetricFamily("fairdeal_store_matches", "Matches in the cluster's store", matches)
        yield GaugeMetricFamily("fairdeal_store_bytes", "Bytes of these matches", size)
        yield GaugeMetricFamily(
            "fairdeal_store_excess_bytes", "Bytes of these above the bound store_mib", excess
        )
    yield GaugeMetricFamily(
        "fairdeal_draining", "1: no match begins any more", int(table.manager.drain.active)
    )
    build = GaugeMetricFamily(
        "fairdeal_build_info", "What runs here", labels=["version", "protocol", "python"]
    )
    build.add_metric([version("fairdeal"), str(VERSION), platform.python_version()], 1)
    yield build
    yield GaugeMetricFamily(
        "fairdeal_queued_bytes", "Bytes that peers have not read yet", table.queued
    )


def _counters(table: TableServer) -> Iterator[Metric]:
    metrics = table.metrics
    plain = {
        "fairdeal_connections_accepted": ("Connections accepted", metrics.accepted),
        "fairdeal_connections_gave_way": (
            "Half-open connections that made room for another",
            metrics.gave_way,
        ),
        "fairdeal_seats_by_ticket": ("Seats that came back by a ticket", metrics.tickets),
        "fairdeal_connections_no_hello": (
            "Connections that said no hello in time",
            metrics.no_hello,
        ),
        "fairdeal_slow_readers": (
            "Connections cut off because they did not read",
            metrics.slow_readers,
        ),
        "fairdeal_silent_lines": (
            "Connections dropped because their players gave no sign of life",
            metrics.silent_lines,
        ),
        "fairdeal_pauses": (
            "Times that a peer had to wait because it sent too much",
            metrics.pauses,
        ),
        "fairdeal_holds": (
            "Times that a peer had to wait because its address spent too much processor time",
            metrics.held,
        ),
        "fairdeal_worker_seconds": (
            "Processor time of worker processes",
            0.0 if table.matches.pool is None else table.matches.pool.seconds,
        ),
        "fairdeal_worker_restarts": (
            "Worker processes that ended and were started again",
            0 if table.matches.pool is None else table.matches.pool.deaths,
        ),
        "fairdeal_records_in": ("Records received", metrics.records_in),
        "fairdeal_records_out": ("Records sent", metrics.records_out),
        "fairdeal_bytes_in": ("Bytes received", metrics.bytes_in),
        "fairdeal_bytes_out": ("Bytes sent", metrics.bytes_out),
        "fairdeal_entries": ("Entries on disk", metrics.entries),
        "fairdeal_late_entries": (
            "Actions that others overtook, which stand and do nothing",
            metrics.late,
        ),
        "fairdeal_matches_finished": ("Matches that have ended", metrics.matches),
        "fairdeal_fenced": ("Matches given up because another host has them", metrics.fenced),
        "fairdeal_unknown_outcomes": (
            "Appends whose answer did not come, or said nothing",
            metrics.unknown,
        ),
        "fairdeal_matches_released": ("Matches that were left to another host", metrics.released),
        "fairdeal_watched_from_store": (
            "Times that somebody came to watch a match of another host",
            metrics.followed,
        ),
        "fairdeal_moved": ("Times that somebody was told to ask another host", metrics.moved),
        "fairdeal_tails_given_back": (
            "Ends of logs that the store had lost, and players gave back",
            metrics.tails,
        ),
        "fairdeal_store_pruned": (
            "Matches that this host has removed from the cluster's store",
            metrics.pruned,
        ),
        "fairdeal_store_pruned_bytes": ("Bytes that these had taken", metrics.pruned_bytes),
        "fairdeal_store_prune_failures": (
            "Looks at what is to go from the cluster's store that had no answer",
            metrics.prune_failures,
        ),
        "fairdeal_matches_forked": (
            "Matches that stopped: two heads of ours are about one number",
            metrics.forks,
        ),
    }
    for name, (text, value) in plain.items():
        yield CounterMetricFamily(name, text, value=value)
    by_word: dict[str, tuple[str, str, Counter[str]]] = {
        "fairdeal_connections_refused": ("Connections refused", "reason", metrics.refused),
        "fairdeal_errors": ("Connections ended for what the peer sent", "code", metrics.errors),
        "fairdeal_declined": ("Requests that could not be granted", "code", metrics.declined),
        "fairdeal_refused_posts": ("Entries that were refused", "code", metrics.refused_posts),
        "fairdeal_clock_entries": ("Entries of the table's clock", "kind", metrics.clock),
        "fairdeal_claims": ("Claims of matches that another host had", "outcome", metrics.claims),
        "fairdeal_faults": ("Faults found in matches", "code", metrics.faults),
    }
    processor = CounterMetricFamily(
        "fairdeal_message_seconds", "Processor time for messages of players", labels=["message"]
    )
    for word, seconds in metrics.processor.items():
        processor.add_metric([word], seconds)
    yield processor
    for name, (text, label, values) in by_word.items():
        family = CounterMetricFamily(name, text, labels=[label])
        for word, value in values.items():
            family.add_metric([str(word)], value)
        yield family


def _histograms(table: TableServer) -> Iterator[Metric]:
    metrics = table.metrics
    for name, text, histogram in (
        (
            "fairdeal_commit_seconds",
            "A commit of the journal, or an append to a cluster's store",
            metrics.commit,
        ),
        ("fairdeal_commit_records", "Records in one commit", metrics.batch),
        (
            "fairdeal_step_seconds",
            "From when an entry was due that a program posts by itself",
            metrics.step,
        ),
        ("fairdeal_turn_seconds", "From when a move was due", metrics.turn),
        (
            "fairdeal_late_by_entries",
            "Entries that an overtaken action had not seen",
            metrics.late_by,
        ),
        (
            "fairdeal_collection_seconds",
            "Processor time of a garbage collection",
            metrics.collection,
        ),
        ("fairdeal_loop_lag_seconds", "How late the event loop was", metrics.lag),
    ):
        limits = [*map(str, map(float, histogram.bounds)), "+Inf"]
        counts = accumulate(histogram.counts)
        yield HistogramMetricFamily(
            name, text, buckets=list(zip(limits, counts, strict=True)), sum_value=histogram.total
        )
