"""The log of a hosted match at its table: the chain, the progress of the store, and the heads.

Subclasses fold the entries: `LiveMatch` in this process, `WorkerMatch` in another one.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import accumulate, takewhile

from protocol.codes import Code
from protocol.dealing import TABLE, Post
from protocol.errors import LocalError
from protocol.limits import MAX_CHANGE, MAX_CHANGE_ENTRIES, MAX_STAMPS
from protocol.match.fold import Outcome
from protocol.match.log import NO_HASH, EntryContent, Log, Record, encode_content
from protocol.match.setup import Setup
from protocol.messages.claim import SignedClaim
from table.match.seed_seal import seal_seed
from table.match.status import ClockDuty, MatchStatus
from table.match.stored_outcomes import OutcomeStamps
from table.signer import requests
from table.signer.signer import Key, signer_of
from table.storage.interface import MatchBeginning, NewRecords, Stamps

# called with the result for an entry: None if it stands, or the code of its refusal
FoldCallback = Callable[[Code | None], None]


class HostedLog(ABC):
    """The chain of one match and its entries, some of which are stored, some of which have heads."""

    def __init__(self, key: Key, log: Log, seed: bytes, first: bytes) -> None:
        """`log`: a chain that has the first entry only, which is `first`."""
        self._identity, self.signer, self.seed = key, signer_of(key), seed
        self.log = log
        self.rules = ""  # see `MatchBeginning.rules`
        self.claim = 0  # under which its records are stored (`NewRecords.claim`)
        self.signed_claim: SignedClaim | None = None  # the newest one; None: it was never claimed
        self.known_claims: frozenset[bytes] = frozenset()  # ids of all claims up to that one
        self.counted = 0  # entries that are known to have stood (`OpenMatch.counted`)
        self.entries: list[bytes] = [first]  # the log, whether stored or not
        # as far as the store has acknowledged it, with the heads: nobody gets more
        self.records: list[Record] = []
        self.acknowledged = 0  # entries that the store has, with their heads or without
        self._heads_stored = 0
        self._heads_requested = 0  # entries whose heads the signer has been asked for
        self._found = 0  # entries that were stored when the match was claimed
        self._owed: Post | None = None  # entry that the table must post before all others
        # by number: what the fold made of an entry, where that is known; the first is not folded
        self.outcomes: dict[int, Outcome] = {0: Outcome()}
        self._stamps: OutcomeStamps | None = None
        self._stamps_stored = 0  # entries from the first on whose outcomes the store has
        self.failed: LocalError | None = None  # why the match cannot be folded any more
        # called when the fold has answered for entries that stand
        self.changed: Callable[[], None] = lambda: None

    @property
    def setup(self) -> Setup:
        """The setup of the match."""
        return self.log.setup

    # --- the fold ---

    @property
    @abstractmethod
    def status(self) -> MatchStatus:
        """The match after its newest entry."""

    @property
    def busy(self) -> bool:
        """The fold has not yet processed all entries that stand."""
        return False

    @abstractmethod
    def clock_duties(self) -> tuple[ClockDuty, ...]:
        """Return the seats that owe an entry, with the clock entries that may follow."""

    @abstractmethod
    def fold(self, raw: bytes, seat: int, done: FoldCallback) -> None:
        """Offer an entry of a seat, or one of the table's own, and call `done` with the result."""

    @abstractmethod
    def answer(self) -> None:
        """Post what the table must post as the log is now."""

    @abstractmethod
    def take_back(self, records: Sequence[Record]) -> None:
        """Append entries that the store has lost, as not stored. Their heads MUST be our own.

        Raises: LocalError if they cannot stand, or the table would not post today what it has
        posted.
        """

    @abstractmethod
    def post_clock(self, post: Post) -> None:
        """Post an entry about a seat's time (`table.match.clock`). Raises: Refused if it is not due."""

    def close(self) -> None:  # noqa: B027 -- a fold in this process has nothing to release
        """Stop folding, and release the fold."""

    # --- what the table owes ---

    @property
    def owes(self) -> bool:
        """The table must post an entry, which is not signed yet; nothing may stand before it."""
        return self._owed is not None

    def owed(self) -> requests.Request:
        """Return the request to sign the table's entry, once the head that it has seen is signed."""
        assert self._owed is not None
        return requests.entry(self.log.match_id, self._content(self._owed))

    def clear_owed(self) -> None:
        """Forget the owed entry, which has been signed or is not due any more."""
        self._owed = None

    # --- the store ---

    def change(self) -> NewRecords:
        """Return the entries and heads that the store lacks, as many as one change may hold."""
        first = len(self.records)
        match_id, follows = (
            self.log.match_id,
            self.log.chain_hashes[first - 1] if first else NO_HASH,
        )
        heads = self.unstored_heads()
        begin = (
            None
            if first
            else MatchBeginning(seal_seed(self._identity, match_id, self.seed), self.rules)
        )
        entries = _fitting(self.entries[first : first + MAX_CHANGE_ENTRIES])
        over = self.status.over and first + len(entries) == len(self.entries)
        stamps = self._unstored_stamps()
        return NewRecords(match_id, first, follows, self.claim, entries, heads, begin, over, stamps)

    def _unstored_stamps(self) -> Stamps:
        """Return stamps that the store lacks: those of the newest heads, or older ones if entries
        had to be proven again.
        """
        first = self._stamps_stored
        last = first
        most = min(first + MAX_STAMPS, len(self.records))
        while last < most and last in self.outcomes:
            last += 1
        return Stamps(first, tuple(map(self._stamp, range(first, last))))

    def _stamp(self, number: int) -> bytes:
        hashed, head = self.log.chain_hashes[number], self.records[number].head
        return self.stamps().stamp(number, hashed, head, self.outcomes[number])

    def stamps(self) -> OutcomeStamps:
        """Return the stamps of this match."""
        if self._stamps is None:
            self._stamps = OutcomeStamps(self._identity, self.setup, self.log.match_id)
        return self._stamps

    def unstored_heads(self) -> tuple[bytes, ...]:
        """Return the newest heads, which the store lacks."""
        return tuple(record.head for record in self.records[self._heads_stored :])

    def stored(self, count: int, heads: int = 0, stamps: int = 0) -> None:
        """Take note that the store has acknowledged `count` entries, the first `heads` heads, and
        the outcomes of the first `stamps` entries.
        """
        self._stamps_stored = max(self._stamps_stored, stamps)
        self._heads_stored = max(self._heads_stored, heads)
        self.acknowledged = max(self.acknowledged, count)

    def adopt_stored(self, records: Sequence[Record]) -> None:
        """Adopt the records that a claim has found in the store, some of them without heads.

        Raises: LocalError if a record lacks its head and a later one has it.
        """
        with_heads = list(takewhile(lambda record: record.head, records))
        if any(record.head for record in records[len(with_heads) :]):
            raise LocalError("wrong.room.records")
        self._heads_stored = len(with_heads)
        self.records = with_heads
        self.acknowledged = self._found = len(records)

    def head_requests(self, count: int) -> tuple[requests.Request, ...]:
        """Return the requests to the signer for the missing heads of the first `count` entries."""
        match_id, hashes = self.log.match_id, self.log.chain_hashes
        self._heads_requested = max(self._heads_requested, count)
        return tuple(
            requests.head(match_id, number, hashes[number])
            for number in range(len(self.records), count)
        )

    @property
    def signed(self) -> int:
        """Number of entries whose heads may have the table's signature through this host."""
        return max(len(self.records), self._heads_requested)

    @property
    def told(self) -> int:
        """Number of entries of which somebody may have been told, here or at another host."""
        return max(self.signed, self._found)

    def add_heads(self, heads: Sequence[bytes]) -> None:
        """Take the next heads, which the signer has signed."""
        for head in heads:
            self.records.append(Record(self.entries[len(self.records)], head))

    # --- inside ---

    def _content(self, post: Post) -> bytes:
        return encode_content(
            EntryContent(
                TABLE, self.log.sequence(TABLE), self.log.newest_head, post.kind, post.body
            )
        )


def _fitting(entries: Sequence[bytes]) -> tuple[bytes, ...]:
    """Return the first of these entries that fit into one change, and one at least."""
    sizes = accumulate(map(len, entries))
    return tuple(
        entry
        for place, (entry, size) in enumerate(zip(entries, sizes, strict=True))
        if not place or size <= MAX_CHANGE
    )
