"""Terms of one sale, which the creator signs before a coin is opened, and the choice by the coins
(docs/protocol, 28).

The terms contain both commitments and the list of unsold packs. So neither side can change its mind
after it has seen the other's coin. A pack that terms call sold can never be sold later without
proof of the lie.
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
from protocol.limits import MAX_RUN_PACKS, MAX_TERMS, MAX_TRADE_WAIVES, MAX_TRANSFERS
from protocol.schema import between, either, exactly, fields, many, nothing, uint
from protocol.wire import decode, encode

_FORMAT = "sale 2"
_LABEL = "sale terms"
_ID = exactly(KEY_SIZE)
PAID = many(fields(_ID, uint(), either(nothing, _ID), either(nothing, _ID)), 0, MAX_TRANSFERS - 1)
_TERMS = fields(
    *(lambda value: value == _FORMAT, _ID, _ID, _ID, uint()),
    *(between(1, MAX_RUN_PACKS // 8), _ID, _ID, PAID, many(_ID, 0, MAX_TRADE_WAIVES)),
)


@dataclass(frozen=True, slots=True)
class SaleTerms:
    """A sale of a pack. `number`: among the sales of this run, from 0. `unsold`: one bit for each
    pack.

    `paid`: cards that the buyer pays, each with its links, in ascending order of instances.
    `waives`: waives that the trade lists for these cards, ascending.
    """

    creator: bytes
    buyer: bytes
    run: bytes
    number: int
    unsold: bytes
    creators_coin: bytes
    buyers_coin: bytes
    paid: tuple[tuple[bytes, int, bytes | None, bytes | None], ...]
    waives: tuple[bytes, ...] = ()

    def packs(self) -> tuple[int, ...]:
        """Return the numbers of the unsold packs."""
        return tuple(
            8 * at + bit
            for at, byte in enumerate(self.unsold)
            for bit in range(8)
            if byte >> bit & 1
        )

    def raw(self) -> bytes:
        """Return the signed bytes."""
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
        return encode([_FORMAT, *said, paid, list(self.waives)])

    @property
    def id(self) -> bytes:
        """Digest that the coins are bound to: 32 bytes."""
        return digest("sale", self.raw())

    def transfers(self, side: int) -> tuple[CardTransfer, ...]:
        """Return the payment as transfers of a trade in which the buyer has this side."""
        return tuple(
            CardTransfer(instance, side, index, prev, over)
            for instance, index, prev, over in self.paid
        )


@dataclass(frozen=True, slots=True)
class Receipt:
    """Terms with their creator's signature, which a buyer stores whatever the result of the
    sale.
    """

    terms: SaleTerms
    signature: bytes

    def raw(self) -> bytes:
        """Return the bytes of the receipt's file."""
        return encode([self.terms.raw(), self.signature])


_RECEIPT = fields(between(1, MAX_TERMS), exactly(SIGNATURE_SIZE))


def bitmap(packs: Iterable[int], count: int) -> bytes:
    """Return `count` bits with those of `packs` set: pack 0 is the lowest bit of the first byte."""
    bits = bytearray((count + 7) // 8)
    for pack in packs:
        bits[pack // 8] |= 1 << pack % 8
    return bytes(bits)


def sign_terms(creator: Identity, terms: SaleTerms) -> Receipt:
    """Sign terms as their creator."""
    return Receipt(terms, creator.sign(_LABEL, terms.raw()))


def accept_terms(buyer: Identity, terms: SaleTerms) -> bytes:
    """Return the buyer's signature, which accepts the payment in the terms."""
    return buyer.sign("sale accepted", terms.raw())


def check_accepted(terms: SaleTerms, signature: bytes) -> None:
    """Check that the buyer has accepted the terms. Raises: RemoteError(BAD_SIGNATURE)."""
    verify(terms.buyer, signature, "sale accepted", terms.raw())


def read_receipt(data: bytes) -> Receipt:
    """Read and check a receipt. Raises: RemoteError(BAD_ENCODING, BAD_TERMS, BAD_SIGNATURE)."""
    value = decode(data)
    if not _RECEIPT(value):
        raise RemoteError(Code.BAD_TERMS)
    raw, signature = value
    said = decode(raw)
    if not _TERMS(said):
        raise RemoteError(Code.BAD_TERMS)
    _, creator, buyer, run, number, unsold, creators_coin, buyers_coin, listed, waives = said
    paid = tuple((one[0], one[1], one[2], one[3]) for one in listed)
    coins = creators_coin, buyers_coin
    terms = SaleTerms(creator, buyer, run, number, unsold, *coins, paid, tuple(waives))
    ordered = all(left < right for left, right in pairwise(waives))
    if not ordered or any(left[0] >= right[0] for left, right in pairwise(paid)):
        raise RemoteError(Code.BAD_TERMS)
    verify(terms.creator, signature, _LABEL, raw)
    return Receipt(terms, signature)


def check_terms(terms: SaleTerms, run: PrintRun) -> None:
    """Check that the terms are about this run and have unsold packs.

    Raises: RemoteError(BAD_TERMS); RemoteError(BAD_RUN) as in `pack_count`.
    """
    count = pack_count(run)
    packs = terms.packs()
    if (
        terms.creator != run.creator
        or terms.buyer == terms.creator
        or len(terms.unsold) != (count + 7) // 8
    ):
        raise RemoteError(Code.BAD_TERMS)
    if not packs or packs[-1] >= count:
        raise RemoteError(Code.BAD_TERMS)


def commit_coin(run_id: bytes, key: bytes, nonce: bytes) -> bytes:
    """Return one side's commitment to its 32 bytes.

    It is bound to the side's key, so that the other side cannot copy it.
    """
    return digest("sale coin", run_id, key, nonce)


def check_coin(commitment: bytes, run_id: bytes, key: bytes, nonce: bytes) -> None:
    """Check the opening of a commitment. Raises: RemoteError(BAD_NONCE)."""
    if len(nonce) != NONCE or commit_coin(run_id, key, nonce) != commitment:
        raise RemoteError(Code.BAD_NONCE)


def chosen_pack(terms: SaleTerms, creators: bytes, buyers: bytes) -> int:
    """Return the number of the unsold pack that both nonces choose, with equal probability for each
    pack.
    """
    packs = terms.packs()
    return packs[JointRandomness(terms.id, [creators, buyers]).uniform_below(len(packs))]


def contradict(one: SaleTerms, other: SaleTerms) -> bool:
    """Check that a creator who signed both terms has lied: two sales with one number, or a sold
    pack unsold again.

    Sales may end without a result; their pack stays unsold.
    """
    if (one.creator, one.run) != (other.creator, other.run):
        return False
    if one.number == other.number:
        return one != other
    earlier, later = sorted((one, other), key=lambda terms: terms.number)
    return not set(later.packs()) <= set(earlier.packs())
