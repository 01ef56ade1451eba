"""Metrics of a store: appends without an answer are counted, the others are timed."""

from contextlib import suppress

from table.cluster.store_metrics import MeasuredStore
from table.metrics import Metrics
from table.storage.shared.backend import Conflict, Unanswered
from tests.support.table_stores.memory import MemoryEngine, Shared, in_no_time


def test_only_appends_without_an_answer_are_counted():
    async def appended() -> tuple[int, int, int]:
        shared, metrics = Shared(), Metrics()
        engine = MeasuredStore(MemoryEngine(shared), metrics)
        for fault, after in (("", 0), ("", 0), ("request", 1), ("answer", 1), ("", 1)):
            shared.befalls.append(fault)
            with suppress(Conflict, Unanswered):
                await engine.append("m.0.x", after, b"data")
        return metrics.unknown, len(shared.items), sum(metrics.commit.counts)

    assert in_no_time(appended()) == (2, 2, 1)
