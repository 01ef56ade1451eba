"""Recovery of a match that is over and whose last heads are missing. The table hears its players
before it signs them.

The table may have lost an end that it had signed, stored another one in its place, and been killed
before it signed that. Then its signature under the stored end would be a second head. So the rule is
the same as for a running match.
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
    """Recovery of one match, until `sign` has signed its heads. A match that has forked stays
    unsigned.
    """

    def __init__(
        self, kept: OpenMatch, chain: Log, short: float, metrics: Metrics, sign: Callable[[], None]
    ) -> None:
        """`chain`: of the records of `kept`. `short`: seconds to wait for other players after one is
        back. Before that the table waits for a step of the match, if that is longer, but at most
        LOST_TAIL_SECONDS: mostly all players have seen the end, and the host waits for the log file.
        `sign` raises SignerGone while the signer is away.
        """
        self._chain, self._metrics, self._sign = chain, metrics, sign
        self.match_id, self.claim = kept.match_id, kept.claim
        self._loop = asyncio.get_running_loop()
        self.people = frozenset(person.identity for person in chain.setup.people)
        self._awaited = set(self.people)  # people who have shown no head
        self._forked = False
        step = chain.setup.allowance.step
        self._short = short
        self._timer = self._loop.call_later(
            max(short, min(step, LOST_TAIL_SECONDS)), self._try_to_sign
        )

    def came(self, identity: bytes, holds: HeldHead | None) -> bool:
        """Hear one of the people, who holds this head of ours, with a checked signature. Return True
        if the end is signed now. Raises: Forked, also in all later calls.
        """
        if self._forked or (holds is not None and not self._is_in_log(holds)):
            self._stop()
            raise Forked
        if holds is not None:
            self._awaited.discard(identity)
        if self._awaited and (holds is None or holds.number < len(self._chain.chain_hashes) - 1):
            self._shorten_wait()
            return False
        self.close()
        return self._try_to_sign()

    def close(self) -> None:
        """Stop the timer: nothing is signed any more."""
        self._timer.cancel()

    def _is_in_log(self, holds: HeldHead) -> bool:
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

    def _try_to_sign(self) -> bool:
        """Have the heads signed. Return False if the signer is away; then try again later."""
        try:
            self._sign()
        except SignerGone:
            self._timer = self._loop.call_later(SIGNER_RETRY_SECONDS, self._try_to_sign)
            return False
        return True

    def _shorten_wait(self) -> None:
        until = min(self._timer.when(), self._loop.time() + self._short)
        self._timer.cancel()
        self._timer = self._loop.call_at(until, self._try_to_sign)
