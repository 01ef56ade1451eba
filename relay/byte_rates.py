"""Rates of bytes that several connections share: those of one address, or of one table."""

from collections import Counter

from table.config import Rate
from table.net.token_bucket import TokenBucket


class SharedRates:
    """A bucket for each key. A bucket without users is kept until it is full again, so nobody gets a
    new one by coming again.
    """

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._buckets: dict[str, TokenBucket] = {}
        self._users: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._buckets)

    def enter(self, key: str) -> TokenBucket:
        """Return the bucket for one more user."""
        self._users[key] += 1
        return self._buckets.setdefault(key, TokenBucket(self._rate))

    def leave(self, key: str) -> None:
        """Remove one user."""
        self._users[key] -= 1
        if not self._users[key]:
            del self._users[key]

    def forget(self, now: float) -> None:
        """Forget full buckets without users."""
        for key, bucket in list(self._buckets.items()):
            if key not in self._users and bucket.full_at <= now:
                del self._buckets[key]
