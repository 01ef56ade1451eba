"""A bounded number of places that strangers can ask for, shared fairly among addresses: an address
with many places makes room with one of its own.
"""

from collections import Counter
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Peer = TypeVar("Peer", bound=Hashable)


class FairSlots(Generic[Peer]):
    """At most `most` peers with a place, each with its address; the oldest first."""

    def __init__(self, most: int, most_of_one: int | None = None) -> None:
        """`most_of_one`: the most places of one address, if that has a bound of its own."""
        self._most = most
        self._most_of_one = most if most_of_one is None else most_of_one
        self._addresses: dict[Peer, str] = {}

    def __len__(self) -> int:
        return len(self._addresses)

    def __contains__(self, peer: Peer) -> bool:
        return peer in self._addresses

    def free(self, peer: Peer) -> None:
        """Free the place of a peer, if it has one."""
        self._addresses.pop(peer, None)

    def keep(self, wanted: Callable[[Peer], bool]) -> None:
        """Keep the places of the peers that `wanted` accepts, and free all others."""
        self._addresses = {
            peer: address for peer, address in self._addresses.items() if wanted(peer)
        }

    def take(self, peer: Peer, address: str) -> Peer | None:
        """Give a peer a place. Return the peer that loses its own for it, if any.

        That is the oldest peer of the address that now has most places, and of several such addresses
        the oldest of all.
        """
        self._addresses[peer] = address
        held = Counter(self._addresses.values())
        if held[address] > self._most_of_one:
            gives_way = next(each for each, of in self._addresses.items() if of == address)
            del self._addresses[gives_way]
            return gives_way
        if len(self._addresses) <= self._most:
            return None
        gives_way = max(self._addresses, key=lambda each: held[self._addresses[each]])
        del self._addresses[gives_way]
        return gives_way
