"""The Merkle log agrees with leaves, roots and proofs, right and wrong, of other people's tools."""

import json
from base64 import b64decode
from pathlib import Path

import pytest

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.proofs.merkle_log import MerkleLog, check_consistency, leaf_hash, root_with

CASES = json.loads((Path(__file__).parents[4] / "vectors" / "merkle_rfc6962.json").read_text())
LEAVES = [bytes.fromhex(leaf) for leaf in CASES["leaves"]]
ROOTS = [bytes.fromhex(root) for root in CASES["roots"]]


def _hashes(texts):
    return [b64decode(text) for text in texts or ()]


def _holds(check, *args):
    try:
        check(*args)
    except RemoteError as error:
        assert error.code is Code.BAD_MERKLE_PROOF
        return False
    return True


def _included(case):
    root = root_with(
        b64decode(case["leafHash"]), case["leafIdx"], case["treeSize"], _hashes(case["proof"])
    )
    # the shape check refuses other lengths before a proof is examined
    if root != b64decode(case["root"]) or len(root) != 32:
        raise RemoteError(Code.BAD_MERKLE_PROOF)


def test_merkle_roots_match_foreign_cases():
    log = MerkleLog(LEAVES)
    assert [log.root(size) for size in range(9)] == ROOTS
    assert log.root() == ROOTS[-1]


def test_inclusion_proofs_match_foreign_cases():
    wrong = [
        case["file"] for case in CASES["inclusion"] if _holds(_included, case) is case["wantErr"]
    ]
    assert wrong == []


def test_consistency_proofs_match_foreign_cases():
    wrong = []
    for case in CASES["consistency"]:
        old = case["size1"], b64decode(case["root1"] or "")
        new = case["size2"], b64decode(case["root2"] or "")
        if _holds(check_consistency, old, new, _hashes(case["proof"])) is case["wantErr"]:
            wrong.append(case["file"])
    assert wrong == []


def test_generated_merkle_proofs_match_foreign_ones():
    log = MerkleLog(LEAVES)
    for case in CASES["inclusion"]:
        if (
            not case["wantErr"]
            and case["treeSize"] <= 8
            and b64decode(case["root"]) == ROOTS[case["treeSize"]]
        ):
            assert list(log.inclusion(case["leafIdx"], case["treeSize"])) == _hashes(case["proof"])
    for case in CASES["consistency"]:
        if not case["wantErr"] and case["size2"] <= 8 and case["size1"]:
            assert list(log.consistency(case["size1"], case["size2"])) == _hashes(case["proof"])


def test_merkle_proofs_up_to_twenty_hold_for_one_root():
    leaves = [bytes([number]) for number in range(20)]
    log = MerkleLog(leaves)
    for size in range(1, 21):
        for index in range(size):
            path = log.inclusion(index, size)
            assert root_with(leaf_hash(leaves[index]), index, size, path) == log.root(size)
            assert root_with(leaf_hash(b"other"), index, size, path) != log.root(size)
        for old in range(1, size + 1):
            path = log.consistency(old, size)
            check_consistency((old, log.root(old)), (size, log.root(size)), path)
            with pytest.raises(RemoteError):
                check_consistency((old, bytes(32)), (size, log.root(size)), path)
