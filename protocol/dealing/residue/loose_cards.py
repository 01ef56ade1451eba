"""Loose cards that single seats look at: their readers, and the seats whose bits may be public.

Bits are posted for everybody. A seat that is to look at a card may have posted its own bits of that
card before, when another seat looked. Then it first hides the card again by itself. Otherwise all
bits of the card would be public. Posted bits count for every card that they may belong to, until
all seats have shuffled these cards.
"""

from collections.abc import Iterator

from protocol.dealing.residue.state import BitWork, ResidueState, ShuffleWork, Work
from protocol.fast_replace import replace

# Readers of a card whose bits all seats post.
NOBODY_READS: frozenset[int] = frozenset()


def look_work(state: ResidueState, cards: tuple[int, ...], seats: frozenset[int]) -> Iterator[Work]:
    """Yield the work that lets these seats look at cards, in the present state.

    A card that all seats could then read is opened for everybody.
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
    """Record that a seat has posted its bits of these cards."""
    told = {
        card: state.given_bits.get(card, frozenset()) | {seat}
        for card in cards
        if card in state.context.loose_cards
    }
    return replace(state, given_bits={**state.given_bits, **told})


def record_readers(state: ResidueState) -> ResidueState:
    """Record the readers of loose cards after a complete telling."""
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
    """Forget the readers of loose cards that one seat has just shuffled; a single card keeps
    them.
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
