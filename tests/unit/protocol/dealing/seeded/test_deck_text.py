"""Cards of one owner as section 35.4 has them, compared with the program's."""

from random import Random

import pytest

from protocol.crypto.hashing import digest
from protocol.crypto.joint_randomness import uniform_below
from protocol.crypto.seeded_random import SeededRandom
from protocol.dealing.seeded.deck import SeededDeck

CARDS = 12


class DeckText:
    """Cards with their piece (a number) or their heap (a list), by the text of 35.4."""

    def __init__(self):
        self.under: dict[int, object] = {card: card for card in range(CARDS)}

    def hide(self, cards):
        heaps = [self.under[card] for card in cards if isinstance(self.under[card], list)]
        if len(heaps) == len(cards) and all(heap is heaps[0] for heap in heaps):
            return
        new: list[object] = []
        emptied: list[object] = []
        for card in sorted(cards):
            under = self.under[card]
            here = sum(heap is under for heap in heaps)
            if not isinstance(under, list) or here < len(under):
                new.append(under)
            elif not any(under is other for other in emptied):
                emptied.append(under)
                new += under
        for card in cards:
            self.under[card] = new

    def lists_are_complete(self):
        """Check 35.4.1: an item for each card of the heap, and for each reference to it."""
        heaps = {id(under): under for under in self.under.values() if isinstance(under, list)}
        found = list(heaps.values())
        while found:
            for item in found.pop():
                if isinstance(item, list) and id(item) not in heaps:
                    heaps[id(item)] = item
                    found.append(item)
        items = [*self.under.values(), *(item for heap in heaps.values() for item in heap)]
        return all(sum(item is heap for item in items) == len(heap) for heap in heaps.values())

    def draw(self, card, stream):
        under = self.under[card]
        while isinstance(under, list):
            under = under.pop(uniform_below(stream, len(under)))
        self.under[card] = under

    def reorder(self, cards, stream):
        cards = sorted(cards)
        pieces = [self.under[card] for card in cards]
        for place in range(len(cards) - 1, 0, -1):
            other = uniform_below(stream, place + 1)
            pieces[place], pieces[other] = pieces[other], pieces[place]
        self.under.update(zip(cards, pieces, strict=True))


@pytest.mark.parametrize("seed", range(40))
def test_heaps_of_text_and_program_give_the_same_pieces(seed):
    rng = Random(seed)
    text, program = DeckText(), SeededDeck(range(CARDS))
    drawn_again = 0
    for number in range(60):
        cards = rng.sample(range(CARDS), rng.randint(1, CARDS))
        streams = [SeededRandom(digest("seed draw", seed, number)) for _ in range(2)]
        drawn = [card for card in cards if not isinstance(text.under[card], list)]
        match rng.choice(("hide", "draw", "draw", "reorder")):
            case "hide":
                text.hide(cards)
                program.hide(cards)
            case "draw":
                text.draw(cards[0], streams[0])
                program.draw(cards[0], streams[1])
                drawn_again += cards[0] not in drawn
            case "reorder" if drawn:
                text.reorder(drawn, streams[0])
                program.reorder(drawn, streams[1])
        assert text.lists_are_complete()
        known = [None if isinstance(under, list) else under for under in text.under.values()]
        assert known == [program.piece(card) for card in range(CARDS)]
    assert drawn_again > 3
