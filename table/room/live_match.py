"""One match at the table, without a socket or a clock: what may go into its log, and what the table itself posts.

All that is secret here comes from one seed and the log: a crash loses nothing that a stored seed and log do not
give back (`LiveMatch.restore`), and the same bytes are posted again.
"""

from collections.abc import Sequence

from protocol.codes import Code
from protocol.crypto.stream import Stream
from protocol.dealing import TABLE, Post, TableHalf
from protocol.errors import LocalError, Refused
from protocol.games.registry import BUILT_IN, Games, UnknownRules
from protocol.identity.keys import Identity
from protocol.match.fold import apply, begin
from protocol.match.log import NO_HASH, Content, Entry, Log, Record, make_entry
from protocol.match.refusal import Refusal, sign_refusal
from protocol.match.setup import KIND, Setup
from protocol.match.state import Match, Stage


class LiveMatch:
    """The log and the fold of one match, and the table's private half of its deals."""

    def __init__(self, identity: Identity, setup: Setup, seed: bytes) -> None:
        """A match that begins. `seed`: 32 random bytes, for it alone, secret until it is over."""
        self._identity, self.seed = identity, seed
        self._rng = Stream(seed)
        first = make_entry(identity, NO_HASH, Content(TABLE, 0, (0, NO_HASH), KIND, setup.body()))
        self.log = Log(first, setup.games)
        self.match: Match = begin(setup, self.log.match_id)
        self.records: list[Record] = [Record(first, self.log.head(identity))]
        self._half: TableHalf | None = None
        self._half_of = -1  # the deal number that `_half` belongs to

    @classmethod
    def restore(
        cls, identity: Identity, seed: bytes, records: Sequence[Record], games: Games = BUILT_IN
    ) -> "LiveMatch":
        """The match as it stood after these records; what the table still owes is posted after them.

        Raises: LocalError if the table would not post today what it has posted, or they are no match's records.
        """
        try:
            setup = Log(records[0].entry, games).setup
            if setup.table.key != identity.public:
                raise LocalError("wrong.room.key")
            live = cls(identity, setup, seed)
            if live.records[0] != records[0]:
                raise LocalError("wrong.room.first")
            for record in records[1:]:
                live._repeat(record)
        except UnknownRules as unknown:
            raise LocalError("wrong.room.unknown", why=unknown.phrase) from None
        except (Refused, IndexError):
            raise LocalError("wrong.room.records") from None
        live._answers()
        return live

    def _repeat(self, record: Record) -> None:
        """Take a record that was stored, with the table's private half in step."""
        post, number = self._duty(), self.log.number
        entry = self.log.check(record.entry if post is None else self._sign(post))
        if self._append(entry, apply(self.match, entry)) != record:
            raise LocalError("wrong.room.entry", number=number)

    def offer(self, raw: bytes, seat: int) -> list[Record]:
        """Take an entry that this seat sent: it and what the table answers, all to be stored, then sent to everybody.

        Raises: Refused, with nothing changed.
        """
        entry = self.log.check(raw)
        if entry.author != seat:
            raise Refused(Code.WRONG_AUTHOR)
        return [self._append(entry, apply(self.match, entry)), *self._answers()]

    def post_clock(self, post: Post) -> list[Record]:
        """Say something about a seat's time (`table.room.clock`). Raises: Refused if it is not due."""
        return [self._post(post), *self._answers()]

    def refusal(self, raw: bytes, code: Code) -> Refusal:
        """That an entry cannot stand as the log is now."""
        return sign_refusal(self._identity, self.log.match_id, raw, self.log.seen, code)

    def _answers(self) -> list[Record]:
        """What the table must post now."""
        records = []
        while post := self._duty():
            records.append(self._post(post))
        return records

    def _duty(self) -> Post | None:
        if self.match.stage is not Stage.DEALING or self.match.deal is None:
            return None
        self._rng.turn_to(*self.log.seen)
        if self._half_of != self.match.deal_number:
            self._half = self.match.setup.dealing.table_half(self.match.deal.context, self._rng)
            self._half_of = self.match.deal_number
        return self._half.respond(self.match.deal) if self._half else None

    def _post(self, post: Post) -> Record:
        entry = self.log.check(self._sign(post))
        return self._append(entry, apply(self.match, entry))

    def _sign(self, post: Post) -> bytes:
        sequence = self.log.sequence(TABLE)
        return make_entry(
            self._identity, self.log.match_id, Content(TABLE, sequence, self.log.seen, post.kind, post.body)
        )

    def _append(self, entry: Entry, match: Match) -> Record:
        self.log.append(entry)
        self.match = match
        record = Record(entry.raw, self.log.head(self._identity))
        self.records.append(record)
        return record
