"""One match with one other person, as this side lives it: turns and parcels. No socket, mailbox or
clock here.

`take` checks what the other side sent, `post` adds what is for us to say, `give` is what the other
side may lack. What comes twice or in another order is no harm. Our entries are on disk before they
are given to anybody, so a crash never signs two for one number. What is the same at a table is in
`player.client.match_replica`.
"""

from player.client.environment import Environment
from player.client.match_replica import MatchReplica
from player.direct.saved_match import SavedMatch
from player.storage.log_store import LogStore
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.games import Action
from protocol.match.log import NO_HASH, Entry, EntryContent, Log, Record, decode_entry, make_entry
from protocol.match.log_reader import DamagedLog, LogReader
from protocol.match.setup import KIND
from protocol.match.state import Match
from protocol.messages.parcel import EntriesParcel
from protocol.view.phrase import phrase

# seats
INVITER = 0
GUEST = 1


class DirectMatch(MatchReplica):
    """The log of one match, the own seat in it, and the faults found in the other side's parcels."""

    other_match_key = "wrong.log.other_match.replace"

    def __init__(self, saved: SavedMatch, environment: Environment) -> None:
        """Begin, or continue after the entries of the own log file. Raises: LocalError."""
        super().__init__(INVITER if saved.mine else GUEST, environment, saved.found)
        self.invitation = saved.invitation
        self._saved = saved
        # the number of the other side's newest entry: it has all up to there
        self._heard = 0 if saved.mine else -1
        records = saved.records()
        self._restore(records, as_new=True)
        self._records: list[Record] = records[: self.number]

    # --- what there is ---

    @property
    def partner(self) -> bytes | None:
        """The identity of the other side, once the match has begun."""
        if self.reader is None:
            return None
        return self.reader.log.setup.people[GUEST if self.own == INVITER else INVITER].identity

    @property
    def our_turn(self) -> bool:
        """Return True if this side must post now."""
        if self.reader is None:
            return self.own == GUEST
        return not self.settled and self.reader.match.next_author == self.own

    @property
    def choices(self) -> tuple[Action, ...]:
        """Return the legal actions when a person is to choose."""
        if (
            self.reader is None
            or self._own_seat is None
            or not self.our_turn
            or self._own_seat.due is not None
        ):
            return ()
        return self._own_seat.seat.choices(self.reader.match)

    @property
    def said_last(self) -> bool:
        """Return True if the newest entry is this side's."""
        return self.reader is not None and self.reader.log.last_author == self.own

    # --- what the other side sends ---

    def take(self, parcel: EntriesParcel) -> int:
        """Take a parcel of the other side, and return how many entries of it were new.

        Raises `RemoteError` for entries that do not belong here, and keeps nothing from the first
        wrong one on; `LocalError` when the own disk fails.
        """
        before = self.number
        if self.reader is not None and parcel.match_id != self.reader.log.match_id:
            raise RemoteError(Code.NOT_INVITED if parcel.first == 0 else Code.WRONG_MATCH)
        if parcel.first > before:
            raise RemoteError(Code.GAP)
        try:
            for number, (raw, head) in enumerate(parcel.records, parcel.first):
                if self.settled:
                    break
                if number < self.number:
                    self._compare(number, raw, head)
                else:
                    self._read(raw, head)
        finally:
            if self.store is not None and self.number > before:
                self.store.sync()
        return self.number - before

    def _read(self, raw: bytes, head: bytes) -> None:
        """Read the next entry of either side. The first one must say what was agreed on, or nothing
        begins.
        """
        if self.reader is not None:
            self._read_next(raw, head)
            return
        reader = LogReader(raw, head, self.invitation.games)
        if (code := self._broken_by(reader.log)) is not None:
            raise DamagedLog(code)
        self._begin(reader, raw, head)

    def _broken_by(self, log: Log) -> Code | None:
        """The entry with which the guest accepts is exactly what the invitation says."""
        guest = log.setup.people[-1]
        if log.setup != self.invitation.setup(guest) or log.last_author != GUEST:
            return Code.NOT_INVITED
        if self.own == GUEST and guest != self._saved.person:
            return Code.NOT_INVITED
        try:
            self.invitation.check_guest(guest)
        except RemoteError as error:
            return error.code
        return None

    def _follow(self, before: Match, entry: Entry | None, as_new: bool = True) -> None:
        if entry is not None and entry.author != self.own:
            self._heard = before.next_number
        super()._follow(before, entry, as_new)

    def _handle_foreign_entry(self) -> None:
        self.stopped = phrase("stop.copy")

    # --- what we send ---

    def post(self) -> int:
        """Say what is for us to say now, as far as that goes without a person; how many entries it
        took.
        """
        before = self.number
        if self.reader is None and self.own == GUEST:
            self._accept()
        while self.stopped is None and self.our_turn and self._say():
            pass
        if self.store is not None and self.number > before:
            self.store.sync()
        return self.number - before

    def _accept(self) -> None:
        setup = self.invitation.setup(self._saved.person)
        signer = self._environment.identity
        raw = make_entry(signer, NO_HASH, EntryContent(GUEST, 0, (0, NO_HASH), KIND, setup.body()))
        self._read(raw, Log(raw, self.invitation.games).head(signer))

    def _say(self) -> bool:
        """Our next entry, if there is one without a person."""
        post = self._next_post()
        reader = self.reader
        if post is None or reader is None or self._own_seat is None:
            return False
        raw = self._own_seat.seat.entry(reader.log, post)
        self._read(raw, reader.log.next_head(self._environment.identity, raw))
        return True

    def give(self, since: int | None = None) -> EntriesParcel | None:
        """Return the entries that the other side may lack: all from its newest one on, or from
        number `since` on.
        """
        if self.reader is None:
            return None
        first = self._heard + 1 if since is None else since
        records = tuple(self._records[first:])
        if records:
            return EntriesParcel(self.reader.log.match_id, first, records)
        return None

    def heard(self) -> EntriesParcel | None:
        """The entries that the other side said last, one after the other."""
        if self.reader is None or self._heard < 0:
            return None
        first = self._heard
        while first > 0 and decode_entry(self._records[first - 1][0]).author != self.own:
            first -= 1
        return EntriesParcel(
            self.reader.log.match_id, first, tuple(self._records[first : self._heard + 1])
        )

    # --- on disk ---

    def _seed(self) -> bytes:
        return self._saved.seed

    def _stored_match(self) -> SavedMatch:
        return self._saved

    def _open_store(self, entries: int) -> LogStore:
        return self._saved.open_store(entries)

    def _keep(self, raw: bytes, head: bytes) -> None:
        super()._keep(raw, head)
        self._records.append(Record(raw, head))
