"""What a table manager is started with: plain values, all with defaults but the directory."""

import ipaddress
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cache
from pathlib import Path
from random import Random
from secrets import SystemRandom
from typing import Any

from protocol import limits
from protocol.directory.link import ReportLink
from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN, DEFAULT_GAME, Games
from protocol.identity.address import USUAL_PORT, Address
from protocol.identity.keys import JoinLink
from protocol.match.clock import Allowance
from protocol.match.terms import Terms, make_terms
from protocol.options import Selection

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Rate = tuple[float, float]  # so many at once, and so many a second in the long run


@cache
def default_terms() -> Terms:
    """What is played when nobody says."""
    return make_terms(
        Selection(DEFAULT_GAME), BUILT_IN.specs[DEFAULT_GAME].dealing, Allowance().options(), 2
    )


class Creation(StrEnum):
    """The tables that others than the host may create."""

    NONE = "none"
    # of games whose texts the host has: no rules and no protocols that players bring
    GAMES = "games"
    ANY = "any"


class Watching(StrEnum):
    """The people who may watch matches."""

    EVERYBODY = "everybody"  # who may come to the table at all
    NOBODY = "nobody"


MIB = 1024 * 1024  # bytes, for bounds in MiB


@dataclass(frozen=True)
class Bounds:
    """The limits of one process, for tests and unusual machines; units as in `protocol.limits`."""

    connections: int = limits.MAX_CONNECTIONS
    per_address: int = limits.MAX_PER_ADDRESS
    half_open: int = limits.MAX_HALF_OPEN
    half_open_per_address: int = limits.MAX_HALF_OPEN_PER_ADDRESS
    arrivals: Rate = limits.ARRIVALS
    arrivals_per_address: Rate = limits.ARRIVALS_PER_ADDRESS
    per_customer: int = limits.MAX_PER_CUSTOMER
    per_organisation: int = limits.MAX_PER_ORGANISATION
    arrivals_per_customer: Rate = limits.ARRIVALS_PER_CUSTOMER
    arrivals_per_organisation: Rate = limits.ARRIVALS_PER_ORGANISATION
    rare_arrivals: Rate = limits.RARE_ARRIVALS
    rare_arrivals_per_address: Rate = limits.RARE_ARRIVALS_PER_ADDRESS
    outside: int = limits.MAX_OUTSIDE
    outside_of_address: int = limits.MAX_OUTSIDE_PER_ADDRESS
    outside_per_address: Rate = limits.OUTSIDE_PER_ADDRESS
    outside_seconds: float = limits.OUTSIDE_SECONDS
    tickets_shown: int = limits.MAX_TICKETS_SHOWN
    tickets_shown_of_address: int = limits.MAX_TICKETS_SHOWN_PER_ADDRESS
    tickets_per_seat: Rate = limits.TICKETS_PER_SEAT
    reserve: int = limits.MAX_RESERVE
    addresses_kept: int = limits.MAX_ADDRESSES_KEPT
    frames: Rate = limits.FRAMES
    frames_per_address: Rate = limits.FRAMES_PER_ADDRESS
    requests: Rate = limits.REQUESTS
    requests_per_address: Rate = limits.REQUESTS_PER_ADDRESS
    relays: Rate = limits.RELAYS
    handshake_seconds: float = limits.HANDSHAKE_SECONDS
    frame_seconds: float = limits.FRAME_SECONDS
    stall_seconds: float = limits.STALL_SECONDS
    clock_line_seconds: float = limits.CLOCK_LINE_SECONDS
    close_seconds: float = limits.CLOSE_SECONDS
    goodbye_seconds: float = limits.GOODBYE_SECONDS
    retry_seconds: float = limits.JOURNAL_RETRY_SECONDS
    queued: int = limits.MAX_QUEUED
    talk_queued: int = limits.MAX_TALK_QUEUED
    queued_in_all: int = limits.MAX_QUEUED_IN_ALL
    log_bytes_per_address: Rate = limits.LOG_BYTES_PER_ADDRESS
    seat_log_bytes_per_address: Rate = limits.SEAT_LOG_BYTES_PER_ADDRESS
    encoded_entries: int = limits.MAX_ENCODED_ENTRIES
    tables: int = limits.MAX_TABLES
    tables_per_identity: int = limits.MAX_TABLES_PER_IDENTITY
    tables_per_address: int = limits.MAX_TABLES_PER_ADDRESS
    creations_per_address: Rate = limits.CREATIONS_PER_ADDRESS
    seats_per_address: int = limits.MAX_SEATS_PER_ADDRESS
    spectators: int = limits.MAX_SPECTATORS
    spectators_per_address: int = limits.MAX_SPECTATORS_PER_ADDRESS
    followed: int = limits.MAX_FOLLOWED
    followed_bytes: int = limits.MAX_FOLLOWED_BYTES
    past_matches: int = limits.MAX_PAST_MATCHES
    past_bytes: int = limits.MAX_PAST_BYTES
    present: int = limits.MAX_PRESENT
    people_seconds: float = limits.PEOPLE_SECONDS
    appears: Rate = limits.APPEARS
    lobby_talk: Rate = limits.LOBBY_TALK
    lobby_talk_per_address: Rate = limits.LOBBY_TALK_PER_ADDRESS
    lobby_talk_in_all: Rate = limits.LOBBY_TALK_IN_ALL
    calls: Rate = limits.CALLS
    called: Rate = limits.CALLED
    pipes: int = limits.MAX_PIPES
    pipes_of_one: int = limits.MAX_PIPES_OF_ONE
    pipe_bytes: Rate = limits.PIPE_BYTES
    pipe_bytes_in_all: Rate = limits.PIPE_BYTES_IN_ALL
    pipe_ask_seconds: float = limits.PIPE_ASK_SECONDS
    pipe_stall_seconds: float = limits.PIPE_STALL_SECONDS
    journal_mib: int = limits.MAX_JOURNAL_MIB
    logs_mib: int = limits.MAX_LOGS_MIB
    store_days: int = limits.MAX_STORE_DAYS
    store_mib: int = limits.MAX_STORE_MIB
    return_seconds: float = limits.RETURN_SECONDS
    returning_seconds: float = limits.RETURNING_SECONDS
    returning_alone_seconds: float = limits.RETURNING_ALONE_SECONDS
    witness_records: int = limits.MAX_WITNESS_RECORDS
    witness_pool: int = limits.MAX_WITNESS_POOL
    witness_pooled: int = limits.MAX_WITNESS_POOLED


# Bounds that may change while a table runs. Others have sized something that is in use.
LIVE_BOUNDS = frozenset(
    {
        "connections",
        "per_address",
        "per_customer",
        "per_organisation",
        "arrivals",
        "arrivals_per_address",
        "arrivals_per_customer",
        "arrivals_per_organisation",
        "rare_arrivals",
        "rare_arrivals_per_address",
        "requests",
        "tables",
        "tables_per_identity",
        "tables_per_address",
        "creations_per_address",
        "seats_per_address",
        "spectators",
        "spectators_per_address",
        "store_days",
        "store_mib",
    }
)
# fields of `Config` that may change likewise; of `bounds` those in LIVE_BOUNDS
LIVE_FIELDS = ("name", "greeting", "creation", "watching", "bounds")

_NUMBER = r"[0-9]{1,9}(?:\.[0-9]{1,6})?"


def parse_bounds(texts: Sequence[str]) -> Bounds:
    """Bounds of which some are set by NAME=N, or NAME=N/M for a rate. Raises: LocalError saying how
    it looks.
    """
    values: dict[str, Any] = {}
    kinds = {each.name: each.type for each in fields(Bounds)}
    for text in texts:
        name, _, number = text.partition("=")
        value = _parse(kinds[name], number) if name in kinds else None
        if value is None:
            raise LocalError("wrong.table.bound", names=", ".join(kinds))
        values[name] = value
    return Bounds(**values)


def _parse(kind: object, text: str) -> int | float | Rate | None:
    """A number above 0 of this kind, or None if it is none."""
    pattern = {int: "[0-9]{1,9}", float: _NUMBER}.get(kind, f"{_NUMBER}/{_NUMBER}")  # type: ignore[call-overload]
    if not re.fullmatch(pattern, text):
        return None
    parts = tuple(map(float, text.split("/")))
    if min(parts) <= 0:
        return None
    return int(parts[0]) if kind is int else parts[0] if kind is float else (parts[0], parts[1])


WEB_PORT, WEB_PATH = 7580, "/fairdeal"  # of the WebSocket door, if nothing else is asked for
PAGE_PORT = 7581  # of the page for browsers, likewise


@dataclass(frozen=True)
class Ways:
    """Other ways to a table than its TCP port: its WebSocket door, and the proxies that are
    believed.
    """

    web: tuple[str, int] | None = None  # host and port of the door; port 0 takes any free one
    # to the door as players find it, behind a web server; without a fingerprint yet
    link: JoinLink | None = None
    proxies: tuple[Network, ...] = ()
    # pages in browsers that may connect, by their origins (RFC 6454); a page elsewhere is refused
    origins: tuple[str, ...] = ()
    page: tuple[str, int] | None = None  # host and port at which the page for browsers is served
    page_elsewhere: str = ""  # address of such a page at a web server, for links
    # relays to which the table calls out, so that guests find it there
    relays: tuple[Address, ...] = ()
    relay_addresses: bool = True  # whether their word about addresses of guests counts
    directories: tuple[ReportLink, ...] = ()  # to which the table reports itself

    @property
    def path(self) -> str:
        """Of the door."""
        return (self.link.path or "/") if self.link is not None else WEB_PATH


@dataclass(frozen=True)
class Pace:
    """How fast hosts take each other for gone; all of them keep the same. Seconds."""

    beat: float = 1.0
    silent: float = 3.0  # without a beat, then a host is gone
    hear: float = 1.5  # that a host listens before it takes part: all others have beaten once
    look: float = 0.1  # between two looks at who is gone and what is to be claimed
    pause: float = 0.3  # at most, before what a gone host had is claimed, by chance
    scan: float = 30.0  # between two looks at all open matches, if nothing happens
    # before a match is claimed again that could not go on here, or has ended here
    again: float = 60.0
    # that a host can append or sign nothing, then it says no more, so that others go on
    unfit: float = 5.0
    # between two looks for what came to a match that is watched here
    poll: float = limits.FOLLOW_POLL_SECONDS
    # in which what a gone host had counts as somebody's who has not said so yet
    pending: float = 10.0
    # between two looks at what is to go from the store
    prune: float = limits.PRUNE_SECONDS


@dataclass(frozen=True)
class Membership:
    """One host of a table that has several."""

    store: str  # where their store is, as an operator writes it
    name: str  # this host's, among them
    address: str = ""  # where players find this host, as `moved` says it; empty: where it listens
    pace: Pace = Pace()
    # what makes the store's engine; None: what its address says
    engine: Callable[[str, str], Any] | None = None


@dataclass(frozen=True)
class Config:
    """One table manager. `terms` are those of the default table; port 0 takes any free port."""

    data: Path
    host: str = "127.0.0.1"
    port: int = USUAL_PORT
    name: str = "Table"
    terms: Terms = field(default_factory=default_terms)
    bounds: Bounds = Bounds()
    # where its identity's key lies; None: in `data`, and made when there is none
    key: Path | None = None
    signer: Path | None = None  # the socket of who has the key instead
    invite: bool = False  # whether only those are let in who show a secret, which is in the link
    witness: bool = False  # whether it signs for trades in cards
    # the fingerprints of the creators whom it serves; none: all who name it
    witness_for: tuple[str, ...] = ()
    games: Games = BUILT_IN
    creation: Creation = Creation.GAMES
    watching: Watching = Watching.EVERYBODY
    greeting: str = ""  # a line of the host to everybody who comes; empty: none
    # names of the host's own rule files, which others may play by, too
    texts: frozenset[str] = frozenset()
    rule_text: str = ""  # text of the host's own rule file, for whoever asks; empty: none
    ways: Ways = Ways()
    # where this table is found, too, as `welcome` names them (`identity.address`)
    addresses: tuple[str, ...] = ()
    cluster: Membership | None = None  # None: one host, with its store in `data`
    # which has every transaction of the journal before anybody hears of it
    standby: tuple[str, int] | None = None
    alone: bool = False  # whether it goes on without the standby that it had
    anyway: bool = False  # even if that one cannot be told, and may have been promoted
    workers: int = 0  # processes that fold matches; 0: this process folds them
    plugins: tuple[str, ...] = ()  # names of the plug-ins among `games`, for the workers
    rng: Random = field(default_factory=SystemRandom)
    # the wall clock, Unix seconds: matches say when they began
    now: Callable[[], float] = time.time

    @property
    def several(self) -> bool:
        """Whether players may find this table elsewhere, too, if they do not hear of it here."""
        return self.cluster is not None or bool(self.addresses)
