"""What a table is given that is one of several hosts: the store that they share, and its place
among them.
"""

from typing import cast

from protocol.identity.address import Address, is_address
from protocol.identity.keys import JoinLink
from table.cluster.cluster import Cluster, ClusterHost
from table.cluster.heartbeats import Host
from table.cluster.store_backends import backend_of
from table.cluster.store_metrics import MeasuredStore
from table.config import Config
from table.match.rules_version import rules_version
from table.metrics import Metrics
from table.storage.disk.journal import LOGS
from table.storage.disk.keys import read_history
from table.storage.shared.backend import StoreBackend
from table.storage.shared.store import SharedStore


def shared_store(
    config: Config, key: bytes, metrics: Metrics, store_type: type[SharedStore] | None
) -> SharedStore:
    """The store that this table's hosts share. `key`: the table's, public. Raises: LocalError."""
    member = config.cluster
    assert member is not None
    logs = config.data / LOGS
    logs.mkdir(parents=True, exist_ok=True, mode=0o700)
    history = read_history(config.data)
    rotations = history.rotations if history is not None and history.key == key else ()
    engine = MeasuredStore((member.engine or backend_of)(member.store, member.name), metrics)
    return (store_type or SharedStore)(
        cast(StoreBackend, engine),
        member.name,
        key,
        logs,
        config.rng,
        frozenset(each.old for each in rotations),
    )


def joined(config: Config, store: SharedStore, desk: ClusterHost) -> Cluster:
    """This host among the others."""
    assert config.cluster is not None
    return Cluster(Host(config.cluster.name, "", rules_version(config.games)), store, desk, config)


def found_at(config: Config, link: JoinLink) -> str:
    """Where players find this host; `link`: to where it listens."""
    given = config.cluster.address if config.cluster is not None else ""
    address = given or str(Address(link.host, link.port))
    return address if is_address(address) else ""
