"""The replica of one match in a player's program: what matches with and without a table share.

Every entry that comes is checked, stored and reported. The seat follows the log, and says what it
must post. The module has no socket and no clock, and does not know how entries travel: see
`player.client.table_match` and `player.direct.direct_match`.

A program that was killed reads its own log again (`_restore`) and has the same state: see
`player.client.deterministic_seat`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import partial
from typing import ClassVar, Protocol

from player.client import events
from player.client.action_choice import ActionChooser
from player.client.deterministic_seat import DeterministicSeat
from player.client.environment import Environment
from player.client.outcome import Outcome
from player.client.seat import Seat
from player.storage.log_store import LogStore
from protocol.audit.verdict import verdict_of
from protocol.codes import Code
from protocol.dealing import TABLE, Fault, Post
from protocol.errors import LocalError
from protocol.games import Action, Hand, Piece
from protocol.games.decks.deck_hand import Loadout
from protocol.games.decks.ownership import Ownership
from protocol.games.operations import Lay
from protocol.games.registry import UnknownRules, unknown_rules_phrase
from protocol.match.log import Entry, Log, Record
from protocol.match.log_reader import DamagedLog, LogReader
from protocol.match.roster_digest import roster_digest
from protocol.match.state import Match
from protocol.view.phrase import Phrase, phrase


class StoredMatch(Protocol):
    """The stored state of a match."""

    def brought(self, knows: Ownership) -> Loadout:
        """Return the loadout of the own seat, with what its program knows now. Raises: LocalError."""


# choices that are no actions of the game
SITTING: tuple[Action, ...] = (("sit_out",), ("sit_in",))


class MatchReplica(ABC):
    """The log of one match, the own seat in it (or a spectator's place), and the faults that were
    found.
    """

    other_match_key: ClassVar[str]  # key of the error for a log file of another match

    def __init__(
        self, own: int | None, environment: Environment, found: tuple[Fault, ...] = ()
    ) -> None:
        """Make a replica. `own`: number of the own seat, None for a spectator; `found`: faults that
        an earlier run found beside the log.
        """
        self.own = own
        self.reader: LogReader | None = None
        self.store: LogStore | None = None  # the log file
        self.leaving = False
        # seats whose players are not connected, as a table says
        self.absent: frozenset[int] = frozenset()
        # by seat: milliseconds to the table and back, as it says; others are not known
        self.trips: dict[int, int] = {}
        # the reason why this program does not go on although the match is not over
        self.stopped: Phrase | None = None
        self.found = found  # faults beside those of the reader
        self._environment = environment
        self._own_seat: DeterministicSeat | None = None
        # the number of a deal, and the pieces of it that have been in the own hand
        self._known_pieces: tuple[int, frozenset[Piece]] = (-1, frozenset())
        # the action of `SITTING` that the person wants and that is not posted yet
        self._sitting: Action | None = None
        self._choosing = ActionChooser(environment.chooser, environment.rng, environment.tell)

    # --- with and without a table ---

    @abstractmethod
    def _broken_by(self, log: Log) -> Code | None:
        """Return the code if entry 0 differs from the agreement; None if it does not."""

    @abstractmethod
    def _seed(self) -> bytes:
        """Return the seed of the seat's secrets. It is on disk before anything that depends on it
        is posted. Raises: LocalError.
        """

    @abstractmethod
    def _stored_match(self) -> StoredMatch | None:
        """Return the stored loadout of the own seat since the match began; None if nothing is
        stored.
        """

    @abstractmethod
    def _open_store(self, entries: int) -> LogStore | None:
        """Open the log file to continue it after this many entries; None if no log is stored.
        Raises: LocalError.
        """

    @abstractmethod
    def _handle_foreign_entry(self) -> None:
        """Handle an entry of the own seat from another program, which has other secrets."""

    # --- state ---

    @property
    def remembered(self) -> bool:
        """Return True if another run of the program can continue this match."""
        return self._stored_match() is not None

    @property
    def caught_up(self) -> bool:
        """Return True when all entries that stood at the (re)join have been read. Without a table
        there are none.
        """
        return True

    @property
    def live(self) -> bool:
        """Return True if the newest entry came when it was written; False if it is older than this
        client's connection.
        """
        return True

    @property
    def seat(self) -> Seat | None:
        """Our seat; None for a spectator, and before the first entry."""
        return self._own_seat.seat if self._own_seat else None

    @property
    def number(self) -> int:
        """Return the number of entries, which is the number of the next one."""
        return self.reader.log.next_number if self.reader else 0

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Return all faults that were found."""
        return (self.reader.faults if self.reader else ()) + self.found

    @property
    def settled(self) -> bool:
        """Return True if the match can need nothing more of this seat: the match is over, or a
        cheat is proven.
        """
        return bool(self.found) or (self.reader is not None and self.reader.over)

    @property
    def over(self) -> bool:
        """Return True if nothing more is to be done here."""
        return self.stopped is not None or self.settled

    def outcome(self, reason: Phrase | None, refusals: tuple[Code, ...] = ()) -> Outcome:
        """Return the outcome, if nothing follows. `reason`: the reason of an early end, for people."""
        verdict = verdict_of(self.reader, self.found)
        return Outcome(
            verdict,
            self.reader,
            self.faults,
            self.store.path if self.store else None,
            reason,
            refusals,
        )

    def choose(self, action: Action) -> None:
        """Take a person's choice for the present turn, or the wish to sit out or in, which is posted
        as soon as the rules allow it. Raises: LocalError.
        """
        if self.reader is None:
            return
        if action not in SITTING:
            self._choosing.choose(self.reader.match, action)
            return
        setup = self.reader.match.setup
        if self.own is None or not setup.has_table or not setup.game.can_sit_out:
            raise LocalError("wrong.no_sitting_out")
        self._sitting = action

    def close(self) -> None:
        """Close the log file. Raises: LocalError."""
        if self.store is not None:
            self.store.close()

    # --- the log ---

    def _restore(self, records: Iterable[Record], *, as_new: bool) -> None:
        """Read the own log again. A torn end, as after a crash, is dropped: nobody has seen it.
        `as_new`: report all entries as new.

        Raises: LocalError if the log is another match's, or cannot be continued.
        """
        for raw, head in records:
            try:
                self._read_own(raw, head, as_new)
            except DamagedLog:
                break
        if self.reader is not None:
            self.store = self._open_store(self.number)

    def _read_own(self, raw: bytes, head: bytes, as_new: bool) -> None:
        if self.reader is not None:
            before = self.reader.match
            self._follow(before, self.reader.feed(raw, head), as_new)
            return
        try:
            reader = LogReader(raw, head, self._environment.games)
        except UnknownRules as unknown:
            raise LocalError("wrong.unfinished_rules", why=unknown_rules_phrase(unknown)) from None
        if self._broken_by(reader.log) is not None:
            raise LocalError(self.other_match_key)
        self._take_seat(reader)
        if as_new:
            self._tell(events.Started(reader.match, self.own))

    def _begin(self, reader: LogReader, raw: bytes, head: bytes) -> None:
        """Begin with the first entry, which fits the agreement."""
        self._take_seat(reader)  # first: the stored state names the log file
        self.store = self._open_store(0)
        self._keep(raw, head)
        self._tell(events.Started(reader.match, self.own))

    def _take_seat(self, reader: LogReader) -> None:
        if self.own is not None:
            environment = self._environment
            seed = self._seed()  # first: it stores the loadout, too
            seat_type = partial(environment.seat_type, brings=self._brings())
            self._own_seat = DeterministicSeat(
                seat_type, environment.identity, self.own, seed, reader
            )
        self.reader = reader

    def _brings(self) -> Loadout:
        """Return the loadout of the own seat as it was when the match began. Raises: LocalError."""
        now = self._environment.brings
        kept = self._stored_match()
        return now if kept is None else kept.brought(now.ownership)

    def _read_next(self, raw: bytes, head: bytes) -> None:
        """Read and store the next entry. Raises: DamagedLog."""
        assert self.reader is not None
        before = self.reader.match
        entry = self.reader.feed(raw, head)
        self._keep(raw, head)
        self._follow(before, entry)

    def _follow(self, before: Match, entry: Entry | None, as_new: bool = True) -> None:
        """Bring the own seat up to the entry that has been read, if it stands, and report the
        entry.
        """
        if entry is None or self.reader is None:
            return
        match = self.reader.match
        if self._own_seat is not None:
            if entry.author == self.own and not self._is_ours(self._own_seat, entry):
                self._handle_foreign_entry()
            elif not self.leaving and self.stopped is None:
                self._own_seat.follow()
        drawn = self._drawn(before, match)
        if not as_new:
            self._tell(events.Recalled(self.own, before, entry, match, drawn))
            return
        if entry.kind == "nonce" and (words := roster_digest(match)) is not None:
            self._tell(events.Roster(match, words))
        self._tell(events.Happened(before, entry, match, drawn))

    def _drawn(self, before: Match, match: Match) -> Hand:
        """Return the pieces that are new in the own hand, without those of the deal."""
        deal, known = self._known_pieces
        if self.seat and match.deal and not match.setup.spec.private_half:
            hand = self.seat.hand
        else:
            hand = ()
        known = known if deal == match.deal_number else frozenset()
        self._known_pieces = match.deal_number, known.union(hand)
        new = tuple(piece for piece in hand if piece not in known)
        laying = before.deal_requested and isinstance(before.setup.game.wants(before.game), Lay)
        if (before.pending_action or before.action_entries) and not laying:
            return new
        return ()

    def _is_ours(self, steady: DeterministicSeat, entry: Entry) -> bool:
        """Check that an entry of the own seat was made by this run of the program, or by an earlier
        run with the same seed.
        """
        return self.leaving or steady.would_post(entry)

    def _compare(self, number: int, raw: bytes, head: bytes) -> None:
        """Compare an entry with the stored one of its number. The same entry does no harm; another
        signed one is a fork.

        Raises: RemoteError if nobody signed the entry, so that it proves nothing.
        """
        assert self.reader is not None
        author = self.reader.log.fork_signer(number, raw, head)
        if author is not None:
            self.found += (
                Fault(author, number, Code.TABLE_FORKED if author == TABLE else Code.FORKED),
            )
            self._set_aside(number, raw, head)

    def _keep(self, raw: bytes, head: bytes) -> None:
        """Append the newest entry to the log file. Raises: LocalError."""
        if self.store is not None:
            self.store.append(raw, head)

    def _set_aside(self, number: int, raw: bytes, head: bytes) -> None:
        """Keep, as evidence, what came instead of the entry with this number."""
        if self.store is None:
            return
        try:
            path = self.store.set_aside(number, raw, head)
        except LocalError as error:  # the verdict stands without it
            self._tell(events.Notice(error.phrase))
            return
        self._tell(events.Notice(phrase("notice.set_aside", number=number, path=str(path))))

    # --- our seat ---

    def _next_post(self) -> Post | None:
        """Return the next entry of the own seat; None if there is none, or while a person chooses."""
        assert self._own_seat is not None and self.reader is not None
        if self.leaving:
            return Post("leave", [])
        return (
            self._own_seat.due
            or self._sitting_post(self.reader.match)
            or self._choosing.move(self._own_seat, self.reader.match)
        )

    def _sitting_post(self, match: Match) -> Post | None:
        """Return the entry with which the person sits out or in, if the person wants to and may do
        so now.
        """
        if self._sitting is not None and self.own is not None:
            kind = match.sit_kind(self.own)
        else:
            kind = None
        if kind is None:
            return None
        if self._sitting != (kind,):
            self._sitting = None  # the seat sits as the person wants
            return None
        return Post(kind, [])

    def _tell(self, event: events.Event) -> None:
        self._environment.tell(event)
