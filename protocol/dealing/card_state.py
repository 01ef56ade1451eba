"""Public state common to the dealings over the ristretto255 group: the point of each piece, and the
holder of each card.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Self

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
    """Return the point M_k of every piece k.

    The points are public and the same in every deal. Nobody knows a relation between two of them.
    """
    return tuple(hash_to_point("piece", piece) for piece in range(pieces))


@lru_cache(maxsize=8)
def pieces_by_point(pieces: int) -> dict[Point, Piece]:
    """Return the piece of each point in `piece_points`."""
    return {face: piece for piece, face in enumerate(piece_points(pieces))}


@dataclass(frozen=True)
class CardState:
    """Part of a deal's public half that records the holders of cards.

    A card is a place in the deck, counted from 0.
    """

    context: DealContext
    duties_since: int
    # card -> seat, `EVERYBODY` or `NOBODY`; cards of the stock are absent
    holders: Mapping[int, int] = field(default_factory=dict)
    drawn: tuple[int, ...] = ()  # cards drawn after the deal, in order
    open_cards: tuple[int, ...] = ()  # cards turned up for everybody, in order
    # requested cards that have not reached their holders yet, ascending
    requested: tuple[int, ...] = ()
    shown: Mapping[int, object] = field(default_factory=dict)  # openings of cards, by card

    @property
    def is_stuck(self) -> bool:
        """False: a request can always be met as long as the deal goes on."""
        return False

    @cached_property
    def stock(self) -> tuple[int, ...]:
        """Cards without a holder, ascending; cards of own decks and loose piles are absent."""
        dealt = self.holders.keys() | self.context.owners.keys() | self.context.loose_cards
        return tuple(card for card in range(self.context.piece_count) if card not in dealt)

    def stock_of(self, pile: int) -> tuple[int, ...]:
        """Return the cards of the stock that belong to one pile."""
        cards = self.context.pile_cards(pile)
        return tuple(card for card in self.stock if card in cards)

    def owed(self, seat: int) -> tuple[int, ...]:
        """Return the requested cards that `seat` does not hold, and to which it must therefore
        contribute.
        """
        return tuple(card for card in self.requested if self.holders[card] != seat)

    def hidden_of(self, seat: int) -> tuple[int, ...]:
        """Return the hand of a seat: cards that it holds and has not shown, ascending.

        Cards of own decks and loose piles are absent.
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
        """Give cards of the stock to a seat, or turn them up for everybody (`EVERYBODY`)."""
        holders = {**self.holders, **dict.fromkeys(cards, receiver)}
        if receiver == EVERYBODY:
            return replace(self, holders=holders, open_cards=(*self.open_cards, *cards))
        return replace(self, holders=holders, drawn=(*self.drawn, *cards))

    def put_away_from(self, seat: int, slots: tuple[int, ...]) -> Self:
        """Put away cards of a seat: their holder is then `NOBODY`.

        `slots` are places in the seat's hand. Raises: Refused(NOT_HELD) if a place does not exist.
        """
        held = self.hidden_of(seat)
        if any(slot >= len(held) for slot in slots):
            raise Refused(Code.NOT_HELD)
        return replace(self, holders={**self.holders, **{held[slot]: NOBODY for slot in slots}})


def transfer_facts(before: CardState, after: CardState) -> tuple[Transfer, ...]:
    """Return the transfers between two states: cards whose holder has changed.

    Loose cards are absent, because the rules of the game decide who has them.
    """
    ways: dict[tuple[int, int], Slots] = {}
    for card in sorted(set(range(after.context.piece_count)) - after.context.loose_cards):
        way = before.holders.get(card, STOCK), after.holders.get(card, STOCK)
        if way[0] != way[1]:
            ways[way] = (*ways.get(way, ()), card)
    return tuple(Transfer(cards, *way) for way, cards in ways.items())
