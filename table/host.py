"""One match at the table, without a socket or a clock: what may go into its log, and what the table itself posts."""

from random import Random
from typing import NamedTuple

from protocol.codes import Code
from protocol.dealing import TABLE, Post, TableHalf
from protocol.errors import Refused
from protocol.identity import Identity
from protocol.log import NO_HASH, Entry, Log, make_entry
from protocol.match import Match, Stage, apply, begin
from protocol.setup import KIND, Setup


class Record(NamedTuple):
    """One entry as it is stored and sent."""

    number: int
    entry: bytes
    head: bytes  # the table's signature of the head after it


class Host:
    """The log and the fold of one match, and the table's private half of its deals."""

    def __init__(self, identity: Identity, setup: Setup, rng: Random) -> None:
        self._identity, self._rng = identity, rng
        first = make_entry(identity, NO_HASH, TABLE, 0, (0, NO_HASH), KIND, setup.body())
        self.log = Log(first)
        self.match: Match = begin(setup, self.log.match_id)
        self.records: list[Record] = [Record(0, first, self.log.head(identity))]
        self._half: TableHalf | None = None
        self._half_of = -1  # the deal number that `_half` belongs to

    def offer(self, raw: bytes, seat: int) -> list[Record]:
        """Take an entry that this seat sent: it and what the table answers, all to be stored, then sent to everybody.

        Raises: Refused, with nothing changed.
        """
        entry = self.log.check(raw)
        if entry.author != seat:
            raise Refused(Code.WRONG_AUTHOR)
        return [self._append(entry, apply(self.match, entry)), *self._answers()]

    def lapse(self, seat: int) -> list[Record]:
        """Declare that a seat has not answered. Raises: Refused if nothing is expected of it."""
        return [self._post(Post("lapse", [seat])), *self._answers()]

    def _answers(self) -> list[Record]:
        """What the table must post now."""
        records = []
        while post := self._duty():
            records.append(self._post(post))
        return records

    def _duty(self) -> Post | None:
        if self.match.stage is not Stage.DEALING or self.match.deal is None:
            return None
        if self._half_of != self.match.deal_number:
            self._half = self.match.setup.dealing.table_half(self.match.deal.context, self._rng)
            self._half_of = self.match.deal_number
        return self._half.respond(self.match.deal) if self._half else None

    def _post(self, post: Post) -> Record:
        sequence = self.log.sequence(TABLE)
        raw = make_entry(self._identity, self.log.match_id, TABLE, sequence, self.log.seen, post.kind, post.body)
        entry = self.log.check(raw)
        return self._append(entry, apply(self.match, entry))

    def _append(self, entry: Entry, match: Match) -> Record:
        self.log.append(entry)
        self.match = match
        record = Record(self.log.number - 1, entry.raw, self.log.head(self._identity))
        self.records.append(record)
        return record
