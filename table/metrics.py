"""What a table manager counts: plain numbers, kept always, read by the exporter; no name, identity
or address in them.

What is counted by a word, is counted by words of our own (codes, kinds of clock entries, reasons):
so few that a peer cannot make more.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

LAG = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0)  # seconds
COMMIT = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)  # seconds
BATCH = (1, 2, 4, 8, 16, 32, 64, 128, 256)  # records
LATE_BY = (1, 2, 3, 4, 6, 8, 12, 16, 32)  # entries
STEP = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0, 300.0)  # seconds
TURN = (0.01, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 600.0)  # seconds


class Histogram:
    """How many values were at most each of `bounds` (ascending), or above all of them."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value


@dataclass
class Metrics:
    """The counters of one table manager, since it was started."""

    accepted: int = 0  # connections
    refused: Counter[str] = field(default_factory=Counter)  # connections, by `admission.Refusal`
    gave_way: int = 0  # half-open connections that made room for another
    tickets: int = 0  # seats that came back by a ticket
    no_hello: int = 0  # connections that did not say hello in time
    slow_readers: int = 0  # connections cut off because they did not read
    silent_lines: int = 0  # connections dropped because their players gave no sign of life
    pauses: int = 0  # times that a peer had to wait because it sent too much
    held: int = 0  # times that a peer had to wait for processor time
    records_in: int = 0
    records_out: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    # connections ended for what the peer sent, by code
    errors: Counter[str] = field(default_factory=Counter)
    declined: Counter[str] = field(default_factory=Counter)  # requests, by code
    refused_posts: Counter[str] = field(default_factory=Counter)  # by code
    entries: int = 0  # on disk
    late: int = 0  # actions that others overtook, which stand and do nothing
    clock: Counter[str] = field(default_factory=Counter)  # entries of the table's clock, by kind
    matches: int = 0  # that have ended
    claims: Counter[str] = field(default_factory=Counter)  # of matches, by what became of them
    fenced: int = 0  # appends that another host's came before
    unknown: int = 0  # appends whose answer did not come, or said nothing
    released: int = 0  # matches that were left to another host
    followed: int = 0  # times that somebody came to watch what another host has
    moved: int = 0  # times that somebody was told to ask another host
    tails: int = 0  # ends of logs that the store had lost, and players gave back
    forks: int = 0  # matches that stopped because two heads of this table are about one number
    faults: Counter[str] = field(default_factory=Counter)  # found in those, by code
    pruned: int = 0  # matches that this host has removed from the store of a cluster
    pruned_bytes: int = 0  # that these had taken
    prune_failures: int = 0  # looks at what is to go from the store that had no answer
    # matches in the store of a cluster, their bytes, and how many bytes of these are above the
    # bound; None: another host looks
    store_held: tuple[int, int, int] | None = None
    # seconds of processor time for messages, by the name of the message
    processor: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    # monotonic seconds when the standby last had everything; None: there is no standby
    standby_heard: float | None = None
    # seconds of a commit: of the journal, or of an append to the store of a cluster
    commit: Histogram = field(default_factory=lambda: Histogram(COMMIT))
    batch: Histogram = field(default_factory=lambda: Histogram(BATCH))  # records in one commit
    # seconds until a program's entry
    step: Histogram = field(default_factory=lambda: Histogram(STEP))
    turn: Histogram = field(default_factory=lambda: Histogram(TURN))  # seconds until a move
    # entries that such an action had not seen
    late_by: Histogram = field(default_factory=lambda: Histogram(LATE_BY))
    # seconds of processor time that a garbage collection took
    collection: Histogram = field(default_factory=lambda: Histogram(LAG))
    # seconds that the event loop was late
    lag: Histogram = field(default_factory=lambda: Histogram(LAG))
