"""Send queue of one peer. All of it goes out in one write at the end of a turn of the event loop."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from protocol.limits import HIGH_WATER
from table.metrics import Metrics
from table.net.processor_time import METER, Payer


class Queues(Protocol):
    """All send queues of a process together."""

    metrics: Metrics
    queued: int  # bytes for all peers; each queue keeps it up to date


class SendQueue:
    """One peer's queue. `queued`: bytes in this queue, and in the transport as of the last count."""

    __slots__ = (
        "_all",
        "_due",
        "_flushed",
        "_loop",
        "_payer",
        "_records",
        "_transport",
        "_written",
        "queued",
        "sent",
    )

    def __init__(
        self,
        transport: asyncio.Transport,
        loop: asyncio.AbstractEventLoop,
        together: Queues,
        written: Callable[[], None],
    ) -> None:
        """`written` is called after each write."""
        self._transport, self._loop, self._all, self._written = transport, loop, together, written
        self._records: list[bytes] = []
        self._due = False  # `flush` will be called in this turn
        self._payer: Payer | None = None  # for the first of these records: it pays for the write
        self.queued = 0
        self.sent = self._flushed = 0  # bytes that were queued, or flushed, ever

    @property
    def written(self) -> int:
        """The number of bytes, of all ever queued, that the system has taken."""
        return self._flushed - self._transport.get_write_buffer_size()

    @property
    def busy(self) -> bool:
        """So much is queued that nothing more should be fetched for this peer."""
        return self.queued > HIGH_WATER

    def put(self, record: bytes) -> None:
        """Queue a record."""
        self._records.append(record)
        size = len(record)
        self.queued += size
        self.sent += size
        self._all.queued += size
        if not self._due:
            self._due, self._payer = True, METER.payer
            self._loop.call_soon(self._flush_in_turn)

    def _flush_in_turn(self) -> None:
        payer, self._payer = self._payer, None
        before = METER.switch(payer)
        try:
            self.flush()
        finally:
            METER.switch(before)

    def flush(self) -> None:
        """Write all queued records."""
        self._due = False
        if self._records:
            data = b"".join(self._records)
            metrics = self._all.metrics
            metrics.records_out += len(self._records)
            metrics.bytes_out += len(data)
            self._records.clear()
            self._flushed += len(data)
            self._transport.write(data)
            self._written()

    def recount(self) -> int:
        """Count the queued bytes anew, and return their number."""
        self._count(sum(map(len, self._records)) + self._transport.get_write_buffer_size())
        return self.queued

    def clear(self) -> None:
        """Drop all queued records."""
        self._records.clear()
        self._count(0)

    def close(self) -> None:
        """Drop all queued records and the callback."""
        self.clear()
        self._written = _nothing

    def _count(self, queued: int) -> None:
        self._all.queued += queued - self.queued
        self.queued = queued


def _nothing() -> None:
    """Do nothing: the queue is closed."""
