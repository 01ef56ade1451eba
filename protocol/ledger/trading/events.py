"""What a trade has to tell the person in front of the screen: frozen values, in the order in which
things happened.
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
    """Everything that a person must see before they sign a trade. Instances and keys."""

    id: bytes
    trade: Trade
    received: tuple[bytes, ...]
    given: tuple[bytes, ...]
    # of what comes: trusted, distrusted, or no mark; ascending
    creators: tuple[tuple[bytes, bool | None], ...]
    alarms: tuple[Alarm, ...]  # that name the partner
    certifiable: bool  # whether the creator of every card names witnesses: then it can be settled
    # cards that go, and that are promised to somebody who may yet finish that trade
    reserved: tuple[bytes, ...]

    @property
    def digest(self) -> bytes:
        """32 bytes that stand for all of it: a yes that names them is for this, and nothing that is
        known since.
        """
        creators = [[key, trusted] for key, trusted in self.creators]
        alarms = [[alarm.key, alarm.first.id, alarm.second.id] for alarm in self.alarms]
        return digest(
            "trade terms",
            encode([self.id, creators, alarms, self.certifiable, list(self.reserved)]),
        )


@dataclass(frozen=True, slots=True)
class PartnerIdentified:
    """The other person is there, and who they trust as creators. The name is theirs to choose."""

    key: bytes
    name: str
    trusts: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class JournalOutdated:
    """The other has shown one's own word for signatures that are not here: this is an old copy of
    the data folder.
    """


@dataclass(frozen=True, slots=True)
class RecordsReceived:
    """Records of the other's that were not known here."""

    records: int


@dataclass(frozen=True, slots=True)
class ImagesReceived:
    """The image of a card on the table has come, or of who made it."""


@dataclass(frozen=True, slots=True)
class OfferChanged:
    """What the other offers now, and which of one's own cards they would like."""

    give: tuple[bytes, ...]
    want: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class RemarkReceived:
    """A remark, as it came: to be made fit for a screen before it is shown."""

    text: str


@dataclass(frozen=True, slots=True)
class TradeProposed:
    """A trade to say yes or no to. `mine`: proposed from here. `again`: what was shown before has
    changed.
    """

    terms: TradeSummary
    mine: bool
    again: bool = False


@dataclass(frozen=True, slots=True)
class PartnerAgreed:
    """The other person has said yes; they sign as soon as the first signature is there."""

    trade: bytes


@dataclass(frozen=True, slots=True)
class TradeSigned:
    """One's own signature is out, and its cards are reserved until the other answers."""

    trade: bytes


@dataclass(frozen=True, slots=True)
class SignatureReceived:
    """A trade that the other has signed, and that waits for a signature or a waive from here."""

    terms: TradeSummary


@dataclass(frozen=True, slots=True)
class TradeFinished:
    """Both have signed, and it is on disk here."""

    trade: bytes
    record: LedgerRecord


@dataclass(frozen=True, slots=True)
class ProposalRejected:
    """A proposal is off the table. `code`: why, if a program said so and no person."""

    trade: bytes
    mine: bool  # whose proposal it was
    code: Code | None


@dataclass(frozen=True, slots=True)
class CardsReleased:
    """The other has waived a trade that was signed here: its cards are free again."""

    trade: bytes


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """The other has ended the session."""


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
    | SessionEnded
)
