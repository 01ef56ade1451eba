"""Interface to the signed rule sets of a person, and the question before the first match by one.

The store stands in `player.cards`, above the programs that play.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from protocol.errors import LocalError
from protocol.games.scripted.rule_file.built_in import text_of_digest
from protocol.identity.keys import fingerprint
from protocol.match.terms import Terms
from protocol.view.phrase import Phrase, phrase

if TYPE_CHECKING:
    # the ledger takes a while to import, and few matches are by a file
    from protocol.games.scripted.rule_file.rule_set import RuleSet


class Standing(StrEnum):
    """Reason for or against a match by a rule set."""

    FIT = "fit"
    STRANGE = "strange"  # the person has not said whether to trust the author
    DISTRUSTED = "distrusted"
    OLDER = "older"  # the person has met a higher number of this author and name
    DISPUTED = "disputed"  # the author has signed two texts under this number
    NAMED = "named"  # the name is of a shipped game, or no fit name


PROBLEMS = {
    Standing.STRANGE: "rule_set.wrong.strange",
    Standing.DISTRUSTED: "rule_set.wrong.distrusted",
    Standing.OLDER: "rule_set.wrong.older",
    Standing.DISPUTED: "rule_set.wrong.disputed",
    Standing.NAMED: "rule_set.wrong.named",
}
# questions whose answer yes lets a match begin; there is none about the other standings
QUESTIONS = {Standing.STRANGE: "rule_set.ask.strange", Standing.OLDER: "rule_set.ask.older"}


@dataclass(frozen=True)
class OfferedRules:
    """A stored rule set, and what the person has to know before a match by it.

    `author`: a name for the author, "" if none is known here. `newest`: the highest number met of
    this author and name. `also`: fingerprints of other trusted authors with a set of such a name.
    """

    rules: "RuleSet"
    standing: Standing
    author: str = ""
    newest: int = 0
    also: tuple[str, ...] = ()

    @property
    def fit(self) -> bool:
        """Return True if a match by the set may begin."""
        return self.standing is Standing.FIT

    @property
    def question(self) -> Phrase | None:
        """Return the question whose answer yes lets a match begin; None: no answer does."""
        if self.standing not in QUESTIONS:
            return None
        return phrase(
            QUESTIONS[self.standing],
            name=self.rules.name,
            number=self.rules.number,
            author=self.who,
        )

    @property
    def who(self) -> str:
        """Fingerprint of the author."""
        return fingerprint(self.rules.author)

    def lines(self) -> list[Phrase]:
        """Say who made the set, and what it says of itself."""
        rules = self.rules
        said = [
            phrase(
                "rule_set.who",
                name=rules.name,
                number=rules.number,
                author=self.who,
                called=phrase("rule_set.called", name=self.author) if self.author else "",
            )
        ]
        if rules.about:
            said.append(phrase("rule_set.about", text=rules.about))
        said += [phrase("rule_set.also", author=other, name=rules.name) for other in self.also]
        return said

    def problem(self) -> Phrase | None:
        """Say why no match by the set may begin, and what the person can do; None if one may."""
        if self.fit:
            return None
        return phrase(
            PROBLEMS[self.standing],
            name=self.rules.name,
            number=self.rules.number,
            author=self.who,
            newest=self.newest,
            digest=self.rules.digest,
        )

    def name_problem(self) -> Phrase | None:
        """Say that the rules call themselves something else than the author has signed. The rules
        are parsed for this, so the author is trusted. None also for a text that is no game.
        """
        # what reads rules takes a while to import, and few matches are by a file
        from protocol.games.scripted.rule_file.contract import parse_contract
        from protocol.rules import RuleError

        assert self.fit, "nothing of an untrusted author is parsed"
        try:
            named = parse_contract(self.rules.text).name
        except RuleError:
            return None
        if named == self.rules.name:
            return None
        return phrase("rule_set.wrong.renamed", name=self.rules.name, author=self.who)


class RuleSets(Protocol):
    """The signed rule sets that a person has met."""

    def offered(self, digest: str) -> OfferedRules | None:
        """Return the stored set with this name in the options of a match. Raises: LocalError."""

    def keep(self, rules: "RuleSet") -> None:
        """Store a set that was offered. Nothing of it is run. Raises: LocalError."""

    def trust(self, offered: OfferedRules) -> None:
        """Let matches by this set begin, now and later: the person has answered the question of
        its standing. Raises: LocalError.
        """


class NoRuleSets:
    """`RuleSets` of a program without a data folder: it plays by no set that a table offers."""

    def offered(self, digest: str) -> None:
        """Return None: nothing is stored."""

    def keep(self, rules: "RuleSet") -> None:
        """Forget the set."""

    def trust(self, offered: OfferedRules) -> None:
        """Raises: LocalError."""
        raise LocalError("wrong.rules.unstored")


NO_RULE_SETS: RuleSets = NoRuleSets()


def named_digest(terms: Terms | None) -> str:
    """Return the name of the rule file that terms name, if it does not come along; else ""."""
    named = None if terms is None else dict(terms.game.options).get("rules")
    return named if type(named) is str and text_of_digest(named) is None else ""
