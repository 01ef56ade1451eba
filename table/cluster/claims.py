"""Which matches this host claims, and when; and which it has to give up, because others have
them.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from random import Random

from protocol.limits import MAX_CLAIMS, MAX_LOADING_LOST
from table.cluster.membership import Membership
from table.config import Pace
from table.lobby.matches import Matches
from table.match.hosted_match import HostedMatch
from table.storage.interface import MatchOwnership, OpenMatch
from table.storage.shared.store import SharedStore

log = logging.getLogger(__name__)


class Claims:
    """What is decided stands in `table.cluster.membership`, and what is believed in the store."""

    def __init__(
        self, view: Membership, store: SharedStore, matches: Matches, rng: Random, pace: Pace
    ) -> None:
        self._view, self._store, self._matches, self._rng, self._pace = (
            view,
            store,
            matches,
            rng,
            pace,
        )
        self._time = asyncio.get_running_loop().time
        self._wanted: dict[bytes, float] = {}  # matches that we are to claim, and when
        self._asked: set[bytes] = set()  # of those whose are asked about now
        # matches that run here, and have an older claim of another's
        self._doubted_since: dict[bytes, float] = {}
        # matches while loading which two hosts went silent, and the names of those hosts
        self.kept: dict[bytes, tuple[str, ...]] = {}
        self._let_go: set[bytes] = set()  # of these, what an operator lets go on
        self._scan_at = 0.0
        self._scanning = False

    def awaits(self, match_id: bytes) -> bool:
        """Whether a match is on its way to this host, whatever others still say of it."""
        return (
            match_id in self._wanted
            or match_id in self._asked
            or match_id in self._matches.claiming
        )

    def want(self, match_id: bytes) -> None:
        """Claim a match that is ours and does not run, if it can."""
        if self._may_want(match_id):
            self._wanted.setdefault(match_id, 0.0)

    def left_to_us(self, match_id: bytes) -> None:
        """Another host has released a match to this one."""
        self._wanted.setdefault(match_id, self._matches.left.until(match_id))

    def scan_soon(self) -> None:
        """Look into the store with the next look."""
        self._scan_at = self._time()

    def look(self, now: float) -> None:
        """Time has passed: what is due is asked about, and then claimed."""
        if now >= self._scan_at and not self._scanning:
            self._scanning, self._scan_at = True, now + self._pace.scan
            self._store.open_matches(self._scanned)
        for match_id in [match_id for match_id, due in self._wanted.items() if due <= now]:
            if len(self._asked) + len(self._matches.claiming) >= MAX_CLAIMS:
                break
            del self._wanted[match_id]
            if self._may_want(match_id):
                self._asked.add(match_id)
                self._store.owned(match_id, partial(self._claim, match_id))

    def doubt(self, match_id: bytes) -> None:
        """Another host says that it has a match of ours: if the store says so, too, it is not ours
        any more.
        """
        if isinstance(self._matches.feeds.get(match_id), HostedMatch):
            self._store.owned(match_id, self._doubted)

    def _doubted(self, owned: MatchOwnership | None) -> None:
        if owned is not None:
            self.missed(owned.match_id, owned)

    def missed(self, match_id: bytes, owned: MatchOwnership | None) -> bool:
        """Whether, as the store says, a match that runs here is another's, or was ended, while we
        slept: it stops here.

        What was read may be older than our own claim. If it says so for long, ours was lost, its
        number given again.
        """
        room = self._matches.feeds.get(match_id)
        if not isinstance(room, HostedMatch) or room.over or not room.stored:
            return False
        if owned is not None and owned.owner == self._view.me.name:
            self._doubted_since.pop(match_id, None)
            return False
        if owned is not None and owned.claim <= room.live.claim:
            since = self._doubted_since.setdefault(match_id, self._time())
            if self._time() - since < self._pace.scan:
                return False
        self._doubted_since.pop(match_id, None)
        room.give_up()
        return True

    def pass_on(self, give: Callable[[bytes, str], None], kept: OpenMatch) -> None:
        """What cannot go on here may be able to elsewhere. `give`: who says so, with the name of
        the host.
        """
        heir = self._view.successor(kept.match_id, self._view.me.rules)
        if heir is not None:
            self._store.release(
                kept.match_id, kept.claim, heir.name, partial(give, kept.match_id, heir.name)
            )
        else:
            self._store.carried(kept.match_id, kept.claim, lambda is_ours: None)

    def let_go_on(self, match_id: bytes) -> None:
        """An operator wants a match to be claimed, although hosts went silent that loaded it."""
        self._let_go.add(match_id)
        self.scan_soon()

    def _keeps(self, owned: MatchOwnership) -> bool:
        """Tell if a match is left to the operator: hosts went silent one after the other while they
        loaded it.
        """
        lost = tuple(each.name for each in owned.loading if not self._view.is_alive(each.run))
        match_id = owned.match_id
        if owned.over or len(lost) < MAX_LOADING_LOST or match_id in self._let_go:
            self.kept.pop(match_id, None)
            return False
        if self.kept.get(match_id) != lost:
            self.kept[match_id] = lost
            log.error(
                "match %s: hosts %s went silent while they loaded it; no host claims it until an "
                "operator says so: fairdeal cluster release STORE --match %s",
                match_id.hex()[:8],
                ", ".join(lost),
                match_id.hex(),
            )
        return True

    def _scanned(self, rows: Sequence[MatchOwnership]) -> None:
        self._scanning = False
        now = self._time()
        for owned in rows:
            if (
                self._may_want(owned.match_id)
                and self._view.is_ours(owned, now)
                and not self._keeps(owned)
            ):
                pause = (
                    0.0
                    if owned.owner == self._view.me.name
                    else self._rng.uniform(0, self._pace.pause)
                )
                self._wanted.setdefault(owned.match_id, now + pause)
        there = {owned.match_id for owned in rows}
        self.kept = {each: lost for each, lost in self.kept.items() if each in there}
        self._let_go &= there
        ours = {owned.match_id for owned in rows if owned.owner == self._view.me.name}
        self._doubted_since = {
            each: at
            for each, at in self._doubted_since.items()
            if each in self._matches.feeds and each not in ours
        }
        for match_id, feed in self._matches.feeds.items():
            if isinstance(feed, HostedMatch) and feed.stored and match_id not in ours:
                self._store.owned(match_id, partial(self.missed, match_id))
        orphans = sum(self._view.orphaned(owned) for owned in rows)
        if orphans:
            log.warning("%d matches wait: no host is there that has their rules", orphans)

    def _may_want(self, match_id: bytes) -> bool:
        if isinstance(self._matches.feeds.get(match_id), HostedMatch):
            return False
        return self._matches.left.until(match_id) <= self._time()

    def _claim(self, match_id: bytes, owned: MatchOwnership | None) -> None:
        """Somebody else may have claimed it meanwhile, or we did, in vain."""
        self._asked.discard(match_id)
        if (
            owned is not None
            and self._may_want(match_id)
            and self._view.is_ours(owned, self._time())
            and not self._keeps(owned)
        ):
            self._let_go.discard(match_id)
            self._matches.take(match_id)
