"""One match at the table, without a socket or a clock: what may go into its log, and what the table
itself posts.

All that is secret here comes from one seed and the log: a crash loses nothing that a stored seed
and log do not give back (`LiveMatch.restore`), and the same bytes are posted again.

An entry stands in the log at once, so that what comes next is judged by it; its head is signed when
the store has it.

So do the table's own, if its key is at hand. A signer that remembers signs one only behind a head
that it has signed: then the table owes it until all before is stored, and nothing else may stand
meanwhile (`owes`, `table.match.own_entries`).
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, takewhile

from protocol.codes import Code
from protocol.crypto.seeded_random import SeededRandom
from protocol.dealing import TABLE, Post, TableHalf
from protocol.errors import LocalError, Refused, RemoteError
from protocol.games.registry import BUILT_IN, Games, UnknownRules
from protocol.limits import MAX_CHANGE, MAX_CHANGE_ENTRIES
from protocol.match.fold import apply, begin
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
from table.match.seed_seal import seal_seed, unseal_seed
from table.signer import requests
from table.signer.signer import Denied, Key, signer_of
from table.storage.interface import MatchBeginning, NewRecords, OpenMatch


class LiveMatch:
    """The log and the fold of one match, and the table's private half of its deals."""

    def __init__(self, key: Key, setup: Setup, seed: bytes, first: bytes | None = None) -> None:
        """A match that begins. `seed`: 32 random bytes, for it alone, secret until it is over.
        `first`: its first entry if that is there already.

        Raises: SignerGone, if its first entry cannot be signed now.
        """
        self._identity, self.signer, self.seed = key, signer_of(key), seed
        self._rng = SeededRandom(seed)
        content = encode_content(EntryContent(TABLE, 0, (0, NO_HASH), KIND, setup.body()))
        if first is None:
            first = self.signer.ask(requests.first_entry(content))
        elif decode_entry(first).content != content:
            raise LocalError("wrong.room.first")
        self.log = Log(first, setup.games)
        self.match: Match = begin(setup, self.log.match_id)
        self.rules = ""  # see `MatchBeginning.rules`
        self.claim = 0  # under which its records are stored (`NewRecords.claim`)
        self.counted = 0  # entries that are known to have stood (`OpenMatch.counted`)
        self.entries: list[bytes] = [first]  # the log, whether stored or not
        # as far as the store has acknowledged it, with the heads: nobody gets more
        self.records: list[Record] = []
        self.acknowledged = 0  # entries that the store has, with their heads or without
        self._heads_stored = 0
        self._owed: Post | None = None  # what the table must post before anything else may stand
        self._half: TableHalf | None = None
        self._half_of = -1  # the deal number that `_half` belongs to

    @classmethod
    def restore(
        cls, identity: Key, seed: bytes, records: Sequence[Record], games: Games = BUILT_IN
    ) -> "LiveMatch":
        """The match as it stood after these records; what the table still owes waits for `answer`.

        They are from a store that has acknowledged a claim of ours since. Heads that lack are
        signed by `sign`, once it is known that no other entry has one at these numbers.

        Raises: LocalError if the table would not post today what it has posted, or they are no
        match's records.
        """
        try:
            setup = Log(records[0].entry, games).setup
            if setup.table.key != identity.public:
                raise LocalError("wrong.room.key")
            live = cls(identity, setup, seed, records[0].entry)
            live._repeat(records)
        except UnknownRules as unknown:
            raise LocalError("wrong.room.unknown", why=unknown.phrase) from None
        except (RemoteError, Refused, IndexError):
            raise LocalError("wrong.room.records") from None
        return live

    @classmethod
    def claimed(cls, identity: Key, kept: OpenMatch, games: Games = BUILT_IN) -> "LiveMatch":
        """The match as a claim found it. Raises: LocalError as `restore` does, or if its seed is
        not ours to open.
        """
        live = cls.restore(
            identity, unseal_seed(identity, kept.match_id, kept.seed), kept.records, games
        )
        live.claim, live.counted = kept.claim, kept.counted
        return live

    def _repeat(self, records: Sequence[Record]) -> None:
        """Take what was stored, the table's private half in step; no head is signed before all of
        it is right.
        """
        self._check_head(records[0])
        for record in records[1:]:
            self._repeat_one(record)
        heads = [record.head for record in takewhile(lambda record: record.head, records)]
        if any(record.head for record in records[len(heads) :]):
            raise LocalError("wrong.room.records")
        self._heads_stored = len(heads)
        self.records = list(records[: len(heads)])
        self.acknowledged = len(records)

    def _repeat_one(self, record: Record) -> None:
        post = self._duty()
        if post is not None and decode_entry(record.entry).content != self._content(post):
            raise LocalError("wrong.room.entry", number=self.log.next_number)
        entry = self.log.check(record.entry)
        self._append(entry, apply(self.match, entry))
        self._check_head(record)

    def _check_head(self, record: Record) -> None:
        if record.head:
            self.log.check_head(record.head)

    def offer(self, raw: bytes, seat: int) -> None:
        """Take an entry that this seat sent, and post what the table answers: all to be stored,
        then sent to all.

        Raises: Refused, with nothing changed.
        """
        entry = self.log.check(raw)
        if entry.author != seat:
            raise Refused(Code.WRONG_AUTHOR)
        self._append(entry, apply(self.match, entry))
        self._answers()

    def answer(self) -> None:
        """Post what the table must post as the log is now."""
        self._answers()

    def take_back(self, records: Sequence[Record]) -> None:
        """Entries that follow, and that the store has lost: they stand again, unstored. The heads
        MUST be our own.

        Raises: LocalError if they cannot stand, or the table would not post today what it has
        posted.
        """
        try:
            for record in records:
                self._repeat_one(record)
        except (RemoteError, Refused):
            raise LocalError("wrong.room.records") from None

    def post_clock(self, post: Post) -> None:
        """Say something about a seat's time (`table.match.clock`). Raises: Refused if it is not
        due.
        """
        self._say(post)
        self._answers()

    # --- what the table owes ---

    @property
    def owes(self) -> bool:
        """Whether nothing may stand before an entry of the table's, which is not signed yet."""
        return self._owed is not None

    def owed(self) -> requests.Request:
        """That entry, to be signed when the head of what it has seen is."""
        assert self._owed is not None
        return requests.entry(self.log.match_id, self._content(self._owed))

    def pay(self, raw: bytes) -> None:
        """It is signed. It may be another one: what was signed here before a crash. Raises:
        Refused.
        """
        self._owed = None
        self._stands(raw)
        self._answers()

    def forgo(self) -> None:
        """It is not said now: a word about time that is not due."""
        self._owed = None

    # --- the store ---

    def change(self) -> NewRecords:
        """What is not stored, heads included, and what it follows; of much, as much as goes at
        once.
        """
        first = len(self.records)
        match_id, follows = (
            self.log.match_id,
            self.log.chain_hashes[first - 1] if first else NO_HASH,
        )
        heads = self.unstored_heads()
        begin = (
            None
            if first
            else MatchBeginning(seal_seed(self._identity, match_id, self.seed), self.rules)
        )
        entries = _at_once(self.entries[first : first + MAX_CHANGE_ENTRIES])
        over = self.match.over and first + len(entries) == len(self.entries)
        return NewRecords(match_id, first, follows, self.claim, entries, heads, begin, over)

    def unstored_heads(self) -> tuple[bytes, ...]:
        """The newest heads, which the store has not got."""
        return tuple(record.head for record in self.records[self._heads_stored :])

    def stored(self, count: int, heads: int = 0) -> None:
        """The store has acknowledged so many entries at their numbers, and heads."""
        self._heads_stored = max(self._heads_stored, heads)
        self.acknowledged = max(self.acknowledged, count)

    def sign(
        self,
        count: int,
        done: Callable[[], None] = lambda: None,
        denied: Callable[[Denied], None] = lambda why: None,
    ) -> None:
        """Have the heads of so many entries signed, all of them stored; `done` when they are, which
        is at once if the key is at hand."""
        match_id, hashes = self.log.match_id, self.log.chain_hashes
        asked = [
            requests.head(match_id, number, hashes[number])
            for number in range(len(self.records), count)
        ]
        self.signer.submit(asked, partial(self._headed, done), denied)

    # --- inside ---

    def _headed(self, done: Callable[[], None], heads: Sequence[bytes]) -> None:
        for head in heads:
            self.records.append(Record(self.entries[len(self.records)], head))
        done()

    def _answers(self) -> None:
        """Post what the table must post now."""
        while self._owed is None and (post := self._duty()):
            self._say(post)

    def _say(self, post: Post) -> None:
        if self.signer.at_once:
            self._post(post)
        else:
            self._owed = post

    def _duty(self) -> Post | None:
        if self.match.stage is not MatchStage.DEALING or self.match.deal is None:
            return None
        self._rng.seek(*self.log.newest_head)
        if self._half_of != self.match.deal_number:
            self._half = self.match.setup.dealing.table_half(self.match.deal.context, self._rng)
            self._half_of = self.match.deal_number
        return self._half.next_post(self.match.deal) if self._half else None

    def _post(self, post: Post) -> None:
        self._stands(self._sign(post))

    def _stands(self, raw: bytes) -> None:
        entry = self.log.check(raw)
        self._append(entry, apply(self.match, entry))

    def _sign(self, post: Post) -> bytes:
        return self.signer.ask(requests.entry(self.log.match_id, self._content(post)))

    def _content(self, post: Post) -> bytes:
        return encode_content(
            EntryContent(
                TABLE, self.log.sequence(TABLE), self.log.newest_head, post.kind, post.body
            )
        )

    def _append(self, entry: Entry, match: Match) -> None:
        self.log.append(entry)
        self.match = match
        self._stand(entry.raw)

    def _stand(self, raw: bytes) -> None:
        """These bytes are the newest entry of the log."""
        self.entries.append(raw)


def _at_once(entries: Sequence[bytes]) -> tuple[bytes, ...]:
    """As many of these as one change may hold, and one at least."""
    sizes = accumulate(map(len, entries))
    return tuple(
        entry
        for place, (entry, size) in enumerate(zip(entries, sizes, strict=True))
        if not place or size <= MAX_CHANGE
    )


def read_chain(identity: Key, records: Sequence[Record], games: Games = BUILT_IN) -> Log:
    """The chain of a match that is over, as a claim found its records, some heads of which may
    lack.

    Raises: LocalError if they are not of one match of this table's.
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
    """The heads of a match that is over, from this number on. Raises: LocalError if they cannot be
    signed now.
    """
    ask = signer_of(identity).ask
    return [
        ask(requests.head(log.match_id, at, hashed))
        for at, hashed in enumerate(log.chain_hashes[first:], first)
    ]
