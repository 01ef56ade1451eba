"""What a player asks of the terms before it sits down or accepts; where they are less, it declines."""

from dataclasses import dataclass

from protocol.dealing.registry import create_dealing
from protocol.dealing.secrecy import Secrecy
from protocol.errors import LocalError
from protocol.match.terms import Terms
from protocol.view.phrase import Phrase, phrase

TRUSTED = ("verified", "none")  # dealings in which nobody is trusted: the second has nothing to deal


class Unacceptable(LocalError):
    """The terms are less than the player asks for."""


@dataclass(frozen=True)
class Requirements:
    """What is asked for. The terms are those at the beginning: a quorum can shrink when seats leave (13.9.1)."""

    min_quorum: int = 0  # other players that it must take at least to know a hand
    only_verified: bool = False

    @property
    def any(self) -> bool:
        """Whether there is anything that is asked for."""
        return self != NONE

    def unmet(self, terms: Terms | None) -> Phrase | None:
        """What is missing in these terms, which can be played here, or are not known (None); None: nothing."""
        if terms is None:
            return phrase("require.unknown") if self.any else None
        if self.only_verified and terms.dealing.name not in TRUSTED:
            return phrase("require.verified", dealing=terms.dealing.name)
        readers = secrecy_of(terms).readers
        if readers is not None and readers < self.min_quorum:
            return phrase("require.quorum", least=self.min_quorum, readers=readers)
        return None

    def check(self, terms: Terms) -> None:
        """Raises: Unacceptable, which says what is missing."""
        missing = self.unmet(terms)
        if missing is not None:
            raise Unacceptable(missing)


NONE = Requirements()


def secrecy_of(terms: Terms) -> Secrecy:
    """What the dealing of these terms promises. Raises: Unfit for one that is not here, or has not these options."""
    options = dict(terms.dealing.options)
    return create_dealing(terms.dealing.name, options, terms.seats).secrecy(options, terms.seats)
