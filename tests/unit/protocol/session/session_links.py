"""Two sessions and the wire between them, for the tests of sessions."""

import random

from protocol.identity.keys import Identity, fingerprint
from protocol.session.session import PROLOGUE, Role, Session

ALICE, TABLE, MALLORY = (Identity(letter * 32) for letter in (b"a", b"t", b"m"))
EXPECTED = fingerprint(TABLE.public)


def player(rng, identity=ALICE, expected=EXPECTED, prologue=PROLOGUE):
    return Session(Role.PLAYER, identity, rng.randbytes(32), rng, expected, prologue)


def table(rng, identity=TABLE):
    return Session(Role.TABLE, identity, rng.randbytes(32), rng)


class Link:
    """A player and a table; `messages` are the handshake's frames on the wire."""

    def __init__(self, seed=1, **player_options):
        rng = random.Random(seed)
        self.player, self.table = player(rng, **player_options), table(rng)
        self.messages = []
        self.events = {"player": [], "table": []}

    def until(self, number):
        """Run the handshake until message `number` (0 to 2) is on the wire but not yet read; return
        it.
        """
        while len(self.messages) <= number:
            self.step()
        return self.messages[number]

    def step(self):
        if not self.messages:
            self.messages.append(self.player.start())
        elif len(self.messages) == 1:
            self.events["table"] += self.table.receive(self.messages[-1])
            self.messages.append(self.table.take_handshake_bytes())
        else:
            self.events["player"] += self.player.receive(self.messages[-1])
            self.messages.append(self.player.take_handshake_bytes())

    def establish(self):
        self.until(2)
        self.events["table"] += self.table.receive(self.messages[2])
        return self

    def reader(self, number):
        """Return the side that reads handshake message `number`."""
        return self.player if number == 1 else self.table
