"""Facts of a verified deal; places are cards."""

from collections.abc import Iterator

from protocol.dealing import Post
from protocol.dealing.card_state import transfer_facts
from protocol.dealing.facts import (
    OWN_KEY_PHRASE,
    PARTS_PHRASE,
    SHUFFLE_PHRASE,
    Fact,
    Locks,
    Proof,
    Reading,
    sealing_facts,
    unlock_facts,
)
from protocol.dealing.verified.state import VerifiedState
from protocol.games import Piece
from protocol.games.operations import EVERYBODY
from protocol.view.phrase import Phrase

PROOF_PHRASES: dict[str, Phrase] = {
    "key": OWN_KEY_PHRASE,
    "shuffle": SHUFFLE_PHRASE,
    "shares": PARTS_PHRASE,
    "stand_in": PARTS_PHRASE,
    "turn_up": PARTS_PHRASE,
    "show": PARTS_PHRASE,
}


def entry_facts(
    before: VerifiedState, author: int, post: Post, after: VerifiedState
) -> tuple[Fact, ...]:
    """Return the facts that an accepted entry has brought about."""
    return tuple(_facts(before, author, post, after))


def _facts(before: VerifiedState, author: int, post: Post, after: VerifiedState) -> Iterator[Fact]:
    true = author not in after.departed  # an author whose lie is proved counts as departed
    if true and post.kind in PROOF_PHRASES:
        yield Proof(author, PROOF_PHRASES[post.kind])
    old, new = card_locks(before), card_locks(after)
    if true and post.kind == "shuffle":
        yield from sealing_facts(author, before.pile, new)
        yield from (Reading(seat, before.pile) for seat in _remaining_readers(before))
    yield from transfer_facts(before, after)
    grown = (
        card
        for card, (was, now) in enumerate(zip(old, new, strict=True))
        if was and now and was < now
    )
    back = tuple(card for card in grown if card not in before.context.loose_cards)
    if back:
        yield from sealing_facts(EVERYBODY, back, new)

    def piece(card: int) -> Piece | None:
        return after.shown[card] if card in after.shown else after.piece_of(card)

    yield from unlock_facts(old, new, piece)


def _remaining_readers(before: VerifiedState) -> Iterator[int]:
    """Yield seats that can still read all loose cards that were just hidden.

    A seat can still read the cards if it could read them before and has shuffled them alone. A
    single card remains readable for all its readers.
    """
    if not before.is_loose:
        return
    for seat in before.present if len(before.pile) == 1 else before.shufflers[:1]:
        alone = len(before.pile) == 1 or before.shufflers == (seat,)
        if alone and all(
            card in before.shown or seat in before.readers_of(card) for card in before.pile
        ):
            yield seat


def card_locks(state: VerifiedState) -> Locks:
    """Return, by card, the seats whose shares are still needed to read it.

    A missing share of a departed seat counts for that seat, although others may provide it.
    """
    keys = frozenset(state.context.present)
    clear: Locks = (None,) * state.context.piece_count
    if not state.deck:
        return clear
    in_clear = state.first_deck()
    return tuple(
        frozenset()
        if card in state.shown
        else None
        if e == in_clear[card]
        else keys.difference(state.shares.get(card, ()))
        for card, e in enumerate(state.deck)
    )
