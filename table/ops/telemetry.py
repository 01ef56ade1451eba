"""`--telemetry`: how long the store takes and how it ends, as spans for OpenTelemetry.

Where they go, how many are sampled, and what else is said of this service, the library reads from
its own environment (OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER, OTEL_RESOURCE_ATTRIBUTES).
There is no name, key, address or text of an error in them, and of a match a digest of its id: who
has the match's log can find its spans, and nobody else. Only this file needs the library (the extra
`telemetry`).
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any, cast

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import Span, Tracer

from protocol.crypto.hashing import digest
from protocol.games.registry import BUILT_IN, Games
from protocol.match.log import Record
from table.config import Config
from table.lobby.matches import Matches
from table.manager.server import TableServer
from table.match.live_match import LiveMatch
from table.signer.signer import Key
from table.storage.interface import (
    FIRST_CLAIM,
    Change,
    Done,
    NewClaim,
    NewRecords,
    OpenMatch,
    Storage,
)

SERVICE = "fairdeal-table"
MATCH_LETTERS = 16  # of the digest: enough that two matches of a table have not the same
FLUSH_SECONDS = 3  # that a table which stops gives to what is not sent yet


@asynccontextmanager
async def observed(
    config: Config, exporter: SpanExporter | None = None
) -> AsyncIterator[TableServer]:
    """A table, not running yet, whose store is watched; what is left is sent at the end.
    `exporter`: what to use instead of the library's OTLP over HTTP."""
    provider = TracerProvider(
        resource=Resource.create({"service.name": SERVICE}), shutdown_on_exit=False
    )
    provider.add_span_processor(
        BatchSpanProcessor(exporter or OTLPSpanExporter(timeout=FLUSH_SECONDS))
    )
    tracer = provider.get_tracer(SERVICE)
    try:
        yield TableServer(
            config,
            matches=_matches(tracer),
            observe=lambda store: cast(Storage, TracedStore(store, tracer)),
        )
    finally:
        await asyncio.to_thread(provider.shutdown)


class TracedStore:
    """A storage of which it is told how long it takes. What is not watched here, it does itself."""

    def __init__(self, storage: Storage, tracer: Tracer) -> None:
        self._storage, self._tracer = storage, tracer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._storage, name)

    def submit(self, change: Change, done: Done, lost: Done) -> None:
        """See `Storage.submit`: from when it is asked until it is stored, or will never be."""
        span = _begin(self._tracer, "append", {"fairdeal.change": type(change).__name__})
        if isinstance(change, NewRecords):
            span.set_attribute("fairdeal.match", hidden(change.match_id))
            span.set_attribute("fairdeal.first", change.first)
        self._storage.submit(
            change, partial(_end, span, "stored", done), partial(_end, span, "lost", lost)
        )

    def claim(
        self,
        match_id: bytes,
        done: Callable[[OpenMatch | None], None],
        new: NewClaim = FIRST_CLAIM,
    ) -> None:
        """A match is taken over: until it has been read, and is somebody's."""
        span = _begin(self._tracer, "claim", {"fairdeal.match": hidden(match_id)})
        self._storage.claim(match_id, partial(_claimed, span, done), new)


def _claimed(span: Span, done: Callable[[OpenMatch | None], None], found: OpenMatch | None) -> None:
    _end(span, "lost" if found is None else "claimed", partial(done, found))


def _end(span: Span, outcome: str, answer: Done) -> None:
    span.set_attribute("fairdeal.outcome", outcome)
    span.end()
    answer()


def _begin(tracer: Tracer, name: str, attributes: dict[str, str]) -> Span:
    return tracer.start_span(name, Context(), attributes=attributes)


def _matches(tracer: Tracer) -> type[Matches]:
    class Restored(LiveMatch):
        """Watched while its log is folded again."""

        @classmethod
        def restore_parts(
            cls,
            identity: Key,
            seed: bytes,
            records: Sequence[Record],
            stamps: Sequence[bytes],
            games: Games = BUILT_IN,
        ) -> Generator[None, None, LiveMatch]:
            """See `LiveMatch.restore_parts`."""
            with _restoring(tracer, len(records)) as span:
                live = yield from super().restore_parts(identity, seed, records, stamps, games)
                span.set_attribute("fairdeal.match", hidden(live.log.match_id))
                return live

    class Watched(Matches):
        match_type = Restored

    return Watched


@contextmanager
def _restoring(tracer: Tracer, records: int) -> Iterator[Span]:
    """Why it failed is in the table's own log; the library would send the error's text."""
    span = tracer.start_span("restore", Context(), attributes={"fairdeal.records": records})
    outcome = "failed"
    try:
        yield span
        outcome = "restored"
    finally:
        span.set_attribute("fairdeal.outcome", outcome)
        span.end()


def hidden(match_id: bytes) -> str:
    """What stands for a match."""
    return digest("telemetry match", match_id).hex()[:MATCH_LETTERS]
