"""Token buckets, which bound a burst and a rate in the long run. Pure: the time comes in."""

from collections.abc import Hashable

from table.config import Rate

_ROUNDING = 1e-6  # seconds; rounding errors of a sum of fractions stay below


class TokenBucket:
    """A token bucket, full at first. `full_at`: time at which it will be full again, in seconds; this
    is all of its state.
    """

    __slots__ = ("_per_second", "_slack", "full_at")

    def __init__(self, rate: Rate) -> None:
        burst, self._per_second = rate
        # seconds to fullness at which one token is left
        self._slack = (burst - 1) / self._per_second
        self.full_at = 0.0

    def wait(self, now: float) -> float:
        """Return the seconds until there is one token; 0 if there is one."""
        seconds = self.full_at - now - self._slack
        return seconds if seconds > _ROUNDING else 0.0

    def tokens(self, now: float) -> int:
        """Return the number of tokens."""
        spare = self._slack - max(self.full_at - now, 0.0) + _ROUNDING
        return int(spare * self._per_second) + 1 if spare >= 0 else 0

    def spend(self, now: float, tokens: float = 1) -> None:
        """Remove tokens, also more than there are."""
        full_at = self.full_at
        self.full_at = (full_at if full_at > now else now) + tokens / self._per_second

    def take(self, now: float) -> bool:
        """Remove one token. Return False, and remove nothing, if there is none."""
        if self.wait(now):
            return False
        self.spend(now)
        return True


class TokenBuckets:
    """A bucket for each key. One that is full again is forgotten, and so is the oldest of more than
    `most`.
    """

    def __init__(self, rate: Rate, most: int) -> None:
        self._rate, self._most = rate, most
        self._buckets: dict[Hashable, TokenBucket] = {}  # the one touched last is last

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, key: Hashable, now: float) -> bool:
        """Remove one token from the bucket of this key. Return False if there is none."""
        taken = self._touched(key).take(now)
        self._forget(now)
        return taken

    def wait(self, key: Hashable, now: float) -> float:
        """Return the seconds until there is one token in the bucket of this key; 0 if there is one."""
        bucket = self._buckets.get(key)
        return 0.0 if bucket is None else bucket.wait(now)

    def spend(self, key: Hashable, now: float, tokens: float) -> float:
        """Remove tokens from the bucket of this key, also more than there are. Return the seconds until
        there is one.
        """
        bucket = self._touched(key)
        bucket.spend(now, tokens)
        self._forget(now)
        return bucket.wait(now)

    def _touched(self, key: Hashable) -> TokenBucket:
        bucket = self._buckets.pop(key, None) or TokenBucket(self._rate)
        self._buckets[key] = bucket
        return bucket

    def _forget(self, now: float) -> None:
        buckets = self._buckets
        # one came on top at most, so their number shrinks while there is anything to forget
        for _ in range(2):
            oldest = next(iter(buckets), None)
            if oldest is None:
                break
            if buckets[oldest].full_at > now and len(buckets) <= self._most:
                break
            del buckets[oldest]
