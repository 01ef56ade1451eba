"""Cards that the terms of a match accept: by these creators, of these editions, with values within
these limits (docs/protocol, 34.8).

`AcceptedCards.objection` is the only judge: a program asks it before it sits down with a deck, and
every reader of the log asks it about an opening. It depends on the terms and the card alone.
"""

from dataclasses import dataclass
from typing import Final

from protocol.games.decks import Owned
from protocol.games.decks.accepted_lists import (
    CREATORS,
    EDITIONS,
    LIMITS,
    ValueLimit,
    parse_limit,
)
from protocol.games.decks.owned_card import read_owned
from protocol.identity.keys import fingerprint, short_fingerprint
from protocol.options import BadOptions, Values
from protocol.view.phrase import Phrase, phrase


@dataclass(frozen=True, slots=True)
class AcceptedCards:
    """Conditions on owned cards in the terms of a match. A card must fulfil all of them; an empty
    list is no condition.
    """

    creators: tuple[str, ...] = ()  # fingerprints of the creators' keys
    editions: tuple[str, ...] = ()
    limits: tuple[ValueLimit, ...] = ()

    def objection(self, card: Owned) -> Phrase | None:
        """Return why the terms do not accept this card, as a sentence; None if they do.

        `card` is valid (`card_fault`), or the caller's own. Raises: RemoteError if it is not.
        """
        read = read_owned(card)
        kind = read.kind
        if self.creators and fingerprint(read.creator) not in self.creators:
            return phrase(
                "deck.misfit.creator", card=kind.name, creator=short_fingerprint(read.creator)
            )
        if self.editions and kind.edition not in self.editions:
            return phrase(
                "deck.misfit.edition",
                card=kind.name,
                edition=kind.edition,
                accepted=", ".join(self.editions),
            )
        values = dict(kind.values)
        for limit in self.limits:
            if not limit.allows(values):
                return phrase(
                    "deck.misfit.limit",
                    card=kind.name,
                    name=limit.name,
                    value=values[limit.name],
                    limit=str(limit),
                )
        return None


ANY_CARDS: Final = AcceptedCards()


def accepted_cards(values: Values) -> AcceptedCards:
    """Return the conditions among the options of a game, each of which has been checked by itself.

    Raises: BadOptions if two limits of one value are of one kind, or leave no number.
    """
    limits = tuple(
        limit for text in LIMITS.texts(values) if (limit := parse_limit(text)) is not None
    )
    bounds: dict[tuple[str, bool], int] = {}
    for limit in limits:
        if (limit.name, limit.upper) in bounds:
            raise BadOptions("unfit.limit.twice", name=limit.name)
        bounds[limit.name, limit.upper] = limit.number
    for (name, upper), number in bounds.items():
        if upper and bounds.get((name, False), 0) > number:
            raise BadOptions("unfit.limit.empty", name=name)
    return AcceptedCards(CREATORS.texts(values), EDITIONS.texts(values), limits)
