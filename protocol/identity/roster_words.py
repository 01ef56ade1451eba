"""A digest as words, for people to read to each other: "does your screen say
maple-river-otter-coin?".
"""

from functools import lru_cache

from mnemonic import Mnemonic

WORDS = 4
BITS_PER_WORD = 11  # the BIP-39 English list has 2^11 words, told apart by their first four letters
_BITS = WORDS * BITS_PER_WORD


@lru_cache(maxsize=1)
def _word_list() -> list[str]:
    return list(Mnemonic("english").wordlist)


def roster_words(digest: bytes) -> str:
    """Four words from the first 44 bits of a digest (of 6 bytes or more), joined by hyphens.

    What an attacker must grind: 2^44 digests to hit the words of one that others fixed; but only
    about 2^22 of each to make two of his own that agree, as a table does that shows each of two
    seats a roster of its making. That takes minutes. So the digest must cover something that every
    seat was committed to before any could choose what it adds (a nonce, committed first and opened
    later): then each try costs a match.
    """
    number = int.from_bytes(digest[:8].ljust(8, b"\0"), "big") >> (64 - _BITS)
    words = _word_list()
    picked = [
        number >> BITS_PER_WORD * place & (len(words) - 1) for place in reversed(range(WORDS))
    ]
    return "-".join(words[index] for index in picked)
