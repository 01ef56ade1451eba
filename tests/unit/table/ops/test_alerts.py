"""Alert rules and dashboard against real scrapes: they name what a table says, and see what fails.

Each failure is brought about at a table of this process; the rule is computed from the scrapes before
and after it. The expressions are the few forms of PromQL that the rules use.
"""

import asyncio
import contextlib
import json
import operator
import os
import re
import signal
import sqlite3
import time
from pathlib import Path

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from protocol.codes import Code
from table.manager.server import TableServer
from table.ops.prometheus import Disk, exported
from tests.integration.cluster.hosts import hosts
from tests.integration.cluster.test_pruning import DAY, QUICK, Large, Refusing
from tests.integration.storage.calls import game
from tests.integration.storage.pruning_suite import finish
from tests.support.tables import close_all, config, guest, seated, until
from tests.support.wire_client import Player
from tests.unit.table.ops.test_prometheus import scrape

ROOT = Path(__file__).resolve().parents[4]
RULES = {
    rule["alert"]: rule
    for group in yaml.safe_load((ROOT / "deploy/prometheus/fairdeal.rules.yml").read_text())[
        "groups"
    ]
    for rule in group["rules"]
}
DASHBOARD = json.loads((ROOT / "deploy/grafana/fairdeal.json").read_text())
NAME = re.compile(r"\b(?:fairdeal|process)_[a-z_]+")
COMPARED = re.compile(r"(.+) (>|<|==) ([0-9.]+)")
INCREASE = re.compile(r'increase\((\w+)(?:\{(\w+)="(\w+)"\})?\[\w+\]\)')
SELECTED = re.compile(r'(\w+)\{(\w+)="(\w+)"\}')
QUANTILE = re.compile(r"histogram_quantile\(([0-9.]+), rate\((\w+)_bucket\[\w+\]\)\)")
SIGNS = {">": operator.gt, "<": operator.lt, "==": operator.eq}
GIB = 2**30
pytestmark = pytest.mark.match

Samples = dict[str, list[tuple[dict[str, str], float]]]


async def samples(table: TableServer) -> Samples:
    """Return the samples of a scrape by name. A server makes its text once a second at most, so each
    scrape has a server of its own.
    """
    async with exported(table, 0) as port:
        return parse((await scrape(port))[0])


def parse(text: str) -> Samples:
    """Return the samples of a text by name."""
    found: Samples = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, []).append((sample.labels, sample.value))
    return found


def fires(alert: str, before: Samples, after: Samples) -> bool:
    """Compute an alert's expression."""
    return any(holds(each, before, after) for each in RULES[alert]["expr"].split(" or "))


def holds(expression: str, before: Samples, after: Samples) -> bool:
    """Compute an expression without `or`. All samples are of one target."""
    expression, *needed = expression.split(" and on(instance, job) ")
    if not all(name in after for name in needed):
        return False
    if expression.startswith("absent("):
        return expression[len("absent(") : -1] not in after
    said = COMPARED.fullmatch(expression)
    assert said, expression
    left, sign, bound = said[1], said[2], float(said[3])
    values = quantities(left, before, after)
    return any(SIGNS[sign](value, bound) for value in values)


def quantities(left: str, before: Samples, after: Samples) -> list[float]:
    """Compute the left side of a comparison, for each label."""
    if found := INCREASE.fullmatch(left):
        name, label, word = found.groups()
        old = {str(labels): value for labels, value in before.get(name, [])}
        return [
            value - old.get(str(labels), 0.0)
            for labels, value in after.get(name, [])
            if label is None or labels.get(label) == word
        ]
    if found := QUANTILE.fullmatch(left):
        share, name = float(found[1]), f"{found[2]}_bucket"
        old = {labels["le"]: value for labels, value in before.get(name, [])}
        counts = [
            (float(labels["le"]), value - old.get(labels["le"], 0)) for labels, value in after[name]
        ]
        wanted = share * counts[-1][1]
        return [next(limit for limit, count in counts if count >= wanted)]
    if " / " in left:
        over, under = left.split(" / ")
        if over not in after:
            return []
        return [after[over][0][1] / after[under][0][1]]
    if found := SELECTED.fullmatch(left):
        name, label, word = found.groups()
        return [value for labels, value in after.get(name, []) if labels.get(label) == word]
    assert re.fullmatch(r"\w+", left), left
    return [value for _, value in after.get(left, [])]


@pytest.mark.process
async def test_every_rule_and_panel_names_what_a_table_says(tmp_path):
    async with (
        TableServer(config(tmp_path, workers=1)) as table,
        exported(table, 0) as port,
    ):
        table.metrics.standby_heard = time.monotonic()  # as with a standby
        table.metrics.store_held = 1, 1, 0  # as at the host of a cluster that prunes
        text, _ = await scrape(port)
    # counters with labels have no sample before the first
    said = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
    said |= {f"{name}{end}" for name in said for end in ("_total", "_bucket", "")}
    said |= set(re.findall(r"^(\w+)", text, re.MULTILINE))
    expressions = [rule["expr"] for rule in RULES.values()]
    expressions += [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
    unknown = {name for each in expressions for name in NAME.findall(each)} - said
    assert unknown == set()
    for alert in RULES:
        fires(alert, {}, parse(text))  # the expression is one of the forms


def test_every_rule_has_its_section_in_the_runbook():
    runbook = (ROOT / "docs/runbook.md").read_text()
    assert re.findall(r"^## (\w+)", runbook, re.MULTILINE) == list(RULES)
    for name, rule in RULES.items():
        assert rule["annotations"]["runbook"] == f"docs/runbook.md#{name.lower()}"
        assert rule["annotations"]["summary"].endswith(".")
        section = runbook.split(f"## {name}\n", 1)[1].split("\n## ", 1)[0]
        assert all(f"**{part}.**" in section for part in ("Meaning", "Look", "Do"))


async def test_no_alert_fires_at_a_table_that_is_well(tmp_path):
    async with TableServer(config(tmp_path)) as table:
        before = await samples(table)
        ann, bob = await seated(table, 1, 2)
        await Player(ann).run(until=1)
        after = await samples(table)
        # the machine's load and disk, and not the table's
        late = {"FairdealLoopLate", "FairdealDiskShort"}
        assert {alert for alert in RULES if fires(alert, before, after)} <= late
        await close_all(ann, bob)


async def test_disk_that_refuses_is_seen(tmp_path):
    async with TableServer(config(tmp_path, bounds={"retry_seconds": 0.01})) as table:
        ann, bob = await seated(table, 1, 2)
        player = await Player(ann).run(until=1)
        write = table.storage.journal.write

        def fail(changes):
            raise sqlite3.OperationalError("disk full")

        table.storage.journal.write = fail
        await ann.send("leave")
        await until(lambda: not table.storage.safe)
        await until(lambda: table.storage.silent() > 2.0)
        found = await samples(table)
        for alert in ("FairdealStoreRefuses", "FairdealStoreSlow", "FairdealMatchesHeldUp"):
            assert fires(alert, {}, found), alert
        table.storage.journal.write = write
        await until(lambda: table.storage.safe and not table.storage.silent())
        assert not fires("FairdealStoreRefuses", {}, await samples(table))
        assert player.records
        await close_all(ann, bob)


async def test_disk_that_fills_is_seen_before_it_refuses(tmp_path):
    free = {tmp_path: 2 * GIB}

    def disk(folder):
        return Disk(10 * GIB, free[folder])

    async with TableServer(config(tmp_path)) as table, exported(table, 0, disk, 0.01) as port:
        before = parse((await scrape(port))[0])
        assert not fires("FairdealDiskShort", {}, before)
        free[tmp_path] = GIB - 1
        async with asyncio.timeout(30):  # the text is made once a second at most
            while not fires("FairdealDiskShort", before, parse((await scrape(port))[0])):
                """Not yet."""


async def test_disk_that_does_not_answer_has_no_figures(tmp_path):
    def disk(folder):
        raise OSError

    async with TableServer(config(tmp_path)) as table, exported(table, 0, disk) as port:
        found = parse((await scrape(port))[0])
    assert "fairdeal_disk_free_bytes" not in found and "fairdeal_build_info" in found


async def test_flood_of_connections_is_seen_with_its_reason(tmp_path):
    async with TableServer(config(tmp_path, bounds={"per_address": 1})) as table:
        before = await samples(table)
        ann = await guest(table, 1, "Ann")
        lines = []
        for _ in range(25):  # the table answers so many a second; all are counted
            lines.append(await asyncio.open_connection(table.link.host, table.link.port))
        await until(lambda: table.metrics.refused.total() > 20)
        assert fires("FairdealConnectionsRefused", before, await samples(table))
        for _, writer in lines:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
        await close_all(ann)


async def test_store_that_is_not_pruned_is_seen(tmp_path):
    """By its failures, or by what is above the bound."""
    alert = "FairdealStoreNotPruned"
    async with hosts(tmp_path, "a", pace=QUICK, engine=Refusing) as there:
        (table,) = there.tables.values()
        before = await samples(table)
        await finish(table.storage, game(1))
        there.shared.later = 91 * DAY
        await until(lambda: table.metrics.prune_failures > 3)
        assert fires(alert, before, await samples(table))
    async with hosts(tmp_path, "b", pace=QUICK, engine=Large, bounds={"store_mib": 1}) as there:
        (table,) = there.tables.values()
        before = await samples(table)
        await until(lambda: table.metrics.store_held is not None)
        assert fires(alert, before, await samples(table))
        assert not fires(alert, before, before)


@pytest.mark.process
async def test_workers_that_die_are_seen(tmp_path):
    async with TableServer(config(tmp_path, workers=1)) as table:
        before, pool = await samples(table), table.matches.pool
        assert pool is not None
        for deaths in range(3):
            await until(lambda: pool._workers)
            os.kill(pool._workers[0].process.pid, signal.SIGKILL)
            await until(lambda deaths=deaths: pool.deaths > deaths)
        assert fires("FairdealWorkersDie", before, await samples(table))


async def test_loop_that_stands_still_is_seen(tmp_path):
    async with TableServer(config(tmp_path)) as table, exported(table, 0):
        before = await samples(table)
        seen = sum(table.metrics.lag.counts)
        time.sleep(0.6)  # what is tested: nothing of the loop runs meanwhile
        await until(lambda: sum(table.metrics.lag.counts) > seen)
        assert fires("FairdealLoopLate", before, await samples(table))


async def test_counted_failures_are_seen(tmp_path):
    async with TableServer(config(tmp_path)) as table:
        before = await samples(table)
        metrics = table.metrics
        metrics.tails += 1
        metrics.forks += 1
        metrics.unknown += 6
        metrics.errors[Code.INTERNAL] += 1
        metrics.errors[Code.BAD_MESSAGE] += 51
        metrics.standby_heard = time.monotonic() - 16
        after = await samples(table)
        for alert in (
            "FairdealEntriesLost",
            "FairdealForked",
            "FairdealOutcomesUnknown",
            "FairdealInternalErrors",
            "FairdealPeersBreakRules",
            "FairdealStandbySilent",
        ):
            assert not fires(alert, {}, before) and fires(alert, before, after), alert
    assert fires("FairdealDown", {}, {})


def test_one_table_of_several_that_is_down_is_seen():
    there: Samples = {"fairdeal_build_info": [({}, 1.0)]}
    for job, up, down in (("fairdeal", 0.0, True), ("fairdeal", 1.0, False), ("other", 0.0, False)):
        found = there | {"up": [({"job": job}, 1.0), ({"job": job}, up)]}
        assert fires("FairdealDown", {}, found) is down


def test_descriptors_of_another_program_are_not_ours():
    short: Samples = {"process_open_fds": [({}, 9.0)], "process_max_fds": [({}, 10.0)]}
    assert not fires("FairdealDescriptorsShort", {}, short)
    assert fires("FairdealDescriptorsShort", {}, short | {"fairdeal_build_info": [({}, 1.0)]})
