"""Loose cards that single seats look at: who has seen them, and whose bits of them may be known to
all.

Bits are told to everybody. So a seat that is to look at a card of which it has told its own bits
before, when another looked, first hides that card anew by itself: else all bits of it were told,
and all could read it. Bits that were told count for every card that they may be of: until all seats
have shuffled it, which nobody can follow.
"""

from collections.abc import Iterator

from protocol.dealing.residue.state import BitWork, ResidueState, ShuffleWork, Work
from protocol.fast_replace import replace

NOBODY_READS: frozenset[int] = frozenset()


def look_work(state: ResidueState, cards: tuple[int, ...], seats: frozenset[int]) -> Iterator[Work]:
    """What has to be done so that these seats learn these cards, as things stand now.

    A card that everybody would know by it is told to all.
    """
    looking = seats.intersection(state.present)
    new = {
        card: looking - state.readers_of(card)
        for card in sorted(set(cards) - state.public_faces.keys())
    }
    new = {card: seats for card, seats in new.items() if seats}
    for_all = [
        card for card, seats in new.items() if seats | state.readers_of(card) >= set(state.present)
    ]
    if for_all:
        yield BitWork(tuple((card, NOBODY_READS) for card in for_all))
    for seat in sorted(looking):
        own = [card for card, seats in new.items() if seat in seats and card not in for_all]
        known = (
            card for card in own if seat in state.given_bits.get(card, ()) or min(new[card]) != seat
        )
        yield from (ShuffleWork((card,), (seat,), (seat,)) for card in known)
        if own:
            yield BitWork(tuple((card, frozenset({seat})) for card in own))


def record_bits(state: ResidueState, seat: int, cards: tuple[int, ...]) -> ResidueState:
    """A seat has told its bits of these cards."""
    told = {
        card: state.given_bits.get(card, frozenset()) | {seat}
        for card in cards
        if card in state.context.loose_cards
    }
    return replace(state, given_bits={**state.given_bits, **told})


def record_readers(state: ResidueState) -> ResidueState:
    """All that was to be told is told: who was to read a loose card has."""
    telling = state.pending_work[0]
    assert isinstance(telling, BitWork)
    alone = {
        card: seats
        for card, seats in telling.requested
        if seats and card in state.context.loose_cards
    }
    return replace(
        state,
        card_readers={
            **state.card_readers,
            **{card: state.readers_of(card) | seats for card, seats in alone.items()},
        },
        holders={**state.holders, **{card: min(seats) for card, seats in alone.items()}},
    )


def reset_readers(state: ResidueState, shuffling: ShuffleWork) -> ResidueState:
    """One seat has shuffled loose cards: nobody knows any more which is where. One card alone is
    where it was.
    """
    cards = frozenset(shuffling.cards) & state.context.loose_cards
    if not cards:
        return state
    holders = {card: seat for card, seat in state.holders.items() if card not in cards}
    readers = {
        card: seats
        for card, seats in state.card_readers.items()
        if card not in cards or len(shuffling.cards) == 1
    }
    known = frozenset[int]()
    if shuffling.alone:
        known = known.union(*(state.given_bits.get(card, ()) for card in cards))
    return replace(
        state,
        holders=holders,
        card_readers=readers,
        given_bits={**state.given_bits, **dict.fromkeys(cards, known)},
    )
