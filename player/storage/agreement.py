"""The terms for which a player sat down, and their comparison with the match that the table opens."""

from dataclasses import dataclass

from protocol.codes import Code
from protocol.match.setup import Person, Setup
from protocol.match.terms import Terms


@dataclass(frozen=True)
class Agreement:
    """The required content of the match's first entry. Another content breaks the table's promise.
    None: not known beforehand.
    """

    match_id: bytes
    table_key: bytes  # as the session authenticated it
    table_id: str
    seat: int | None  # None: a spectator
    person: Person  # ourselves
    terms: Terms | None

    def broken_by(self, setup: Setup, match_id: bytes) -> Code | None:
        """Return how a setup differs from this agreement; None if it does not."""
        if setup.table.key != self.table_key:
            return Code.WRONG_TABLE_KEY
        if match_id != self.match_id:
            return Code.WRONG_MATCH
        if self.seat is not None and (
            self.seat >= setup.seats or setup.people[self.seat] != self.person
        ):
            return Code.WRONG_SETUP
        if setup.table.id != self.table_id or self.terms not in (None, setup.terms):
            return Code.WRONG_SETUP
        return None
