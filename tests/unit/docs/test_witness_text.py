"""Chapter 27 is enough to check a witness: its log, its map and its lies, computed from sections
27.1 and 27.5 alone, agree with the vectors.
"""

from hashlib import sha256

import msgpack
import pytest
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from tests.unit.docs.test_ledger_text import vectors
from tests.unit.docs.test_residue_text import digest, framed


def root_of(leaves):
    """Compute the root of a log (RFC 9162, 2.1.1)."""
    if len(leaves) < 2:
        return sha256(b"\0" + leaves[0] if leaves else b"").digest()
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\1" + root_of(leaves[:half]) + root_of(leaves[half:])).digest()


def bit(slot, depth):
    return slot[depth // 8] >> 7 - depth % 8 & 1


def map_root(spent, depth=0):
    """Compute the root of a map by 27.1.2."""
    if not spent:
        return bytes(32)
    if len(spent) == 1:
        return digest("slot map leaf", *spent[0])
    sides = [[one for one in spent if bit(one[0], depth) == side] for side in (0, 1)]
    return digest("slot map branch", *(map_root(side, depth + 1) for side in sides))


def map_proof(spent, slot, depth=0):
    """Make the proof of a slot: siblings, and what is found."""
    if len(spent) < 2:
        return [], spent[0] if spent else None
    own = [one for one in spent if bit(one[0], depth) == bit(slot, depth)]
    other = [one for one in spent if bit(one[0], depth) != bit(slot, depth)]
    siblings, found = map_proof(own, slot, depth + 1)
    return [map_root(other, depth + 1), *siblings], found


def proven(slot, siblings, found):
    """Compute the root that a map proof gives; None if it is none."""
    bits = range(len(siblings))
    if found is not None and [bit(found[0], n) for n in bits] != [bit(slot, n) for n in bits]:
        return None
    root = bytes(32) if found is None else digest("slot map leaf", *found)
    for depth in reversed(bits):
        pair = (root, siblings[depth]) if not bit(slot, depth) else (siblings[depth], root)
        root = digest("slot map branch", *pair)
    return root


@pytest.mark.parametrize(("given", "output"), vectors("witness.json", "roots of a log"))
def test_text_of_logs_suffices(given, output):
    leaves = given["leaves"]
    assert output["roots"] == [root_of(leaves[:size]) for size in range(len(leaves) + 1)]


@pytest.mark.parametrize(("given", "output"), vectors("witness.json", "map of slots"))
def test_text_of_maps_suffices(given, output):
    siblings, found = map_proof(given["bounds"], given["slot"])
    assert output["root"] == map_root(given["bounds"])
    assert (output["siblings"], output["found"]) == (siblings, found)
    assert proven(given["slot"], siblings, found) == output["root"]


@pytest.mark.parametrize(("given", "output"), vectors("witness.json", "look up slot"))
def test_text_of_map_proofs_suffices(given, output):
    found = given["found"]
    assert proven(given["slot"], given["siblings"], found) == given["root"]
    spent = found[1] if found and found[0] == given["slot"] else None
    assert output["trade"] == spent


def signed(key, signature, *fields):
    try:
        VerifyKey(key).verify(framed(*fields), signature)
    except BadSignatureError:
        return False
    return True


def facts(key, statement):
    """What a statement says (27.5.1): roots of a size, leaf of a position, state of a slot."""
    kind, *fields = msgpack.unpackb(statement)
    if kind == "seen":
        content, signature = fields
        assert signed(key, signature, "ledger", content)
        _, _, _, slot, trade, position = msgpack.unpackb(content)
        return {("leaf", position): content, ("slot", slot): (position + 1, trade)}
    head = fields if kind == "head" else fields[0]
    assert signed(key, head[3], "witness head", *head[:3])
    said = {("roots", head[0]): head[1:3]}
    if kind == "leaf":
        _, position, leaf, _ = fields
        _, _, _, slot, trade, _ = msgpack.unpackb(leaf)
        said |= {("leaf", position): leaf, ("slot", slot): (position + 1, trade)}
    if kind == "slot":
        _, slot, siblings, found = fields
        assert proven(slot, siblings, found) == head[2]
        spent = found[1] if found and found[0] == slot else None
        said[("slot", slot)] = (head[0], spent)
    return said


def lies(one, other):
    """Decide by 27.5.3."""
    for what in one.keys() & other.keys():
        if what[0] != "slot":
            if one[what] != other[what]:
                return True
            continue
        (size, trade), (other_size, other_trade) = one[what], other[what]
        if trade and other_trade:
            return trade != other_trade
        if trade is None and other_trade is None:
            continue
        spent, free = (size, other_size) if trade else (other_size, size)
        if spent <= free:
            return True
    return False


@pytest.mark.parametrize(("given", "output"), vectors("witness.json", "take lie"))
def test_text_of_lies_suffices(given, output):
    (content,) = msgpack.unpackb(given["record"])
    _, kind, key, first, second = msgpack.unpackb(content)
    assert kind == "lie" and first < second and output["witness"] == key
    assert lies(facts(key, first), facts(key, second))
