"""Pieces of one owner's cards, computed from its seed as the cards are drawn (docs/protocol, 35.4).

Cards that are hidden together form a heap: a list of their pieces, without a relation between cards
and pieces. A card gets its piece when it is drawn. A random number selects the piece from the
pieces left in the heap. The owner's seed and all gives determine the number together.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from protocol.crypto.hashing import digest
from protocol.crypto.joint_randomness import uniform_below
from protocol.crypto.seeded_random import SeededRandom
from protocol.games import Piece
from protocol.games.operations import Card


@dataclass(eq=False)
class Heap:
    """Pieces of cards that were hidden together, without the pieces drawn since, in order.

    A nested heap stands for one of its own remaining pieces. It arises when a card of that heap is
    hidden again, undrawn, with other cards.
    """

    remaining: list["Piece | Heap"] = field(default_factory=list)


class SeededDeck:
    """Cards of one owner, each with its piece or its heap.

    Raises: KeyError for cards of other owners.
    """

    def __init__(self, cards: Iterable[Card]) -> None:
        """Start with the public order: each card is the piece of its own number."""
        self._hidden_under: dict[Card, Piece | Heap] = {card: card for card in cards}

    def piece(self, card: Card) -> Piece | None:
        """Return the piece of a card; None before the card is drawn."""
        under = self._hidden_under[card]
        return None if isinstance(under, Heap) else under

    def hide(self, cards: Sequence[Card]) -> None:
        """Put cards into one new heap.

        Nothing changes if all cards belong to one heap already, because their order is unknown
        anyway.
        """
        heap, emptied = Heap(), set[int]()
        here = Counter(
            id(under) for card in cards if isinstance(under := self._hidden_under[card], Heap)
        )
        if len(here) == 1 and here.total() == len(cards):
            return
        for under in [self._hidden_under[card] for card in sorted(cards)]:
            if not isinstance(under, Heap) or here[id(under)] < len(under.remaining):
                heap.remaining.append(under)
            # all that is left of the old heap goes into the new heap
            elif id(under) not in emptied:
                emptied.add(id(under))
                heap.remaining += under.remaining
        self._hidden_under.update(dict.fromkeys(cards, heap))

    def reorder(self, cards: Sequence[Card], stream: SeededRandom) -> None:
        """Permute the pieces of these cards by numbers from `stream`."""
        under = [self._hidden_under[card] for card in sorted(cards)]
        for place in range(len(under) - 1, 0, -1):
            other = uniform_below(stream, place + 1)
            under[place], under[other] = under[other], under[place]
        self._hidden_under.update(zip(sorted(cards), under, strict=True))

    def draw(self, card: Card, stream: SeededRandom) -> None:
        """Select the piece of a card from its heap; a card that has been drawn keeps its piece."""
        under = self._hidden_under[card]
        while isinstance(under, Heap):
            under = under.remaining.pop(uniform_below(stream, len(under.remaining)))
        self._hidden_under[card] = under


def seed_commitment(deal_id: bytes, seat: int, seed: bytes, salt: bytes) -> bytes:
    """Return the commitment that a seat posts before the first draw."""
    return digest("seed", deal_id, seat, seed, salt)


def give_number(deal_id: bytes, seat: int, seed: bytes, draw: int) -> bytes:
    """Return the give of a seat for a round of other seats' draws; `draw` is the number of the
    first draw.
    """
    return digest("seed give", deal_id, seat, seed, draw)


def order_stream(deal_id: bytes, seat: int, seed: bytes, epoch: int) -> SeededRandom:
    """Return the random stream by which a seat permutes cards of its own that it hides alone."""
    return SeededRandom(digest("seed order", deal_id, seat, seed, epoch))


def draw_stream(
    deal_id: bytes, seat: int, seed: bytes, place: tuple[int, int], gives: Iterable[bytes]
) -> SeededRandom:
    """Return the random stream that determines one draw of `seat`.

    `place` is the number of the draw and the epoch. `gives` are the gives of all other seats, by
    seat.
    """
    return SeededRandom(digest("seed draw", deal_id, seat, seed, *place, *gives))
