"""The sealed form of a seed in a store."""

from protocol.errors import LocalError
from protocol.identity.keys import Identity
from table.match.seed_seal import seal_seed, unseal_seed
from tests.support.errors import raises_text

TABLE, OTHER = Identity(bytes(range(32))), Identity(bytes(32))
MATCH, SEED = bytes([1]) * 32, bytes([2]) * 32


def test_sealed_seed_is_equal_on_all_hosts():
    wanted = (
        "faa84225d9d819453d3da3719dd218130e9f15a7762677dc7b79ab4f1324e24d69003432166aee4e"
        "13e5f263903d3314d4f6f610f48e539ee4374ff3"
    )
    assert seal_seed(TABLE, MATCH, SEED).hex() == wanted


def test_sealed_seed_is_bound_to_table_and_match():
    sealed = seal_seed(TABLE, MATCH, SEED)
    assert unseal_seed(TABLE, MATCH, sealed) == SEED and SEED not in sealed
    damaged = sealed[:-1] + bytes([sealed[-1] ^ 1])
    for identity, match_id, data in (
        (OTHER, MATCH, sealed),
        (TABLE, bytes(32), sealed),
        (TABLE, MATCH, damaged),
        (TABLE, MATCH, sealed[:40]),
        (TABLE, MATCH, b""),
        (TABLE, MATCH, SEED),
    ):
        with raises_text(LocalError, match="seed"):
            unseal_seed(identity, match_id, data)


def test_seal_nonce_differs_by_seed_and_match():
    sealed = {
        seal_seed(TABLE, bytes([n]) * 32, bytes([m]) * 32)[:12] for n in range(8) for m in range(8)
    }
    assert len(sealed) == 64
