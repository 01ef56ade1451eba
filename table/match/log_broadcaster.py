"""Stream of a match's log, in which every party reads from a position of its own.

A start, a reconnection, a spectator and a look back at a match that is over are the same thing.
An entry is in the stream once it is on disk.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Protocol, cast

from protocol.codes import Code
from protocol.match.log import Record, chain_position
from protocol.match.refusal import Refusal, unsigned_refusal
from protocol.match.setup import Setup
from protocol.messages import table as messages
from protocol.messages.claim import SignedClaim
from protocol.messages.tail import HeldHead, LogTail
from table.config import Bounds
from table.match.read_schedule import LogReader, ReadSchedule, cost_of
from table.metrics import Metrics
from table.signer import requests
from table.signer.signer import Denied, Key, signer_of
from table.storage.interface import NewClaim

log = logging.getLogger(__name__)

RECORD_OVERHEAD = 256  # bytes of memory that a record takes besides its entry


class Party(Protocol):
    """Program that follows a match, for a seat or for a spectator, as a broadcaster sees it."""

    @property
    def identity(self) -> bytes:
        """Public key of the person."""

    @property
    def address(self) -> str:
        """Address group from which it comes (`table.net.addresses.address_group`)."""

    @property
    def open(self) -> bool:
        """It still receives messages."""

    @property
    def busy(self) -> bool:
        """It has to read before it is sent more; then it calls `LogBroadcaster.drained`."""

    @property
    def takes_talk(self) -> bool:
        """So little is queued for it that it may be sent other messages than entries."""

    @property
    def sent(self) -> int:
        """Total of the bytes that were queued for its connection."""

    @property
    def written(self) -> int:
        """Bytes of `sent` that the system has taken. After more of them, `LogBroadcaster.drained` may
        be called.
        """

    @property
    def held(self) -> bool:
        """The table does not read from it now, because too much comes."""

    @property
    def arrived(self) -> float:
        """The time at which its present message may have come, in seconds of the loop's clock."""

    @property
    def send(self) -> Callable[[bytes], None]:
        """Queue an encoded message."""

    def refused(self, code: Code) -> None:
        """Note that its entry is refused."""

    def cut_off(self) -> None:
        """Drop it at once, since it does not read."""

    def moved(self, address: str, match_id: bytes) -> None:
        """Send it away, since the match goes on at another host: with the address, if that is not
        empty.
        """

    def stopped(self, code: Code) -> None:
        """Tell it that the match cannot go on, and why, and end its connection."""

    def entered(self, feed: "LogBroadcaster", seat: int | None) -> None:
        """Note that it is in the match now, with this seat; None: it watches."""

    def dismissed(self) -> None:
        """Note that it is in the match no more, and has been told."""


class MatchOwner(Protocol):
    """Owner of all broadcasters, to which they report."""

    metrics: Metrics
    identity: Key  # the table's
    reading: ReadSchedule  # of all logs

    def elsewhere(self, match_id: bytes) -> str:
        """Return the address of the host that goes on with a match; empty if it is not known."""

    def match_over(self, feed: "LogBroadcaster") -> None:
        """Note that the match has ended, and that its end is on disk."""

    def match_settled(self, feed: "LogBroadcaster") -> None:
        """Forget the broadcaster: all parties have received the whole log, or have gone."""

    def match_lost(self, feed: "LogBroadcaster") -> None:
        """Forget the broadcaster, and free its table: another host goes on with the match."""

    def claim_again(self, feed: "LogBroadcaster", again: NewClaim) -> None:
        """Forget the broadcaster, and claim the match anew for this host."""

    def match_stopped(self, feed: "LogBroadcaster") -> None:
        """Free the table of a match that cannot go on. Parties that come back are told so."""


def _nothing(party: Party, match_id: bytes, seat: int) -> None:
    """Do nothing."""


class LogBroadcaster:
    """Readers of one log, each with its position. This class alone serves a match that is over."""

    # called after `match` has been sent to a seat
    seat_announced: Callable[[Party, bytes, int], None] = staticmethod(_nothing)

    def __init__(
        self,
        match_id: bytes,
        setup: Setup,
        records: Sequence[Record],
        bounds: Bounds,
        owner: MatchOwner,
    ) -> None:
        """`records` may grow; all of them are stored."""
        self.match_id, self.setup, self.table_id, self.records = (
            match_id,
            setup,
            setup.table.id,
            records,
        )
        self.people = tuple(person.identity for person in setup.people)
        self.bounds, self._owner = bounds, owner
        self._loop = asyncio.get_running_loop()
        self._parties: dict[Party, int | None] = {}  # with their seats, in the order of arrival
        self._next: dict[Party, int] = {}  # number of the record that each reader gets next
        # number of the first entry that is new to each reader; those before it were stored already
        self._log_end: dict[Party, int] = {}
        # number and hash of the last head, once somebody posts after it
        self._end: tuple[int, bytes] | None = None
        self._goodbye: asyncio.TimerHandle | None = None

    def __str__(self) -> str:
        return self.match_id.hex()[:8]

    @property
    def stored(self) -> int:
        """Number of records that parties can read."""
        return len(self.records)

    @property
    def signed_claim(self) -> SignedClaim | None:
        """Newest claim of this host, for a match that runs here."""
        return None

    @property
    def over(self) -> bool:
        """The match has ended, and its end is on disk."""
        return True

    @cached_property
    def size(self) -> int:
        """Bytes that a match that is over takes in memory."""
        return sum(len(record.entry) + RECORD_OVERHEAD for record in self.records)

    @property
    def parties(self) -> list[Party]:
        """The present parties, in the order of arrival."""
        return list(self._parties)

    @property
    def seated(self) -> set[int]:
        """The seats whose players are present."""
        return {seat for seat in self._parties.values() if seat is not None}

    def has_place(self, address: str) -> bool:
        """Tell if one more may watch from this address."""
        watching = [party.address for party, seat in self._parties.items() if seat is None]
        bounds = self.bounds
        return (
            len(watching) < bounds.spectators
            and watching.count(address) < bounds.spectators_per_address
        )

    def seat_of(self, identity: bytes) -> int | None:
        """Return the seat of an identity in this match; None if it has none."""
        return self.people.index(identity) if identity in self.people else None

    def enter(self, party: Party, holds: HeldHead | None = None) -> None:
        """Add a party: it has the seat of its identity, or else watches. It gets `match` as soon as the
        first entry is stored.

        `holds`: a head of ours that it has shown. It is not needed after the end of a match, which is
        stored whole.
        """
        seat = self.seat_of(party.identity)
        self._parties[party] = seat
        party.entered(self, seat)
        if self.stored:
            self._announce(party, seat)

    def leave(self, party: Party) -> None:
        """Remove a party. Its seat stays the seat of its identity."""
        self._parties.pop(party, None)
        self._next.pop(party, None)
        self._log_end.pop(party, None)
        self._owner.reading.remove(party)
        if self.over and not self._parties:
            self._settle()

    def post(self, party: Party, raw: bytes) -> None:
        """Take an entry of a seated party, or answer `refused`."""
        if self._end is None:
            self._end = chain_position(record.entry for record in self.records)
        party.refused(Code.MATCH_OVER)
        if signer_of(self._owner.identity).away:
            return  # a party without an answer asks again, or reads on
        send_refusal(
            self._owner.identity,
            self.match_id,
            party,
            unsigned_refusal(raw, self._end, Code.MATCH_OVER),
        )

    def answered(self, party: Party, token: bytes) -> None:
        """Take note of an answer to a question that measures a round trip. A match that is over asks
        none.
        """

    def take_back(self, party: Party, tail: LogTail) -> bool:
        """Take lost entries back from a seated party. Return False if it was not asked for them.
        Raises: RemoteError.
        """
        return False

    def replay(self, party: Party, number: int) -> bool:
        """Send the log from this number on, and all later entries. Return False if the log has fewer
        entries.
        """
        if number > max(self.stored, self._may_ask_for(party)):
            return False
        self._next[party], self._log_end[party] = number, self.stored
        self.pump(party)
        return True

    def pump(self, party: Party) -> None:
        """Send a reader the entries that it lacks, as far as it keeps up; after the last entry of a
        match, `left`.

        Entries that are new to a seat go out now, all others in the reader's turn.
        """
        if self._is_metered(party) and self._has_more(party):
            running_seat = self._parties.get(party) is not None and not self.over
            self._owner.reading.add(self, party, running_seat)
            return
        self._send_stored(party, None)
        self._after_pump()

    def read_on(self, reader: LogReader, most: int) -> tuple[int, bool]:
        """See `ReadableLog`."""
        party = cast(Party, reader)  # the schedule has it from `pump`
        if party not in self._next:
            return 0, False
        cost = self._send_stored(party, most)
        if party in self._next and not self._is_metered(party):  # the rest is new to it
            self._send_stored(party, None)
        self._after_pump()
        if party not in self._next or not party.open or party.busy:
            return cost, False
        return cost, cost > 0 and self._has_more(party)

    def _send_stored(self, party: Party, most: int | None) -> int:
        """Send a reader the next entries, as far as it keeps up, and about `most` bytes of them.
        Return their cost in bytes.
        """
        number, cost = self._next[party], 0
        while (
            number < self.stored
            and party.open
            and not party.busy
            and (most is None or (cost < most and self._is_metered(party)))
            and self._may_send(party, number)
        ):
            self._send_record(party, number)
            cost += cost_of(self._message(number))
            number += 1
            if party in self._next:
                self._next[party] = number
        if party.open and self.over and number == self.stored:
            self._dismiss(party)
        return cost

    def _is_metered(self, party: Party) -> bool:
        """Tell if the next entry of a reader is metered, as all are but new entries for seats."""
        return self._parties.get(party) is None or self._next[party] < self._log_end[party]

    def _after_pump(self) -> None:
        """Act after entries have been sent to a reader."""

    def drained(self, party: Party) -> None:
        """Send a party that has read its messages the rest of the log, if it lacks some."""
        if self._has_more(party):
            self.pump(party)

    def say_goodbye(self) -> None:
        """Dismiss the parties that have read the whole log, and soon those that do not go on reading.
        The match is over.
        """
        for party in [reader for reader in self._next if not self._has_more(reader)]:
            self._dismiss(party)
        if self._goodbye is not None:
            self._goodbye.cancel()
        if self._parties:
            before = {party: self._next.get(party) for party in self._parties}
            self._goodbye = self._loop.call_later(
                self.bounds.goodbye_seconds, self._dismiss_idle, before
            )
        else:
            self._settle()

    def send_away(self, address: str) -> None:
        """Send all parties to another host, at this address if it is not empty."""
        for party in list(self._parties):
            party.moved(address, self.match_id)

    def close(self) -> None:
        """Stop all timers: nothing happens here any more."""
        if self._goodbye is not None:
            self._goodbye.cancel()

    def _announce(self, party: Party, seat: int | None) -> None:
        claim = self.signed_claim if seat is not None else None
        shown = None if claim is None else list(claim)
        values = self.table_id, self.match_id, seat, self.stored, shown
        party.send(messages.encode("match", *values))
        if seat is not None:
            self.seat_announced(party, self.match_id, seat)

    def _may_send(self, party: Party, number: int) -> bool:
        """Tell if this record may be sent to a party now. If not, the party is pumped later."""
        return True

    def _may_ask_for(self, party: Party) -> int:
        """Return the highest number from which a party may ask for the log, beyond the stored ones."""
        return 0

    def _send_record(self, party: Party, number: int) -> None:
        party.send(self._message(number))

    def _message(self, number: int) -> bytes:
        """The `entry` message of a record; readers share one encoding."""
        return self._owner.reading.entries.message(self.match_id, number, self.records[number])

    def _send_new(self, first: int) -> None:
        """Send the records from this number on to the parties that have been sent the one before, as
        far as they keep up.

        A spectator pays for them, and waits for its turn once its address has nothing left.
        """
        reading = self._owner.reading
        for number in range(first, self.stored):
            cost = cost_of(self._message(number))
            for party in self._sending_order(number):
                if self._next.get(party) != number or party.busy:
                    continue
                watches = self._parties.get(party) is None
                if watches and not reading.may_read(party.address):
                    reading.add(self, party, False)
                elif self._may_send(party, number):
                    self._send_record(party, number)
                    if watches:
                        reading.charge(party.address, cost)
                    if party in self._next:
                        self._next[party] = number + 1

    def _sending_order(self, number: int) -> list[Party]:
        """Return the readers in the order in which this record goes out: seats in an order that changes
        from record to record, then spectators.

        A fixed order would favour one seat over another in every race.
        """
        seats = [party for party in self._next if self._parties.get(party) is not None]
        if not seats:
            return list(self._next)
        lap, first = divmod(number, len(seats))
        seats = seats[first:] + seats[:first]
        return (seats[::-1] if lap % 2 else seats) + [
            party for party in self._next if self._parties.get(party) is None
        ]

    def _has_more(self, party: Party) -> bool:
        """Tell if a reader lacks stored entries."""
        return self._next.get(party, self.stored) < self.stored

    def _dismiss(self, party: Party) -> None:
        """Send a party back to the lobby."""
        party.send(messages.encode("left"))
        party.dismissed()
        self.leave(party)

    def _dismiss_idle(self, before: Mapping[Party, int | None]) -> None:
        """Dismiss the parties that have read nothing since `before`, their positions at that time."""
        for party in list(self._parties):
            took_none = party in before and self._next.get(party) == before[party]
            if took_none and not self._owner.reading.waits(party):
                self._dismiss(party)
        if self._parties:
            self.say_goodbye()

    def _settle(self) -> None:
        self.close()
        self._owner.match_settled(self)


def send_refusal(key: Key, match_id: bytes, author: Party, said: Refusal) -> None:
    """Have a refusal signed, and send it to the author of the entry."""

    def tell(signatures: Sequence[bytes]) -> None:
        author.send(messages.encode("refused", match_id, *said._replace(signature=signatures[0])))

    def denied(why: Denied) -> None:
        log.warning("match %s: a refusal is not signed (%s)", match_id.hex()[:8], why.value)

    signer_of(key).submit([requests.refusal(match_id, said)], tell, denied)
