"""Who may connect: how many at once and how many a second, from one address and in all. No socket
and no clock here.

A connection for which there is no place may wait outside, until its first message has shown whether
it has a ticket. With one it has a few seconds to prove the key of the ticket's seat, and then gets a
place in the reserve, if there is no other. Whatever has a place outside, as a bearer of a ticket or
in the reserve, is not counted among the others.
"""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, NamedTuple, TypeVar

from table.config import Bounds
from table.net.addresses import wider_groups, widest_group
from table.net.fair_slots import FairSlots
from table.net.tickets import TicketSeat
from table.net.token_bucket import TokenBucket, TokenBuckets

Peer = TypeVar("Peer", bound=Hashable)


class Refusal(StrEnum):
    """Why a connection is refused."""

    FULL = "full"  # too many connections
    CROWDED = "crowded"  # too many from its address
    HASTY = "hasty"  # too many a second from its address
    RUSH = "rush"  # too many a second from all addresses
    CLOSED = "closed"  # the table is closing

    @property
    def of_address(self) -> bool:
        """The reason is what this address has done, and not the load of all addresses."""
        return self in (Refusal.CROWDED, Refusal.HASTY)


class Knock(NamedTuple):
    """The ways in which a newcomer is treated."""

    comes: bool  # False: it is turned away at once
    refusal: Refusal | None  # why there is no place for it, if there is none


@dataclass
class Origin(Generic[Peer]):
    """An address, while anybody is connected from there. What it may still ask for is shared by all
    of them.
    """

    frames: TokenBucket
    requests: TokenBucket
    peers: int = 0  # that count
    others: int = 0  # beyond the bounds
    half_open: dict[Peer, None] = field(default_factory=dict)  # oldest first


class Admission(Generic[Peer]):
    """The connections of one table manager, by address. `most` may be below `bounds.connections`
    (descriptors).
    """

    def __init__(self, bounds: Bounds, most: int) -> None:
        self._kept = bounds.addresses_kept
        self._uncounted: set[Peer] = set()
        self._outside: FairSlots[Peer] = FairSlots(bounds.outside, bounds.outside_of_address)
        self._bearers: FairSlots[Peer] = FairSlots(
            bounds.tickets_shown, bounds.tickets_shown_of_address
        )
        self._bearer_of: dict[TicketSeat, Peer] = {}  # one of each seat
        self._reserve: FairSlots[Peer] = FairSlots(bounds.reserve)
        self._outside_of = TokenBuckets(bounds.outside_per_address, bounds.addresses_kept)
        self.peers = 0
        self.half_open = 0
        # addresses with half open ones: they are few, however many are connected
        self._opening: dict[str, Origin[Peer]] = {}
        self._origins: dict[str, Origin[Peer]] = {}
        self._connected: Counter[str] = Counter()  # by the /56 and the /48 of an IPv6 address
        self.configure(bounds, most)

    def configure(self, bounds: Bounds, most: int) -> None:
        """Count by these bounds from now on; places outside and in the reserve stay as they were.
        What has arrived so far is forgotten.
        """
        self._bounds, self._most, kept = bounds, most, self._kept
        self._arrivals = TokenBucket(bounds.arrivals)
        self._arrivals_of = TokenBuckets(bounds.arrivals_per_address, kept)
        self._rare = TokenBucket(bounds.rare_arrivals)
        self._rare_of = TokenBuckets(bounds.rare_arrivals_per_address, kept)
        # of the /56 and the /48: connections that may be, and arrivals
        self._most_of = (bounds.per_customer, bounds.per_organisation)
        self._arrivals_of_group = (
            TokenBuckets(bounds.arrivals_per_customer, kept),
            TokenBuckets(bounds.arrivals_per_organisation, kept),
        )

    def knock(self, address: str, now: float) -> Refusal | None:
        """Somebody wants in: whether it is refused. Asked first, and cheap: nothing is set up for
        the peer yet.

        Who is refused for its own address takes nothing of what all share. What all share is for
        whoever comes first; who comes rarely has a part that those who come often cannot take.
        """
        if (refusal := self.crowded(address)) is not None:
            return refusal
        wider = list(zip(wider_groups(address), self._arrivals_of_group, strict=False))
        if any(arrivals.wait(group, now) for group, arrivals in wider):
            return Refusal.HASTY
        if not self._arrivals_of.take(address, now):
            return Refusal.HASTY
        for group, arrivals in wider:
            arrivals.take(group, now)
        if self._arrivals.take(now) or self._comes_rarely(address, now):
            return None
        return Refusal.RUSH

    def _comes_rarely(self, address: str, now: float) -> bool:
        if self._rare.wait(now) or not self._rare_of.take(widest_group(address), now):
            return False
        return self._rare.take(now)

    def crowded(self, address: str) -> Refusal | None:
        """Whether there are too many connections for one more from this address."""
        if self.peers >= self._most:
            return Refusal.FULL
        origin = self._origins.get(address)
        if origin is not None and origin.peers >= self._bounds.per_address:
            return Refusal.CROWDED
        wider = zip(wider_groups(address), self._most_of, strict=False)
        full = any(self._connected[group] >= most for group, most in wider)
        return Refusal.CROWDED if full else None

    def enter(self, peer: Peer, address: str) -> Peer | None:
        """Count a peer, who is half open until `greeted`; who has to make room for it, if anybody.

        That is the oldest half open of its own address, or else of the address that has most of
        them: whoever floods the table pushes out its own.
        """
        origin = self._known(address)
        gives_way = self._gives_way(origin)
        self._count(origin, address)
        origin.half_open[peer] = None
        self._opening[address] = origin
        self.half_open += 1
        return gives_way

    # --- tickets ---

    def may_wait(self, address: str, now: float) -> bool:
        """Tell if one more connection from this address may wait outside. It is counted."""
        return self._outside_of.take(widest_group(address), now)

    def wait_outside(self, peer: Peer, address: str) -> Peer | None:
        """Let a peer wait outside; return the one that has to go for it, if any."""
        self._known(address).others += 1
        self._uncounted.add(peer)
        return self._outside.take(peer, widest_group(address))

    def is_outside(self, peer: Peer) -> bool:
        """Tell if a peer waits outside."""
        return peer in self._outside

    def bears(self, peer: Peer, address: str, seat: TicketSeat) -> list[Peer]:
        """A peer has shown a good ticket of this seat; return those that have to go for it.

        That is who has shown one of the same seat before. Only who has the secret of a seat's
        tickets gets here, so the newest is the seat's own.
        """
        self._outside.free(peer)
        self.greeted(peer, address)
        before = self._bearer_of.get(seat)
        if before is not None:
            self._forget_bearer(before)
        self._bearer_of[seat] = peer
        gives_way = self._bearers.take(peer, widest_group(address))
        if gives_way is not None:
            self._forget_bearer(gives_way)
        return [each for each in (before, gives_way) if each is not None]

    def seated(self, peer: Peer, address: str) -> Peer | None:
        """A peer has proved the key of its ticket's seat: it has a place now, in the reserve if
        there is no other. Return the one that has to go for it, if any.
        """
        self._forget_bearer(peer)
        if peer not in self._uncounted:
            return None
        if self.crowded(address) is not None:
            return self._reserve.take(peer, widest_group(address))
        self._uncounted.remove(peer)
        origin = self._origins[address]
        origin.others -= 1
        self._count(origin, address)
        return None

    def is_guest(self, peer: Peer) -> bool:
        """Tell if a peer has a place that it owes to a ticket."""
        return peer in self._uncounted

    def _forget_bearer(self, peer: Peer) -> None:
        self._bearers.free(peer)
        for seat in [seat for seat, bearer in self._bearer_of.items() if bearer is peer]:
            del self._bearer_of[seat]

    def _known(self, address: str) -> Origin[Peer]:
        origin = self._origins.get(address)
        if origin is None:
            origin = self._origins[address] = Origin(
                TokenBucket(self._bounds.frames_per_address),
                TokenBucket(self._bounds.requests_per_address),
            )
        return origin

    def _count(self, origin: Origin[Peer], address: str) -> None:
        origin.peers += 1
        self._connected.update(wider_groups(address))
        self.peers += 1

    def origin(self, address: str) -> Origin[Peer]:
        """The address of a peer that has entered and not left."""
        return self._origins[address]

    def greeted(self, peer: Peer, address: str) -> None:
        """The peer is half open no more: it has said hello, or is on its way out."""
        half_open = self._origins[address].half_open
        if peer in half_open:
            del half_open[peer]
            self.half_open -= 1
            if not half_open:
                del self._opening[address]

    def leave(self, peer: Peer, address: str) -> None:
        """The peer counts no more."""
        self.greeted(peer, address)
        origin = self._origins[address]
        for pool in (self._outside, self._reserve):
            pool.free(peer)
        if peer in self._bearers:
            self._forget_bearer(peer)
        if peer in self._uncounted:
            self._uncounted.remove(peer)
            origin.others -= 1
        else:
            self._discount(origin, address)
        if not origin.peers and not origin.others:
            del self._origins[address]

    def _discount(self, origin: Origin[Peer], address: str) -> None:
        origin.peers -= 1
        self.peers -= 1
        for group in wider_groups(address):
            self._connected[group] -= 1
            if not self._connected[group]:
                del self._connected[group]

    def _gives_way(self, origin: Origin[Peer]) -> Peer | None:
        if len(origin.half_open) < self._bounds.half_open_per_address:
            if self.half_open < self._bounds.half_open:
                return None
            origin = max(self._opening.values(), key=lambda each: len(each.half_open))
        return next(iter(origin.half_open))
