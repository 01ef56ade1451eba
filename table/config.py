"""What a table manager is started with: plain values, all with defaults but the directory."""

from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from random import Random
from secrets import SystemRandom
from typing import NamedTuple

from protocol import limits
from protocol.codes import Code
from protocol.dealing.registry import create_dealing
from protocol.errors import Refused
from protocol.games.registry import create_game
from protocol.setup import OptionList


class Terms(NamedTuple):
    """What is played at a table. Option lists are sorted by name."""

    game: str
    options: OptionList
    dealing: str
    dealing_options: OptionList
    seats: int


def make_terms(game: str, options: OptionList, dealing: str, dealing_options: OptionList, seats: int) -> Terms:
    """Terms that can be played, their options sorted; raises `Refused(BAD_OPTIONS)` for all others."""
    terms = Terms(game, _by_name(options), dealing, _by_name(dealing_options), seats)
    for each in (terms.options, terms.dealing_options):
        if len(dict(each)) != len(each):
            raise Refused(Code.BAD_OPTIONS)
    create_game(game, seats, dict(terms.options))
    create_dealing(dealing, dict(terms.dealing_options))
    return terms


def _by_name(options: OptionList) -> OptionList:
    # Not by value: one name may stand there twice, with a number and with a text.
    return tuple(sorted(options, key=itemgetter(0)))


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
