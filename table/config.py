"""What a table manager is started with: plain values, all with defaults but the directory."""

from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from secrets import SystemRandom

from protocol import limits
from protocol.setup import Terms

DEFAULT_TERMS = Terms("block-dominoes", (("target", 100),), "layered", (), 2)


@dataclass(frozen=True)
class Bounds:
    """The limits of one process, for tests and unusual machines; units as in `protocol.limits`."""

    connections: int = limits.MAX_CONNECTIONS
    per_address: int = limits.MAX_PER_ADDRESS
    half_open: int = limits.MAX_HALF_OPEN
    handshake_seconds: float = limits.HANDSHAKE_SECONDS
    stall_seconds: float = limits.STALL_SECONDS
    close_seconds: float = limits.CLOSE_SECONDS
    goodbye_seconds: float = limits.GOODBYE_SECONDS
    retry_seconds: float = limits.JOURNAL_RETRY_SECONDS
    queued: int = limits.MAX_QUEUED
    tables: int = limits.MAX_TABLES
    tables_per_identity: int = limits.MAX_TABLES_PER_IDENTITY
    spectators: int = limits.MAX_SPECTATORS


@dataclass(frozen=True)
class Config:
    """One table manager. `terms` are those of the default table; port 0 takes any free port."""

    data: Path
    host: str = "127.0.0.1"
    port: int = 7500
    name: str = "Table"
    terms: Terms = DEFAULT_TERMS
    patience: float = limits.PATIENCE_SECONDS
    bounds: Bounds = Bounds()
    rng: Random = field(default_factory=SystemRandom)
