"""A table's log of one match, without a socket: it accepts honest entries, adds the table's own
entries, and signs every head.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from conformance.seat import HonestSeat
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.dealing import TABLE, Post, TableHalf
from protocol.errors import Refused
from protocol.identity.keys import Identity
from protocol.match.fold import apply, begin
from protocol.match.log import NO_HASH, Entry, EntryContent, Log, Record, make_entry
from protocol.match.refusal import Refusal, sign_refusal
from protocol.match.setup import KIND, Setup
from protocol.match.state import Match, MatchStage


class KitMatch:
    """The log and the fold of one match, with the secrets of the table and of its seats."""

    def __init__(
        self, identity: Identity, setup: Setup, rng: Random, others: Sequence[HonestSeat] = ()
    ) -> None:
        self.identity = identity
        self.rng = rng
        self.others = tuple(others)
        first = make_entry(
            identity, NO_HASH, EntryContent(TABLE, 0, (0, NO_HASH), KIND, setup.body())
        )
        self.log = Log(first)
        self.match: Match = begin(setup, self.log.match_id)
        self.records = [Record(first, self.log.head(identity))]
        # changes the kit's own posts
        self.tamper: Callable[[int, Post], Post] = lambda author, post: post
        self._half: TableHalf[Any] | None = None
        self._half_of = -1  # the deal number of `_half`

    def offer(self, raw: bytes, seat: int) -> Entry:
        """Add an entry of this seat. Raises: Refused, with the log unchanged."""
        entry = self.log.check(raw)
        if entry.author != seat:
            raise Refused(Code.WRONG_AUTHOR)
        self._append(entry)
        return entry

    def refusal(self, raw: bytes, code: Code) -> Refusal:
        """Return a signed refusal of an entry at the present head, true or not."""
        return sign_refusal(self.identity, self.log.match_id, raw, self.log.newest_head, code)

    def post(self, post: Post) -> None:
        """Add an entry of the table. Raises: Refused."""
        self._append(self.log.check(self.table_entry(post)))

    def table_entry(self, post: Post) -> bytes:
        """Return a post of the table as its next entry, signed."""
        sequence = self.log.sequence(TABLE)
        return make_entry(
            self.identity,
            self.log.match_id,
            EntryContent(TABLE, sequence, self.log.newest_head, post.kind, post.body),
        )

    def step(self) -> bool:
        """Let the table or one of its seats post a due entry; return False if no entry is due."""
        due = self.table_due()
        if due is not None:
            self.post(self.tamper(TABLE, due))
            return True
        for seat in self.others:
            if self.match.over or self._waits(seat.number):
                post = None
            else:
                post = seat.due(self.match)
            if post is not None:
                self.offer(seat.entry(self.log, self.tamper(seat.number, post)), seat.number)
                return True
        return False

    def _waits(self, seat: int) -> bool:
        """Check whether a seat of the kit must wait in simultaneous play: every other seat acts
        before the seat acts again.
        """
        free = self.match.active_simultaneous
        own = {other.number for other in self.others}
        return free is not None and any(
            free.newest_actions[player] < free.newest_actions[seat]
            for player in self.match.present - own
            if self.match.may_post(player, "move")
        )

    def table_due(self) -> Post | None:
        """Return the post that the table must make now, if any."""
        if self.match.stage is not MatchStage.DEALING or self.match.deal is None:
            return None
        if self._half_of != self.match.deal_number:
            self._half = self.match.setup.dealing.table_half(self.match.deal.context, self.rng)
            self._half_of = self.match.deal_number
        if self._half:
            return self._half.next_post(self.match.deal)
        return None

    def signed(self, raw: bytes, number: int | None = None) -> Record:
        """Return any bytes as entry `number` (None: the next one), under a head that the table has
        signed.
        """
        number = self.log.next_number if number is None else number
        if number:
            before = self.log.chain_hashes[number - 1]
        else:
            before = NO_HASH
        hashed = digest("chain", before, number, raw)
        match_id = self.log.match_id if number else hashed
        return Record(raw, self.identity.sign("head", match_id, number, hashed))

    def _append(self, entry: Entry) -> None:
        match = apply(self.match, entry)
        self.log.append(entry)
        self.match = match
        self.records.append(Record(entry.raw, self.log.head(self.identity)))
