"""The terms of one sale: what a creator signs before a coin is opened, and how the coin chooses
(docs/protocol, 28).

In them stand both commitments and which packs are unsold, so that neither side can change its mind
when it sees what the other has, and a pack that was called sold can never be sold afterwards
without proof.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.crypto.joint_randomness import NONCE, JointRandomness
from protocol.errors import RemoteError
from protocol.identity.keys import KEY_SIZE, SIGNATURE_SIZE, Identity, verify
from protocol.ledger.record_contents import CardTransfer, PrintRun
from protocol.ledger.runs.sealed_run import pack_count
from protocol.limits import MAX_RUN_PACKS, MAX_TERMS, MAX_TRANSFERS
from protocol.schema import between, either, exactly, fields, many, nothing, uint
from protocol.wire import decode, encode

_FORMAT = "sale 1"
_LABEL = "sale terms"
_ID = exactly(KEY_SIZE)
PAID = many(fields(_ID, uint(), either(nothing, _ID), either(nothing, _ID)), 0, MAX_TRANSFERS - 1)
_TERMS = fields(
    *(lambda value: value == _FORMAT, _ID, _ID, _ID, uint()),
    *(between(1, MAX_RUN_PACKS // 8), _ID, _ID, PAID),
)


@dataclass(frozen=True, slots=True)
class SaleTerms:
    """One sale of a pack. `number`: of the sales of this run that were begun, from 0. `unsold`: a
    bit for each pack.

    `paid`: what the buyer gives for it, each with the slot it is in, in ascending order of
    instances.
    """

    creator: bytes
    buyer: bytes
    run: bytes
    number: int
    unsold: bytes
    creators_coin: bytes
    buyers_coin: bytes
    paid: tuple[tuple[bytes, int, bytes | None, bytes | None], ...]

    def packs(self) -> tuple[int, ...]:
        """The numbers of the packs that are unsold."""
        return tuple(
            8 * at + bit
            for at, byte in enumerate(self.unsold)
            for bit in range(8)
            if byte >> bit & 1
        )

    def raw(self) -> bytes:
        """What is signed."""
        paid: list[object] = [list(one) for one in self.paid]
        said = (
            self.creator,
            self.buyer,
            self.run,
            self.number,
            self.unsold,
            self.creators_coin,
            self.buyers_coin,
        )
        return encode([_FORMAT, *said, paid])

    @property
    def id(self) -> bytes:
        """What the coin is bound to: 32 bytes."""
        return digest("sale", self.raw())

    def transfers(self, side: int) -> tuple[CardTransfer, ...]:
        """What is paid, as transfers of the trade in which the buyer has this side."""
        return tuple(
            CardTransfer(instance, side, index, prev, over)
            for instance, index, prev, over in self.paid
        )


@dataclass(frozen=True, slots=True)
class Receipt:
    """Terms with their creator's signature: what a buyer keeps, whatever comes of the sale."""

    terms: SaleTerms
    signature: bytes

    def raw(self) -> bytes:
        """The receipt as a file."""
        return encode([self.terms.raw(), self.signature])


_RECEIPT = fields(between(1, MAX_TERMS), exactly(SIGNATURE_SIZE))


def bitmap(packs: Iterable[int], count: int) -> bytes:
    """A bit for each of `count` packs, set for these: pack 0 is the lowest bit of the first
    byte.
    """
    bits = bytearray((count + 7) // 8)
    for pack in packs:
        bits[pack // 8] |= 1 << pack % 8
    return bytes(bits)


def sign_terms(creator: Identity, terms: SaleTerms) -> Receipt:
    """The creator's word for them."""
    return Receipt(terms, creator.sign(_LABEL, terms.raw()))


def accept_terms(buyer: Identity, terms: SaleTerms) -> bytes:
    """The buyer's signature: it will pay what stands there."""
    return buyer.sign("sale accepted", terms.raw())


def check_accepted(terms: SaleTerms, signature: bytes) -> None:
    """Raise RemoteError(BAD_SIGNATURE) unless the buyer has accepted."""
    verify(terms.buyer, signature, "sale accepted", terms.raw())


def read_receipt(data: bytes) -> Receipt:
    """Raises: RemoteError(BAD_ENCODING, BAD_TERMS or BAD_SIGNATURE)."""
    value = decode(data)
    if not _RECEIPT(value):
        raise RemoteError(Code.BAD_TERMS)
    raw, signature = value
    said = decode(raw)
    if not _TERMS(said):
        raise RemoteError(Code.BAD_TERMS)
    _, creator, buyer, run, number, unsold, creators_coin, buyers_coin, listed = said
    paid = tuple((one[0], one[1], one[2], one[3]) for one in listed)
    terms = SaleTerms(creator, buyer, run, number, unsold, creators_coin, buyers_coin, paid)
    if any(left[0] >= right[0] for left, right in pairwise(paid)):
        raise RemoteError(Code.BAD_TERMS)
    verify(terms.creator, signature, _LABEL, raw)
    return Receipt(terms, signature)


def check_terms(terms: SaleTerms, run: PrintRun) -> None:
    """Raise RemoteError(BAD_TERMS) unless they are about packs of this run, some of them unsold;
    BAD_RUN as a run's.
    """
    count, packs = pack_count(run), terms.packs()
    if (
        terms.creator != run.creator
        or terms.buyer == terms.creator
        or len(terms.unsold) != (count + 7) // 8
    ):
        raise RemoteError(Code.BAD_TERMS)
    if not packs or packs[-1] >= count:
        raise RemoteError(Code.BAD_TERMS)


def commit_coin(run_id: bytes, key: bytes, nonce: bytes) -> bytes:
    """The commitment of one side to its 32 bytes; bound to its key, so that the other's is worth
    nothing to it.
    """
    return digest("sale coin", run_id, key, nonce)


def check_coin(commitment: bytes, run_id: bytes, key: bytes, nonce: bytes) -> None:
    """Raise RemoteError(BAD_NONCE) for an opening that does not fit."""
    if len(nonce) != NONCE or commit_coin(run_id, key, nonce) != commitment:
        raise RemoteError(Code.BAD_NONCE)


def chosen_pack(terms: SaleTerms, creators: bytes, buyers: bytes) -> int:
    """The number of the pack that both nonces choose among the unsold ones, each as likely as every
    other.
    """
    packs = terms.packs()
    return packs[JointRandomness(terms.id, [creators, buyers]).uniform_below(len(packs))]


def contradict(one: SaleTerms, other: SaleTerms) -> bool:
    """Whether a creator that signed both has lied: two sales under one number, or a pack unsold
    that was sold before.

    A creator may begin sales that come to nothing; the pack is then unsold as it was.
    """
    if (one.creator, one.run) != (other.creator, other.run):
        return False
    if one.number == other.number:
        return one != other
    earlier, later = sorted((one, other), key=lambda terms: terms.number)
    return not set(later.packs()) <= set(earlier.packs())
