"""Regular removal of finished matches from the store, and of what is said of tables that have gone,
by one of the hosts.

Rendezvous hashing says which host. If two take themselves for it, both remove the same.
"""

import asyncio
import logging

from protocol.limits import PRUNE_PAUSE_SECONDS
from table.cluster.membership import Membership, chosen
from table.config import MIB, Bounds
from table.metrics import Metrics
from table.storage.shared.pruning import PruneLimits, StorePass
from table.storage.shared.store import SharedStore

DAY = 86_400.0  # seconds
_WORK = b"pruning of the store"  # of which one host is in charge

log = logging.getLogger(__name__)


class StorePruning:
    """Removal of finished matches by this host, while it is in charge."""

    def __init__(
        self, view: Membership, store: SharedStore, bounds: Bounds, metrics: Metrics
    ) -> None:
        self._view, self._store, self._bounds, self._metrics = view, store, bounds, metrics
        self._failed = False  # the last look

    def configure(self, bounds: Bounds) -> None:
        """Take over new limits, with the next look."""
        self._bounds = bounds

    @property
    def in_charge(self) -> bool:
        """True if this host is the one that looks."""
        return chosen(_WORK, self._view.taking()) == self._view.me.name

    async def run(self) -> None:
        """Look every few minutes, until this is stopped."""
        while True:
            await asyncio.sleep(self._view.pace.prune)
            if not self.in_charge:
                self._metrics.store_held = None
                continue
            try:
                await self.look()
                self._failed = False
            except Exception as error:  # whatever it is, the next look must come
                self._metrics.prune_failures += 1
                if not self._failed:
                    log.warning(
                        "finished matches stay in the store: it does not answer, or does not let "
                        "this host remove them; docs/cluster.md says what it needs (%s)",
                        type(error).__name__,
                    )
                self._failed = True

    async def look(self) -> None:
        """Remove what is above the limits, in turns. Raises: Unanswered."""
        await self._store.trim_lobby()
        bounds = self._bounds
        limits = PruneLimits(bounds.store_days * DAY, bounds.store_mib * MIB)
        looking = self._store.prune(limits)
        try:
            more = True
            while more and self.in_charge:
                more = await self._turn(looking)
                await asyncio.sleep(PRUNE_PAUSE_SECONDS if more else 0)
        finally:
            if looking.is_counted:
                self._report(looking, bounds.store_mib * MIB)

    def _report(self, looking: StorePass, most: int) -> None:
        """Tell metrics and log what is gone and what stays. `most`: bytes that may stay."""
        left = looking.left
        self._metrics.store_held = left.subjects, left.size, max(0, left.size - most)
        if looking.gone:
            log.info(
                "%d finished matches have left the store (%d kB); %d matches are there (%d kB)",
                looking.gone,
                looking.gone_size // 1000,
                left.subjects,
                left.size // 1000,
            )

    async def by_hand(self, limits: PruneLimits, dry: bool) -> StorePass:
        """Remove what is above these limits, or only count it, at once. Raises: Unanswered."""
        looking = self._store.prune(limits)
        if dry:
            await looking.survey()
        else:
            while await self._turn(looking):
                pass
        return looking

    async def _turn(self, looking: StorePass) -> bool:
        before, size = looking.gone, looking.gone_size
        try:
            return await looking.turn()
        finally:
            self._metrics.pruned += looking.gone - before
            self._metrics.pruned_bytes += looking.gone_size - size
