"""Random streams repeat for the same seed and place, differ for any other, and are uniform."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.crypto.hashing import derive
from protocol.crypto.seeded_random import SeededRandom

SEED = bytes(range(32))


def test_stream_is_chacha20_under_derived_key():
    from Crypto.Cipher import ChaCha20

    key = derive(SEED, "stream", "match", 7)
    expected = ChaCha20.new(key=key, nonce=bytes(12)).encrypt(bytes(100))
    assert SeededRandom(SEED, "match", 7).randbytes(100) == expected


@given(st.lists(st.integers(0, 200), max_size=6))
@pytest.mark.slow
def test_stream_is_independent_of_read_sizes(sizes):
    stream = SeededRandom(SEED, "here")
    assert b"".join(stream.randbytes(size) for size in sizes) == SeededRandom(
        SEED, "here"
    ).randbytes(sum(sizes))


def test_stream_rewound_to_place_repeats():
    stream = SeededRandom(SEED)
    stream.seek("step", 1)
    deck = list(range(28))
    stream.shuffle(deck)
    drawn = deck, stream.randbytes(32), stream.random(), stream.choice(range(1000))
    stream.seek("step", 2)
    stream.randbytes(5)
    stream.seek("step", 1)
    again = list(range(28))
    stream.shuffle(again)
    assert (again, stream.randbytes(32), stream.random(), stream.choice(range(1000))) == drawn


@pytest.mark.parametrize("place", [("step", 2), ("step",), ("step", b"\1"), ("ste", "p1"), ()])
def test_another_place_or_seed_is_another_stream(place):
    first = SeededRandom(SEED, "step", 1).randbytes(32)
    assert SeededRandom(SEED, *place).randbytes(32) != first
    assert SeededRandom(bytes(32), "step", 1).randbytes(32) != first


@pytest.mark.slow
def test_stream_choices_are_uniform():
    stream = SeededRandom(SEED, "even")
    counts = Counter(stream.randrange(7) for _ in range(70_000))
    chi_square = sum((counts[value] - 10_000) ** 2 / 10_000 for value in range(7))
    assert chi_square < 22.5  # 6 degrees of freedom, p = 0.001
    assert all(0 <= stream.random() < 1 for _ in range(1000))


def test_stream_seed_of_wrong_size_is_refused_unseen():
    with pytest.raises(ValueError, match="32 bytes"):
        SeededRandom(b"short")
    assert repr(SeededRandom(SEED)) == "Stream(...)"


def test_stream_cannot_be_copied():
    import copy

    with pytest.raises(NotImplementedError):
        copy.copy(SeededRandom(SEED)).randbytes(1)
