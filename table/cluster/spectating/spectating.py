"""Who watches at this host what another one has: so many matches at once, of so many bytes in
all.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from protocol.codes import Code
from protocol.match.log import Record
from table.cluster.spectating.followed_broadcaster import FollowedBroadcaster
from table.cluster.spectating.followed_match import FollowedMatch, Tell
from table.config import Config
from table.lobby.tables import Declined
from table.match.log_broadcaster import LogBroadcaster, Party
from table.match.read_schedule import ReadSchedule
from table.metrics import Metrics
from table.signer.signer import Key
from table.storage.interface import NewClaim
from table.storage.shared.store import SharedStore


class Spectating:
    """The matches that are read for who watches; the `Keeper` of their feeds. Nothing is signed for
    them here.
    """

    def __init__(
        self,
        store: SharedStore,
        key: Key,
        config: Config,
        metrics: Metrics,
        elsewhere: Callable[[bytes], str],
        reading: ReadSchedule,
    ) -> None:
        """`elsewhere`, `reading`: see `Keeper`."""
        assert config.cluster is not None
        self.metrics, self.identity, self._elsewhere = metrics, key, elsewhere
        self.reading, self._bounds = reading, config.bounds
        self._store, self._config, self._poll = store, config, config.cluster.pace.poll
        self._followed: dict[bytes, FollowedMatch] = {}
        self._first = asyncio.Lock()  # see `FollowedMatch`

    def configure(self, config: Config) -> None:
        """Take new bounds for those who watch."""
        self._config = config
        for followed in self._followed.values():
            if followed.feed is not None:
                followed.feed.bounds = config.bounds

    @property
    def matches(self) -> tuple[bytes, ...]:
        """Those that are read."""
        return tuple(self._followed)

    def find(self, match_id: bytes, tell: Tell) -> None:
        """Call this with a match as it stands in the store; with None if its owner is to be asked
        instead.
        """
        followed = self._followed.get(match_id)
        if followed is None:
            if (
                len(self._followed) >= self._bounds.followed
                or self._held() >= self._bounds.followed_bytes
            ):
                tell(None)
                return
            following, make = (
                self._store.following(match_id, self.identity.public),
                partial(self._feed, match_id),
            )
            followed = self._followed[match_id] = FollowedMatch(
                following, make, self._poll, self._fits, self._first
            )
        followed.ask(tell)

    def enter(
        self, party: Party, elsewhere: Callable[[], None], feed: FollowedBroadcaster | None
    ) -> None:
        """Let somebody watch, if there is room; `elsewhere`: have it asked there. Raises:
        Declined.
        """
        if feed is None or feed.over or not feed.has_place(party.address):
            elsewhere()
            return
        if feed.seat_of(party.identity) is not None:
            raise Declined(Code.ALREADY_SEATED)
        self.metrics.followed += 1
        feed.enter(party)

    def hint(self, match_id: bytes, first: int, heads: Sequence[bytes]) -> None:
        """A match's owner says what it has signed last, from this number on; that is believed if it
        fits.
        """
        if match_id in self._followed:
            self._followed[match_id].hint(first, heads)

    def look(self) -> None:
        """Time has passed: what nobody watches any more is forgotten."""
        for match_id in [
            match_id for match_id, followed in self._followed.items() if followed.idle
        ]:
            self._followed.pop(match_id).close()

    def send_away(self, address_of: Callable[[bytes], str]) -> None:
        """This host cannot go on reading: who watches is told where to go."""
        # one that is over is settled when the last one leaves
        for match_id, followed in list(self._followed.items()):
            if followed.feed is not None and (address := address_of(match_id)):
                followed.feed.send_away(address)

    def close(self) -> None:
        """Nothing is read any more."""
        for followed in self._followed.values():
            followed.close()
        self._followed.clear()

    # --- Keeper ---

    def elsewhere(self, match_id: bytes) -> str:
        """See `Keeper`."""
        return self._elsewhere(match_id)

    def match_over(self, feed: LogBroadcaster) -> None:
        """See `Keeper`: the owner sees to that."""

    def match_settled(self, feed: LogBroadcaster) -> None:
        """See `Keeper`."""
        if (followed := self._followed.pop(feed.match_id, None)) is not None:
            followed.close()

    def match_lost(self, feed: LogBroadcaster) -> None:
        """See `Keeper`."""

    def claim_again(self, feed: LogBroadcaster, again: NewClaim) -> None:
        """See `MatchOwner`: who only reads a match claims nothing."""

    def match_stopped(self, feed: LogBroadcaster) -> None:
        """See `Keeper`: nothing of it is signed here."""

    def _feed(self, match_id: bytes, records: Sequence[Record]) -> FollowedBroadcaster:
        return FollowedBroadcaster(match_id, records, self._config, self)

    def _held(self) -> int:
        return sum(followed.size for followed in self._followed.values())

    def _fits(self, followed: FollowedMatch) -> bool:
        """If it is too much in all, the largest goes."""
        held = [each.size for each in self._followed.values()]
        return sum(held) < self._bounds.followed_bytes or followed.size < max(held)
