"""How a store answers, counted."""

import time
from typing import Any

from table.metrics import Metrics
from table.storage.shared.backend import StoreBackend, Unanswered


class MeasuredStore:
    """An engine whose appends are timed, and counted where nobody knows what became of them. The
    rest it does itself.

    A conflict is an answer and does not count.
    """

    def __init__(self, engine: StoreBackend, metrics: Metrics) -> None:
        self._engine, self._metrics = engine, metrics

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    async def append(self, subject: str, after: int, data: bytes) -> int:
        """See `Logs.append`."""
        began = time.perf_counter()
        try:
            number = await self._engine.append(subject, after, data)
        except Unanswered:
            self._metrics.unknown += 1
            raise
        self._metrics.commit.observe(time.perf_counter() - began)
        return number
