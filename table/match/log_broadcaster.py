"""A match's log as one stream, which every party reads from a place of its own.

A start, a reconnection, a spectator and a look back at a match that is over are the same thing.
What is not on disk is not in the stream.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Protocol

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
    """One who follows a match: a seat's program or a spectator's, as far as a feed knows it."""

    @property
    def identity(self) -> bytes:
        """Whose it is."""

    @property
    def address(self) -> str:
        """The address that it comes from, as `table.net.addresses.address_group` has it."""

    @property
    def open(self) -> bool:
        """Whether it still gets what is sent."""

    @property
    def busy(self) -> bool:
        """Whether it has to read before it is sent more; it calls `LogBroadcaster.drained` when it has."""

    @property
    def takes_talk(self) -> bool:
        """Whether so little is queued for it that more may be sent than entries."""

    @property
    def sent(self) -> int:
        """Bytes that were queued for its connection, in all."""

    @property
    def written(self) -> int:
        """Bytes of these that the system has taken; more may be called `LogBroadcaster.drained`."""

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
        """An entry of its is not taken."""

    def cut_off(self) -> None:
        """It does not read, and is dropped at once."""

    def moved(self, address: str, match_id: bytes) -> None:
        """The match goes on elsewhere: it is told where, if that is known, to come again, and hears
        no more here.
        """

    def stopped(self, code: Code) -> None:
        """The match cannot go on: it is told why, and hears no more here."""

    def entered(self, feed: "LogBroadcaster", seat: int | None) -> None:
        """It has this seat of the match now; None: it watches."""

    def dismissed(self) -> None:
        """It has no place in the match any more, and has been told."""


class MatchOwner(Protocol):
    """Whom a feed reports to."""

    metrics: Metrics
    identity: Key  # the table's
    reading: ReadSchedule  # of all logs

    def elsewhere(self, match_id: bytes) -> str:
        """The address at which a match that is not here any more goes on, as far as is known; else
        empty.
        """

    def match_over(self, feed: "LogBroadcaster") -> None:
        """The match has ended, and its end is on disk."""

    def match_settled(self, feed: "LogBroadcaster") -> None:
        """All parties have been sent all of it, or have gone: the feed may be forgotten."""

    def match_lost(self, feed: "LogBroadcaster") -> None:
        """Another host goes on with the match: the feed is to be forgotten, and its table is
        free.
        """

    def claim_again(self, feed: "LogBroadcaster", again: NewClaim) -> None:
        """The match is to be claimed anew by this host: the feed is to be forgotten."""

    def match_stopped(self, feed: "LogBroadcaster") -> None:
        """The match cannot go on: its table is free, and whoever comes back to the feed hears
        so.
        """


def _nothing(party: Party, match_id: bytes, seat: int) -> None:
    """Do nothing."""


class LogBroadcaster:
    """The readers of one log, and how far each has read. By itself: of a match that is over."""

    # called when a seat has been sent `match`
    seat_announced: Callable[[Party, bytes, int], None] = staticmethod(_nothing)

    def __init__(
        self,
        match_id: bytes,
        setup: Setup,
        records: Sequence[Record],
        bounds: Bounds,
        keeper: MatchOwner,
    ) -> None:
        """`records` may grow; all of them are stored."""
        self.match_id, self.setup, self.table_id, self.records = (
            match_id,
            setup,
            setup.table.id,
            records,
        )
        self.people = tuple(person.identity for person in setup.people)
        self.bounds, self._keeper = bounds, keeper
        self._loop = asyncio.get_running_loop()
        self._parties: dict[Party, int | None] = {}  # and their seats, in the order they came
        self._next: dict[Party, int] = {}  # number of the record that each reader gets next
        # up to which number a reader is sent stored entries: what comes after is new to it
        self._log_end: dict[Party, int] = {}
        # number and hash of the last head, once somebody posts after it
        self._end: tuple[int, bytes] | None = None
        self._goodbye: asyncio.TimerHandle | None = None

    def __str__(self) -> str:
        return self.match_id.hex()[:8]

    @property
    def stored(self) -> int:
        """How many records there are to be read."""
        return len(self.records)

    @property
    def signed_claim(self) -> SignedClaim | None:
        """The host's newest claim of a match that runs here."""
        return None

    @property
    def over(self) -> bool:
        """Whether the match has ended and its end is on disk."""
        return True

    @cached_property
    def size(self) -> int:
        """Bytes that a match that is over takes in memory."""
        return sum(len(record.entry) + RECORD_OVERHEAD for record in self.records)

    @property
    def parties(self) -> list[Party]:
        """The parties that are here, in the order they came."""
        return list(self._parties)

    @property
    def seated(self) -> set[int]:
        """The seats whose players are here."""
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
        """The seat of this identity in this match."""
        return self.people.index(identity) if identity in self.people else None

    def enter(self, party: Party, holds: HeldHead | None = None) -> None:
        """Seat a party whose identity has a seat here; any other watches. It gets `match` once
        there is one.

        `holds`: a head of ours that it has shown. A match that is over has been stored whole.
        """
        seat = self.seat_of(party.identity)
        self._parties[party] = seat
        party.entered(self, seat)
        if self.stored:
            self._announce(party, seat)

    def leave(self, party: Party) -> None:
        """The party has nothing more to do with this match; its seat stays its identity's."""
        self._parties.pop(party, None)
        self._next.pop(party, None)
        self._log_end.pop(party, None)
        self._keeper.reading.remove(party)
        if self.over and not self._parties:
            self._settle()

    def post(self, party: Party, raw: bytes) -> None:
        """Take an entry of a seated party, or answer `refused`."""
        if self._end is None:
            self._end = chain_position(record.entry for record in self.records)
        party.refused(Code.MATCH_OVER)
        if signer_of(self._keeper.identity).away:
            return  # who is not answered asks again, or reads on
        send_refusal(
            self._keeper.identity,
            self.match_id,
            party,
            unsigned_refusal(raw, self._end, Code.MATCH_OVER),
        )

    def answered(self, party: Party, token: bytes) -> None:
        """A party has answered a question that measures its round trip: nothing, where nobody
        asks.
        """

    def take_back(self, party: Party, tail: LogTail) -> bool:
        """Take the end of the log that a seated party gives; False if it was not asked. Raises:
        RemoteError.
        """
        return False

    def replay(self, party: Party, number: int) -> bool:
        """Send the log from this number on, and what comes from now on; False if there are not so
        many entries.
        """
        if number > max(self.stored, self._may_ask_for(party)):
            return False
        self._next[party], self._log_end[party] = number, self.stored
        self.pump(party)
        return True

    def pump(self, party: Party) -> None:
        """Send a reader what it has not been sent, as far as it keeps up; after the last entry of
        all, `left`.

        What is new to a seat goes out now, all else in the reader's turn.
        """
        if self._is_metered(party) and self._lags(party):
            running_seat = self._parties.get(party) is not None and not self.over
            self._keeper.reading.add(self, party, running_seat)
            return
        self._send_stored(party, None)
        self._after_pump()

    def read_on(self, reader: LogReader, most: int) -> tuple[int, bool]:
        """See `ReadableLog`."""
        party = next((party for party in (reader,) if party in self._next), None)
        if party is None:
            return 0, False
        cost = self._send_stored(party, most)
        if party in self._next and not self._is_metered(party):  # the rest is new to it
            self._send_stored(party, None)
        self._after_pump()
        if party not in self._next or not party.open or party.busy:
            return cost, False
        return cost, cost > 0 and self._lags(party)

    def _send_stored(self, party: Party, most: int | None) -> int:
        """Send a reader the next entries, as far as it keeps up: at most about so many bytes.
        Return what they cost.
        """
        number, cost = self._next[party], 0
        while (
            number < self.stored
            and party.open
            and not party.busy
            and (most is None or (cost < most and self._is_metered(party)))
            and self._may_have(party, number)
        ):
            self._give(party, number)
            cost += cost_of(self._message(number))
            number += 1
            if party in self._next:
                self._next[party] = number
        if party.open and self.over and number == self.stored:
            self._dismiss(party)
        return cost

    def _is_metered(self, party: Party) -> bool:
        """Reading is metered, except the new entries of a match for its own seats."""
        return self._parties.get(party) is None or self._next[party] < self._log_end[party]

    def _after_pump(self) -> None:
        """A reader has been sent entries."""

    def drained(self, party: Party) -> None:
        """A party has read what it was sent: it gets the rest, if there is more."""
        if self._lags(party):
            self.pump(party)

    def say_goodbye(self) -> None:
        """The match is over: dismiss who has read all of it, and soon everybody who does not go on
        reading.
        """
        for party in [reader for reader in self._next if not self._lags(reader)]:
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
        """Who is here is told to go on elsewhere: at this address, if it is known."""
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

    def _may_have(self, party: Party, number: int) -> bool:
        """Whether this record may be sent to it now; if not, it is pumped as soon as it may."""
        return True

    def _may_ask_for(self, party: Party) -> int:
        """Up to which number it may ask for the log, however much of that is there now."""
        return 0

    def _give(self, party: Party, number: int) -> None:
        party.send(self._message(number))

    def _message(self, number: int) -> bytes:
        """The `entry` message of a record; readers share one encoding."""
        return self._keeper.reading.entries.message(self.match_id, number, self.records[number])

    def _send_new(self, first: int) -> None:
        """Send the records from this number on to all who have been sent the one before, as far as
        they keep up.

        Who watches pays for them, and waits for its turn once its address has nothing left.
        """
        reading = self._keeper.reading
        for number in range(first, self.stored):
            cost = cost_of(self._message(number))
            for party in self._in_turn(number):
                if self._next.get(party) != number or party.busy:
                    continue
                watches = self._parties.get(party) is None
                if watches and not reading.may_read(party.address):
                    reading.add(self, party, False)
                elif self._may_have(party, number):
                    self._give(party, number)
                    if watches:
                        reading.charge(party.address, cost)
                    if party in self._next:
                        self._next[party] = number + 1

    def _in_turn(self, number: int) -> list[Party]:
        """Who reads, in the order in which this record is sent: seats, in each order as often, and
        then who watches.

        What is sent first goes out first, so a fixed order would favour one seat over another in
        every race.
        """
        seats = [party for party in self._next if self._parties.get(party) is not None]
        if not seats:
            return list(self._next)
        lap, first = divmod(number, len(seats))
        seats = seats[first:] + seats[:first]
        return (seats[::-1] if lap % 2 else seats) + [
            party for party in self._next if self._parties.get(party) is None
        ]

    def _lags(self, party: Party) -> bool:
        """Whether there is more to send to a party that reads."""
        return self._next.get(party, self.stored) < self.stored

    def _dismiss(self, party: Party) -> None:
        """Back to the lobby."""
        party.send(messages.encode("left"))
        party.dismissed()
        self.leave(party)

    def _dismiss_idle(self, before: Mapping[Party, int | None]) -> None:
        """Those who were here, at `before`, and have taken nothing since, or have not even asked
        for the rest.
        """
        for party in list(self._parties):
            took_none = party in before and self._next.get(party) == before[party]
            if took_none and not self._keeper.reading.waits(party):
                self._dismiss(party)
        if self._parties:
            self.say_goodbye()

    def _settle(self) -> None:
        self.close()
        self._keeper.match_settled(self)


def send_refusal(key: Key, match_id: bytes, author: Party, said: Refusal) -> None:
    """Have it signed that an entry is not in the log, and tell its author."""

    def tell(signatures: Sequence[bytes]) -> None:
        author.send(messages.encode("refused", match_id, *said._replace(signature=signatures[0])))

    def denied(why: Denied) -> None:
        log.warning("match %s: a refusal is not signed (%s)", match_id.hex()[:8], why.value)

    signer_of(key).submit([requests.refusal(match_id, said)], tell, denied)
