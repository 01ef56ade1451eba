"""Ordered channel between two trading programs, and the state of a trade between them."""

from dataclasses import dataclass, field
from random import Random

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.record_contents import Trade
from protocol.ledger.trading import messages
from protocol.ledger.trading.messages import SALT, Payload


@dataclass(slots=True)
class TradeOffer:
    """Cards that one side offers and wants. `revision` counts its changes. `waives`: waives that a
    trade of the offered cards must list.
    """

    give: tuple[bytes, ...] = ()
    want: tuple[bytes, ...] = ()
    revision: int = 0
    waives: tuple[bytes, ...] = ()


@dataclass(slots=True)
class TradeProposal:
    """The trade that is proposed now."""

    id: bytes
    trade: Trade
    mine: bool
    yes: bool = False  # the person here has agreed
    warned: bool = False  # the person has been warned that cards in it are reserved
    agreed: bool = False  # the other person has agreed


@dataclass(slots=True)
class CountersignRequest:
    """A trade that the other side has signed first."""

    trade: Trade
    theirs: bytes = field(repr=False)


class OrderedChannel:
    """Numbers outgoing payloads, and delivers incoming payloads once and in order."""

    def __init__(self, rng: Random) -> None:
        self.salt = rng.randbytes(SALT)
        self.theirs = b""  # the other side's salt, after its first payload
        self._sent = self._heard = 0
        self._out: list[bytes] = []

    def send(self, name: str, *values: object) -> None:
        """Queue a payload."""
        self._out.append(messages.encode(Payload(self.salt, self._sent, name, list(values))))
        self._sent += 1

    def outgoing(self) -> list[bytes]:
        """Return the payloads to send since the last call, in order."""
        out = self._out
        self._out = []
        return out

    def read(self, data: bytes) -> Payload | None:
        """Return the other side's next payload; None for a repeated one.

        Raises: RemoteError(BAD_ENCODING, BAD_MESSAGE); ANOTHER_SESSION for a payload of another
        trade; GAP for a payload whose predecessors are missing.
        """
        payload = messages.decode(data)
        if self._heard and payload.salt != self.theirs:
            raise RemoteError(Code.ANOTHER_SESSION)
        if payload.number < self._heard:
            return None
        if payload.number > self._heard:
            raise RemoteError(Code.GAP)
        return payload

    def mark_handled(self) -> None:
        """Note that the payload has been processed, so that a repetition is ignored."""
        self._heard += 1
