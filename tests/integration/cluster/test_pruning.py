"""Hosts of one table remove finished matches from their store by themselves, and by hand."""

import asyncio
from dataclasses import replace

import pytest

from protocol.i18n.language_choice import environment_translator
from protocol.limits import STORE_KEPT_SECONDS
from protocol.view.text import phrase_renderer
from table.control.command import ask, pruned_lines
from table.control.messages import Done, Failed, PrunedKind, Request
from table.control.service import command_socket
from table.storage.shared.backend import Unanswered
from tests.integration.cluster.hosts import PACE, Engine, hosts
from tests.integration.cluster.test_takeover import begun, finished, home
from tests.integration.storage.calls import game
from tests.integration.storage.pruning_suite import finish, there_is
from tests.support.tables import until

pytestmark = pytest.mark.match

DAY = 86_400.0
QUICK = replace(PACE, prune=0.05)


class Refusing(Engine):
    """Engine of a host that may not purge while `refuses`."""

    refuses = True

    async def purge(self, subject, last):
        if self.refuses:
            raise Unanswered
        return await super().purge(subject, last)


class Large(Engine):
    """Engine of a store that has 2 MiB more."""

    async def held(self, prefix):
        held = await super().held(prefix)
        return held._replace(size=held.size + (2 << 20))


class Uncounted(Engine):
    """Engine of a store that says nothing when it is counted."""

    async def held(self, prefix):
        raise Unanswered


async def in_charge(there):
    """Return the host that prunes, on which all hosts must agree, and its name."""
    await home(there)
    ((name, table),) = [
        each for each in there.tables.items() if each[1].manager.cluster.pruning.in_charge
    ]
    return name, table


async def test_one_host_prunes_and_another_when_it_is_gone(tmp_path):
    async with hosts(tmp_path, "a", "b", pace=QUICK) as there:
        players = await begun(await home(there))
        name, first = await in_charge(there)
        (other,) = [each for each in there.tables.values() if each is not first]
        await finish(other.storage, game(1))
        assert first.metrics.pruned == other.metrics.pruned == 0
        there.shared.later = 91 * DAY
        await until(lambda: first.metrics.pruned == 1)
        assert not await there_is(other.storage, game(1))
        assert first.metrics.pruned_bytes > 0 and first.metrics.store_held[0] == 1
        assert other.metrics.pruned == 0 and other.metrics.store_held is None
        playing = await home(there)
        if playing is first:
            await finished(players, playing)
        await there.kill(name)
        there.shared.later = 0.0
        await finish(other.storage, game(2))
        there.shared.later = 91 * DAY
        await until(lambda: other.metrics.pruned == 1 + (playing is first))
        if playing is not first:
            await finished(players, playing)


async def test_bounds_of_the_store_change_while_the_host_runs(tmp_path):
    async with hosts(tmp_path, "a", pace=QUICK, bounds={"store_days": 3}) as there:
        (table,) = there.tables.values()
        await finish(table.storage, game(1))
        there.shared.later = 2 * DAY
        await until(lambda: table.metrics.store_held is not None)
        assert table.metrics.store_held[0] == 1
        bounds = replace(table.config.bounds, store_days=1)
        table.configure(replace(table.config, bounds=bounds))
        await until(lambda: table.metrics.pruned == 1)


async def test_store_above_its_size_loses_what_began_first(tmp_path):
    async with hosts(tmp_path, "a", pace=QUICK, engine=Large, bounds={"store_mib": 1}) as there:
        (table,) = there.tables.values()
        await finish(table.storage, game(1))
        await until(lambda: table.metrics.store_held is not None and table.metrics.store_held[0])
        assert table.metrics.pruned == 0 and table.metrics.store_held[2] > 0
        there.shared.later = STORE_KEPT_SECONDS + 60
        await until(lambda: table.metrics.pruned == 1)


async def test_host_that_may_not_purge_says_so_once(tmp_path, caplog):
    async with hosts(tmp_path, "a", pace=QUICK, engine=Refusing) as there:
        (table,) = there.tables.values()
        await finish(table.storage, game(1))
        there.shared.later = 91 * DAY
        await until(lambda: table.metrics.prune_failures >= 3)
        assert table.metrics.pruned == 0 and await there_is(table.storage, game(1))
        assert caplog.text.count("finished matches stay in the store") == 1
        Refusing.refuses = False
        try:
            await until(lambda: table.metrics.pruned == 1)
        finally:
            Refusing.refuses = True


async def test_store_that_is_not_counted_is_no_empty_one(tmp_path):
    async with hosts(tmp_path, "a", pace=QUICK, engine=Uncounted) as there:
        (table,) = there.tables.values()
        await until(lambda: table.metrics.prune_failures >= 2)
        assert table.metrics.store_held is None


def rows_of(answers, kind):
    (row,) = (each for each in answers if isinstance(each, PrunedKind) and each.kind == kind)
    return row.gone, row.left


async def test_command_prunes_the_store_of_a_running_host(tmp_path):
    """Through the host's socket. A dry run removes nothing, and `--only bans` leaves the store alone."""
    async with hosts(tmp_path, "a") as there:
        (table,) = there.tables.values()
        players = await begun(table)
        for seed in (1, 2):
            await finish(table.storage, game(seed))
        there.shared.later = 10 * DAY
        before = int(table.config.now() - 9 * DAY)

        async def asked(before, keep, kinds, dry):
            request = Request("prune", [before, keep, kinds, dry])
            return await asyncio.to_thread(ask, tmp_path / "a", request)

        async with command_socket(table.manager, tmp_path / "a"):
            rows, done = await asked(before - int(2 * DAY), None, [], False)
            assert rows_of(rows, "store") == (0, 3) and done == Done(0)
            rows, done = await asked(before, None, [], True)
            assert rows_of(rows, "store") == (2, 1) and done == Done(2)
            assert await there_is(table.storage, game(1))
            say = phrase_renderer(environment_translator({"LANG": "en_GB.UTF-8"}), ())
            text = "\n".join(pruned_lines(rows, True, say))
            assert game(1).match_id.hex() in text and "2 finished ones go" in text
            rows, done = await asked(before, None, ["bans"], False)
            assert [row.kind for row in rows] == ["bans"] and await there_is(table.storage, game(1))
            rows, done = await asked(None, 0, ["finished"], False)
            assert rows_of(rows, "store") == (2, 1) and done == Done(2)
            assert table.metrics.pruned == 2
            assert not await there_is(table.storage, game(1))
        await finished(players, table)


async def test_command_says_that_the_store_could_not_be_pruned(tmp_path):
    async with hosts(tmp_path, "a", engine=Refusing) as there:
        (table,) = there.tables.values()
        await finish(table.storage, game(1))
        there.shared.later = 10 * DAY
        async with command_socket(table.manager, tmp_path / "a"):
            request = Request("prune", [None, 0, [], False])
            rows, answer = await asyncio.to_thread(ask, tmp_path / "a", request)
        assert rows == [] and isinstance(answer, Failed)
        assert answer.why.key == "wrong.control.unpruned"
