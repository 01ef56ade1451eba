"""What a player sat down for, and whether the match that the table opens is that."""

from dataclasses import dataclass

from protocol.codes import Code
from protocol.match.setup import Person, Setup
from protocol.match.terms import Terms


@dataclass(frozen=True)
class Agreement:
    """What the match's first entry must say, or the table has broken its word. None: not known
    beforehand.
    """

    match_id: bytes
    table_key: bytes  # as the session authenticated it
    table_id: str
    seat: int | None  # None: a spectator
    person: Person  # ourselves
    terms: Terms | None

    def broken_by(self, setup: Setup, match_id: bytes) -> Code | None:
        """How a setup goes against this."""
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
