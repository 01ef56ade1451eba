"""Cards are tokens: for each of them exactly one process is answerable, at any time. Here they are
counted.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import inf
from typing import NamedTuple

from simulation.machines.messages import Answer, Instant, Lay, Message, Score
from simulation.machines.player import Player
from simulation.models import CARDS


class CardError(NamedTuple):
    """Pieces that are missing or there twice, and the players that have been dealt them or have
    them; and players who say that they have laid more or fewer than lie there."""

    cards: tuple[int, ...]
    players: tuple[int, ...]


def missing_cards(scores: Sequence[Score]) -> CardError:
    """Of a round that is over, from what the players say that they have."""
    having = [
        [*score.stock, *score.held, *(card for pile in score.piles for card in pile)]
        for score in scores
    ]
    counted = Counter(card for cards in having for card in cards)
    wrong = {card for card in range(CARDS * len(scores)) if counted[card] != 1} | {
        card for card, times in counted.items() if times != 1 or card >= CARDS * len(scores)
    }
    players = {card // CARDS for card in wrong if card < CARDS * len(scores)}
    players |= {player for player, cards in enumerate(having) if wrong.intersection(cards)}
    laid = Counter(card // CARDS for score in scores for pile in score.piles for card in pile)
    players |= {player for player, score in enumerate(scores) if score.tally.laid != laid[player]}
    return CardError(tuple(sorted(wrong)), tuple(sorted(players)))


def cards_in_flight(
    players: Sequence[Player], under_way: Iterable[Message], after: Instant | None = None
) -> Counter[int]:
    """Of a round that is going on, with the cards that messages carry: how often each piece is
    there.

    `after`: the stop's instant, once it is known and what was accepted later does not count. From
    then on such a card is its owner's again, which may hear of the stop before the piles' owner
    does, or after it.
    """
    limit = inf if after is None else after
    counted = Counter[int]()
    for player in players:
        counted.update(player.cards.stock())
        counted.update(player.cards.held())
        counted.update(laid.piece for laid in player.cards.log if laid.at > limit)
        for cards, times in zip(player.piles.cards, player.piles.times, strict=True):
            there = zip(cards, times, strict=True)
            counted.update(
                card for card, at in there if at <= limit or _away(players[card // CARDS]) == card
            )
    counted.update(token for message in under_way if (token := carried(message)) is not None)
    return counted


def _away(player: Player) -> int | None:
    """The piece that a player has sent along with a lay which is not answered yet."""
    slot = player.cards.away
    return None if slot is None else player.cards.piece(slot)


def carried(message: Message) -> int | None:
    """The piece that a message carries."""
    return message.piece if isinstance(message, Lay | Answer) else None
