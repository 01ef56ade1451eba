"""What the ledger's records say, one value for each kind (docs/protocol, chapter 24).

Keys, ids and digests are 32 bytes. The first field of all but a trade is the key that signs.
"""

from dataclasses import dataclass

from protocol.crypto.hashing import digest

NONE = b""  # hashed where there is no link: an id is never empty


@dataclass(frozen=True, slots=True)
class Creator:
    """Who makes cards, and whose word settles trades in them: `quorum` of the `witnesses`,
    ascending; 0 of none.

    `link`: where news can be fetched, empty if nowhere. `icon`: digest of an image.
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
    """What all copies of a card have in common. `type`: the id of revision 0, None in that itself.

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
    """How many copies of each type there are in this run of an edition; both roots are of Merkle
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
    """One copy of a card: the thing that is owned. `type`: the id of the type's revision 0; nonce:
    16 bytes.
    """

    creator: bytes
    type: bytes
    serial: int
    nonce: bytes


@dataclass(frozen=True, slots=True)
class CardRules:
    """Rules of a game for cards: digest of their text; values that a card needs, as key and kind (0
    number, 1 text).
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
    """One card of a trade. `sender`: 0 if a gives it to b, else 1.

    `prev`: the trade that made the sender its owner, None at its creation. `over`: what did not
    hold, and is replaced.
    """

    instance: bytes
    sender: int
    index: int
    prev: bytes | None
    over: bytes | None

    @property
    def slot(self) -> bytes:
        """What only one trade may ever have: two that do are a proof against the sender."""
        return digest("slot", self.instance, self.prev or NONE, self.over or NONE)


@dataclass(frozen=True, slots=True)
class Trade:
    """Cards that change hands between two keys, a < b; `transfers` ascend by instance, and a card
    is in one once.

    `number`: 0, or more to make after all what was waived before: who has waived a trade can never
    finish that one.
    """

    a: bytes
    b: bytes
    transfers: tuple[CardTransfer, ...]
    number: int = 0

    def giver(self, transfer: CardTransfer) -> bytes:
        """The key that gives this card."""
        return self.b if transfer.sender else self.a

    def receiver(self, transfer: CardTransfer) -> bytes:
        """The key that gets it."""
        return self.a if transfer.sender else self.b


@dataclass(frozen=True, slots=True)
class Waive:
    """One party of a trade says that it never finished it. The trade itself need not be known to
    anybody.

    `slots`: of the cards that it would have got, ascending: who uses one of them next passes this
    on with its trade.
    """

    creator: bytes
    trade: bytes
    slots: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Attestation:
    """A witness's word that this trade was the first it met for the slot; `position`: in its log,
    from 0.
    """

    creator: bytes
    slot: bytes
    trade: bytes
    position: int


@dataclass(frozen=True, slots=True)
class FraudProof:
    """Two statements that a witness, here `creator`, has signed and that cannot both be true; first
    < second.

    Nobody signs it: it proves itself (`protocol.ledger.proofs.fraud_proofs`).
    """

    creator: bytes
    first: bytes
    second: bytes


Content = (
    Creator | CardType | PrintRun | Instance | CardRules | Trade | Waive | Attestation | FraudProof
)
