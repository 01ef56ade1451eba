"""Admission of connections: bounds on their number and on their rate, from one address and in all.
Pure: no socket and no clock.

A connection for which there is no place may wait outside until its first message, which may have a
ticket. The bearer of a ticket has a few seconds to prove the key of the ticket's seat. It then gets
a place in the reserve, if there is no other. Connections outside, bearers of tickets and the reserve
are not counted among the others.
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
        """The reason lies in this address, and not in the load of all addresses."""
        return self in (Refusal.CROWDED, Refusal.HASTY)


class ArrivalDecision(NamedTuple):
    """Decision about a newcomer."""

    may_connect: bool  # False: it is turned away at once
    refusal: Refusal | None  # why there is no place for it, if there is none


@dataclass
class Origin(Generic[Peer]):
    """An address with connections, which share its rates of frames and of requests."""

    frames: TokenBucket
    requests: TokenBucket
    peers: int = 0  # connections that count
    others: int = 0  # connections outside, of ticket bearers and in the reserve
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
        """Count by these bounds from now on, without the arrivals so far. The numbers of places
        outside and in the reserve stay as they were.
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

    def count_arrival(self, address: str, now: float) -> Refusal | None:
        """Count an arrival, and return the reason to refuse it, if any. This is cheap: nothing is set
        up for the peer yet.

        An arrival that is refused for its own address takes nothing of the rate that all share. That
        rate serves whoever comes first. Addresses that come rarely have a part of it which
        addresses that come often cannot take.
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
        """Return the reason why there is no place for one more connection from this address, if any."""
        if self.peers >= self._most:
            return Refusal.FULL
        origin = self._origins.get(address)
        if origin is not None and origin.peers >= self._bounds.per_address:
            return Refusal.CROWDED
        wider = zip(wider_groups(address), self._most_of, strict=False)
        full = any(self._connected[group] >= most for group, most in wider)
        return Refusal.CROWDED if full else None

    def enter(self, peer: Peer, address: str) -> Peer | None:
        """Count a peer, which is half open until `end_half_open`. Return the half open peer that has
        to make room for it, if any.

        That is the oldest one of its own address, or else of the address that has most of them: a
        flood pushes out its own connections.
        """
        origin = self._ensure_origin(address)
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
        """Let a peer wait outside. Return the peer that has to make room for it, if any."""
        self._ensure_origin(address).others += 1
        self._uncounted.add(peer)
        return self._outside.take(peer, widest_group(address))

    def is_outside(self, peer: Peer) -> bool:
        """Tell if a peer waits outside."""
        return peer in self._outside

    def accept_ticket(self, peer: Peer, address: str, seat: TicketSeat) -> list[Peer]:
        """Let in a peer that has shown a good ticket of this seat. Return the peers that have to make
        room for it.

        The earlier bearer for the same seat is one of them. A bearer has the secret of the seat's
        tickets, so the newest one is the seat's own.
        """
        self._outside.free(peer)
        self.end_half_open(peer, address)
        before = self._bearer_of.get(seat)
        if before is not None:
            self._forget_bearer(before)
        self._bearer_of[seat] = peer
        gives_way = self._bearers.take(peer, widest_group(address))
        if gives_way is not None:
            self._forget_bearer(gives_way)
        return [each for each in (before, gives_way) if each is not None]

    def give_place(self, peer: Peer, address: str) -> Peer | None:
        """Give a place to a peer that has proved the key of its ticket's seat, in the reserve if there
        is no other. Return the peer that has to make room for it, if any.
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

    def has_ticket_place(self, peer: Peer) -> bool:
        """Tell if a peer has its place by a ticket alone."""
        return peer in self._uncounted

    def _forget_bearer(self, peer: Peer) -> None:
        self._bearers.free(peer)
        for seat in [seat for seat, bearer in self._bearer_of.items() if bearer is peer]:
            del self._bearer_of[seat]

    def _ensure_origin(self, address: str) -> Origin[Peer]:
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
        """Return the origin of a peer that has entered and not left."""
        return self._origins[address]

    def end_half_open(self, peer: Peer, address: str) -> None:
        """Count a peer as half open no more: it has said hello, or its connection ends."""
        half_open = self._origins[address].half_open
        if peer in half_open:
            del half_open[peer]
            self.half_open -= 1
            if not half_open:
                del self._opening[address]

    def leave(self, peer: Peer, address: str) -> None:
        """Forget a peer."""
        self.end_half_open(peer, address)
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
