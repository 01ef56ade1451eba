"""Outcomes of entries, as a table keeps them beside the log: each under a MAC of its own.

    key    = HKDF-HMAC-SHA-512(seed of the table's identity, ("stored outcomes",))   see `Identity.secret`
    stamp  = HMAC-SHA-256(key, ("stored outcome", match id, number, hash of the chain after the entry,
             head, edition of the rules, code of the program, code)), code
    code   = of the lie that the entry proves, in UTF-8; empty: it proves none

A head says which entry has a number, and nothing of what the entry proves. A stamp says that this
table, or another host of its key with the same program, has judged the entry with all its proofs.
Whoever reads the store back repeats such entries without their proofs (`protocol.match.fold.repeat`)
and proves all others again. A store cannot make a stamp, and one from another place, log, edition or
program is none. An audit, and a player, never have stamps.
"""

from collections.abc import Container
from itertools import count

from protocol.codes import Code
from protocol.crypto.hashing import authenticate, constant_time_equal
from protocol.match.fold import Outcome
from protocol.match.setup import Setup
from table.match.rules_version import code_version
from table.signer.requests import OUTCOMES
from table.signer.signer import Key

MAC_SIZE = 32  # bytes


class OutcomeStamps:
    """The stamps of one match."""

    def __init__(self, key: Key, setup: Setup, match_id: bytes, program: bytes = b"") -> None:
        """`program`: version of the program's code; by default that of this one."""
        self._secret = key.secret(OUTCOMES)
        self._match_id = match_id
        self._edition = f"{setup.terms.game.name} {setup.terms.rules}"
        self._program = program or code_version()

    def stamp(self, number: int, hashed: bytes, head: bytes, outcome: Outcome) -> bytes:
        """Return the stamp of the entry with this number, hash after it and head."""
        code = "" if outcome.lie is None else str(outcome.lie)
        return self._mac(number, hashed, head, code) + code.encode()

    def open(self, number: int, hashed: bytes, head: bytes, stamp: bytes) -> Outcome | None:
        """Return the outcome under a stamp; None: it is not of this entry here."""
        try:
            code = stamp[MAC_SIZE:].decode()
            outcome = Outcome(Code(code) if code else None)
        except ValueError:
            return None
        mac = self._mac(number, hashed, head, code)
        return outcome if head and constant_time_equal(mac, stamp[:MAC_SIZE]) else None

    def _mac(self, number: int, hashed: bytes, head: bytes, code: str) -> bytes:
        place = self._match_id, number, hashed, head
        return authenticate(
            self._secret, "stored outcome", *place, self._edition, self._program, code
        )


def count_known(outcomes: Container[int]) -> int:
    """Return the number of entries from the first on whose outcomes are known."""
    return next(number for number in count() if number not in outcomes)
