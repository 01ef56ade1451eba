"""Facts of a residue deal; places are cards."""

from collections.abc import Iterator

from protocol.dealing import CHUNK_KIND, Post
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
from protocol.dealing.residue.state import ResidueState
from protocol.games.operations import EVERYBODY
from protocol.view.phrase import Phrase

PROOF_PHRASES: dict[str, Phrase] = {"key": OWN_KEY_PHRASE, "tell": PARTS_PHRASE}


def entry_facts(
    before: ResidueState, author: int, post: Post, after: ResidueState
) -> tuple[Fact, ...]:
    """Return the facts that an accepted entry has brought about.

    Of the chunks of a shuffle, only the last brings about facts.
    """
    return tuple(_facts(before, author, post, after))


def _facts(before: ResidueState, author: int, post: Post, after: ResidueState) -> Iterator[Fact]:
    if post.kind in PROOF_PHRASES:
        yield Proof(author, PROOF_PHRASES[post.kind])
    old, new = card_locks(before), card_locks(after)
    if after.shuffles > before.shuffles:
        yield Proof(author, SHUFFLE_PHRASE)
        yield from sealing_facts(author, before.current_shuffle.cards, new)
        yield from (
            Reading(seat, before.current_shuffle.cards)
            for seat in _remaining_readers(before, author)
        )
    yield from transfer_facts(before, after)
    grown = (
        card
        for card, (was, now) in enumerate(zip(old, new, strict=True))
        if was and now and was < now
    )
    back = tuple(card for card in grown if card not in before.context.loose_cards)
    if back and post.kind != CHUNK_KIND:
        yield from sealing_facts(EVERYBODY, back, new)
    yield from unlock_facts(old, new, after.shown.get)


def _remaining_readers(before: ResidueState, author: int) -> Iterator[int]:
    """Yield seats that can still read all loose cards that were just hidden.

    A seat can still read the cards if it could read them before and has shuffled them alone. A
    single card remains readable for all its readers.
    """
    cards, _, alone = before.current_shuffle
    may_know = before.present if len(cards) == 1 else alone if alone == (author,) else ()
    for seat in may_know:
        if all(card in before.public_faces or seat in before.readers_of(card) for card in cards):
            yield seat


def card_locks(state: ResidueState) -> Locks:
    """Return, by card, the seats whose bits are still needed to read it."""
    return tuple(
        None
        if card not in state.hidden
        else frozenset()
        if card in state.shown
        else state.missing_seats(card)
        for card in range(state.context.piece_count)
    )
