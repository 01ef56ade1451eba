"""What two programs that trade have told each other so far, and what is under way between them."""

from dataclasses import dataclass, field
from random import Random

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.record_contents import Trade
from protocol.ledger.trading import messages
from protocol.ledger.trading.messages import SALT, Payload


@dataclass(slots=True)
class TradeOffer:
    """One side's cards on the table. `revision` counts its changes."""

    give: tuple[bytes, ...] = ()
    want: tuple[bytes, ...] = ()
    revision: int = 0


@dataclass(slots=True)
class TradeProposal:
    """The trade that is on the table."""

    id: bytes
    trade: Trade
    mine: bool
    yes: bool = False  # the person here has said so
    warned: bool = False  # and knows that cards in it are reserved
    agreed: bool = False  # the other person has said yes


@dataclass(slots=True)
class CountersignRequest:
    """A trade that the other has signed first."""

    trade: Trade
    theirs: bytes = field(repr=False)


class OrderedChannel:
    """Numbers what goes out, and gives what comes in once and in order."""

    def __init__(self, rng: Random) -> None:
        self.salt = rng.randbytes(SALT)
        self.theirs = b""  # the other's salt, once something of theirs has come
        self._sent = self._heard = 0
        self._out: list[bytes] = []

    def send(self, name: str, *values: object) -> None:
        """Add a payload to what goes out."""
        self._out.append(messages.encode(Payload(self.salt, self._sent, name, list(values))))
        self._sent += 1

    def outgoing(self) -> list[bytes]:
        """What is to be sent, in this order, since the last call."""
        out, self._out = self._out, []
        return out

    def read(self, data: bytes) -> Payload | None:
        """The next payload of the other's; None for one that was there before.

        Raises: RemoteError(BAD_ENCODING, BAD_MESSAGE); ANOTHER_SESSION for one of another trade's;
        GAP for one that comes before its predecessors.
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
        """A payload has been dealt with: it does not count again."""
        self._heard += 1
