"""Contents of the ledger's records, one class for each kind (docs/protocol, chapter 24).

Keys, ids and digests have 32 bytes. The first field of every content but a trade is the key that
signs.
"""

from dataclasses import dataclass

from protocol.crypto.hashing import digest

NONE = b""  # hashed in place of a missing link, since no id is empty


@dataclass(frozen=True, slots=True)
class Creator:
    """A person who makes cards, with the witnesses that settle trades in them.

    `quorum` of the `witnesses`, which are ascending, must sign; 0 without witnesses. `link`:
    address of updates, possibly empty. `icon`: digest of an image.
    """

    creator: bytes
    revision: int
    previous: bytes | None
    name: str
    icon: bytes | None
    link: str
    witnesses: tuple[bytes, ...]
    quorum: int


@dataclass(frozen=True, slots=True)
class CardType:
    """Common properties of all copies of a card. `type` is the id of revision 0, or None in
    revision 0.

    `values` are ascending by key. `frozen`: no revision may change the values.
    """

    creator: bytes
    type: bytes | None
    revision: int
    previous: bytes | None
    name: str
    edition: str
    image: bytes | None
    values: tuple[tuple[str, int | str], ...]
    frozen: bool
    text: str


@dataclass(frozen=True, slots=True)
class PrintRun:
    """Numbers of copies of each type in one run of an edition. Both roots belong to Merkle
    trees.
    """

    creator: bytes
    edition: str
    number: int
    copies: tuple[tuple[bytes, int], ...]
    instances: bytes
    packs: bytes
    pack_size: int


@dataclass(frozen=True, slots=True)
class Instance:
    """A copy of a card, which people own. `type`: id of the type's revision 0; `nonce`: 16
    bytes.
    """

    creator: bytes
    type: bytes
    serial: int
    nonce: bytes


@dataclass(frozen=True, slots=True)
class CardRules:
    """Rules of a game for cards: digest of their text, and the values that a card needs.

    `required` has pairs of key and kind (0 number, 1 text).
    """

    creator: bytes
    revision: int
    previous: bytes | None
    name: str
    language: int
    text: bytes
    required: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class CardTransfer:
    """A card of a trade. `sender`: 0 if a gives it to b, else 1.

    `prev`: the trade that made the sender its owner, None for a new card. `over`: a void trade that
    this one replaces.
    """

    instance: bytes
    sender: int
    index: int
    prev: bytes | None
    over: bytes | None

    @property
    def slot(self) -> bytes:
        """Slot of the transfer, for which a witness signs one trade."""
        return digest("slot", self.instance, self.prev or NONE, self.over or NONE)


@dataclass(frozen=True, slots=True)
class Trade:
    """Cards that change hands between two keys, a < b; `transfers` ascend by instance, without
    duplicates.

    `number`: usually 0. A larger number lets two people make a trade again that they have waived: a
    party can never finish a trade after waiving it.

    `waives`: ids of the waives that free its cards, ascending. Each is of an earlier trade of one
    of these cards, by the person who would have received the card.
    """

    a: bytes
    b: bytes
    transfers: tuple[CardTransfer, ...]
    number: int = 0
    waives: tuple[bytes, ...] = ()

    def giver(self, transfer: CardTransfer) -> bytes:
        """Return the key that gives this card."""
        return self.b if transfer.sender else self.a

    def receiver(self, transfer: CardTransfer) -> bytes:
        """Return the key that receives this card."""
        return self.a if transfer.sender else self.b


@dataclass(frozen=True, slots=True)
class Waive:
    """Declaration by one party that it never finished a trade. The trade itself may be unknown.

    The next trades of its cards list the waive, so the waive travels with them.
    """

    creator: bytes
    trade: bytes


@dataclass(frozen=True, slots=True)
class Attestation:
    """A witness's statement that this trade was the first that it met for the slot; `position`: in
    its log, from 0.
    """

    creator: bytes
    slot: bytes
    trade: bytes
    position: int


@dataclass(frozen=True, slots=True)
class FraudProof:
    """Two statements signed by the witness `creator` that cannot both be true; first < second.

    The record has no signature: it proves itself (`protocol.ledger.proofs.fraud_proofs`).
    """

    creator: bytes
    first: bytes
    second: bytes


Content = (
    Creator | CardType | PrintRun | Instance | CardRules | Trade | Waive | Attestation | FraudProof
)
