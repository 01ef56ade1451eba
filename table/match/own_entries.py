"""What a room has signed, where the key is a signer's: an answer takes a while, and the match waits
for it.

With a key at hand nothing here ever waits.
"""

import logging
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

from protocol.errors import Refused
from protocol.limits import MAX_HELD
from protocol.match.clock import CLOCK_KINDS
from protocol.match.log import decode_entry
from protocol.match.refusal import unsigned_refusal
from table.match.live_match import LiveMatch
from table.match.log_broadcaster import send_refusal
from table.match.pending import IncomingEntry, PendingRefusal
from table.signer.signer import Denied

log = logging.getLogger(__name__)


class OwnEntries:
    """Entries of the table's own that are not signed yet, and what has come meanwhile."""

    def __init__(
        self,
        live: LiveMatch,
        waited: Callable[[int], float],
        take: Callable[[IncomingEntry], None],
        publish: Callable[[], None],
        stop: Callable[[], None],
    ) -> None:
        """`waited`: for how many seconds a seat has been waited for. `take` is called with each
        post that had to wait, `publish` when something new stands; `stop` if the signer refuses:
        the match stays in the store as it is."""
        self._live, self._waited = live, waited
        self._take, self._publish, self._stop = take, publish, stop
        self._waiting: deque[IncomingEntry] = deque()
        self._asked = False
        self._closed = False
        self._heads_asked = False  # heads are on their way from the signer
        self._word = b""  # about time, signed and not due

    @property
    def away(self) -> bool:
        """Whether nobody's time may run: who answered now could be told nothing."""
        return self._live.signer.away

    @property
    def early(self) -> bool:
        """Whether the signer will sign no word about time here but one that is not due yet."""
        return bool(self._word) and self._is_early(self._word)

    @property
    def lacking(self) -> bool:
        """Whether something is stored whose head nobody has been asked for yet."""
        return self._live.acknowledged > len(self._live.records) and not self._heads_asked

    def sign(self, count: int, headed: Callable[[int], None]) -> None:
        """Have the heads of so many entries signed, as far as these are stored; `headed` with the
        first number.
        """
        first, count = len(self._live.records), min(count, self._live.acknowledged)
        if count > first and not self._heads_asked:
            self._heads_asked = True
            self._live.sign(count, partial(self._headed, headed, first), self.denied)

    def holds(self, post: IncomingEntry) -> bool:
        """Whether a post has to wait. The same bytes once more are one post; who sends too many is
        cut off.
        """
        if not self._live.owes:
            return False
        of_seat = [held for held in self._waiting if held.seat == post.seat]
        again = next((held for held in of_seat if held.raw == post.raw), None)
        if again is not None:
            self._waiting[self._waiting.index(again)] = again._replace(author=post.author)
        elif len(of_seat) >= MAX_HELD:
            post.author.cut_off()
        else:
            self._waiting.append(post)
        return True

    def pay(self) -> None:
        """Have signed what the table owes, once all before it has its head."""
        live = self._live
        if (
            live.owes
            and not self._asked
            and not self._closed
            and len(live.records) == live.log.next_number
        ):
            self._asked = True
            live.signer.submit([live.owed()], self._signed, self.denied)

    def denied(self, why: Denied) -> None:
        """The signer refuses: here it will be asked no more."""
        if not self._closed:
            name, last = self._live.log.match_id.hex()[:8], len(self._live.records) - 1
            log.error(
                "match %s stops after entry %d, the signer refuses: %s", name, last, why.value
            )
            self._stop()

    def refuse(self, each: PendingRefusal) -> None:
        """Have a refusal signed, and tell its author."""
        live = self._live
        send_refusal(
            live.signer,
            live.log.match_id,
            each.author,
            unsigned_refusal(each.raw, each.seen, each.code),
        )

    def close(self) -> None:
        """Nothing is taken any more. Who has sent it still has it."""
        self._closed = True
        self._waiting.clear()

    def _headed(self, headed: Callable[[int], None], first: int) -> None:
        self._heads_asked = False
        headed(first)

    def _signed(self, answers: Sequence[bytes]) -> None:
        if self._closed:
            return
        self._asked = False
        try:
            self._settle(answers[0])
        except Refused:  # it stood when it was signed; so these are other rules, or another log
            self.denied(Denied.FORK)
            return
        while self._waiting and not self._live.owes:
            self._take(self._waiting.popleft())
        self._publish()

    def _settle(self, raw: bytes) -> None:
        """What was owed stands; unless it is a word about time from before a crash, or before the
        signer was away, that is not due now that all are waited for anew: said it is when it is,
        unless somebody acts first. Raises: Refused.
        """
        if self._is_early(raw):
            self._word = raw
            self._live.forgo()
        else:
            self._live.pay(raw)

    def _is_early(self, raw: bytes) -> bool:
        entry = decode_entry(raw)
        if (
            entry.kind not in CLOCK_KINDS
            or (entry.seen_number, entry.seen_hash) != self._live.log.newest_head
        ):
            return False
        match entry.body:
            case [int(seat), int(milliseconds)] if 0 <= seat < self._live.match.setup.seats:
                return self._waited(seat) * 1000 < milliseconds
        return False
