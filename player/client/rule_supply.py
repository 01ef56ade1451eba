"""The rule file of a table, on its way between the person's stored rule sets and the table.

A client without socket and clock asks through this before it takes a place (docs/protocol, 4.5).
"""

from typing import TYPE_CHECKING

from player.client.rule_sets import OfferedRules, RuleSets, named_digest
from protocol.errors import RemoteError
from protocol.games.decks.deck_hand import Loadout
from protocol.games.scripted.rule_file.built_in import rule_digest
from protocol.limits import RULE_SET_ASKS, RULE_SET_ASKS_A_LOOK
from protocol.match.terms import Terms

if TYPE_CHECKING:
    from protocol.games.scripted.rule_file.rule_set import RuleSet


class RuleSupply:
    """Rule files that one visit has asked for, and what came of it."""

    def __init__(self, rule_sets: RuleSets) -> None:
        self._rule_sets = rule_sets
        self._asks: dict[str, int] = {}  # by the file's name: times that a table was asked
        self._awaited = ""  # name of the file that was asked for last; "": none is awaited
        self._left = RULE_SET_ASKS_A_LOOK  # questions until the tables are listed again

    def listed(self) -> None:
        """The table has listed its tables, and may be asked about some more files."""
        self._left = RULE_SET_ASKS_A_LOOK

    def detached(self) -> None:
        """The connection is gone, and no answer comes."""
        self._awaited = ""

    def wants(self, terms: Terms | None, brings: Loadout) -> bool:
        """Decide to ask the table for its rule file: it is not here, and was not asked for too
        often. One file is asked for at a time.
        """
        digest = named_digest(terms)
        if (
            not digest
            or self._awaited
            or not self._left
            or self._asks.get(digest, 0) >= RULE_SET_ASKS
            or _is_brought(digest, brings)
            or self._rule_sets.offered(digest) is not None
        ):
            return False
        self._asks[digest] = self._asks.get(digest, 0) + 1
        self._awaited = digest
        self._left -= 1
        return True

    def received(self, data: bytes) -> None:
        """Store the set that a table has sent, if it is the one that was asked for. Raises:
        LocalError.
        """
        digest, self._awaited = self._awaited, ""
        found = signed_rules(data)
        if found is not None and found.digest == digest:
            self._rule_sets.keep(found)

    def offered(self, terms: Terms | None, brings: Loadout) -> OfferedRules | None:
        """Return the stored set that these terms name, unless the person has named the file."""
        digest = named_digest(terms)
        if not digest or _is_brought(digest, brings):
            return None
        return self._rule_sets.offered(digest)


def given_rules(terms: Terms | None, brings: Loadout) -> bytes | None:
    """Return the signed rule file that this person can give to the others at a table."""
    digest = named_digest(terms)
    if not digest or not _is_brought(digest, brings):
        return None
    data = brings.text.encode()
    return data if signed_rules(data) is not None else None


def signed_rules(data: bytes) -> "RuleSet | None":
    """Return the rule set in these bytes; None if they are none, or its signature is wrong."""
    # the ledger takes a while to import, and few matches are by a file
    from protocol.games.scripted.rule_file.rule_set import read_rule_set

    try:
        return read_rule_set(data.decode())
    except (RemoteError, UnicodeDecodeError):
        return None


def _is_brought(digest: str, brings: Loadout) -> bool:
    return bool(brings.text) and rule_digest(brings.text) == digest
