"""What lies under the cards of one owner, worked out from its seed: as they are drawn, never
before.

Cards that are hidden together are a heap: a list of what they are, in no relation to which of them
is which. A card gets its piece when it is drawn: a number that the owner's seed and everybody's
gives make together says which of what is left in the heap it is.
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
    """Cards that were hidden together and not drawn since: what is left under them, in order.

    A heap in it stands for one of what is left there: a card of that heap was hidden again, with
    others, unseen.
    """

    remaining: list["Piece | Heap"] = field(default_factory=list)


class SeededDeck:
    """All cards of one owner, and what they are. Raises `KeyError` for cards of others."""

    def __init__(self, cards: Iterable[Card]) -> None:
        """In the order that everybody knows: each card is the piece of its number."""
        self._hidden_under: dict[Card, Piece | Heap] = {card: card for card in cards}

    def piece(self, card: Card) -> Piece | None:
        """What a card is; None before it is drawn."""
        under = self._hidden_under[card]
        return None if isinstance(under, Heap) else under

    def hide(self, cards: Sequence[Card]) -> None:
        """These are one heap from now on. What is one already, or a part of one, needs no other:
        nobody knows it.
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
            elif id(under) not in emptied:  # all that is left of it goes into the new one
                emptied.add(id(under))
                heap.remaining += under.remaining
        self._hidden_under.update(dict.fromkeys(cards, heap))

    def reorder(self, cards: Sequence[Card], stream: SeededRandom) -> None:
        """What lies under these cards lies there in another order."""
        under = [self._hidden_under[card] for card in sorted(cards)]
        for place in range(len(under) - 1, 0, -1):
            other = uniform_below(stream, place + 1)
            under[place], under[other] = under[other], under[place]
        self._hidden_under.update(zip(sorted(cards), under, strict=True))

    def draw(self, card: Card, stream: SeededRandom) -> None:
        """A card of a heap becomes a piece; one that has been drawn stays what it is."""
        under = self._hidden_under[card]
        while isinstance(under, Heap):
            under = under.remaining.pop(uniform_below(stream, len(under.remaining)))
        self._hidden_under[card] = under


def seed_commitment(deal_id: bytes, seat: int, seed: bytes, salt: bytes) -> bytes:
    """What a seat posts before anything is drawn."""
    return digest("seed", deal_id, seat, seed, salt)


def give_number(deal_id: bytes, seat: int, seed: bytes, draw: int) -> bytes:
    """What a seat adds to the draws of others, of which the first has this number."""
    return digest("seed give", deal_id, seat, seed, draw)


def order_stream(deal_id: bytes, seat: int, seed: bytes, epoch: int) -> SeededRandom:
    """Where the order comes from into which a seat brings cards of its own, alone."""
    return SeededRandom(digest("seed order", deal_id, seat, seed, epoch))


def draw_stream(
    deal_id: bytes, seat: int, seed: bytes, place: tuple[int, int], gives: Iterable[bytes]
) -> SeededRandom:
    """Where the numbers of one draw of this seat come from; `place`: the draw's number, and the
    epoch.

    `gives`: of all others that gave, by seat.
    """
    return SeededRandom(digest("seed draw", deal_id, seat, seed, *place, *gives))
