"""A match that this host has claimed and loads: who waits for it, and what the store is told of it.

The store notes that a claimed match is loaded, or that its host has lived for `LOADING_SECONDS`
since the claim. A claim without this note tells other hosts of what a silent host may have died.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

from protocol.codes import Code
from protocol.limits import LOADING_SECONDS, MAX_SEATS
from protocol.messages.table import ConnectionPhase
from protocol.messages.tail import HeldHead
from table.lobby.peer import Peer
from table.lobby.tables import Declined
from table.net.fair_slots import FairSlots
from table.storage.interface import OpenMatch

# notes at the store that a match is carried under a claim, and tells if it is still this host's
Carry = Callable[[bytes, int, Callable[[bool], None]], None]


def carry_nothing(match_id: bytes, claim: int, done: Callable[[bool], None]) -> None:
    """A table of one host needs no note: no other one claims its matches."""
    done(True)


class Returning(NamedTuple):
    """A seat that waits for its match."""

    peer: Peer
    holds: HeldHead | None
    met: bytes | None  # id of the newest claim that it has met


class WaitingSeats:
    """The seats that wait for one match.

    Before the match is read nobody knows its people: then strangers can wait, too. They take no
    place of another address.
    """

    def __init__(self, people: Sequence[bytes] | None = None) -> None:
        """`people`: the identities of the match by seat; None: not known yet."""
        self._people = people
        self._seats: dict[Peer, Returning] = {}
        self._places: FairSlots[Peer] = FairSlots(MAX_SEATS)

    def add(self, seat: Returning) -> None:
        """Let a seat wait. Raises: Declined, if the peer has no seat in the match."""
        if self._people is not None and seat.peer.identity not in self._people:
            raise Declined(Code.WRONG_MATCH)
        for each in [each for each in self._seats if not _waits(each)]:
            self._remove(each)
        self._remove(seat.peer)
        self._seats[seat.peer] = seat
        gives_way = self._places.take(seat.peer, seat.peer.connection.address)
        if gives_way is not None:
            del self._seats[gives_way]
            gives_way.connection.send_error(Code.TOO_MANY)

    def admit(self, people: Sequence[bytes]) -> None:
        """These are the people of the match: nobody else waits on."""
        self._people = people
        for peer in [each for each in self._seats if each.identity not in people]:
            self._remove(peer)
            if _waits(peer):
                peer.connection.send_error(Code.WRONG_MATCH)

    def still_there(self) -> list[Returning]:
        """Return the seats that wait still."""
        return [seat for seat in self._seats.values() if _waits(seat.peer)]

    def _remove(self, peer: Peer) -> None:
        self._seats.pop(peer, None)
        self._places.free(peer)


def _waits(peer: Peer) -> bool:
    return peer.open and peer.phase is ConnectionPhase.LOBBY


class Loading:
    """A claimed match until it is opened."""

    def __init__(self, kept: OpenMatch, carry: Carry) -> None:
        self.kept, self._carry_at_store = kept, carry
        self.task: asyncio.Task[None] | None = None
        self.close: Callable[[], None] = lambda: None  # lets go of its fold
        self._then: Callable[[bool], None] | None = None
        self._asked = False
        self._answer: bool | None = None
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(LOADING_SECONDS, self._ask)

    def carry(self, then: Callable[[bool], None]) -> None:
        """Note that the match is loaded, and then call `then`: is it still this host's?"""
        self._then = then
        if self._answer is not None:
            then(self._answer)
        else:
            self._ask()

    def end(self) -> None:
        """Stop: the match is opened, or given up."""
        self._timer.cancel()
        self._then = None
        if self.task is not None:
            self.task.cancel()

    def _ask(self) -> None:
        if not self._asked:
            self._asked = True
            self._carry_at_store(self.kept.match_id, self.kept.claim, self._answered)

    def _answered(self, stands: bool) -> None:
        self._answer = stands
        if self._then is not None:
            self._then(stands)
