"""The tables that a manager lists, and the check of a table's terms before a seat is taken."""

from collections.abc import Callable, Sequence
from typing import Any

from player.client.environment import Environment
from player.client.requirements import Requirements, misfit
from player.client.rule_sets import OfferedRules
from player.client.rule_supply import RuleSupply
from protocol.errors import RemoteError
from protocol.games.registry import Games, UnknownRules, unknown_rules_phrase
from protocol.match.terms import Terms, check_terms, decode_terms, terms_hash
from protocol.view.phrase import Phrase, phrase


class TableList:
    """The tables that a manager has listed."""

    def __init__(
        self,
        environment: Environment,
        requires: Requirements | None,
        give_up: Callable[[Phrase], None],
        agreed: Terms | None = None,
    ) -> None:
        """Make a list. `requires`: requirements for the terms before a seat is taken; None for a
        visit that only looks. `give_up` finishes the client.

        `agreed`: the terms that the person saw when choosing the table; None if the person saw
        none.
        """
        self.declined = False  # the terms of a table do not meet the requirements
        # the rule set about which the person has to decide before a seat is taken
        self.question: OfferedRules | None = None
        self.supply = RuleSupply(environment.rule_sets)
        self.brings = environment.brings  # the loadout, with the rule file of the table
        self.created: str | None = None  # the table that we have created, for later connections too
        self._environment = environment
        self._requires = requires
        self._give_up = give_up
        self._agreed = agreed
        self._rows: dict[str, Terms] = {}
        self._own: dict[str, Terms] = {}
        # the table whose terms were reported last
        self._offered: tuple[str, Terms | None] | None = None

    @property
    def default(self) -> str:
        """The manager's own table: it is listed first."""
        return next(iter(self._rows), "")

    def listed(self, rows: Sequence[list[Any]]) -> None:
        """Take the manager's list of tables."""
        self.supply.listed()
        self._rows = self._own | {row[0]: decode_terms(row[1]) for row in rows}

    def found(self, rows: Sequence[list[Any]]) -> None:
        """The manager lists more of its tables."""
        self._rows |= {row[0]: decode_terms(row[1]) for row in rows}

    def create(self, table_id: str, terms: Terms) -> None:
        """Add a table that we have created."""
        self.created = table_id
        self._own = {table_id: terms}
        self._rows |= self._own

    def terms(self, table_id: str) -> Terms | None:
        """Return the terms of a table; None if the manager does not list it."""
        return self._rows.get(table_id)

    def place(self, table_id: str | None) -> Any:
        """Return the wanted table and its terms, for `join`; None if the manager chooses."""
        terms = self.terms(table_id or self.default)
        if terms is None:
            return table_id
        return [table_id, terms_hash(terms)]

    def accept_terms(self, table_id: str) -> bool:
        """Report the terms of a table. Return True if a seat may be taken there; otherwise finish
        the client.

        Entry 0 must then have these terms (`player.storage.agreement`), or this seat signs nothing
        there.
        """
        terms = self.terms(table_id)
        if self._offered == (table_id, terms):
            return True
        self._offered = table_id, terms
        if terms is None:
            reason = None
        else:
            reason = unplayable_reason(terms, self._environment.games)
        agreed = self._own.get(table_id, self._agreed)
        if agreed is not None and terms != agreed:
            reason = phrase("lobby.changed" if terms else "lobby.gone")
            self.declined = True
        if reason is None and self._requires is not None:
            reason = self._missing(table_id, terms, self._requires)
        if reason is not None:
            self._give_up(reason)
        return reason is None

    def _missing(self, table_id: str, terms: Terms | None, requires: Requirements) -> Phrase | None:
        if terms is not None:
            self._environment.offer(table_id, terms, self.supply.offered(terms, self.brings))
        missing = requires.unmet(terms)
        if missing is None and terms is not None:
            missing = self._rules_missing(terms) or misfit(
                terms, self.brings, self._environment.games
            )
        self.declined = missing is not None
        return missing

    def _rules_missing(self, terms: Terms) -> Phrase | None:
        """Add the signed rule set of these terms to the loadout, or return why no match by it may
        begin.
        """
        offered = self.supply.offered(terms, self.brings)
        if offered is None:
            return None  # `misfit` says that the file is not here
        if not offered.fit:
            self.question = offered
            return offered.problem()
        self.question = None
        self.brings = self.brings._replace(text=offered.rules.text)
        return offered.name_problem()


def unplayable_reason(terms: Terms, games: Games) -> Phrase | None:
    """Return a sentence that says why terms cannot be played or judged here; None if they can."""
    try:
        check_terms(terms, games, has_table=True)
    except UnknownRules as unknown:
        return unknown_rules_phrase(unknown)
    except RemoteError as error:
        return phrase("stop.unplayable", why=error.phrase)
    return None
