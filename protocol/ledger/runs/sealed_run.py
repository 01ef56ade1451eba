"""A run of cards and its sealed packs: built and signed before one is sold, opened pack by pack
(docs/protocol, 28).

Whoever has the run's record and a pack's opening knows that the pack had these cards before anybody
bought it. What they show is not known by then: a card's id is a digest, and its record comes with
the finished trade.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import Identity
from protocol.ledger.proofs.merkle_log import MerkleLog, leaf_hash, root_with
from protocol.ledger.record_codec import NONCE_SIZE
from protocol.ledger.record_contents import Instance, PrintRun
from protocol.ledger.records import LedgerRecord, sign_record
from protocol.limits import MAX_RUN_CARDS, MAX_RUN_PACKS

SALT = 32  # bytes of a pack


@dataclass(frozen=True, slots=True)
class Pack:
    """The opening of one sealed pack: its number in the run, from 0, and the ids of its cards,
    ascending.
    """

    number: int
    salt: bytes
    instances: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class SealedRun:
    """What a creator keeps of a run. Not shown by `repr`: packs and cards, which are its secret
    until they are sold.
    """

    record: LedgerRecord
    run: PrintRun
    packs: tuple[Pack, ...] = field(repr=False)
    cards: Mapping[bytes, LedgerRecord] = field(repr=False)  # by instance id

    def path(self, number: int) -> tuple[bytes, ...]:
        """The proof that a pack is sealed in this run."""
        return MerkleLog(pack_leaf(self.run, pack) for pack in self.packs).inclusion(
            number, len(self.packs)
        )


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What a creator wants in a run. `first`: by type, the serial number of its first card; 0 where
    it says nothing.
    """

    edition: str
    number: int
    copies: Mapping[bytes, int]
    pack_size: int
    first: Mapping[bytes, int] = field(default_factory=dict)


def build_run(creator: Identity, plan: RunPlan, rng: Random) -> SealedRun:
    """A run in packs of an even order. Raises: LocalError if it is too large, or does not come out
    in whole packs.
    """
    _check_plan(plan)
    instances = (
        Instance(
            creator.public, type_id, plan.first.get(type_id, 0) + at, rng.randbytes(NONCE_SIZE)
        )
        for type_id, copies in sorted(plan.copies.items())
        for at in range(copies)
    )
    cards = {
        record.id: record for record in (sign_record(instance, creator) for instance in instances)
    }
    ids = sorted(cards)
    packs = tuple(_packs(ids, plan.pack_size, rng))
    run = PrintRun(
        creator.public,
        plan.edition,
        plan.number,
        tuple(sorted(plan.copies.items())),
        MerkleLog(ids).root(),
        MerkleLog(_leaf(creator.public, plan.edition, plan.number, pack) for pack in packs).root(),
        plan.pack_size,
    )
    return SealedRun(sign_record(run, creator), run, packs, cards)


def pack_count(run: PrintRun) -> int:
    """How many packs there are. Raises: RemoteError(BAD_RUN) for a run that is too large, or not in
    whole packs.
    """
    cards = sum(copies for _, copies in run.copies)
    count, rest = divmod(cards, run.pack_size)
    if rest or cards > MAX_RUN_CARDS or not 1 <= count <= MAX_RUN_PACKS:
        raise RemoteError(Code.BAD_RUN)
    return count


def pack_leaf(run: PrintRun, pack: Pack) -> bytes:
    """What stands for a pack in the tree under the run's root of packs."""
    return _leaf(run.creator, run.edition, run.number, pack)


def check_pack(run: PrintRun, pack: Pack, path: Sequence[bytes]) -> None:
    """Raise RemoteError(BAD_SEALED_PACK or BAD_MERKLE_PROOF) unless the signed root has it; BAD_RUN
    as `pack_count`.
    """
    count = pack_count(run)
    ascending = list(pack.instances) == sorted(set(pack.instances))
    if not ascending or len(pack.instances) != run.pack_size or not 0 <= pack.number < count:
        raise RemoteError(Code.BAD_SEALED_PACK)
    if root_with(leaf_hash(pack_leaf(run, pack)), pack.number, count, path) != run.packs:
        raise RemoteError(Code.BAD_SEALED_PACK)


def _check_plan(plan: RunPlan) -> None:
    cards = sum(plan.copies.values())
    if not plan.copies or min(plan.copies.values()) < 1 or cards % plan.pack_size:
        raise LocalError("wrong.run.packs", cards=cards, size=plan.pack_size)
    if cards > MAX_RUN_CARDS or cards // plan.pack_size > MAX_RUN_PACKS:
        raise LocalError("wrong.run.large", cards=cards, most=MAX_RUN_CARDS, packs=MAX_RUN_PACKS)


def _packs(ids: list[bytes], size: int, rng: Random) -> list[Pack]:
    mixed = rng.sample(ids, len(ids))
    cut = (mixed[begin : begin + size] for begin in range(0, len(mixed), size))
    return [
        Pack(number, rng.randbytes(SALT), tuple(sorted(some))) for number, some in enumerate(cut)
    ]


def _leaf(creator: bytes, edition: str, number: int, pack: Pack) -> bytes:
    return digest("sealed pack", creator, edition, number, pack.number, pack.salt, *pack.instances)
