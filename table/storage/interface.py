"""What a table asks of its store, and in which words: the interface between a running table and
what it must not lose.

`table.storage.disk.writer.Writer` is the one for a single machine, over a `table.storage.disk.journal.Journal`;
others may be shared by many hosts of one table. Three rules hold for all of them (docs/protocol,
15.4), `tests/integration/storage` checks them:

R1. Nothing of an entry, its head least of all, is made for anybody before the store has
acknowledged it at its number. R2. The store takes records only behind exactly what they say they
follow: number, hash, and the host's claim. R3. A read proves nothing. Whoever takes a match over
appends first (a claim), and believes only what it reads then.

The store never sees a secret: the seed of a match comes to it sealed (`table.match.seed_seal`).
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

from protocol.crypto.hashing import digest
from protocol.limits import MAX_STAMP, MAX_STAMPS
from protocol.match.log import Record
from protocol.match.terms import Terms
from protocol.schema import between, fields, many, uint


class MatchBeginning(NamedTuple):
    """What is kept of a match beside its log, from its first entry on."""

    # of the table's secrets in it, sealed; lies apart from the records, overwritten when the match
    # is over
    seed: bytes
    rules: str = ""  # who may go on with it: hosts of this rules version; empty: whoever can


class Stamps(NamedTuple):
    """Outcomes of entries that have heads, under a MAC (`table.match.stored_outcomes`).

    A store keeps them and looks into none. It may lose them: then the entries are proven again.
    """

    first: int  # number of the first of these entries
    stamps: tuple[bytes, ...]  # of entries behind each other


NO_STAMPS = Stamps(0, ())
# their form in a store, as a list
STAMPS = fields(uint(), many(between(0, MAX_STAMP), 0, MAX_STAMPS))


class NewRecords(NamedTuple):
    """What came to a match's log: one message to the store, whole or not at all. A room has one of
    these under way.

    A store MUST take it only if the match ends with entry `first` - 1 there, whose hash is
    `follows`, and nobody has claimed it after `claim`; for a match that begins, only if there is
    nothing of it.
    """

    match_id: bytes
    first: int  # the number of the first of the entries
    # the hash of the chain before it (`protocol.match.log`); of entry 0: 32 zero bytes
    follows: bytes
    claim: int  # of whom it is: what `claim` gave; 0: of who began the match
    entries: tuple[bytes, ...]
    # of the newest records before `first`, those that the store has not got: R1
    heads: tuple[bytes, ...] = ()
    begin: MatchBeginning | None = None  # with entry 0
    over: bool = False  # the match ends with these: its seed is to be forgotten
    stamps: Stamps = NO_STAMPS  # outcomes of entries before `first`


def hash_after(new: NewRecords) -> bytes:
    """The hash of the chain after these records: what the next ones follow."""
    hashed = new.follows
    for number, entry in enumerate(new.entries, new.first):
        hashed = digest("chain", hashed, number, entry)
    return hashed


class NewTable(NamedTuple):
    """Somebody created a table."""

    number: int  # never used again
    terms: Terms
    creator: bytes
    # of the host that created it, as in `MatchBeginning.rules`; empty: one host, or whoever can
    rules: str = ""


class TableRemoved(NamedTuple):
    """A created table is gone."""

    number: int


class NewAttestations(NamedTuple):
    """What a witness signs: `words` are slot and `seen` record each, from this position on;
    `records` are id and bytes of what it needs to know what it signed. A slot that is on disk is
    never written a second time."""

    first: int
    words: tuple[tuple[bytes, bytes], ...]
    records: tuple[tuple[bytes, bytes], ...]


class HeadAhead(NamedTuple):
    """A head that this witness once signed and that goes beyond what it knows, encoded."""

    head: bytes


class MatchStopped(NamedTuple):
    """This table has signed two heads of a match for one number: nobody goes on with it, or signs
    more of it.

    A store MUST from then on list it no more, and give it to nobody; unless somebody has claimed it
    after `claim`.
    """

    match_id: bytes
    claim: int  # as in `NewRecords`


Change = NewRecords | NewTable | TableRemoved | NewAttestations | HeadAhead | MatchStopped


class NewClaim(NamedTuple):
    """A host's statement with a claim.

    A host may claim a match that it has already, when it is shown a claim that it did not know, or
    a head that contradicts entries that have none.
    """

    id: bytes = b""  # `protocol.messages.claim`; empty: the store draws one
    known: tuple[bytes, ...] = ()  # ids of other claims that somebody has shown
    # the claim under which `keep` holds: if it is not the newest before this one, nothing is dropped
    owned: int = 0
    keep: int | None = (
        None  # entries from this number on are dropped, which nobody has been told of
    )


FIRST_CLAIM = NewClaim()


class OpenMatch(NamedTuple):
    """A match as its claim found it: what may be believed of it, and gone on with under this
    claim.
    """

    match_id: bytes
    claim: int  # greater than all before it
    seed: bytes  # sealed; empty: the match is over
    records: list[Record]  # with empty heads at the end, as far as the store has not got them
    # entries that it is known to have had, if that is more: the store has lost the others
    counted: int = 0
    stamps: tuple[bytes, ...] = ()  # by number, empty where there is none; nothing is promised
    id: bytes = b""  # of the claim
    known: frozenset[bytes] = frozenset()  # ids of all claims up to this one


class Claimant(NamedTuple):
    """A process that has claimed a match."""

    name: str  # of the host
    run: bytes  # that tells the process from one of the same name before it


def stamps_by_number(stored: Iterable[Stamps], count: int) -> tuple[bytes, ...]:
    """Return the stamps of the first `count` entries, the latest that came of each."""
    found = {
        number: stamp
        for first, stamps in stored
        for number, stamp in enumerate(stamps, first)
        if number < count
    }
    return tuple(found.get(number, b"") for number in range(max(found, default=-1) + 1))


class MatchOwnership(NamedTuple):
    """Whose a match is, as far as a read can say."""

    match_id: bytes
    claim: int
    owner: str  # the name of the host that began or claimed it last, or that it was released to
    rules: str  # see `MatchBeginning`
    over: bool = False  # it has ended; only its last heads and its log file are still to be made
    # hosts that have claimed it last, one after the other, and have not carried it since
    loading: tuple[Claimant, ...] = ()


class SavedTable(NamedTuple):
    """What a table begins with again, beside its matches."""

    tables: list[NewTable]
    last_number: int  # of a created table, whether there still or not; 0: there was none
    words: Sequence[bytes] = ()  # of a witness: its `seen` records by position
    ledger: Sequence[bytes] = ()  # the records that these rest on, as they came
    ahead: bytes | None = None  # see `HeadAhead`
    stopped: frozenset[bytes] = frozenset()  # matches that nobody goes on with (`MatchStopped`)
    restored: bool = False  # the store was once an older copy: words may have been signed since


Done = Callable[[], None]
# for a change of which nobody waits to hear
NO_CALLBACKS: tuple[Done, Done] = (lambda: None, lambda: None)


class Storage(Protocol):
    """A table's store. All calls come from the event loop and return at once; what they are given
    to call is called in the loop, later, or never after `close`.

    An outcome that a store does not know (a lost answer, a time-out) it finds out by itself: it
    appends once more, a claim of its own if need be, and only then believes what it reads. The
    room's claim number stays what it was: what a renewed one is called at the store is the store's
    own affair.
    """

    async def start(self) -> SavedTable:
        """Open it. Called once, first. Raises: LocalError, saying what to do."""

    def submit(self, change: Change, done: Done, lost: Done) -> None:
        """Put a change into the store, whole or not at all, and then call one of the two; while it
        refuses, neither.

        `done`: it is there for good. `lost`: somebody else has appended or claimed (for a table or
        words: has taken the number), so it will never be, or it is theirs to tell. There is no
        third answer.

        The order is not promised: whoever needs one waits for `done`.
        """

    def open_matches(self, done: Callable[[Sequence[MatchOwnership]], None]) -> None:
        """The matches that are not over, or that are and have no log file yet. A read: who wants
        one claims it.
        """

    def claim(
        self,
        match_id: bytes,
        done: Callable[[OpenMatch | None], None],
        new: NewClaim = FIRST_CLAIM,
    ) -> None:
        """Make a match this host's: append that, and when it is acknowledged read the match, and
        call `done` with it.

        Whoever had it before is fenced from then on. None: somebody else claimed it at the same
        time, or there is no such match, or its log file is written.
        """

    def release(self, match_id: bytes, claim: int, successor: str, done: Done) -> None:
        """Give up a match for the host of this name; `done` when nothing can be appended under
        `claim` any more, whoever brought that about. Nothing of the match is under way then."""

    def fetch(self, match_id: bytes, done: Callable[[Sequence[Record] | None], None]) -> None:
        """The records of a match that is over, with all heads; empty if there is no such, None if
        it cannot be read.
        """

    def export(self, match_id: bytes, heads: Sequence[bytes], done: Done) -> None:
        """Keep the last heads of a match that is over, as far as the store has not got them, and
        write its log file, as soon as there is time. `done`: the heads are there for good, or it is
        another's."""

    def silent(self) -> float:
        """For how many seconds the store has owed us an answer; 0: it owes none, and nobody else
        can have written.

        Where others may write, too: since the request was sent (a heartbeat, too) to which the
        newest answer came.
        """

    @property
    def safe(self) -> bool:
        """The store takes changes. False while its disk refuses, or while a store of several
        machines could lose what it acknowledges: then all that waits for it stands.
        """

    def close(self) -> None:
        """Finish what was submitted, or say in the log what could not be; then let go."""
