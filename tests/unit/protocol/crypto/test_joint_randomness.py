"""Joint randomness is uniform, equal for every seat, and depends on every seat's part; a part
without its commitment is a lie.
"""

from collections import Counter
from itertools import permutations
from random import Random

import pytest

from protocol.codes import Code
from protocol.crypto.joint_randomness import JointRandomness, nonce_commitment
from protocol.dealing import Post
from tests.support.offline import make_offline

MATCH = bytes(32)
NONCES = [bytes([seat]) * 32 for seat in range(3)]


def drawn(match_id=MATCH, nonces=NONCES):
    chance = JointRandomness(match_id, nonces)
    return [chance.uniform_below(1000) for _ in range(5)], chance.permutation(9), chance.coin()


def test_joint_randomness_is_equal_for_all_seats():
    assert drawn() == drawn()


@pytest.mark.parametrize("seat", range(3))
def test_joint_randomness_depends_on_every_part(seat):
    changed = [nonce if other != seat else b"x" * 32 for other, nonce in enumerate(NONCES)]
    assert drawn(nonces=changed) != drawn()


def test_joint_randomness_differs_by_match_and_seating():
    assert drawn(match_id=b"m" * 32) != drawn() != drawn(nonces=NONCES[::-1])


def chi_square(counts, expected):
    return sum((count - expected) ** 2 / expected for count in counts)


def test_joint_numbers_are_uniform():
    chance = JointRandomness(MATCH, NONCES)
    counts = Counter(chance.uniform_below(5) for _ in range(20_000))
    assert set(counts) == set(range(5))
    assert chi_square(counts.values(), 4000) < 18.5  # 4 degrees of freedom, p = 0.001


@pytest.mark.slow
def test_joint_orders_are_uniform():
    chance = JointRandomness(MATCH, NONCES)
    counts = Counter(chance.permutation(4) for _ in range(12_000))
    assert set(counts) == set(permutations(range(4)))
    assert chi_square(counts.values(), 500) < 49.7  # 23 degrees of freedom, p = 0.001


def test_joint_coins_are_fair():
    chance = JointRandomness(MATCH, NONCES)
    assert abs(sum(chance.coin() for _ in range(10_000)) - 5000) < 165  # 3.3 standard deviations


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 8, 9, 255, 256, 257])
def test_joint_numbers_stay_within_bounds(bound):
    chance = JointRandomness(MATCH, [Random(bound).randbytes(32)])
    assert all(0 <= chance.uniform_below(bound) < bound for _ in range(200))


def test_commitment_is_bound_to_match_and_seat():
    nonce = NONCES[0]
    commitments = {
        nonce_commitment(match, seat, nonce) for match in (MATCH, b"m" * 32) for seat in (0, 1)
    }
    assert len(commitments) == 4


def test_opening_a_part_not_committed_is_named():
    offline = make_offline(2)
    for seat in offline.seats:
        offline.step(seat)
    offline.step(offline.seats[0])
    cheat, reader = offline.seats[1], offline.readers[1]
    offline.catch_up(reader)
    offline.live.offer(cheat.entry(reader.log, Post("nonce", [b"another part".ljust(32)])), 1)
    assert [(fault.seat, fault.code) for fault in offline.live.match.faults] == [
        (1, Code.BAD_NONCE)
    ]
