"""Check that no card is lost or doubled: exactly one process is responsible for each card, at any
time.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import inf
from typing import NamedTuple

from simulation.machines.messages import Answer, Instant, Lay, Message, Score
from simulation.machines.player import Player
from simulation.models import CARDS


class CardError(NamedTuple):
    """Errors in the cards of a round.

    `cards` are missing or doubled. `players` were dealt such a card, have one, or report a wrong
    number of laid cards.
    """

    cards: tuple[int, ...]
    players: tuple[int, ...]


def missing_cards(scores: Sequence[Score]) -> CardError:
    """Check the cards of a finished round by the scores of its players."""
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
    """Count each piece in a running round, with the pieces in messages.

    `after` is the instant of the stop, once it is known and later lays are undone. A card that was
    laid later counts as its owner's again. The owner may hear of the stop before or after the owner
    of the piles.
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
    """Piece of an unanswered lay, if the player has one under way."""
    slot = player.cards.away
    return None if slot is None else player.cards.piece(slot)


def carried(message: Message) -> int | None:
    """Piece in a message."""
    if isinstance(message, Lay | Answer):
        return message.piece
    return None
