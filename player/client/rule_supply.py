"""Requests for the rule file of a table, before a seat is taken (docs/protocol, 4.5): which file to
ask the table for, and which file to give to it.
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
    """The requests for rule files in one visit."""

    def __init__(self, rule_sets: RuleSets) -> None:
        self._rule_sets = rule_sets
        self._requests: dict[str, int] = {}  # numbers of requests, by digest of the file
        self._awaited = ""  # digest of the requested file; "": none is awaited
        self._remaining = RULE_SET_ASKS_A_LOOK  # requests until the tables are listed again

    def listed(self) -> None:
        """Allow some more requests: the table has listed its tables."""
        self._remaining = RULE_SET_ASKS_A_LOOK

    def detached(self) -> None:
        """Await no answer any more: the connection has ended."""
        self._awaited = ""

    def begin_request(self, terms: Terms | None, brings: Loadout) -> bool:
        """Begin a request for the rule file of these terms. Return False, and begin none, if the file
        is here, if it was requested too often, or if another one is awaited.
        """
        digest = named_digest(terms)
        if (
            not digest
            or self._awaited
            or not self._remaining
            or self._requests.get(digest, 0) >= RULE_SET_ASKS
            or _is_brought(digest, brings)
            or self._rule_sets.offered(digest) is not None
        ):
            return False
        self._requests[digest] = self._requests.get(digest, 0) + 1
        self._awaited = digest
        self._remaining -= 1
        return True

    def received(self, data: bytes) -> None:
        """Store the rule set that a table has sent, if it is the requested one. Raises: LocalError."""
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


def rules_to_give(terms: Terms | None, brings: Loadout) -> bytes | None:
    """Return the signed rule file of these terms that the person has named, for the others at the
    table; None if there is none.
    """
    digest = named_digest(terms)
    if not digest or not _is_brought(digest, brings):
        return None
    data = brings.text.encode()
    return data if signed_rules(data) is not None else None


def signed_rules(data: bytes) -> "RuleSet | None":
    """Return the rule set in these bytes; None if they are no rule set, or if its signature is wrong."""
    # the ledger takes a while to import, and few matches are by a file
    from protocol.games.scripted.rule_file.rule_set import read_rule_set

    try:
        return read_rule_set(data.decode())
    except (RemoteError, UnicodeDecodeError):
        return None


def _is_brought(digest: str, brings: Loadout) -> bool:
    return bool(brings.text) and rule_digest(brings.text) == digest
