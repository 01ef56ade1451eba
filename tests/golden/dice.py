"""Random numbers for a party to a match: its decisions stay the same whatever becomes of its
bytes.
"""

from random import Random


class Dice(Random):
    """Decisions (a permutation, a card of the stock) from one stream; bytes (keys, nonces, salts)
    from another.

    So a protocol that needs more bytes than before, or others, deals the same.
    """

    secrets: Random

    def randbytes(self, n: int) -> bytes:
        """Bytes for keys and the like."""
        return self.secrets.randbytes(n)

    def seek(self, *place: object) -> None:
        """Nothing: unlike a table's own stream, this one does not begin anew at each head of the
        log.
        """


def dice(seed: int, salt: int, whose: str) -> Dice:
    """The dice of one party; another salt gives other bytes."""
    made = Dice(f"{seed} {whose}")
    made.secrets = Random(f"{seed} {whose} {salt}")
    return made
