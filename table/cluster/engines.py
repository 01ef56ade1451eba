"""The store that a command line names. The libraries for one are needed only by who uses it."""

from commandline.extras import needing_nats, needing_postgres
from protocol.errors import LocalError
from table.stores.log import Engine

_NATS, _POSTGRES = ("nats://", "tls://"), ("postgresql://", "postgres://")


def engine_of(store: str, name: str) -> Engine:
    """Raises: LocalError saying how a store is named, or what to install."""
    if store.startswith(_NATS):
        with needing_nats():
            from table.stores.nats.address import parse_address
            from table.stores.nats.engine import NatsEngine
        return NatsEngine(parse_address(store), name)
    if store.startswith(_POSTGRES):
        with needing_postgres():
            from table.stores.postgres.engine import PostgresEngine
        return PostgresEngine(store, name)
    raise LocalError("wrong.cluster.store")
