"""Requirements of a player for the terms of a match. A player declines terms that do not meet them,
before it takes a seat or accepts an invitation.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from protocol.dealing import Secrecy, has_own_decks
from protocol.dealing.registry import create_dealing
from protocol.errors import LocalError, RemoteError
from protocol.games.decks.accepted_lists import CREATORS, OWNED_CARDS
from protocol.games.decks.deck_hand import Loadout
from protocol.games.registry import (
    BUILT_IN,
    Games,
    UnknownRules,
    create_game,
    unknown_rules_phrase,
)
from protocol.games.scripted.rule_file.built_in import rule_digest, text_of_digest
from protocol.games.spec import GameSpec
from protocol.identity.keys import short_letters
from protocol.match.terms import Terms
from protocol.view.phrase import Phrase, phrase

if TYPE_CHECKING:  # these modules take a while to import, and few matches are by a rule file
    from protocol.games.scripted.game import ScriptGame
    from protocol.games.scripted.rule_file.contract import RuleContract

# dealings in which nobody is trusted; `none` has nothing to deal
TRUSTLESS = ("verified", "residue", "none")


class Unacceptable(LocalError):
    """The terms do not meet the player's requirements."""


@dataclass(frozen=True)
class Requirements:
    """Requirements for the terms. They hold for the beginning of a match: a quorum can shrink when
    seats leave (13.9.1).
    """

    min_quorum: int = 0  # the least number of other players that together may read a hand
    only_verified: bool = False
    breakable_keys: bool = False  # play even if everybody can read hands: for tests
    # fingerprints of the creators whose cards the person plays against; None: of any creator
    creators: frozenset[str] | None = None

    @property
    def any(self) -> bool:
        """Return True if anything is required."""
        return bool(self.min_quorum) or self.only_verified or self.creators is not None

    def unmet(self, terms: Terms | None) -> Phrase | None:
        """Return which requirement the terms do not meet; None if they meet all. The terms can be
        played here, or are unknown (None).
        """
        if terms is None:
            return phrase("require.unknown") if self.any else None
        if self.only_verified and terms.dealing.name not in TRUSTLESS:
            return phrase("require.verified", dealing=terms.dealing.name)
        if self.creators is not None and (missing := _foreign_cards(terms, self.creators)):
            return missing
        readers = secrecy_of(terms).colluders
        if readers == 0:
            if self.breakable_keys:
                return None
            return phrase("require.breakable")
        if readers is not None and readers < self.min_quorum:
            return phrase("require.quorum", least=self.min_quorum, readers=readers)
        return None

    def check(self, terms: Terms) -> None:
        """Raises: Unacceptable, with the requirement that the terms do not meet."""
        missing = self.unmet(terms)
        if missing is not None:
            raise Unacceptable(missing)


def _foreign_cards(terms: Terms, creators: frozenset[str]) -> Phrase | None:
    """Return a sentence if these terms accept cards by other creators than `creators`; None if they
    do not.
    """
    options = dict(terms.game.options)
    if options.get(OWNED_CARDS[0]) != OWNED_CARDS[1]:
        return None
    accepted = CREATORS.texts(options)
    if not accepted:
        return phrase("require.creators.any")
    others = [creator for creator in accepted if creator not in creators]
    return phrase("require.creators", creator=short_letters(others[0])) if others else None


NO_REQUIREMENTS = Requirements()


def misfit(terms: Terms, brings: Loadout, games: Games = BUILT_IN) -> Phrase | None:
    """Return why this loadout does not fit a match by these terms; None if it fits."""
    try:
        spec = games.spec_of_version(terms.game.name, terms.rules)
        game = spec.create(terms.seats, dict(terms.game.options))
    except UnknownRules as unknown:
        return unknown_rules_phrase(unknown)
    except RemoteError as error:
        return error.phrase
    if _by_file(spec):
        from protocol.games.scripted.game import ScriptGame
        from protocol.games.scripted.loadout import loadout_problem as script_misfit

        if isinstance(game, ScriptGame):
            return script_misfit(game, brings)
    if brings.text:
        return phrase("script.no_file", game=terms.game.name)
    return phrase("deck.misfit.shared") if brings.cards else None


def _by_file(spec: GameSpec) -> bool:
    """Check that the options of this game can name a rule file."""
    return any(option.name == "rules" for option in spec.options)


class PlayedRules(NamedTuple):
    """The rule file that a match is played by."""

    game: "ScriptGame"
    contract: "RuleContract | None"  # the parsed file; None if the file is not here


def rules_of(terms: Terms, text: str = "", games: Games = BUILT_IN) -> PlayedRules | None:
    """Return the rule file that these terms name; None for a game without rule files. `text`: the
    rule file that the person has.
    """
    try:
        spec = games.spec_of_version(terms.game.name, terms.rules)
        game = spec.create(terms.seats, dict(terms.game.options))
    except RemoteError:
        return None
    if not _by_file(spec):
        return None
    from protocol.games.scripted.game import ScriptGame
    from protocol.games.scripted.rule_file.contract import parse_contract

    if not isinstance(game, ScriptGame):
        return None
    found = text_of_digest(game.rules) or (text if text and rule_digest(text) == game.rules else "")
    return PlayedRules(game, parse_contract(found) if found else None)


def without_unused_rules(terms: Terms | None, brings: Loadout) -> Loadout:
    """Return the loadout without a rule file that this match does not use. A person who goes from
    table to table needs the file at some tables only.
    """
    if terms is None:
        rules = None
    else:
        rules = dict(terms.game.options).get("rules")
    if brings.cards or rule_digest(brings.text) == rules:
        return brings
    return brings._replace(text="")


def check_brought(terms: Terms, brings: Loadout, games: Games = BUILT_IN) -> None:
    """Raises: Unacceptable, with the reason why the loadout does not fit the match."""
    reason = misfit(terms, brings, games)
    if reason is not None:
        raise Unacceptable(reason)


def secrecy_of(terms: Terms, games: Games = BUILT_IN) -> Secrecy:
    """Return the promises of the dealing of these terms. Raises: BadOptions for a dealing that is
    unknown here, or that does not have these options.
    """
    options = dict(terms.dealing.options)
    dealing = create_dealing(terms.dealing.name, options, terms.seats)
    try:
        own_decks = has_own_decks(
            create_game(terms.game.name, terms.seats, dict(terms.game.options), games)
        )
    except RemoteError:  # the game is not here, or does not have these options
        own_decks = False
    return dealing.secrecy(options, terms.seats, own_decks)
