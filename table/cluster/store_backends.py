"""The store that a command line names. The libraries for one are needed only by who uses it.

A store of another distribution is an entry point of the group `fairdeal.storage`: its name is the
scheme by which its addresses begin, and it gives an `StoreBackend` for such an address and a host's name.
It is code that runs beside the table's key: none is loaded but the one that the address names.
"""

import re

from commandline.optional_packages import require_nats, require_postgres
from protocol.errors import LocalError
from table.storage.shared.backend import StoreBackend

GROUP = "fairdeal.storage"
_SCHEME = re.compile("([a-z][a-z0-9+.-]{0,31})://")
_NATS, _POSTGRES = ("nats://", "tls://"), ("postgresql://", "postgres://")


def backend_of(store: str, name: str) -> StoreBackend:
    """Raises: LocalError saying how a store is named, or what to install."""
    if store.startswith(_NATS):
        with require_nats():
            from table.storage.shared.nats.engine import NatsEngine
            from table.storage.shared.nats.store_address import parse_address
        return NatsEngine(parse_address(store), name)
    if store.startswith(_POSTGRES):
        with require_postgres():
            from table.storage.shared.postgres.engine import PostgresEngine
        return PostgresEngine(store, name)
    return _of_plugin(store, name)


def _of_plugin(store: str, name: str) -> StoreBackend:
    """Raises: LocalError, saying how a store is named if there is no such plug-in."""
    from importlib.metadata import entry_points  # takes a while to import

    scheme = _SCHEME.match(store)
    found = tuple(entry_points(group=GROUP, name=scheme[1])) if scheme is not None else ()
    if not found:
        raise LocalError("wrong.cluster.store")
    if len(found) > 1:
        raise LocalError("wrong.cluster.plugin_twice", count=len(found), name=found[0].name)
    (point,) = found
    try:
        engine: StoreBackend = point.load()(store, name)
    except LocalError:
        raise
    except Exception as error:  # whose text may have the address in it
        raise LocalError(
            "wrong.cluster.plugin_broken", name=point.name, why=type(error).__name__
        ) from None
    return engine
