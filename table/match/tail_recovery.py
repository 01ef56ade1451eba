"""Recovery of the end of a log after a claim: the log may have been longer than what the store has.

Players hold every entry together with the table's head. So nothing new is signed before every seat
has come back with the newest head that it holds, or its time for that is over. A player that holds
more entries is asked for them whenever it comes. The word of a player does not count, only the
table's own signature:

- A head of ours for a number at which our log has another entry is a fork, and the match stops.
- If the other entry has no head, our host has told nobody of it. It gives way: the match is claimed
  anew without it.
- A head of ours beyond our log must be given back before anything is signed: any other entry at its
  number would get a second head. If nobody gives it back, the match stops.

The count of entries in the store's own books, where it is higher than its records, is no such head:
a host may have been stopped before it sent that entry to anybody, and then nobody can give it back.
So the table waits the long time for it, and not for ever.

Pure: the time comes in, in seconds of a clock that only goes forward.
"""

import logging
from collections.abc import Iterable
from math import inf

from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.limits import LOST_TAIL_SECONDS
from protocol.match.log import Log
from protocol.messages.tail import HeldHead, LogTail, check_tail
from table.match.hosted_log import HostedLog
from table.match.log_broadcaster import Party
from table.metrics import Metrics

log = logging.getLogger(__name__)


class TailLost(LocalError):
    """An entry whose head a player has shown is lost: nobody gives it back."""


class Forked(Exception):
    """Two heads of this table are about one number."""


class GivesWay(Exception):
    """Entries that have no head contradict a head of this table that somebody has shown."""

    def __init__(self, number: int) -> None:
        """`number`: of the first of these entries."""
        super().__init__()
        self.number = number


class TailRecovery:
    """The stage of a match in which its table looks for entries that its store has lost."""

    def __init__(
        self, live: HostedLog, returning_seconds: float, metrics: Metrics, now: float
    ) -> None:
        """`returning_seconds`: how long other seats are awaited once one is back."""
        self._live, self._metrics = live, metrics
        self._returning_seconds = returning_seconds
        self._step = live.setup.allowance.step
        self._since = now
        self._awaited = (
            set(range(live.setup.seats)) - live.status.gone if live.claim else set[int]()
        )
        # when somebody came back, or when what was lost was there again
        self._back: float | None = None
        # our heads that somebody has shown, as far as they are not compared with the log yet
        self._heads: dict[int, bytes] = {}
        # number of entries of which nobody can hold another head (nor of the first)
        self._vouched = max(1, len(live.records))
        self._counted = live.counted
        self._lacking = self._counted > live.log.next_number  # the store is known to lack entries
        # when what somebody has shown was asked for, or when some of it was given
        self._open: float | None = None
        self._given = 0  # entries that were given back since the first was lacking
        # number of the newest head of each party that has shown one
        self._holds: dict[Party, int] = {}
        self._asked: dict[Party, int] = {}  # parties that give, each with its next number
        self.waits = bool(live.claim)  # nothing new may be signed
        if self._lacking:
            log.error(
                "match %s: the store has lost entries from %d on", self._name, live.log.next_number
            )

    def hear(self, holds: HeldHead) -> None:
        """Take note of a head of ours, whose signature has been checked. Raises: Forked.
        GivesWay.
        """
        if self._heads.setdefault(holds.number, holds.hash) != holds.hash:
            raise Forked
        self.check()
        if holds.number < self._live.log.next_number:
            self._vouched = max(self._vouched, holds.number + 1)
        else:
            self._lacking = self.waits = True

    def came(self, party: Party, seat: int | None, holds: HeldHead | None, now: float) -> None:
        """Take note that a party is back, with a head that `hear` knows, if it has one."""
        if seat is None:
            return
        self._back = now if self._back is None else self._back
        if holds is not None:  # another program of a seat may hold more than one that shows nothing
            self._awaited.discard(seat)
            self._holds[party] = holds.number

    def left(self, party: Party) -> None:
        """Take note that a party has gone."""
        self._holds.pop(party, None)
        self._asked.pop(party, None)

    def may_ask_for(self, party: Party) -> int:
        """Return up to which number a party may ask for the log.

        That is as far as the store has entries, or as far as the party itself has.
        """
        return max(self._holds.get(party, -1) + 1, self._live.acknowledged)

    def take(self, party: Party, tail: LogTail) -> bool:
        """Take back entries from a party, to be stored. Return False if it was not asked.

        Raises: RemoteError if they are not what was asked for, or a head is not ours. Forked.
        GivesWay.
        LocalError if the table would not post today what it has signed.
        """
        expected = self._asked.get(party)
        if expected is None:
            return False
        if tail.first != expected:
            raise RemoteError(Code.BAD_MESSAGE)
        chain: Log = self._live.log
        hashes = check_tail(tail, chain.match_id, chain.setup.table.key)
        self._compare(enumerate(hashes, tail.first - 1))
        fresh = tail.records[chain.next_number - tail.first :]
        self._live.take_back(fresh)
        self._given += len(fresh)
        self._open = None if fresh else self._open
        self._asked[party] += len(tail.records)
        self._vouched = max(self._vouched, self._asked[party])
        if self._asked[party] > self._holds[party]:
            del self._asked[party]
        return True

    def check(self) -> None:
        """Compare the heads that parties have shown with the log, as far as it goes. Raises: Forked.
        GivesWay.
        """
        self._compare(self._heads.items())

    def requests(self, now: float) -> list[tuple[Party, int]]:
        """Return who is to be asked for entries, each with the number of the first.

        Call it when all of the log is stored. The recovery is over if `waits` is false afterwards.

        Raises: Forked. GivesWay. TailLost.
        """
        self.check()
        number = self._live.log.next_number
        self._heads = {head: hashed for head, hashed in self._heads.items() if head >= number}
        if not self.waits:
            return []
        asked = [
            (party, number)
            for party, head in self._holds.items()
            if head >= number and party not in self._asked
        ]
        for _ in asked:
            log.warning(
                "match %s: the store lacks entries from %d on; a player is asked",
                self._name,
                number,
            )
        self._asked.update(asked)
        self._note_lack(number, now)
        if (self._heads or self._awaited or self._lacking) and now < self.until:
            return asked
        if self._heads:
            raise TailLost("wrong.room.gone", number=number)
        self._end()
        return asked

    def _note_lack(self, number: int, now: float) -> None:
        """Start the waiting time anew when something begins to lack, or lacks no more."""
        if self._heads:
            self._open = now if self._open is None else self._open
            return
        self._open = None
        if self._lacking and number >= self._counted:
            self._lacking, self._back = False, now

    @property
    def safe_count(self) -> int:
        """Number of entries whose heads are safe to sign.

        Every seat that could hold a conflicting head for one of them has reported.
        """
        return (
            max(self._vouched, len(self._live.records))
            if self.waits
            else self._live.log.next_number
        )

    @property
    def is_active(self) -> bool:
        """Something waits, or a head that was shown is not compared yet."""
        return self.waits or bool(self._heads)

    @property
    def lacks(self) -> bool:
        """The match waits for entries that the store has lost."""
        return self.waits and self._lacking

    @property
    def until(self) -> float:
        """End of the waiting time, as things are now; infinity: nothing waits."""
        if not self.waits:
            return inf
        short, step = self._returning_seconds, self._step
        if self._open is not None:
            return self._open + max(step, LOST_TAIL_SECONDS)
        if self._back is None:
            return self._since + max(short, step)
        return self._back + (max(short, min(step, LOST_TAIL_SECONDS)) if self._lacking else short)

    def close(self) -> None:
        """Wait for nothing any more."""
        self.waits = False

    def _end(self) -> None:
        if self._lacking:
            log.error(
                "match %s: the store has lost entries that it had acknowledged, and nobody has them",
                self._name,
            )
        self.waits, self._lacking, self._counted = False, False, 0
        self._awaited.clear()
        if self._given:
            self._metrics.tails += 1
            log.warning(
                "match %s: players gave back %d entries that the store had lost",
                self._name,
                self._given,
            )
        self._given = 0

    def _compare(self, heads: Iterable[tuple[int, bytes]]) -> None:
        """Raises: Forked if a head of ours is not the one that the log has at its number. GivesWay if
        the log's entry there has no head.
        """
        hashes = self._live.log.chain_hashes
        signed = max(self._live.signed, self._vouched)
        wrong = [
            number for number, hashed in heads if number < len(hashes) and hashes[number] != hashed
        ]
        if wrong and min(wrong) < signed:
            raise Forked
        if wrong:
            raise GivesWay(min(wrong))

    @property
    def _name(self) -> str:
        return self._live.log.match_id.hex()[:8]
