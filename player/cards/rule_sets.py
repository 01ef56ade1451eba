"""Signed rule sets of a data folder, for programs that play.

Every command of a player imports this module. The store takes a while to import, so it is imported
on first use.
"""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from player.client.rule_sets import OfferedRules
from protocol.games.registry import BUILT_IN, Games

if TYPE_CHECKING:
    from player.cards.rule_set_store import RuleSetStore
    from protocol.games.scripted.rule_file.rule_set import RuleSet


class FolderRuleSets:
    """The `player.client.rule_sets.RuleSets` of a data folder."""

    def __init__(
        self, data: Path, me: bytes, *, older: bool = False, games: Games = BUILT_IN
    ) -> None:
        """`me`: the person's key. `older`: the person has said that a set may have a lower number
        than the newest one met.
        """
        self._data = data
        self._me = me
        self._older = older
        self._games = games

    @cached_property
    def _store(self) -> "RuleSetStore":
        from player.cards.rule_set_store import RuleSetStore

        return RuleSetStore(self._data, self._me, older=self._older, games=self._games)

    def offered(self, digest: str) -> OfferedRules | None:
        """Implement `RuleSets.offered`."""
        return self._store.offered(digest)

    def keep(self, rules: "RuleSet") -> None:
        """Implement `RuleSets.keep`."""
        self._store.keep(rules)

    def trust(self, offered: OfferedRules) -> None:
        """Implement `RuleSets.trust`."""
        self._store.trust(offered)
