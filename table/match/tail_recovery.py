"""After a claim: a log may have been longer than what the store has of it. Players hold every entry
with our head.

So nothing new is signed before every seat has come back with the newest head that it holds, or its
time for that is over. Whoever holds more is asked for it, whenever it comes. Its word does not
count, only our own signature: a head of ours for a number that another entry of ours has is a fork,
and the match stops; one beyond our log must be given back before anything is signed, for any other
entry at its number would be a second one. If nobody does, the match stops.

What the store's own books count beyond its records is no such head: a host may have been stopped
before anybody was sent it, and then nobody can give it. So it is awaited for the long time, and not
for ever.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable

from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.limits import LOST_TAIL_SECONDS, MAX_HELD
from protocol.match.log import Log
from protocol.messages import table as messages
from protocol.messages.tail import HeldHead, LogTail, check_tail
from table.match.live_match import LiveMatch
from table.match.log_broadcaster import Party
from table.match.pending import IncomingEntry
from table.metrics import Metrics

log = logging.getLogger(__name__)


class TailLost(LocalError):
    """Nobody gives what somebody has shown."""


class Forked(Exception):
    """Two heads of this table are about one number."""


class TailRecovery:
    """What a room waits for before it signs anything new, and what waits with it."""

    def __init__(
        self,
        live: LiveMatch,
        short: Callable[[], float],
        metrics: Metrics,
        go_on: Callable[[], None],
    ) -> None:
        """`short`: the seconds for which seats are awaited once one is back. `go_on` is called when
        `look` may have something to do: nothing here calls the room otherwise."""
        self._live, self._short, self._metrics, self._go_on = live, short, metrics, go_on
        self._step = live.match.setup.allowance.step
        self._loop = asyncio.get_running_loop()
        self._since = self._loop.time()
        self._awaited = (
            set(range(live.match.setup.seats)) - live.match.gone if live.claim else set()
        )
        self._back: float | None = None  # when somebody came back, or what was lost was there again
        # ours, that somebody has shown, beyond what was looked at
        self._heads: dict[int, bytes] = {}
        # entries of which nobody can hold another head (nor of the first)
        self._vouched = max(1, len(live.records))
        self._counted = live.counted
        self._lacking = (
            self._counted > live.log.next_number
        )  # the store is known to have lost something
        # when what somebody has shown was asked for, or some of it was given
        self._open: float | None = None
        self._given = 0  # entries that were given back, since anything was lacking
        self._holds: dict[Party, int] = {}  # the number of the newest head of each who said so
        self._asked: dict[Party, int] = {}  # who gives, and the number that it must give next
        self._posts: list[IncomingEntry] = []
        self._timer: asyncio.TimerHandle | None = None
        self.waits = bool(live.claim)  # nothing new may be signed
        if self._lacking:
            log.error(
                "match %s: the store has lost entries from %d on", self._name, live.log.next_number
            )

    def hear(self, holds: HeldHead) -> None:
        """A head of ours, whose signature has been checked, is shown. Raises: Forked."""
        if self._heads.setdefault(holds.number, holds.hash) != holds.hash:
            raise Forked
        self.check()
        if holds.number < self._live.log.next_number:
            self._vouched = max(self._vouched, holds.number + 1)
        else:
            self._lacking = self.waits = True

    def came(self, party: Party, seat: int | None, holds: HeldHead | None) -> None:
        """A party is back, with this head of ours, which was heard before."""
        if seat is None:
            return
        self._back = self._loop.time() if self._back is None else self._back
        if holds is not None:  # another program of a seat may hold more than one that shows nothing
            self._awaited.discard(seat)
            self._holds[party] = holds.number

    def left(self, party: Party) -> None:
        """A party has gone."""
        self._holds.pop(party, None)
        self._asked.pop(party, None)

    def may_ask_for(self, party: Party) -> int:
        """Up to which number a party may ask for the log: what it holds will be there, and what is
        stored.
        """
        return max(self._holds.get(party, -1) + 1, self._live.acknowledged)

    def keeps(self, post: IncomingEntry) -> bool:
        """Whether an entry is taken later. The same bytes once more are one; who sends too many is
        cut off.
        """
        if not self.waits:
            return False
        for place, old in enumerate(self._posts):
            if old.raw == post.raw:
                self._posts[place] = post
                return True
        if sum(old.seat == post.seat for old in self._posts) >= MAX_HELD:
            post.author.cut_off()
        else:
            self._posts.append(post)
        return True

    def take(self, party: Party, tail: LogTail) -> bool:
        """Take back what a party gives, to be stored; False if it was not asked.

        Raises: RemoteError if it is not what was asked for, or a head is not ours. Forked.
        LocalError if we would not say today what we have signed.
        """
        expected = self._asked.get(party)
        if expected is None:
            return False
        if tail.first != expected:
            raise RemoteError(Code.BAD_MESSAGE)
        chain: Log = self._live.log
        hashes = check_tail(tail, chain.match_id, chain.setup.table.key)
        _compare(enumerate(hashes, tail.first - 1), chain.chain_hashes)
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
        """Raises: Forked if a head that somebody has shown is not the one at its number, signed
        already or not.
        """
        _compare(self._heads.items(), self._live.log.chain_hashes)

    def look(self) -> list[IncomingEntry] | None:
        """Ask who can be asked, when all of the log is stored; what waited, if nothing has to wait
        any more.

        Raises: Forked. Gone.
        """
        self.check()
        number = self._live.log.next_number
        self._heads = {head: hashed for head, hashed in self._heads.items() if head >= number}
        if not self.waits:
            return None
        for party in [
            party
            for party, head in self._holds.items()
            if head >= number and party not in self._asked
        ]:
            log.warning(
                "match %s: the store lacks entries from %d on; a player is asked",
                self._name,
                number,
            )
            self._asked[party] = number
            party.send(messages.encode("missing", self._live.log.match_id, number))
        self._see_what_lacks(number)
        if (self._heads or self._awaited or self._lacking) and self._loop.time() < self._until:
            self._look_again()
            return None
        if self._heads:
            raise TailLost("wrong.room.gone", number=number)
        return self._end()

    def _see_what_lacks(self, number: int) -> None:
        """With this number of entries: who is still away is awaited anew when nothing lacks any
        more.
        """
        if self._heads:
            self._open = self._loop.time() if self._open is None else self._open
            return
        self._open = None
        if self._lacking and number >= self._counted:
            self._lacking, self._back = False, self._loop.time()

    @property
    def sure(self) -> int:
        """Of how many entries the heads may be signed: had another entry stood at one of these
        numbers once, whose head was shown, somebody would have said so by now."""
        return (
            max(self._vouched, len(self._live.records))
            if self.waits
            else self._live.log.next_number
        )

    @property
    def lacks(self) -> bool:
        """Whether all wait for something that the store has lost."""
        return self.waits and self._lacking

    def close(self) -> None:
        """Nothing waits any more; who has sent an entry still has it."""
        self.waits = False
        self._stop_timer()
        self._posts.clear()

    def _end(self) -> list[IncomingEntry]:
        if self._lacking:
            log.error(
                "match %s: the store has lost entries that it had acknowledged, and nobody has them",
                self._name,
            )
        self.waits, self._lacking, self._counted = False, False, 0
        self._awaited.clear()
        self._stop_timer()
        if self._given:
            self._metrics.tails += 1
            log.warning(
                "match %s: players gave back %d entries that the store had lost",
                self._name,
                self._given,
            )
        self._given, posts, self._posts = 0, self._posts, []
        return posts

    @property
    def _until(self) -> float:
        short, step = self._short(), self._step
        if self._open is not None:
            return self._open + max(step, LOST_TAIL_SECONDS)
        if self._back is None:
            return self._since + max(short, step)
        return self._back + (max(short, min(step, LOST_TAIL_SECONDS)) if self._lacking else short)

    def _look_again(self) -> None:
        self._stop_timer()
        self._timer = self._loop.call_at(self._until, self._go_on)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    @property
    def _name(self) -> str:
        return self._live.log.match_id.hex()[:8]


def _compare(heads: Iterable[tuple[int, bytes]], hashes: list[bytes]) -> None:
    """Raises: Forked if a head of ours is not the one that the log has at its number, as far as
    that goes.
    """
    for number, hashed in heads:
        if number < len(hashes) and hashes[number] != hashed:
            raise Forked
