"""The map of spent slots: a root makes one statement about every slot, and never two."""

from random import Random

import pytest

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.proofs.slot_map import NOTHING, MapProof, SlotMap, trade_at


def _near(slot: bytes, bit: int) -> bytes:
    """Return a slot that shares all bits before this one with another."""
    return (int.from_bytes(slot, "big") ^ 1 << (255 - bit)).to_bytes(32, "big")


def test_map_proves_every_present_and_absent_slot():
    rng, spent = Random(1), SlotMap()
    slots = [rng.randbytes(32) for _ in range(60)]
    slots += [_near(slots[0], bit) for bit in (0, 7, 8, 200, 255)]
    assert trade_at(slots[0], spent.proof(slots[0]), NOTHING) is None
    for number, slot in enumerate(slots):
        spent.put(slot, bytes([number]) * 32)
        assert (
            trade_at(slot, spent.proof(slot), spent.root) == bytes([number]) * 32 == spent.get(slot)
        )
    for slot in slots:
        assert trade_at(slot, spent.proof(slot), spent.root) == spent.get(slot)
        other = _near(slot, 254)
        assert trade_at(other, spent.proof(other), spent.root) is None


def test_map_root_is_independent_of_order():
    rng = Random(2)
    bounds = [(rng.randbytes(32), rng.randbytes(32)) for _ in range(40)]
    roots = set()
    for seed in range(3):
        spent = SlotMap()
        for slot, trade in Random(seed).sample(bounds, 40):
            spent.put(slot, trade)
        roots.add(spent.root)
    assert len(roots) == 1


def test_changed_map_proof_is_refused():
    rng, spent = Random(3), SlotMap()
    slots = [rng.randbytes(32) for _ in range(20)]
    for slot in slots:
        spent.put(slot, slot)
    slot, root = slots[0], spent.root
    proof = spent.proof(slot)
    absent = spent.proof(_near(slot, 255))
    assert absent.found is not None and absent.found[0] == slot  # only the neighbour is there
    bent = [
        MapProof(proof.siblings, None),
        MapProof(proof.siblings, (slot, bytes(32))),
        MapProof(proof.siblings, (slots[1], slots[1])),
        MapProof(proof.siblings[1:], proof.found),
        MapProof((*proof.siblings, NOTHING), proof.found),
        MapProof((NOTHING,) * 257, proof.found),
        MapProof(tuple(reversed(proof.siblings)), proof.found),
    ]
    for each in bent:
        with pytest.raises(RemoteError) as refused:
            trade_at(slot, each, root)
        assert refused.value.code is Code.BAD_MERKLE_PROOF
