"""A match that is over and lacks heads when it is read again: who comes back is heard before these
are signed.

The table may have lost an end, had another one stored in its place, and been killed before it
signed that: then the first one has its signature, and signing this one is a second head. So the
same holds as for a match that runs.
"""

import asyncio
import logging
from collections.abc import Callable

from protocol.limits import LOST_TAIL_SECONDS, SIGNER_RETRY_SECONDS
from protocol.match.log import Log
from protocol.messages.tail import HeldHead
from table.match.tail_recovery import Forked
from table.metrics import Metrics
from table.signer.signer import SignerGone
from table.storage.interface import OpenMatch

log = logging.getLogger(__name__)


class EndRecovery:
    """One of them, until `sign` has signed it, or cannot; or it has forked, and stays as it is."""

    def __init__(
        self, kept: OpenMatch, chain: Log, short: float, metrics: Metrics, sign: Callable[[], None]
    ) -> None:
        """`chain`: of these records; `short`: seconds for which others are awaited once somebody is
        back; while nobody is, a step of the match if that is longer, and five minutes at most:
        mostly all have seen the end, and nobody comes, and whoever runs the table waits for the
        file. `sign` raises SignerGone while it cannot be told."""
        self._chain, self._metrics, self._sign = chain, metrics, sign
        self.match_id, self.claim = kept.match_id, kept.claim
        self._loop = asyncio.get_running_loop()
        self.people = frozenset(person.identity for person in chain.setup.people)
        self._awaited = set(self.people)  # who has not shown a head
        self._forked = False
        step = chain.setup.allowance.step
        self._short = short
        self._timer = self._loop.call_later(max(short, min(step, LOST_TAIL_SECONDS)), self._try)

    def came(self, identity: bytes, holds: HeldHead | None) -> bool:
        """One of its people is back, with this head of ours, whose signature has been checked;
        whether its end is signed now. Raises: Forked, then and from then on."""
        if self._forked or (holds is not None and not self._fits(holds)):
            self._stop()
            raise Forked
        if holds is not None:
            self._awaited.discard(identity)
        if self._awaited and (holds is None or holds.number < len(self._chain.chain_hashes) - 1):
            self._hurry()
            return False
        self.close()
        return self._try()

    def close(self) -> None:
        """Nothing is signed any more."""
        self._timer.cancel()

    def _fits(self, holds: HeldHead) -> bool:
        return (
            holds.number < len(self._chain.chain_hashes)
            and self._chain.chain_hashes[holds.number] == holds.hash
        )

    def _stop(self) -> None:
        self.close()
        if not self._forked:
            self._forked = True
            self._metrics.forks += 1
            text = (
                "match %s is over, and its end is not signed: a player has another one that this "
                "table has signed"
            )
            log.error(text, self._chain.match_id.hex()[:8])

    def _try(self) -> bool:
        """Whether it is signed, or never will be; while the signer is away, it is asked again."""
        try:
            self._sign()
        except SignerGone:
            self._timer = self._loop.call_later(SIGNER_RETRY_SECONDS, self._try)
            return False
        return True

    def _hurry(self) -> None:
        until = min(self._timer.when(), self._loop.time() + self._short)
        self._timer.cancel()
        self._timer = self._loop.call_at(until, self._try)
