"""Digests as words that people read to each other: "does your screen say
maple-river-otter-coin?".
"""

from functools import lru_cache

from mnemonic import Mnemonic

WORDS = 4
# the English list of BIP-39 has 2^11 words, distinct in their first four letters
BITS_PER_WORD = 11
_BITS = WORDS * BITS_PER_WORD


@lru_cache(maxsize=1)
def _word_list() -> list[str]:
    return list(Mnemonic("english").wordlist)


def roster_words(digest: bytes) -> str:
    """Return four words from the first 44 bits of a digest (at least 6 bytes), joined by hyphens.

    An attacker needs 2^44 digests to match the words of a fixed digest. To find two digests of his
    own with the same words, he needs only about 2^22 of each, a matter of minutes. A table does
    this if it shows two seats different rosters of its own making. So the digest must cover a nonce
    of every seat, committed to before anybody chooses a value, and opened later. Then each attempt
    costs a match.
    """
    number = int.from_bytes(digest[:8].ljust(8, b"\0"), "big") >> (64 - _BITS)
    words = _word_list()
    picked = [
        number >> BITS_PER_WORD * place & (len(words) - 1) for place in reversed(range(WORDS))
    ]
    return "-".join(words[index] for index in picked)
