"""One match with one other person, as this side lives it. No socket, mailbox or clock here.

`take` checks what the other side sent, `post` adds what is for us to say, `give` is what the other side may lack. What
comes twice or in another order is no harm. Our entries are on disk before they are given to anybody, so a crash never
signs two for one number.
"""

from collections.abc import Callable, Iterable

from player import events
from player.at_table.playing import Environment
from player.at_table.visit import Outcome
from player.disk.store import Store
from player.seat.choosing import Choosing
from player.seat.deterministic import DeterministicSeat
from player.seat.seat import Seat
from protocol.audit.verdict import Verdict, verdict_of
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.dealing import Fault, Post
from protocol.errors import LocalError, RemoteError
from protocol.games import Action
from protocol.identity.keys import verify
from protocol.match.fold import Match
from protocol.match.log import NO_HASH, Entry, Log, decode_entry, make_entry
from protocol.match.reader import Damaged, Reader
from protocol.match.roster import roster_digest
from protocol.match.setup import KIND, Person
from protocol.messages.parcel import Entries, Invitation, Record

INVITER, GUEST = 0, 1  # seats


class PeerMatch:
    """The log of one match, our seat in it, and what we find in what the other side sends."""

    def __init__(
        self,
        invitation: Invitation,
        person: Person,
        seed: bytes,
        environment: Environment,
        open_store: Callable[[int], Store],
        records: Iterable[Record] = (),
        found: tuple[Fault, ...] = (),
    ) -> None:
        """Begin, or go on after the `records` of our own log file. `open_store` opens that behind so many records.

        `person`: ourselves; `seed`: of our secrets, on disk already; `found`: what an earlier run found beside the log.
        Raises: LocalError.
        """
        self.reader: Reader | None = None
        self.own = INVITER if person == invitation.inviter else GUEST
        self.leaving = False
        self.stopped: str | None = None  # why we do not go on although the match is not over
        self.invitation, self._person, self._seed, self._environment = invitation, person, seed, environment
        self._open_store = open_store
        self._steady: DeterministicSeat | None = None
        self._store: Store | None = None
        self.found = found  # faults beside those of the reader
        self._choosing = Choosing(environment.chooser, environment.rng, environment.tell)
        self._heard = -1  # the number of the other side's newest entry: it has all up to there
        self._records: list[Record] = []
        self._restore(records)

    def _restore(self, records: Iterable[Record]) -> None:
        """Read our own log. A crash may have torn its last record; nobody has seen that one."""
        good = 0
        for raw, head in records:
            try:
                self._read(raw, head, kept=True)
            except RemoteError as error:
                if error.code is Code.NOT_INVITED:
                    raise LocalError(
                        "The log of this match is another match's. Put the right one in its place."
                    ) from None
                break
            good += 1
        if good:
            self._store = self._open_store(good)

    # --- what there is ---

    @property
    def seat(self) -> Seat | None:
        """Our seat, once the match has begun."""
        return self._steady.seat if self._steady else None

    @property
    def number(self) -> int:
        """How many entries there are."""
        return self.reader.log.number if self.reader else 0

    @property
    def faults(self) -> tuple[Fault, ...]:
        """All that were found."""
        return (self.reader.faults if self.reader else ()) + self.found

    @property
    def over(self) -> bool:
        """Whether the match can need nothing more of us."""
        return bool(self.found) or (self.reader is not None and self.reader.over)

    @property
    def store(self) -> Store | None:
        """The log file."""
        return self._store

    @property
    def remembered(self) -> bool:
        """Whether another run of the program can go on with it: always."""
        return True

    @property
    def our_turn(self) -> bool:
        """Whether it is we who must say something now."""
        if self.reader is None:
            return self.own == GUEST
        return not self.over and self.reader.match.speaker == self.own

    @property
    def choices(self) -> tuple[Action, ...]:
        """What we may do, when a person is to choose."""
        if self.reader is None or self._steady is None or not self.our_turn or self._steady.due is not None:
            return ()
        return self._steady.seat.choices(self.reader.match)

    def close(self) -> None:
        """Close the log file."""
        if self._store is not None:
            self._store.close()

    # --- what the other side sends ---

    def take(self, parcel: Entries) -> int:
        """Take in what the other side sent; how many entries of it were new.

        Raises `RemoteError` for what does not belong here, with nothing of it kept from the first wrong entry on;
        `LocalError` when our disk does not take it.
        """
        before = self.number
        if self.reader is not None and parcel.match_id != self.reader.log.match_id:
            raise RemoteError(Code.NOT_INVITED if parcel.first == 0 else Code.WRONG_MATCH)
        if parcel.first > before:
            raise RemoteError(Code.GAP)
        try:
            for number, (raw, head) in enumerate(parcel.records, parcel.first):
                if self.over:
                    break
                if number < self.number:
                    self._compare(number, raw, head)
                else:
                    self._read(raw, head, kept=False)
        finally:
            if self._store is not None and self.number > before:
                self._store.sync()
        return self.number - before

    def _compare(self, number: int, raw: bytes, head: bytes) -> None:
        """An entry whose number we hold: the same again is no harm; another one that is signed, too, is a fork."""
        assert self.reader is not None
        log = self.reader.log
        before = log.hashes[number - 1] if number else NO_HASH
        hashed = digest("chain", before, number, raw)
        if hashed == log.hashes[number]:
            return
        author = decode_entry(raw).author
        verify(log.head_signer(author), head, "head", log.match_id, number, hashed)
        self.found = (Fault(author, number, Code.FORKED),)
        if self._store is not None:
            path = self._store.set_aside(number, raw, head)
            self._environment.tell(events.Notice(f"The other entry with number {number} is kept in {path}"))

    def _read(self, raw: bytes, head: bytes, *, kept: bool) -> None:
        """The next entry; `kept`: it is from our own disk. Raises: RemoteError."""
        if self.reader is None:
            self._read_first(raw, head, kept)
            return
        before = self.reader.match
        entry = self.reader.feed(raw, head)
        self._keep(raw, head, kept)
        if entry is not None:
            self._follow(before, entry, self.reader.match)

    def _read_first(self, raw: bytes, head: bytes, kept: bool) -> None:
        """The entry with which the guest accepts: exactly what the invitation says, or nothing begins."""
        reader = Reader(raw, head, self.invitation.games)
        setup = reader.log.setup
        guest = setup.people[-1]
        if setup != self.invitation.setup(guest) or reader.log.last_author != GUEST:
            raise Damaged(Code.NOT_INVITED)
        if self.own == GUEST and guest != self._person:
            raise Damaged(Code.NOT_INVITED)
        self.invitation.check_guest(guest)
        self._keep(raw, head, kept)
        self.reader, self._heard = reader, 0 if self.own == INVITER else -1
        self._steady = DeterministicSeat(
            self._environment.seat_type, self._environment.identity, self.own, self._seed, reader
        )
        self._environment.tell(events.Started(reader.match, self.own))

    def _follow(self, before: Match, entry: Entry, match: Match) -> None:
        steady = self._steady
        assert steady is not None
        if entry.author == self.own and not steady.would_post(entry):
            self.stopped = "this seat was played with another copy of the data folder, which alone has its secrets"
        if entry.author != self.own:
            self._heard = match.number - 1
        steady.follow()
        if entry.kind == "nonce" and (words := roster_digest(match)) is not None:
            self._environment.tell(events.Roster(match, words))
        self._environment.tell(events.Happened(before, entry, match))

    # --- what we send ---

    def choose(self, action: Action) -> None:
        """A person's choice for the present turn."""
        if self.reader is not None:
            self._choosing.choose(self.reader.match, action)

    def post(self) -> int:
        """Say what is for us to say now, as far as that goes without a person; how many entries it took."""
        count = 0
        if self.reader is None and self.own == GUEST:
            self._accept()
            count = 1
        while self.stopped is None and self.our_turn and (post := self._next_post()) is not None:
            self._say(post)
            count += 1
        if count and self._store is not None:
            self._store.sync()
        return count

    def _accept(self) -> None:
        setup = self.invitation.setup(self._person)
        self.invitation.check_guest(self._person)
        raw = make_entry(self._environment.identity, NO_HASH, GUEST, 0, (0, NO_HASH), KIND, setup.body())
        self._read_first(raw, Log(raw, self.invitation.games).head(self._environment.identity), kept=False)

    def _next_post(self) -> Post | None:
        steady, reader = self._steady, self.reader
        assert steady is not None and reader is not None
        if self.leaving:
            return Post("leave", [])
        if steady.due is not None:
            return steady.due
        return self._choosing.move(steady, reader.match)

    def _say(self, post: Post) -> None:
        reader = self.reader
        assert reader is not None and self._steady is not None
        raw = self._steady.seat.entry(reader.log, post)
        self._read(raw, reader.log.next_head(self._environment.identity, raw), kept=False)

    def give(self, since: int | None = None) -> Entries | None:
        """What the other side may lack: all entries from its newest one on, or from number `since` on."""
        if self.reader is None:
            return None
        first = self._heard + 1 if since is None else since
        records = tuple(self._records[first:])
        return Entries(self.reader.log.match_id, first, records) if records else None

    def heard(self) -> Entries | None:
        """The entries that the other side said last, one after the other."""
        if self.reader is None or self._heard < 0:
            return None
        first = self._heard
        while first > 0 and decode_entry(self._records[first - 1][0]).author != self.own:
            first -= 1
        return Entries(self.reader.log.match_id, first, tuple(self._records[first : self._heard + 1]))

    @property
    def said_last(self) -> bool:
        """Whether the newest entry is ours."""
        return self.reader is not None and self.reader.log.last_author == self.own

    # --- the log on disk ---

    def _keep(self, raw: bytes, head: bytes, kept: bool) -> None:
        self._records.append((raw, head))
        if kept:
            return
        if self._store is None:
            self._store = self._open_store(0)
        self._store.append(raw, head)


def outcome_of(match: PeerMatch) -> Outcome:
    """What a match has come to."""
    verdict = Verdict.FAULT if match.faults else verdict_of(match.reader)
    return Outcome(verdict, match.reader, match.faults, match.store.path if match.store else None, match.stopped)
