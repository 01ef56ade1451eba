"""Random numbers for a party of a match. Its decisions do not depend on its random bytes."""

from random import Random


class Dice(Random):
    """Random source with two streams: one for decisions (a permutation, a card of the stock), one
    for bytes (keys, nonces, salts).

    So a protocol that needs more or other bytes than before deals the same.
    """

    secrets: Random

    def randbytes(self, n: int) -> bytes:
        """Return bytes for keys and the like."""
        return self.secrets.randbytes(n)

    def seek(self, *place: object) -> None:
        """Do nothing. A table's own stream restarts at each head of the log, but this one does
        not.
        """


def dice(seed: int, salt: int, whose: str) -> Dice:
    """Make the random source of one party. Another salt gives other bytes."""
    made = Dice(f"{seed} {whose}")
    made.secrets = Random(f"{seed} {whose} {salt}")
    return made
