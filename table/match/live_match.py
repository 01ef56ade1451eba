"""One match at the table, with its fold and the entries that the table itself posts. No socket and no
clock.

All secrets here come from one seed and the log. So a crash loses nothing that a stored seed and log
do not restore (`LiveMatch.restore`), and the table posts the same bytes again.

An entry stands in the log at once, and later entries are judged by it. Its head is signed when the
store has it.

The same holds for the table's own entries, if its key is in this process. A signer that remembers
signs one only behind a head that it has signed. Then the table owes the entry until all earlier ones
are stored, and nothing else may stand before it (`owes`, `table.match.machine`).
"""

from collections.abc import Generator, Sequence
from typing import Any

from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.crypto.seeded_random import SeededRandom
from protocol.dealing import TABLE, Post, TableHalf
from protocol.errors import LocalError, Refused, RemoteError
from protocol.games.registry import BUILT_IN, Games, UnknownRules
from protocol.match.fold import Outcome, begin, judge, repeat
from protocol.match.log import (
    NO_HASH,
    Entry,
    EntryContent,
    Log,
    Record,
    decode_entry,
    encode_content,
)
from protocol.match.setup import KIND, Setup
from protocol.match.state import Match, MatchStage
from table.match.hosted_log import FoldCallback, HostedLog
from table.match.seed_seal import unseal_seed
from table.match.status import ClockDuty, MatchStatus, clock_duties, status_of
from table.match.stored_outcomes import count_known
from table.signer import requests
from table.signer.signer import Key, signer_of
from table.storage.disk.log_files import run_to_end
from table.storage.interface import OpenMatch


class LiveMatch(HostedLog):
    """The log and the fold of one match, and the table's private half of its deals."""

    def __init__(self, key: Key, setup: Setup, seed: bytes, first: bytes | None = None) -> None:
        """Begin a match. `seed`: 32 random bytes, for this match alone, secret until its end. `first`:
        its first entry, if that has been signed already.

        Raises: SignerGone if the first entry cannot be signed now.
        """
        content = encode_content(EntryContent(TABLE, 0, (0, NO_HASH), KIND, setup.body()))
        if first is None:
            first = signer_of(key).ask(requests.first_entry(content))
        elif decode_entry(first).content != content:
            raise LocalError("wrong.room.first")
        super().__init__(key, Log(first, setup.games), seed, first)
        self._rng = SeededRandom(seed)
        self.match: Match = begin(setup, self.log.match_id)
        self._half: TableHalf[Any] | None = None
        self._half_of = -1  # the deal number that `_half` belongs to
        self._status = self.match, status_of(self.match)

    @property
    def status(self) -> MatchStatus:
        """The match after its newest entry."""
        if self._status[0] is not self.match:
            self._status = self.match, status_of(self.match)
        return self._status[1]

    def clock_duties(self) -> tuple[ClockDuty, ...]:
        """Return the seats that owe an entry, with the clock entries that may follow."""
        return clock_duties(self.match)

    @classmethod
    def restore(
        cls, identity: Key, seed: bytes, records: Sequence[Record], games: Games = BUILT_IN
    ) -> "LiveMatch":
        """Return the match after these records, all of which are proven again. Entries that the table
        still owes wait for `answer`. Raises: LocalError as `restore_parts` does.
        """
        return run_to_end(cls.restore_parts(identity, seed, records, (), games))

    @classmethod
    def restore_parts(
        cls,
        identity: Key,
        seed: bytes,
        records: Sequence[Record],
        stamps: Sequence[bytes],
        games: Games = BUILT_IN,
    ) -> Generator[None, None, "LiveMatch"]:
        """Do the same with a stop after each entry. Entries whose stamps hold are not proven again.

        The records are from a store that has acknowledged a claim of ours since. Missing heads are
        signed later, once it is known that no other entry has a head with its number.

        Raises: LocalError if the table would not post today what it has posted, or they are no
        match's records.
        """
        try:
            setup = Log(records[0].entry, games).setup
            if setup.table.key != identity.public:
                raise LocalError("wrong.room.key")
            live = cls(identity, setup, seed, records[0].entry)
            yield from live._repeat(records, stamps)
        except UnknownRules as unknown:
            raise LocalError("wrong.room.unknown", why=unknown.phrase) from None
        except (RemoteError, Refused, IndexError):
            raise LocalError("wrong.room.records") from None
        return live

    @classmethod
    def claimed(cls, identity: Key, kept: OpenMatch, games: Games = BUILT_IN) -> "LiveMatch":
        """Return the match as a claim found it. Raises: LocalError as `restore` does, or if our key
        does not open its seed.
        """
        return run_to_end(cls.claimed_parts(identity, kept, games))

    @classmethod
    def claimed_parts(
        cls, identity: Key, kept: OpenMatch, games: Games = BUILT_IN
    ) -> Generator[None, None, "LiveMatch"]:
        """Do the same with a stop after each entry."""
        seed = unseal_seed(identity, kept.match_id, kept.seed)
        live = yield from cls.restore_parts(identity, seed, kept.records, kept.stamps, games)
        live.claim, live.counted = kept.claim, kept.counted
        return live

    def _repeat(
        self, records: Sequence[Record], stamps: Sequence[bytes]
    ) -> Generator[None, None, None]:
        """Repeat stored records together with the table's private half. No head is signed before all
        of them are right.
        """
        self._check_head(records[0])
        known = {0}
        for number, record in enumerate(records[1:], 1):
            outcome = self._read_stamp(record, stamps[number] if number < len(stamps) else b"")
            self.repeat_one(record, outcome)
            if outcome is not None:
                known.add(number)
            yield
        self.adopt_stored(records)
        self.stored(0, stamps=count_known(known))

    def _read_stamp(self, record: Record, stamp: bytes) -> Outcome | None:
        """Return the stored outcome of the entry that comes next, if its stamp holds."""
        if not stamp:
            return None
        log = self.log
        hashed = digest("chain", log.chain_hashes[-1], log.next_number, record.entry)
        return self.stamps().open(log.next_number, hashed, record.head, stamp)

    def repeat_one(self, record: Record, outcome: Outcome | None) -> None:
        """Repeat the next stored entry. `outcome`: result of the fold, if that is known; without it
        the entry is proven again, and its head is checked if it has one.

        Raises: LocalError, Refused, RemoteError.
        """
        post = self._duty()
        if post is not None and decode_entry(record.entry).content != self._content(post):
            raise LocalError("wrong.room.entry", number=self.log.next_number)
        if outcome is not None:
            entry = self.log.check_proven(record.entry)
            self._append(entry, repeat(self.match, entry, outcome))
            self.outcomes[self.log.next_number - 1] = outcome
            return
        self._judge(self.log.check(record.entry))
        self._check_head(record)

    def _judge(self, entry: Entry) -> None:
        """Let an entry stand that the log has checked. Raises: Refused, with nothing changed."""
        match, outcome = judge(self.match, entry)
        self._append(entry, match)
        self.outcomes[self.log.next_number - 1] = outcome

    def _check_head(self, record: Record) -> None:
        if record.head:
            self.log.check_head(record.head)

    def offer(self, raw: bytes, seat: int) -> None:
        """Append an entry from this seat, and the table's answers to it.

        Raises: Refused, with nothing changed.
        """
        entry = self.log.check(raw)
        if entry.author != seat:
            raise Refused(Code.WRONG_AUTHOR)
        self._judge(entry)
        self._post_answers()

    def fold(self, raw: bytes, seat: int, done: FoldCallback) -> None:
        """Offer an entry of a seat, or one of the table's own, and call `done` with the result."""
        try:
            self.offer(raw, seat)
        except Refused as refused:
            done(refused.code)
        else:
            done(None)

    def answer(self) -> None:
        """Post the entries that the table must post now."""
        self._post_answers()

    def take_back(self, records: Sequence[Record]) -> None:
        """Append entries that the store has lost, as not stored. Their heads MUST be our own.

        Raises: LocalError if they cannot stand, or the table would not post today what it has
        posted.
        """
        try:
            for record in records:
                self.repeat_one(record, None)
        except (RemoteError, Refused):
            raise LocalError("wrong.room.records") from None

    def post_clock(self, post: Post) -> None:
        """Post an entry about a seat's time (`table.match.clock`). Raises: Refused if it is not due."""
        self._post_or_owe(post)
        self._post_answers()

    # --- inside ---

    def _post_answers(self) -> None:
        """Post the entries that the table must post now."""
        while self._owed is None and (post := self._duty()):
            self._post_or_owe(post)

    def _post_or_owe(self, post: Post) -> None:
        """Post an entry, or owe it if the signer does not sign at once."""
        if self.signer.at_once:
            self._post(post)
        else:
            self._owed = post

    def owed_post(self) -> Post | None:
        """Return the entry that the table must post now, if any."""
        return self._duty() if self._owed is None else self._owed

    def _duty(self) -> Post | None:
        if self.match.stage is not MatchStage.DEALING or self.match.deal is None:
            return None
        self._rng.seek(*self.log.newest_head)
        if self._half_of != self.match.deal_number:
            self._half = self.match.setup.dealing.table_half(self.match.deal.context, self._rng)
            self._half_of = self.match.deal_number
        return self._half.next_post(self.match.deal) if self._half else None

    def _post(self, post: Post) -> None:
        self._judge(self.log.check(self._sign(post)))

    def _sign(self, post: Post) -> bytes:
        return self.signer.ask(requests.entry(self.log.match_id, self._content(post)))

    def _append(self, entry: Entry, match: Match) -> None:
        self.log.append(entry)
        self.match = match
        self._append_raw(entry.raw)

    def _append_raw(self, raw: bytes) -> None:
        self.entries.append(raw)


def read_chain(identity: Key, records: Sequence[Record], games: Games = BUILT_IN) -> Log:
    """Return the chain of a match that is over, from the records that a claim found. Some of their
    heads may be missing.

    Raises: LocalError if they are not the records of one match of this table.
    """
    try:
        log = Log(records[0].entry, games)
        if log.setup.table.key != identity.public:
            raise LocalError("wrong.room.key")
        for number, record in enumerate(records):
            if number:
                log.append(log.check(record.entry))
            if record.head:
                log.check_head(record.head)
    except UnknownRules as unknown:
        raise LocalError("wrong.room.unknown", why=unknown.phrase) from None
    except (RemoteError, Refused, IndexError):
        raise LocalError("wrong.room.records") from None
    return log


def last_heads(identity: Key, log: Log, first: int) -> list[bytes]:
    """Have the heads of a match that is over signed, from this number on. Raises: LocalError if that
    is not possible now.
    """
    ask = signer_of(identity).ask
    return [
        ask(requests.head(log.match_id, at, hashed))
        for at, hashed in enumerate(log.chain_hashes[first:], first)
    ]
