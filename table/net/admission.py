"""Who may connect: how many at once and how many a second, from one address and in all. No socket
and no clock here.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

from table.config import Bounds
from table.net.token_bucket import TokenBucket, TokenBuckets

Peer = TypeVar("Peer", bound=Hashable)


class Refusal(StrEnum):
    """Why a connection is refused."""

    FULL = "full"  # too many connections
    CROWDED = "crowded"  # too many from its address
    HASTY = "hasty"  # too many a second from its address
    RUSH = "rush"  # too many a second from all addresses
    CLOSED = "closed"  # the table is closing


@dataclass
class Origin(Generic[Peer]):
    """An address, while anybody is connected from there. What it may still ask for is shared by all
    of them.
    """

    frames: TokenBucket
    requests: TokenBucket
    peers: int = 0
    half_open: dict[Peer, None] = field(default_factory=dict)  # oldest first


class Admission(Generic[Peer]):
    """The connections of one table manager, by address. `most` may be below `bounds.connections`
    (descriptors).
    """

    def __init__(self, bounds: Bounds, most: int) -> None:
        self._bounds, self._most = bounds, most
        self.peers = 0
        self.half_open = 0
        self._origins: dict[str, Origin[Peer]] = {}
        self._arrivals = TokenBucket(bounds.arrivals)
        self._arrivals_of = TokenBuckets(bounds.arrivals_per_address, bounds.addresses_kept)

    def knock(self, address: str, now: float) -> Refusal | None:
        """Somebody wants in: whether it is refused. Asked first, and cheap: nothing is set up for
        the peer yet.
        """
        if (refusal := self.crowded(address)) is not None:
            return refusal
        if not self._arrivals_of.take(address, now):
            return Refusal.HASTY
        return None if self._arrivals.take(now) else Refusal.RUSH

    def crowded(self, address: str) -> Refusal | None:
        """Whether there are too many connections for one more from this address."""
        if self.peers >= self._most:
            return Refusal.FULL
        origin = self._origins.get(address)
        return (
            Refusal.CROWDED
            if origin is not None and origin.peers >= self._bounds.per_address
            else None
        )

    def enter(self, peer: Peer, address: str) -> Peer | None:
        """Count a peer, who is half open until `greeted`; who has to make room for it, if anybody.

        That is the oldest half open of its own address, or else of the address that has most of
        them: whoever floods the table pushes out its own.
        """
        origin = self._origins.get(address)
        if origin is None:
            origin = Origin(
                TokenBucket(self._bounds.frames_per_address),
                TokenBucket(self._bounds.requests_per_address),
            )
            self._origins[address] = origin
        gives_way = self._gives_way(origin)
        origin.peers += 1
        origin.half_open[peer] = None
        self.peers += 1
        self.half_open += 1
        return gives_way

    def origin(self, address: str) -> Origin[Peer]:
        """The address of a peer that has entered and not left."""
        return self._origins[address]

    def greeted(self, peer: Peer, address: str) -> None:
        """The peer is half open no more: it has said hello, or is on its way out."""
        half_open = self._origins[address].half_open
        if peer in half_open:
            del half_open[peer]
            self.half_open -= 1

    def leave(self, peer: Peer, address: str) -> None:
        """The peer counts no more."""
        self.greeted(peer, address)
        origin = self._origins[address]
        origin.peers -= 1
        self.peers -= 1
        if not origin.peers:
            del self._origins[address]

    def _gives_way(self, origin: Origin[Peer]) -> Peer | None:
        if len(origin.half_open) < self._bounds.half_open_per_address:
            if self.half_open < self._bounds.half_open:
                return None
            origin = max(self._origins.values(), key=lambda each: len(each.half_open))
        return next(iter(origin.half_open))
