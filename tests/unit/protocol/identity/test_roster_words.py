"""Roster words: a digest as four words."""

import pytest
from mnemonic import Mnemonic

from protocol.identity.roster_words import roster_words


@pytest.mark.parametrize(
    ("digest", "words"),
    [
        (bytes(32), "abandon-abandon-abandon-abandon"),
        (b"\xff" * 32, "zoo-zoo-zoo-zoo"),
        (b"\x00\x20\x04\x00\x80\x10" + bytes(26), "ability-ability-ability-ability"),
        (b"\x80" + bytes(31), "length-abandon-abandon-abandon"),
        (bytes(5) + b"\x10", "abandon-abandon-abandon-ability"),
    ],
)
def test_roster_words_match_examples(digest, words):
    assert roster_words(digest) == words


def test_roster_words_depend_on_44_bits():
    digest = bytes(range(32))
    for bit in range(64):
        changed = bytearray(digest)
        changed[bit // 8] ^= 0x80 >> bit % 8
        assert (roster_words(bytes(changed)) != roster_words(digest)) is (bit < 44)


def test_roster_words_agree_with_mnemonic_package():
    digest = bytes(range(100, 116))
    assert roster_words(digest).split("-") == Mnemonic("english").to_mnemonic(digest).split()[:4]
