"""Deal without secrets, for play-tests of rule files and for lookahead: the program that runs it
knows all cards.
"""

from random import Random

from protocol.games import Hand, Piece
from protocol.games.operations import Card, LookAt, OpenCard, Pile, RevealCards, ShuffleCards


class OpenDeal:
    """Piece of every card, and the pieces that each seat knows."""

    def __init__(self, seats: int, rng: Random) -> None:
        self._rng = rng
        self.lies: list[Piece] = []
        self.sees: list[dict[Card, Piece]] = [{} for _ in range(seats)]

    def lay(self, piles: tuple[Pile, ...]) -> None:
        """Lay the cards in an order that every seat knows."""
        self.lies = list(range(sum(pile.size for pile in piles)))
        self.sees = [dict(enumerate(self.lies)) for _ in self.sees]

    def handle(self, wanted: tuple[object, ...]) -> Hand:
        """Perform the operations that the rules asked for, and return the pieces that are revealed
        to everybody.
        """
        turned: list[Card] = []
        for one in wanted:
            match one:
                case ShuffleCards():
                    self._shuffle(one)
                case LookAt(cards, seats):
                    for seat in seats:
                        self.sees[seat].update({card: self.lies[card] for card in cards})
                case RevealCards(cards):
                    turned += cards
                    self._show(cards)
        return tuple(self.lies[card] for card in turned)

    def reveal(self, shown: OpenCard) -> bool:
        """Show a card to everybody. Returns whether it is the piece that the seat claims."""
        self._show((shown.card,))
        return self.lies[shown.card] == shown.piece

    def _show(self, cards: tuple[Card, ...]) -> None:
        for seen in self.sees:
            seen.update({card: self.lies[card] for card in cards})

    def _shuffle(self, wanted: ShuffleCards) -> None:
        pieces = [self.lies[card] for card in wanted.cards]
        knew = [set(seen.values()).issuperset(pieces) for seen in self.sees]
        self._rng.shuffle(pieces)
        for card, piece in zip(wanted.cards, pieces, strict=True):
            self.lies[card] = piece
            for seat, seen in enumerate(self.sees):
                seen.pop(card, None)
                if wanted.by == (seat,) and knew[seat]:
                    seen[card] = piece
