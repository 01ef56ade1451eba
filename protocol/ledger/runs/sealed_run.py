"""A run of cards in sealed packs: signed before the first sale, and opened pack by pack
(docs/protocol, 28).

The run's record and a pack's opening prove that the pack had these cards before it was bought. They
do not show the faces: a card's id is a digest, and its record comes with the finished trade.
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
from protocol.limits import MAX_RUN_CARDS, MAX_RUN_PACKS, MAX_TRANSFERS

SALT = 32  # bytes of a pack's salt


@dataclass(frozen=True, slots=True)
class Pack:
    """Opening of one sealed pack: its number in the run, from 0, and the ids of its cards,
    ascending.
    """

    number: int
    salt: bytes
    instances: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class SealedRun:
    """A run as its creator stores it. `repr` omits packs and cards, which are secret until they are
    sold.
    """

    record: LedgerRecord
    run: PrintRun
    packs: tuple[Pack, ...] = field(repr=False)
    cards: Mapping[bytes, LedgerRecord] = field(repr=False)  # by instance id

    def path(self, number: int) -> tuple[bytes, ...]:
        """Return the proof that a pack is sealed in this run."""
        return MerkleLog(pack_leaf(self.run, pack) for pack in self.packs).inclusion(
            number, len(self.packs)
        )


@dataclass(frozen=True, slots=True)
class RunPlan:
    """A creator's plan for a run. `first`: by type, the serial number of its first card; 0 for
    missing types.
    """

    edition: str
    number: int
    copies: Mapping[bytes, int]
    pack_size: int
    first: Mapping[bytes, int] = field(default_factory=dict)


def build_run(creator: Identity, plan: RunPlan, rng: Random) -> SealedRun:
    """Build a run with packs in uniformly random order.

    Raises: LocalError if the run is too large, or does not fill whole packs.
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
    """Return the number of packs. Raises: RemoteError(BAD_RUN) if the run is too large, or not in
    whole packs.
    """
    cards = sum(copies for _, copies in run.copies)
    count, rest = divmod(cards, run.pack_size)
    if rest or cards > MAX_RUN_CARDS or not 1 <= count <= MAX_RUN_PACKS:
        raise RemoteError(Code.BAD_RUN)
    return count


def pack_leaf(run: PrintRun, pack: Pack) -> bytes:
    """Return the leaf of a pack in the Merkle tree of packs."""
    return _leaf(run.creator, run.edition, run.number, pack)


def check_pack(run: PrintRun, pack: Pack, path: Sequence[bytes]) -> None:
    """Check that a pack is sealed under the signed root of the run.

    Raises: RemoteError(BAD_SEALED_PACK, BAD_MERKLE_PROOF); RemoteError(BAD_RUN) as in `pack_count`.
    """
    count = pack_count(run)
    ascending = list(pack.instances) == sorted(set(pack.instances))
    if not ascending or len(pack.instances) != run.pack_size or not 0 <= pack.number < count:
        raise RemoteError(Code.BAD_SEALED_PACK)
    if root_with(leaf_hash(pack_leaf(run, pack)), pack.number, count, path) != run.packs:
        raise RemoteError(Code.BAD_SEALED_PACK)


def _check_plan(plan: RunPlan) -> None:
    cards = sum(plan.copies.values())
    if not plan.copies or min(plan.copies.values()) < 1:
        raise LocalError("wrong.run.copies")
    if rest := cards % plan.pack_size:
        fits = [size for size in range(1, MAX_TRANSFERS + 1) if cards % size == 0]
        raise LocalError(
            "wrong.run.packs",
            cards=cards,
            size=plan.pack_size,
            more=plan.pack_size - rest,
            fits=min(fits, key=lambda size: abs(size - plan.pack_size)),
        )
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
