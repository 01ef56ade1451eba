"""The kit's side of a match without a table: its log and its posts."""

from collections.abc import Callable
from random import Random
from typing import Any

from conformance.case import CaseFailed
from conformance.scope import Scope
from conformance.seat import HonestSeat
from protocol.dealing import Post
from protocol.errors import RemoteError
from protocol.identity.keys import Identity
from protocol.match.log import NO_HASH, EntryContent, Log, Record, make_entry
from protocol.match.log_reader import LogReader
from protocol.match.setup import KIND, Person, Setup
from protocol.match.terms import Terms, make_terms
from protocol.messages.parcel import EntriesParcel, Invitation, invite
from protocol.options import Selection

# seats
INVITER = 0
GUEST = 1
KIT_NAME = "Quentin"
TERMS = make_terms(
    Selection("block-dominoes", (("hand", 2), ("target", 1))), Selection("commutative"), (), 2
)


def usual_terms(scope: Scope) -> Terms:
    """Return the terms of a match where any match will do, without a clock."""
    if scope.admits("block-dominoes", "commutative"):
        return TERMS
    game, options, dealing = scope.usual()
    chosen = Selection(game, tuple(sorted(options.items())))
    return make_terms(chosen, Selection(dealing), (), 2)


class KitPlayer:
    """One of two players. It checks every entry of the program: the entry must be valid, and must
    never replace another.
    """

    def __init__(self, rng: Random, own: int) -> None:
        self.rng = rng
        self.own = own
        self.identity = Identity(rng.randbytes(32))
        self.seat = HonestSeat(self.identity, own, rng)
        self.invitation: Invitation | None = None
        self.reader: LogReader | None = None
        self.records: list[Record] = []
        self.hold: str | None = None  # do not post entries of this kind

    @property
    def over(self) -> bool:
        return self.reader is not None and self.reader.over

    @property
    def log(self) -> Log:
        assert self.reader is not None
        return self.reader.log

    @property
    def log_terms(self) -> Terms:
        """The terms of the match that runs."""
        assert self.reader is not None
        return self.reader.match.setup.terms

    def invite(self, terms: Terms = TERMS) -> Invitation:
        """Return an invitation to a match."""
        self.invitation = invite(
            self.identity, KIT_NAME, terms, self.rng.randbytes(32), 1_800_000_000
        )
        return self.invitation

    def accept(
        self, change: Callable[[Setup], Setup] = lambda setup: setup, signer: Identity | None = None
    ) -> Record:
        """Return entry 0 for the invitation; it is not yet in the log."""
        assert self.invitation is not None
        setup = change(self.invitation.setup(Person(KIT_NAME, self.identity.public)))
        who = signer or self.identity
        raw = make_entry(who, NO_HASH, EntryContent(GUEST, 0, (0, NO_HASH), KIND, setup.body()))
        return Record(raw, Log(raw).head(who))

    def entry(self, post: Post, **changes: Any) -> Record:
        """Return a post as the kit's next entry, with changed fields of `EntryContent`; it is not
        yet in the log.
        """
        log = self.log
        fields: dict[str, Any] = {
            "author": self.own,
            "sequence": log.sequence(self.own),
            "seen": log.newest_head,
            "kind": post.kind,
            "body": post.body,
        } | changes
        raw = make_entry(self.identity, log.match_id, EntryContent(**fields))
        return Record(raw, log.next_head(self.identity, raw))

    def due(self) -> Post | None:
        """Return the post that the kit must make now, if any."""
        if self.reader is None or self.over or self.reader.match.next_author != self.own:
            return None
        return self.seat.due(self.reader.match)

    def post(self) -> bool:
        """Post all due entries until the other side must act; return False if an entry of the kind
        `hold` is due.
        """
        while (post := self.due()) is not None:
            if post.kind == self.hold:
                return False
            self.add(self.entry(post))
        return True

    def add(self, record: Record) -> None:
        """Add the next entry to the log; it must be valid."""
        try:
            if self.reader is None:
                self.reader = LogReader(*record)
            elif self.reader.feed(*record) is None:
                raise CaseFailed("the program posts an entry that must be refused")
        except RemoteError as error:
            raise CaseFailed(f"the program signs what does not hold: {error.code}") from None
        self.records.append(record)

    def take(self, parcel: EntriesParcel) -> None:
        """Receive entries of the program: add new ones, and check that known ones are unchanged."""
        if parcel.first > len(self.records):
            raise CaseFailed("the program leaves entries out")
        for number, record in enumerate(parcel.records, parcel.first):
            if number == len(self.records):
                self.add(Record(*record))
            elif tuple(self.records[number]) != tuple(record):
                raise CaseFailed("the program has signed two entries of one number")

    def since(self, first: int, *more: Record) -> EntriesParcel:
        """Return the kit's log from entry `first` on, followed by `more`."""
        return EntriesParcel(self.log.match_id, first, (*self.records[first:], *more))
