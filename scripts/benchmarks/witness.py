"""Trades that a witness certifies per second, with many at once: it reads, checks, judges, signs
and stores records.

The offers are made beforehand. Only the witness's work is measured, from the bytes of an offer to
its answer.
"""

import asyncio
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from protocol.identity.keys import Identity
from protocol.ledger.record_contents import Creator, Instance
from protocol.ledger.records import LedgerRecord, sign_record
from table.config import Bounds
from table.metrics import Metrics
from table.storage.disk.journal import Journal
from table.storage.disk.writer import Writer
from table.witness.certifier import Certifier
from tests.support.ledger import ANN, BOB, MAKER, TYPE, slot_of, traded

WITNESS = Identity(bytes([9]) * 32)
AT_ONCE = 64  # offers that wait for an answer at the same time
NAMED = sign_record(Creator(MAKER.public, 0, None, "Maker", None, "", (WITNESS.public,), 1), MAKER)


class _Caller:
    """Peer that offers a trade, with the only method that the certifier calls."""

    def __init__(self, answered: asyncio.Semaphore) -> None:
        self.connection = self
        self._answered = answered

    def send(self, payload: bytes) -> None:
        self._answered.release()

    def charge(self, frames: int) -> None:
        """Ignore the number of frames."""


def _offers(count: int) -> list[tuple[LedgerRecord, ...]]:
    """Make gifts of the creator, each with its card."""
    cards = [
        sign_record(Instance(MAKER.public, TYPE.id, serial, bytes(16)), MAKER)
        for serial in range(count)
    ]
    return [
        (one, traded(MAKER, (ANN, BOB)[serial % 2], [slot_of(one.id)]))
        for serial, one in enumerate(cards)
    ]


async def _run(offers: list[tuple[LedgerRecord, ...]]) -> float:
    with TemporaryDirectory() as folder:
        bounds = Bounds(witness_records=10 * len(offers) + 10)
        writer = Writer(Journal(Path(folder), bounds), 1.0, Metrics())
        certifier = Certifier(WITNESS, writer, await writer.start(), bounds)
        free = asyncio.Semaphore(AT_ONCE)
        begun = time.perf_counter()
        for records in offers:
            await free.acquire()
            caller = _Caller(free)
            certifier.records(caller, [record.raw for record in (NAMED, TYPE, *records)])  # type: ignore[arg-type]
            certifier.certify(caller, records[-1].id)  # type: ignore[arg-type]
            await asyncio.sleep(0)
        for _ in range(AT_ONCE):
            await free.acquire()
        seconds = time.perf_counter() - begun
        writer.close()
    assert certifier.size == len(offers)
    return seconds


def measure(count: int) -> dict[str, float]:
    """Return the certified and stored trades per second."""
    return {"witness_per_s": count / asyncio.run(_run(_offers(count)))}
