"""One match as a player's program follows it, at a table or without one: what both ways of playing
share.

Every entry that comes is checked, put on disk, and told of; our seat is kept in step with the log,
and says what is for it to say. No socket and no clock here, nor anything of how entries come and
go: that is for `player.client.table_match` and `player.direct.direct_match` to say.

A program that was killed reads its own log again (`_restore`) and has what it had: see
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
    """What is on disk of a match."""

    def brought(self, knows: Ownership) -> Loadout:
        """What our seat plays with, and what its program knows now. Raises: LocalError."""


# what may be chosen though it is no action of a game
SITTING: tuple[Action, ...] = (("sit_out",), ("sit_in",))


class MatchReplica(ABC):
    """The log of one match, our seat in it (or a spectator's place), and what we find in what we
    are sent.
    """

    instead: ClassVar[str]  # what to say about a log file that is another match's

    def __init__(
        self, own: int | None, environment: Environment, found: tuple[Fault, ...] = ()
    ) -> None:
        """`own`: our seat's number, None for a spectator; `found`: what an earlier run found beside
        the log.
        """
        self.own = own
        self.reader: LogReader | None = None
        self.store: LogStore | None = None  # the log file
        self.leaving = False
        # seats whose players are not connected, as a table says
        self.absent: frozenset[int] = frozenset()
        # by seat: milliseconds to the table and back, as it says; others are not known
        self.trips: dict[int, int] = {}
        # why we do not go on although the match is not over, as a sentence
        self.stopped: Phrase | None = None
        self.found = found  # faults beside those of the reader
        self._environment = environment
        self._steady: DeterministicSeat | None = None
        # of which deal, and what we have had in it
        self._held: tuple[int, frozenset[Piece]] = (-1, frozenset())
        # one of `SITTING` that our person wants; None: it is as they want it
        self._sitting: Action | None = None
        self._choosing = ActionChooser(environment.chooser, environment.rng, environment.tell)

    # --- what each way of playing says for itself ---

    @abstractmethod
    def _broken_by(self, log: Log) -> Code | None:
        """How a log that has its first entry goes against what was agreed on; None: it is just
        that.
        """

    @abstractmethod
    def _seed(self) -> bytes:
        """The seed of our seat's secrets, on disk before anything that depends on it is posted.
        Raises: LocalError.
        """

    @abstractmethod
    def _remembers(self) -> StoredMatch | None:
        """What is on disk of what our seat plays with, since the match began; None: nothing is
        kept.
        """

    @abstractmethod
    def _open_store(self, entries: int) -> LogStore | None:
        """The log file, to go on after its first so many entries; None: none is kept. Raises:
        LocalError.
        """

    @abstractmethod
    def _estranged(self) -> None:
        """Our seat has been played by another program than this one, with other secrets."""

    # --- what there is ---

    @property
    def remembered(self) -> bool:
        """Whether another run of the program can go on with it."""
        return self._remembers() is not None

    @property
    def caught_up(self) -> bool:
        """Whether we have read all that stood when we came back. Without a table there is nothing
        else to read.
        """
        return True

    @property
    def live(self) -> bool:
        """Tell if the newest entry came when it was written, and did not stand before we came."""
        return True

    @property
    def seat(self) -> Seat | None:
        """Our seat; None for a spectator, and before the first entry."""
        return self._steady.seat if self._steady else None

    @property
    def number(self) -> int:
        """How many entries there are: the number of the next one."""
        return self.reader.log.next_number if self.reader else 0

    @property
    def faults(self) -> tuple[Fault, ...]:
        """All that were found."""
        return (self.reader.faults if self.reader else ()) + self.found

    @property
    def settled(self) -> bool:
        """Whether the match can need nothing more of us: it is over, or somebody is caught."""
        return bool(self.found) or (self.reader is not None and self.reader.over)

    @property
    def over(self) -> bool:
        """Whether there is nothing more to do here."""
        return self.stopped is not None or self.settled

    def outcome(self, reason: Phrase | None, refusals: tuple[Code, ...] = ()) -> Outcome:
        """What it has come to, if nothing follows; `reason`: why it ended early, for people."""
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
        """A person's choice for the present turn; or that they sit out or in, which is said as soon
        as it may be.

        Raises: LocalError.
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
        """Close the log file: nothing more is read. Raises: LocalError."""
        if self.store is not None:
            self.store.close()

    # --- the log ---

    def _restore(self, records: Iterable[Record], *, told: bool) -> None:
        """Read our own log again. A crash may have torn its end, which nobody has seen. `told`: say
        all that was in it.

        Raises: LocalError if it is another match's, or cannot be written any more.
        """
        for raw, head in records:
            try:
                self._read_own(raw, head, told)
            except DamagedLog:
                break
        if self.reader is not None:
            self.store = self._open_store(self.number)

    def _read_own(self, raw: bytes, head: bytes, told: bool) -> None:
        if self.reader is not None:
            before = self.reader.match
            self._follow(before, self.reader.feed(raw, head), told)
            return
        try:
            reader = LogReader(raw, head, self._environment.games)
        except UnknownRules as unknown:
            raise LocalError("wrong.unfinished_rules", why=unknown_rules_phrase(unknown)) from None
        if self._broken_by(reader.log) is not None:
            raise LocalError(self.instead)
        self._sit(reader)
        if told:
            self._tell(events.Started(reader.match, self.own))

    def _begin(self, reader: LogReader, raw: bytes, head: bytes) -> None:
        """The first entry has come, which is what was agreed on."""
        self._sit(reader)  # before there is a log file: what is remembered says where that is
        self.store = self._open_store(0)
        self._keep(raw, head)
        self._tell(events.Started(reader.match, self.own))

    def _sit(self, reader: LogReader) -> None:
        if self.own is not None:
            environment = self._environment
            seed = self._seed()  # what is brought is remembered with it
            seat_type = partial(environment.seat_type, brings=self._brings())
            self._steady = DeterministicSeat(
                seat_type, environment.identity, self.own, seed, reader
            )
        self.reader = reader

    def _brings(self) -> Loadout:
        """What our seat plays with, as it was when the match began. Raises: LocalError."""
        now = self._environment.brings
        kept = self._remembers()
        return now if kept is None else kept.brought(now.ownership)

    def _read_next(self, raw: bytes, head: bytes) -> None:
        """The next entry. Raises: Damaged."""
        assert self.reader is not None
        before = self.reader.match
        entry = self.reader.feed(raw, head)
        self._keep(raw, head)
        self._follow(before, entry)

    def _follow(self, before: Match, entry: Entry | None, told: bool = True) -> None:
        """Keep our seat in step with the entry that has been read, if it stands, and tell of it."""
        if entry is None or self.reader is None:
            return
        match = self.reader.match
        if self._steady is not None:
            if entry.author == self.own and not self._is_ours(self._steady, entry):
                self._estranged()
            elif not self.leaving and self.stopped is None:
                self._steady.follow()
        drawn = self._drawn(before, match)
        if not told:
            self._tell(events.Recalled(self.own, before, entry, match, drawn))
            return
        if entry.kind == "nonce" and (words := roster_digest(match)) is not None:
            self._tell(events.Roster(match, words))
        self._tell(events.Happened(before, entry, match, drawn))

    def _drawn(self, before: Match, match: Match) -> Hand:
        """The pieces that are new in our hand, but for those that it was dealt."""
        deal, known = self._held
        if self.seat and match.deal and not match.setup.spec.private_half:
            hand = self.seat.hand
        else:
            hand = ()
        known = known if deal == match.deal_number else frozenset()
        self._held = match.deal_number, known.union(hand)
        new = tuple(piece for piece in hand if piece not in known)
        laying = before.deal_requested and isinstance(before.setup.game.wants(before.game), Lay)
        if (before.pending_action or before.action_entries) and not laying:
            return new
        return ()

    def _is_ours(self, steady: DeterministicSeat, entry: Entry) -> bool:
        """Whether an entry of our seat is of this run of the program, or of an earlier one with the
        same seed.
        """
        return self.leaving or steady.would_post(entry)

    def _compare(self, number: int, raw: bytes, head: bytes) -> None:
        """An entry whose number we hold: the same again is no harm; another one that is signed,
        too, is a fork.

        Raises: RemoteError if nobody signed it, so that it proves nothing.
        """
        assert self.reader is not None
        author = self.reader.log.fork_signer(number, raw, head)
        if author is not None:
            self.found += (
                Fault(author, number, Code.TABLE_FORKED if author == TABLE else Code.FORKED),
            )
            self._set_aside(number, raw, head)

    def _keep(self, raw: bytes, head: bytes) -> None:
        """Put the newest entry into the log file. Raises: LocalError."""
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
        """What is for our seat to say now; None for nothing, or while a person chooses."""
        assert self._steady is not None and self.reader is not None
        if self.leaving:
            return Post("leave", [])
        return (
            self._steady.due
            or self._sit_post(self.reader.match)
            or self._choosing.move(self._steady, self.reader.match)
        )

    def _sit_post(self, match: Match) -> Post | None:
        """The entry with which our person sits out or in, if that is wanted, is not so, and may be
        said now.
        """
        if self._sitting is not None and self.own is not None:
            kind = match.sit_kind(self.own)
        else:
            kind = None
        if kind is None:
            return None
        if self._sitting != (kind,):
            self._sitting = None  # it is so by now
            return None
        return Post(kind, [])

    def _tell(self, event: events.Event) -> None:
        self._environment.tell(event)
