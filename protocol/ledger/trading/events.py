"""Events of a trade for the person at the screen: frozen values, in the order of their
occurrence.
"""

from dataclasses import dataclass

from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.ledger.alarms import Alarm
from protocol.ledger.record_contents import Trade
from protocol.ledger.records import LedgerRecord
from protocol.wire import encode


@dataclass(frozen=True, slots=True)
class TradeSummary:
    """Summary that a person must see before signing a trade. Cards are instances, people are
    keys.
    """

    id: bytes
    trade: Trade
    received: tuple[bytes, ...]
    given: tuple[bytes, ...]
    # creators of received cards, ascending: trusted, distrusted, or None without a decision
    creators: tuple[tuple[bytes, bool | None], ...]
    alarms: tuple[Alarm, ...]  # alarms against the partner
    certifiable: bool  # the creators of all cards name witnesses, so the trade can be settled
    # given cards that are promised to a person who may still finish that trade
    reserved: tuple[bytes, ...]

    @property
    def digest(self) -> bytes:
        """Digest of the summary, 32 bytes. A person's yes to this digest does not cover facts found
        later.
        """
        creators = [[key, trusted] for key, trusted in self.creators]
        alarms = [[alarm.key, alarm.first.id, alarm.second.id] for alarm in self.alarms]
        return digest(
            "trade terms",
            encode([self.id, creators, alarms, self.certifiable, list(self.reserved)]),
        )


@dataclass(frozen=True, slots=True)
class PartnerIdentified:
    """The other person has arrived, with their trusted creators. They chose the name themselves."""

    key: bytes
    name: str
    trusts: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class JournalOutdated:
    """The other side has shown a signed standing larger than this journal's: the data folder is an
    old copy.
    """


@dataclass(frozen=True, slots=True)
class RecordsReceived:
    """New records of the other side."""

    records: int


@dataclass(frozen=True, slots=True)
class ImagesReceived:
    """The image of an offered card or of its creator has arrived."""


@dataclass(frozen=True, slots=True)
class OfferChanged:
    """The other side's present offer, and the cards that it wants."""

    give: tuple[bytes, ...]
    want: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class RemarkReceived:
    """A remark as received. It must be sanitized before it is shown."""

    text: str


@dataclass(frozen=True, slots=True)
class TradeProposed:
    """A proposed trade to accept or reject. `mine`: proposed by this side. `again`: its summary has
    changed.
    """

    terms: TradeSummary
    mine: bool
    again: bool = False


@dataclass(frozen=True, slots=True)
class PartnerAgreed:
    """The other person has agreed, and signs after the first signature."""

    trade: bytes


@dataclass(frozen=True, slots=True)
class TradeSigned:
    """The own signature has been sent. Its cards are reserved until the other side answers."""

    trade: bytes


@dataclass(frozen=True, slots=True)
class SignatureReceived:
    """A trade that the other side has signed, and that waits for this side's signature or waive."""

    terms: TradeSummary


@dataclass(frozen=True, slots=True)
class TradeFinished:
    """The two sides have signed, and the trade is on disk here."""

    trade: bytes
    record: LedgerRecord


@dataclass(frozen=True, slots=True)
class ProposalRejected:
    """A proposal was withdrawn or rejected. `code`: the reason of a program; None for a person's
    decision.
    """

    trade: bytes
    mine: bool  # proposed by this side
    code: Code | None


@dataclass(frozen=True, slots=True)
class CardsReleased:
    """The other side has waived a trade that this side had signed: its cards are free again."""

    trade: bytes


@dataclass(frozen=True, slots=True)
class TradeWaived:
    """This side has waived a trade that the other side had signed: the other's cards are free
    again.
    """

    trade: bytes


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """The other side has ended the session."""


TradeEvent = (
    PartnerIdentified
    | JournalOutdated
    | RecordsReceived
    | ImagesReceived
    | OfferChanged
    | RemarkReceived
    | TradeProposed
    | PartnerAgreed
    | TradeSigned
    | SignatureReceived
    | TradeFinished
    | ProposalRejected
    | CardsReleased
    | TradeWaived
    | SessionEnded
)
