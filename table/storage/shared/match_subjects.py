"""The matches in a store: begun, appended to, claimed, given up and finished, as
`table.storage.interface` has it.

The notes of a match stand under `m.<part>.<match>` (`table.storage.shared.match_notes`), each appended behind
the newest that its writer knows: so whoever has claimed a match fences all who had it before.
A store may spread matches over its streams by these parts.
"""

import asyncio
import logging
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from random import Random
from secrets import SystemRandom
from typing import Any

from protocol.errors import RemoteError
from protocol.limits import MAX_LOADING
from protocol.match.log import NO_HASH, Record, chain_position
from protocol.messages.claim import CLAIM_ID
from table.storage.interface import (
    FIRST_CLAIM,
    NO_STAMPS,
    Claimant,
    MatchOwnership,
    MatchStopped,
    NewClaim,
    NewRecords,
    OpenMatch,
    Stamps,
    hash_after,
    stamps_by_number,
)
from table.storage.shared.backend import Item, SharedLog, Unanswered
from table.storage.shared.match_notes import (
    EXPORTED,
    OVER,
    RUN,
    RUNS,
    WRITER,
    BadNote,
    MatchNotes,
    Note,
    claimants,
    decode_note,
    encode_note,
)
from table.storage.shared.sealed_seeds import SealedSeeds
from table.storage.shared.subject_append import (
    FIRST_PAUSE,
    LACKING,
    AppendOutcome,
    SubjectAppend,
    asked,
)

PARTS = 8  # into which the matches of a store fall, if it says nothing else (`SharedLog.parts`)
_AT_ONCE = 32  # questions to the store when all open matches are looked at
# of a match whose notes do not go on from each other, before it is damaged: a third of a second
_READS = 5
_ASIDE = 512  # bytes of a note beside its entries and heads
_ENTRY, _HEAD = 5, 66  # bytes that one takes in a note: beside its own, and in all

log = logging.getLogger(__name__)


def subject_of(match_id: bytes, parts: int = PARTS) -> str:
    """Return the subject of a match's notes."""
    return f"m.{match_id[0] % parts}.{match_id.hex()}"


@dataclass
class _OwnedMatch:
    """A match that this host owns, as its last acknowledged append has left it."""

    tail: SubjectAppend
    claim: int
    rules: str
    state: int = RUNS
    number: int = 0  # of the next entry
    hash: bytes = NO_HASH  # of the chain before it


class MatchSubjects:
    """The matches of one host."""

    tail_type = SubjectAppend

    def __init__(self, logs: SharedLog, host: str, rng: Random | None = None) -> None:
        """`host`: its name, as `MatchOwnership` gives it; `rng`: the system's, if none is given."""
        self._logs, self._host = logs, host
        self._rng = rng or SystemRandom()
        self.writer = self._rng.randbytes(WRITER)
        self.seeds = SealedSeeds(logs, self.writer)
        self._mine: dict[bytes, _OwnedMatch] = {}
        self._rules: dict[bytes, str] = {}  # of open matches
        # how far a match of ours was acknowledged: number and hash
        self._seen: dict[bytes, tuple[int, bytes]] = {}

    def _subject_of(self, match_id: bytes) -> str:
        return subject_of(match_id, self._logs.parts)

    async def append(self, new: NewRecords) -> bool:
        """See `Storage.submit`; False: lost."""
        mine = self._mine.get(new.match_id)
        if (
            mine is None
            and new.begin is not None
            and not new.claim
            and await self.seeds.keep(new.match_id, new.begin.seed)
        ):
            mine = self._mine[new.match_id] = _OwnedMatch(
                self._tail(new.match_id, 0, 0, RUNS), 0, new.begin.rules
            )
        if mine is None or mine.claim != new.claim:
            return False
        after = new.first + len(new.entries), hash_after(new)
        if (mine.number, mine.hash) == after:
            return True  # acknowledged before
        if (mine.number, mine.hash) != (new.first, new.follows) or mine.state != RUNS:
            return False
        for part, more in _parts(new, self._logs.most - _ASIDE):
            state = OVER if new.over and not more else RUNS
            body = [
                part.first,
                part.follows,
                list(part.heads),
                list(part.entries),
                mine.rules,
                more,
                [part.stamps.first, list(part.stamps.stamps)],
            ]
            if not await self._extend(new.match_id, mine, "records", body, state):
                return False
        mine.number, mine.hash = self._seen[new.match_id] = after
        if new.over:
            await self.seeds.forget(new.match_id)
        return True

    async def claim(self, match_id: bytes, new: NewClaim = FIRST_CLAIM) -> OpenMatch | None:
        """See `Storage.claim`."""
        self._mine.pop(match_id, None)
        new = new._replace(id=new.id or self._rng.randbytes(CLAIM_ID))
        while True:
            last = await asked(lambda: self._logs.last(self._subject_of(match_id)))
            if last is None:
                return None
            try:
                state = decode_note(last.data).state
                if state == EXPORTED:
                    return None
                tail = self._tail(match_id, last.number, 0, state)
                tail.last = last.data
                body = _claim_body(new, await self._loading(match_id, last))
                note = self._note("claim", tail, 0, state)._replace(body=body)
                outcome = await tail.append(encode_note(note))
                if outcome is AppendOutcome.DONE:
                    return await self._claimed(match_id, tail)
                if outcome is AppendOutcome.LOST and await self._claimed_after(
                    match_id, last.number
                ):
                    return None
            except (RemoteError, BadNote):
                log.error(
                    "match %s: what the store has of it is damaged; it stops", match_id.hex()[:8]
                )
                return None

    async def _claimed(self, match_id: bytes, tail: SubjectAppend) -> OpenMatch | None:
        """The match that our claim, which is acknowledged, has made ours. Raises: Damaged,
        RemoteError.
        """
        told = await self._told(match_id, tail.number)
        if told.state == EXPORTED:  # what was read before stands no more
            return None
        if told.dropped is not None and self._seen.get(match_id, (0, b""))[0] > told.dropped:
            del self._seen[match_id]
        number, hashed = self._seen.get(match_id, (0, NO_HASH))
        seed = b"" if told.state else await self.seeds.find(match_id)
        if seed is None and await self._overtaken(match_id, told):
            return None
        counted = number if number > len(told.entries) else 0
        if seed is None or (
            number and not counted and chain_position(told.entries[:number]) != (number - 1, hashed)
        ):
            raise BadNote
        if told.state == OVER:
            await self.seeds.forget(match_id)
        self._own(match_id, told)
        known = frozenset(told.known)
        stamps = stamps_by_number(told.stamps, len(told.entries))
        return OpenMatch(match_id, told.claim, seed, told.records, counted, stamps, told.id, known)

    async def _overtaken(self, match_id: bytes, told: MatchNotes) -> bool:
        """Whether somebody has claimed a match behind us, and perhaps ended it: then its seed is
        gone, rightly.
        """
        tail = self._tail(match_id, told.number, told.claim, told.state)
        note = self._note("proof", tail, told.claim, told.state)
        return await tail.append(encode_note(note)) is AppendOutcome.LOST

    def _own(self, match_id: bytes, told: MatchNotes) -> None:
        tail = self._tail(match_id, told.number, told.claim, told.state)
        self._mine[match_id] = _OwnedMatch(
            tail, told.claim, told.rules, told.state, len(told.entries), told.hash
        )

    async def _claimed_after(self, match_id: bytes, number: int) -> bool:
        """Whether what came behind this number makes the match somebody else's."""
        item = await asked(lambda: self._logs.next(self._subject_of(match_id), number))
        return item is not None and decode_note(item.data).kind in ("claim", "released", "exported")

    async def _loading(self, match_id: bytes, last: Item) -> tuple[Claimant, ...]:
        """Return the other processes that have claimed a match last and have not carried it."""
        item, note = await self._newest(match_id, last)
        found = claimants(note) if item is not None and note is not None else ()
        return tuple(each for each in found if each.run != self.writer[:RUN])[-MAX_LOADING:]

    async def carried(self, match_id: bytes, claim: int) -> bool:
        """See `SharedStore.carried`."""
        mine = self._mine.get(match_id)
        if mine is None or mine.claim != claim:
            return False
        return await self._extend(match_id, mine, "carried", [], mine.state)

    async def release(self, match_id: bytes, claim: int, successor: str) -> None:
        """See `Storage.release`."""
        mine = self._mine.get(match_id)
        if mine is None or mine.claim != claim:
            return
        del self._mine[match_id]
        # of its own: another append may be on its way
        tail = self._behind(match_id, mine, mine.state)
        await tail.append(
            encode_note(self._note("released", tail, claim, mine.state)._replace(owner=successor))
        )

    async def stop(self, change: MatchStopped) -> bool:
        """See `MatchStopped`; False: it is another's. It is claimed anew: what is on its way comes
        before, or too late. And it is noted as what is finished is, which nobody goes on with."""
        match_id, claim = change
        owned = await self.owned(match_id)
        if owned is None or owned.claim != claim or await self.claim(match_id) is None:
            return False
        mine = self._mine.pop(match_id)
        if not await self._extend(match_id, mine, "exported", [], EXPORTED):
            return False
        await self.seeds.stopped(match_id)
        return True

    async def finish(self, match_id: bytes, heads: Sequence[bytes]) -> Sequence[Record] | None:
        """Keep the last heads of a match of ours that is over, and give its records; None: it is
        not ours to finish.
        """
        mine = self._mine.get(match_id)
        if mine is None or mine.state != OVER:
            return None
        if heads and not await self._extend(match_id, mine, "heads", [list(heads)], OVER):
            return None
        return await self.finished(match_id, mine.tail.number) or []

    async def exported(self, match_id: bytes) -> None:
        """The log file of a match of ours is written: nobody has anything left to do."""
        mine = self._mine.pop(match_id, None)
        self._seen.pop(match_id, None)
        if mine is not None and await self._extend(match_id, mine, "exported", [], EXPORTED):
            await self.seeds.exported(match_id)

    async def finished(self, match_id: bytes, until: int = 0) -> Sequence[Record] | None:
        """See `Storage.fetch`. All heads are there, made when the end had been acknowledged: so it
        is one.

        `until`: a note that stands; who does not know it yet is asked again.
        """
        try:
            told = await self._told(match_id, until)
        except (BadNote, RemoteError):
            log.error(
                "match %s cannot be read: what the store has of it is damaged", match_id.hex()[:8]
            )
            return None
        return told.records if told.state and len(told.heads) == len(told.entries) else []

    async def open(self) -> list[MatchOwnership]:
        """See `Storage.open_matches`."""
        ids = await self.seeds.open()
        self._rules = {
            match_id: rules for match_id, rules in self._rules.items() if match_id in set(ids)
        }
        found: list[MatchOwnership | None] = []
        for start in range(0, len(ids), _AT_ONCE):
            found += await asyncio.gather(*map(self.owned, ids[start : start + _AT_ONCE]))
        return [owned for owned in found if owned is not None]

    async def owned(self, match_id: bytes) -> MatchOwnership | None:
        """Whose it is, by its newest note; None if there is none, or it is finished."""
        subject = self._subject_of(match_id)
        item = await asked(lambda: self._logs.last(subject))
        try:
            note = None
            if item is not None:
                item, note = await self._newest(match_id, item)
            if item is None or note is None or note.state == EXPORTED:
                return None
            claim = item.number if note.kind in ("claim", "released") else note.claim
            rules = await self._rules_of(match_id)
            over = note.state == OVER
            return MatchOwnership(match_id, claim, note.owner, rules, over, claimants(note))
        except RemoteError:
            log.error("match %s: what the store has of it is damaged", match_id.hex()[:8])
            return None

    async def _newest(self, match_id: bytes, item: Item) -> tuple[Item | None, Note | None]:
        """Return the newest note up to this one that says something; a proof does not. Raises:
        RemoteError.
        """
        found: Item | None = item
        note: Note | None = decode_note(item.data)
        while note is not None and note.kind == "proof":
            if not note.after:
                return None, None
            before = await asked(
                partial(self._logs.next, self._subject_of(match_id), note.after - 1)
            )
            found = before if before is not None and before.number == note.after else None
            note = None if found is None else decode_note(found.data)
        return found, note

    async def _rules_of(self, match_id: bytes) -> str:
        """What its first note says. Raises: RemoteError."""
        if match_id not in self._rules:
            item = await asked(lambda: self._logs.next(self._subject_of(match_id), 0))
            note = None if item is None else decode_note(item.data)
            self._rules[match_id] = (
                note.body[4] if note is not None and note.kind == "records" else ""
            )
        return self._rules[match_id]

    async def _told(self, match_id: bytes, until: int = 0) -> MatchNotes:
        """What the notes of a match come to; those up to one that stands, or all. Raises: Damaged,
        RemoteError.

        What was read may be gone with the store's next change of leader, and then the next note
        does not fit it: so it is damaged only if it still is when it is read from the beginning
        again.
        """
        pause = FIRST_PAUSE
        for _ in range(_READS - 1):
            with suppress(BadNote, RemoteError):
                return await self._told_once(match_id, until)
            await asyncio.sleep(pause)
            pause *= 2
        return await self._told_once(match_id, until)

    async def _told_once(self, match_id: bytes, until: int) -> MatchNotes:
        told, lacking = MatchNotes(), count(1)

        async def following() -> Item | None:
            item = await self._logs.next(self._subject_of(match_id), told.number)
            if item is None and told.number < until:
                # by one who does not know the newest
                raise BadNote if next(lacking) > LACKING else Unanswered
            return item

        while (not until or told.number < until) and (item := await asked(following)):
            told.take(item)
        return told

    async def _extend(
        self, match_id: bytes, mine: _OwnedMatch, kind: str, body: list[Any], state: int
    ) -> bool:
        """Append a note to a match of ours; if it is not ours any more, it is forgotten here."""
        mine.tail = self._behind(match_id, mine, state)
        note = self._note(kind, mine.tail, mine.claim, state)._replace(body=body)
        outcome = await mine.tail.append(encode_note(note))
        if outcome is AppendOutcome.GONE:
            log.error(
                "match %s: the store has lost what it had acknowledged; the match stops here",
                match_id.hex()[:8],
            )
        if outcome is not AppendOutcome.DONE:
            if self._mine.get(match_id) is mine:
                del self._mine[match_id]
            return False
        mine.state = state
        return True

    def _behind(self, match_id: bytes, mine: _OwnedMatch, state: int) -> SubjectAppend:
        """To append once behind what this match of ours has; `state`: that it has then."""
        tail = self._tail(match_id, mine.tail.number, mine.claim, mine.state, state)
        tail.last = mine.tail.last
        return tail

    def _tail(
        self, match_id: bytes, number: int, claim: int, state: int, then: int | None = None
    ) -> SubjectAppend:
        """`then`: the state that what is appended makes of `state`, if another: a proof behind it
        has that one.
        """

        def proof(after: int) -> bytes:
            proved = state if then is None or after <= number else then
            return encode_note(Note("proof", after, self.writer, self._host, claim, proved, []))

        return self.tail_type(self._logs, self._subject_of(match_id), number, proof)

    def _note(self, kind: str, tail: SubjectAppend, claim: int, state: int) -> Note:
        return Note(kind, tail.number, self.writer, self._host, claim, state, [])


def _claim_body(new: NewClaim, loading: Sequence[Claimant]) -> list[Any]:
    dropped = None if new.keep is None else [new.owned, new.keep]
    return [new.id, list(new.known), dropped, [list(each) for each in loading]]


def _parts(new: NewRecords, most: int) -> Iterator[tuple[NewRecords, bool]]:
    """These records in notes of at most so many bytes of entries and heads; and whether more
    follow.
    """
    rest, heads, first, follows = list(new.entries), new.heads, new.first, new.follows
    stamps = new.stamps
    while rest:
        room, taken = most - _HEAD * len(heads) - _size_of(stamps), 0
        while taken < len(rest) and (not taken or room >= len(rest[taken]) + _ENTRY):
            room -= len(rest[taken]) + _ENTRY
            taken += 1
        part = new._replace(
            first=first, follows=follows, entries=tuple(rest[:taken]), heads=heads, stamps=stamps
        )
        yield part, taken < len(rest)
        rest, heads, first, follows = rest[taken:], (), first + taken, hash_after(part)
        stamps = NO_STAMPS


def _size_of(stamps: Stamps) -> int:
    return sum(len(stamp) + _ENTRY for stamp in stamps.stamps)
