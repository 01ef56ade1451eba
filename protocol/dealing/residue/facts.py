"""What the entries of a residue deal do to who knows what; places are cards."""

from collections.abc import Iterator

from protocol.dealing import CHUNK, Post
from protocol.dealing.card_state import moved
from protocol.dealing.facts import (
    OWN_KEY,
    PARTS,
    SHUFFLE,
    Fact,
    Learnt,
    Locks,
    Proved,
    sealed,
    unlocked,
)
from protocol.dealing.residue.state import Residue
from protocol.games.operations import EVERYBODY
from protocol.view.phrase import Phrase

PROVED: dict[str, Phrase] = {"key": OWN_KEY, "tell": PARTS}


def facts(before: Residue, author: int, post: Post, after: Residue) -> tuple[Fact, ...]:
    """What an entry that stands has brought about. All but the last chunk of a shuffle bring
    nothing about.
    """
    return tuple(_facts(before, author, post, after))


def _facts(before: Residue, author: int, post: Post, after: Residue) -> Iterator[Fact]:
    if post.kind in PROVED:
        yield Proved(author, PROVED[post.kind])
    old, new = locks(before), locks(after)
    if after.shuffles > before.shuffles:
        yield Proved(author, SHUFFLE)
        yield from sealed(author, before.shuffling.cards, new)
        yield from (Learnt(seat, before.shuffling.cards) for seat in _knowing(before, author))
    yield from moved(before, after)
    grown = (
        card
        for card, (was, now) in enumerate(zip(old, new, strict=True))
        if was and now and was < now
    )
    back = tuple(card for card in grown if card not in before.context.loose)
    if back and post.kind != CHUNK:
        yield from sealed(EVERYBODY, back, new)
    yield from unlocked(old, new, after.shown.get)


def _knowing(before: Residue, author: int) -> Iterator[int]:
    """Who still knows all the loose cards that have just been hidden: who did it alone, and who
    knew the only one.
    """
    cards, _, alone = before.shuffling
    may_know = before.present if len(cards) == 1 else alone if alone == (author,) else ()
    for seat in may_know:
        if all(card in before.faces or seat in before.readers_of(card) for card in cards):
            yield seat


def locks(state: Residue) -> Locks:
    """By card: the seats whose bits are still missing to read it."""
    return tuple(
        None
        if card not in state.hidden
        else frozenset()
        if card in state.shown
        else state.missing(card)
        for card in range(state.context.pieces)
    )
