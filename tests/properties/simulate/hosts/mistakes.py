"""Hosts that break one rule of docs/protocol, 15.4 and 15.5, each in one way: the simulation must
notice.
"""

from protocol.codes import Code
from protocol.match.log import Record, chain_position, decode_entry
from protocol.messages.table import encode
from protocol.messages.tail import HeldHead
from table.manager.server import TableServer
from table.match.hosted_match import HostedMatch
from table.match.live_match import LiveMatch
from table.match.log_broadcaster import Party
from table.storage.interface import FIRST_CLAIM, NewClaim, OpenMatch
from table.storage.shared.backend import Conflict, Item, Unanswered
from table.storage.shared.match_notes import RUNS
from table.storage.shared.match_subjects import MatchSubjects, subject_of
from table.storage.shared.pruning import PruneLimits, StorePass
from table.storage.shared.store import SharedStore
from table.storage.shared.subject_append import AppendOutcome, SubjectAppend
from table.storage.shared.verified_log_reader import VerifiedLogReader
from tests.support.refusals import refused


class SignsAtOnce(LiveMatch):
    """Signs before the store has answered, and shows the head to nobody until then."""

    def _append_raw(self, raw: bytes) -> None:
        super()._append_raw(raw)
        self.log.head(self._identity)


class TrustsARead(SubjectAppend):
    """Believes a read of the store after an unanswered request."""

    async def _decide(self, data: bytes) -> AppendOutcome | None:
        found = await self._logs.next(self.subject, self.number)
        if found is None:
            return await self._again(data)
        if found.data == data:
            self.number = self.placed = found.number
        return AppendOutcome.DONE if found.data == data else AppendOutcome.LOST


class TakesATimeOutForARefusal(SubjectAppend):
    """Reports after a timeout that another host has the match."""

    async def append(self, data: bytes) -> AppendOutcome:
        try:
            self.placed = self.number = await self._logs.append(self.subject, self.number, data)
        except (Conflict, Unanswered):
            return AppendOutcome.LOST
        return AppendOutcome.DONE


class RefusesWhatIsLost(HostedMatch):
    """Refuses entries that it could not store, so that their authors sign replacements."""

    def give_up(self) -> None:
        seen = chain_position(record.entry for record in self.records)
        for raw in self.live.change().entries:
            author = decode_entry(raw).author
            for party in [party for party, seat in self._parties.items() if seat == author]:
                party.send(
                    encode("refused", self.match_id, *refused(self.live, raw, Code.NOT_NOW, seen))
                )
        super().give_up()


class ClaimsByReading(MatchSubjects):
    """Takes a match over without a claim in the store."""

    async def claim(self, match_id: bytes, new: NewClaim = FIRST_CLAIM) -> OpenMatch | None:
        told = await self._told(match_id)
        seed = await self.seeds.find(match_id)
        if told.state != RUNS or seed is None:
            return await super().claim(match_id, new)
        self._own(match_id, told)
        return OpenMatch(match_id, told.claim, seed, told.records)


class KeepsTheOldNumber(MatchSubjects):
    """Continues after a claim as if the claim were no message in the store."""

    async def claim(self, match_id: bytes, new: NewClaim = FIRST_CLAIM) -> OpenMatch | None:
        last = await self._logs.last(subject_of(match_id))
        found = await super().claim(match_id, new)
        if found is not None and last is not None:
            self._mine[match_id].tail.number = last.number
        return found


class PassesOnWhatItReads(VerifiedLogReader):
    """Sends spectators an entry as soon as it is read; an entry without a head gets one over
    nothing.
    """

    def _grow(self) -> None:
        heads = [*self._told.heads, *[bytes(64)] * len(self._told.entries)]
        for entry, head in list(zip(self._told.entries, heads, strict=False))[len(self.records) :]:
            self.records.append(Record(entry, head))


class ShowsWhatItReads(SharedStore):
    """Store for this mistake."""

    def following(self, match_id: bytes, key: bytes) -> VerifiedLogReader:
        return PassesOnWhatItReads(self._engine, match_id, key)


class PrunesByAgeAlone(StorePass):
    """Removes old matches, whatever their notes say."""

    async def _is_finished(self, subject: str, item: Item) -> bool:
        return True


class PrunesRunning(SharedStore):
    """Store for this mistake."""

    def prune(self, limits: PruneLimits) -> StorePass:
        return PrunesByAgeAlone(self._engine, limits)


class HeedsNobody(HostedMatch):
    """Ignores returning players' heads of entries that its store has lost."""

    def enter(self, party: Party, holds: HeldHead | None = None) -> None:
        super().enter(party, None)


def table_over(store: type[SharedStore]) -> type[TableServer]:
    """Return a table class with this store."""
    return type("Wrong", (TableServer,), {"store_type": store})


def table_with(matches: type[MatchSubjects]) -> type[TableServer]:
    """Return a table class with these matches."""
    return table_over(type("Wrong", (SharedStore,), {"matches_type": matches}))


def table_of(tail: type[SubjectAppend]) -> type[TableServer]:
    """Return a table class with this tail."""
    return table_with(type("Wrong", (MatchSubjects,), {"tail_type": tail}))
