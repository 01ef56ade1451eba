"""Who is seen in the lobby, and how all who are seen there hear of it."""

import asyncio
from dataclasses import dataclass

from protocol.codes import Code
from protocol.messages.table import encode
from table.config import Bounds
from table.lobby.peer import Peer
from table.lobby.tables import Declined
from table.net.fair_slots import FairSlots
from table.net.timer import Timer


@dataclass(slots=True)
class _Seen:
    peer: Peer
    wants: int  # as in `appear`
    # what the others have heard that it wants; None: they have not heard of it
    told: int | None = None


class Roster:
    """The people who are seen. Nobody sees them who is not seen as well."""

    def __init__(self, bounds: Bounds, loop: asyncio.AbstractEventLoop) -> None:
        self._bounds = bounds
        self._seen: dict[bytes, _Seen] = {}  # by identity
        # of whom the others have heard, and do not know yet that they went
        self._gone: dict[bytes, None] = {}
        self._places: FairSlots[Peer] = FairSlots(bounds.present)
        self._due = Timer(loop, self.tell)

    def __contains__(self, peer: Peer) -> bool:
        seen = self._seen.get(peer.identity)
        return seen is not None and seen.peer is peer

    def __len__(self) -> int:
        return len(self._seen)

    def find(self, identity: bytes) -> Peer:
        """Who is seen and has this identity. Raises: Declined(NOT_HERE)."""
        seen = self._seen.get(identity)
        if seen is None:
            raise Declined(Code.NOT_HERE)
        return seen.peer

    def others(self, peer: Peer) -> list[Peer]:
        """All who are seen but this one."""
        return [seen.peer for seen in self._seen.values() if seen.peer is not peer]

    def appear(self, peer: Peer, wants: int) -> None:
        """Somebody wants to be seen, or wants something else. If there is no room, another has to
        go for it.
        """
        if peer in self:
            self._seen[peer.identity].wants = wants
        else:
            self._enter(peer, wants)
        self._tell_soon()

    def _enter(self, peer: Peer, wants: int) -> None:
        before = self._seen.get(peer.identity)
        if before is not None:  # on an older connection of its own, which is on its way out
            self.vanish(before.peer)
        self._places.keep(self.__contains__)
        gives_way = self._places.take(peer, peer.connection.address)
        if gives_way is not None:
            self.vanish(gives_way)
            gives_way.send(encode("hidden", str(Code.TOO_MANY)))
        known = [seen for seen in self._seen.values() if seen.told is not None]
        peer.send(
            encode(
                "people", [[seen.peer.name, seen.peer.identity, seen.told] for seen in known], []
            )
        )
        self._seen[peer.identity] = _Seen(peer, wants)

    def vanish(self, peer: Peer) -> None:
        """Somebody is seen no more."""
        if peer in self:
            if self._seen.pop(peer.identity).told is not None:
                self._gone[peer.identity] = None
            self._tell_soon()

    def _tell_soon(self) -> None:
        if not self._due.running:
            self._due.set(self._bounds.people_seconds)

    def tell(self) -> None:
        """Tell all of what is new, if anything is: before somebody speaks who is new, too."""
        self._due.stop()
        new = [seen for seen in self._seen.values() if seen.told != seen.wants]
        gone = [identity for identity in self._gone if identity not in self._seen]
        self._gone.clear()
        if not new and not gone:
            return
        message = encode(
            "people", [[seen.peer.name, seen.peer.identity, seen.wants] for seen in new], gone
        )
        for seen in self._seen.values():
            seen.peer.send(message)
            seen.told = seen.wants

    def close(self) -> None:
        """Stop the timer."""
        self._due.stop()
