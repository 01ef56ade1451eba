"""What the dealings over the group share: the point that stands for each piece, and who holds which
card.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Self

from protocol.codes import Code
from protocol.crypto.group import Point, hash_to_point
from protocol.dealing import DealContext
from protocol.dealing.facts import NOBODY, STOCK, Slots, Transfer
from protocol.errors import Refused
from protocol.fast_replace import replace
from protocol.games import Piece
from protocol.games.operations import EVERYBODY


@lru_cache(maxsize=8)
def piece_points(pieces: int) -> tuple[Point, ...]:
    """M_k for every piece: public points with no known relation between any two, the same in every
    deal.
    """
    return tuple(hash_to_point("piece", piece) for piece in range(pieces))


@lru_cache(maxsize=8)
def pieces_by_point(pieces: int) -> dict[Point, Piece]:
    """The piece of each such point."""
    return {face: piece for piece, face in enumerate(piece_points(pieces))}


@dataclass(frozen=True)
class CardState:
    """The part of a deal's public half that says who holds what. Cards are places in the deck,
    counted from 0.
    """

    context: DealContext
    duties_since: int
    # card -> seat, `EVERYBODY` or `NOBODY`; not of the stock
    holders: Mapping[int, int] = field(default_factory=dict)
    drawn: tuple[int, ...] = ()  # cards drawn after the deal, in order
    open_cards: tuple[int, ...] = ()  # turned up for everybody, in order
    requested: tuple[int, ...] = ()  # cards on their way to their holders, ascending
    shown: Mapping[int, Any] = field(default_factory=dict)  # by card

    @property
    def is_stuck(self) -> bool:
        """Nothing that was asked for is out of reach."""
        return False

    @cached_property
    def stock(self) -> tuple[int, ...]:
        """Cards that nobody holds, ascending; none of an own deck, and no loose ones."""
        dealt = self.holders.keys() | self.context.owners.keys() | self.context.loose_cards
        return tuple(card for card in range(self.context.piece_count) if card not in dealt)

    def stock_of(self, pile: int) -> tuple[int, ...]:
        """Those of one pile."""
        cards = self.context.pile_cards(pile)
        return tuple(card for card in self.stock if card in cards)

    def owed(self, seat: int) -> tuple[int, ...]:
        """The cards asked for that this seat does not itself hold."""
        return tuple(card for card in self.requested if self.holders[card] != seat)

    def hidden_of(self, seat: int) -> tuple[int, ...]:
        """The hand of a seat: the cards that it holds and has not shown, ascending; none of an own
        deck or loose.
        """
        aside = self.shown.keys() | self.context.owners.keys() | self.context.loose_cards
        return tuple(
            sorted(
                card
                for card, holder in self.holders.items()
                if holder == seat and card not in aside
            )
        )

    def assign_cards(self, cards: tuple[int, ...], receiver: int) -> Self:
        """These cards of the stock are a seat's, or everybody's."""
        holders = {**self.holders, **dict.fromkeys(cards, receiver)}
        if receiver == EVERYBODY:
            return replace(self, holders=holders, open_cards=(*self.open_cards, *cards))
        return replace(self, holders=holders, drawn=(*self.drawn, *cards))

    def put_away_from(self, seat: int, slots: tuple[int, ...]) -> Self:
        """Cards of a seat, by their places in its hand, are nobody's. Raises: Refused(NOT_HELD)."""
        held = self.hidden_of(seat)
        if any(slot >= len(held) for slot in slots):
            raise Refused(Code.NOT_HELD)
        return replace(self, holders={**self.holders, **{held[slot]: NOBODY for slot in slots}})


def transfer_facts(before: CardState, after: CardState) -> tuple[Transfer, ...]:
    """Which cards have another holder since; who has loose cards is the rules' own affair."""
    ways: dict[tuple[int, int], Slots] = {}
    for card in sorted(set(range(after.context.piece_count)) - after.context.loose_cards):
        way = before.holders.get(card, STOCK), after.holders.get(card, STOCK)
        if way[0] != way[1]:
            ways[way] = (*ways.get(way, ()), card)
    return tuple(Transfer(cards, *way) for way, cards in ways.items())
