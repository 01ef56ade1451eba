"""What a table is given that is one of several hosts: the store that they share, and its place
among them.
"""

from typing import cast

from protocol.identity.address import Address, is_address
from protocol.identity.keys import JoinLink
from table.cluster.beats import Host
from table.cluster.cluster import Cluster, Desk
from table.cluster.counted import Counted
from table.cluster.engines import engine_of
from table.cluster.leaving import leave as leave
from table.cluster.rules import rules_version
from table.config import Config
from table.disk.journal import LOGS
from table.metrics import Metrics
from table.stores.log import Engine
from table.stores.store import Store


def shared_store(
    config: Config, key: bytes, metrics: Metrics, store_type: type[Store] | None
) -> Store:
    """The store that this table's hosts share. `key`: the table's, public. Raises: LocalError."""
    member = config.cluster
    assert member is not None
    logs = config.data / LOGS
    logs.mkdir(parents=True, exist_ok=True, mode=0o700)
    engine = Counted((member.engine or engine_of)(member.store, member.name), metrics)
    return (store_type or Store)(cast(Engine, engine), member.name, key, logs, config.rng)


def joined(config: Config, store: Store, desk: Desk) -> Cluster:
    """This host among the others."""
    assert config.cluster is not None
    return Cluster(Host(config.cluster.name, "", rules_version(config.games)), store, desk, config)


def found_at(config: Config, link: JoinLink) -> str:
    """Where players find this host; `link`: to where it listens."""
    given = config.cluster.address if config.cluster is not None else ""
    address = given or str(Address(link.host, link.port))
    return address if is_address(address) else ""
