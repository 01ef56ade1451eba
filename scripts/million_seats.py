"""Needs of a million seats: processor, memory, network and disk, computed from measured figures.

Each figure says where it was measured; what nobody can measure here is an assumption, and is named so.
"""

import sys
from collections.abc import Iterator
from typing import NamedTuple

from protocol.limits import MAX_DIRECTORY_TABLES, REPORT_SECONDS
from table.config import Bounds

DAY = 86_400  # seconds


class Load(NamedTuple):
    """Hands of one game, as tables see them."""

    name: str
    share: float  # of the seats; an assumption
    seats: int  # of a match
    hand_seconds: float  # from one hand to the next; an assumption
    entries: int  # of a hand: `fairdeal play GAME --watch` prints them
    log_bytes: int  # of a hand, as each seat receives them
    disk_bytes: int  # of a hand, once the match is over and its log packed
    cpu_seconds: float  # processor time of the table for a hand


ENTRY_CPU = 1 / 1290  # seconds: scripts/cluster, one host (measurements, "A crowd")
LOADS = (
    # log and entries: one hand, 2 seats; packed as scripts/finished_matches measures
    Load("dominoes", 0.5, 2, 180, 65, 30_956, 29_400, 65 * ENTRY_CPU),
    # one hand of four, 6 seats; 0.37 s of the table's processor time, its log not yet packed
    Load("Texas hold'em", 0.5, 6, 120, 60, 85_472, 85_472, 0.37),
)
SEAT_BYTES = 78_800  # memory of a playing seat: scripts/load (measurements, "A crowd, and a flood")
BUSY = 0.5  # share of a core that is used, so that bursts find room; an assumption
CORES = 8  # of a machine; an assumption
ROW_BYTES = 160  # of a table in the list of a directory (decision 135)


def rows(seats: int) -> Iterator[tuple[str, str]]:
    """Yield what so many seats need, by name."""
    cores = sum(cores_of(load, seats) for load in LOADS)
    machines = -(-cores // CORES)
    sent = sum(rate(load, seats) * load.log_bytes * load.seats for load in LOADS)
    stored = sum(rate(load, seats) * load.disk_bytes for load in LOADS)
    tables = -(-seats // Bounds().connections)
    yield "seats", f"{seats:,}"
    for load in LOADS:
        yield f"seats of one core, {load.name}", f"{seats_of_core(load):,.0f}"
    yield "hands a second", f"{sum(rate(load, seats) for load in LOADS):,.0f}"
    yield (
        "entries a second",
        f"{sum(rate(load, seats) * load.entries for load in LOADS):,.0f}",
    )
    yield f"cores, {BUSY:.0%} busy", f"{cores:,.0f}"
    yield f"machines of {CORES} cores", f"{machines:,.0f}"
    yield "memory of all", f"{seats * SEAT_BYTES / 1e9:,.0f} GB"
    yield (
        "sent, of all; of a machine",
        (f"{sent * 8 / 1e9:,.1f} Gbit/s; {sent * 8 / machines / 1e6:,.0f} Mbit/s"),
    )
    yield "logs of a day", f"{stored * DAY / 1e12:,.1f} TB"
    yield "logs of a day, of a machine", f"{stored * DAY / machines / 1e9:,.0f} GB"
    yield f"tables of {Bounds().connections:,} connections", f"{tables:,.0f}"
    yield "list of a directory", f"{tables * ROW_BYTES / 1e3:,.0f} kB"
    yield "reports to a directory a second", f"{tables / REPORT_SECONDS:,.1f}"
    yield "seats that one directory can list", (f"{MAX_DIRECTORY_TABLES * Bounds().connections:,}")


def rate(load: Load, seats: int) -> float:
    """Return hands a second."""
    return seats * load.share / load.seats / load.hand_seconds


def seats_of_core(load: Load) -> float:
    """Return how many seats one core serves."""
    return BUSY * load.seats * load.hand_seconds / load.cpu_seconds


def cores_of(load: Load, seats: int) -> int:
    """Return how many cores the seats of a game need."""
    return -(-int(seats * load.share) // int(seats_of_core(load)))


def page(seats: int) -> str:
    """Return the table of the page."""
    return "\n".join(
        ["| | |", "| --- | ---: |", *(f"| {name} | {value} |" for name, value in rows(seats))]
    )


if __name__ == "__main__":
    print(page(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000))
