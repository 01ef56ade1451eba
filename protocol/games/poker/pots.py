"""Pots of a hand of poker: the main pot, side pots, and their shares (docs/protocol, 18.11)."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

Shares = tuple[tuple[int, int], ...]  # (player or seat, chips)


class Pot(NamedTuple):
    """A pot, and the players who can win it, in the order of play."""

    chips: int
    players: tuple[int, ...]


def make_pots(paid: Sequence[int], contenders: Collection[int]) -> tuple[Pot, ...]:
    """Divide the chips that each player has paid into pots, the main pot first.

    Each contender can win as much from every player as it has paid itself. So each different amount
    that contenders have paid bounds a pot. Chips above the last bound belong to the last pot.
    """
    bounds = sorted({paid[player] for player in contenders})
    pots = []
    below = 0
    for bound in bounds:
        chips = sum(min(chips, bound) - min(chips, below) for chips in paid)
        if bound == bounds[-1]:
            chips += sum(max(chips - bound, 0) for chips in paid)
        players = tuple(player for player in sorted(contenders) if paid[player] >= bound)
        if chips:
            pots.append(Pot(chips, players))
        below = bound
    return tuple(pots)


def split_pot(chips: int, winners: Sequence[int]) -> Shares:
    """Split a pot among its winners, who stand in the order of play. Odd chips go one by one to the
    first winners after the button.
    """
    each, odd = divmod(chips, len(winners))
    shares = ((player, each + (place < odd)) for place, player in enumerate(winners))
    return tuple((player, share) for player, share in shares if share)
