"""What the entries of a commutative deal do to who knows what; places are cards.

What a seat shows counts as the piece that it is said to be until the keys are opened, here too.
"""

from collections.abc import Iterator

from protocol.dealing import Post
from protocol.dealing.card_state import (moved, pieces_by_face)
from protocol.dealing.commutative.opening_audit import unpacked
from protocol.dealing.commutative.state import Commutative
from protocol.dealing.facts import KEY, Committed, Fact, Locks, sealed, unlocked
from protocol.games import Piece


def facts(before: Commutative, author: int, post: Post, after: Commutative) -> tuple[Fact, ...]:
    """What an entry that stands has brought about."""
    return tuple(_facts(before, author, post, after))


def _facts(before: Commutative, author: int, post: Post, after: Commutative) -> Iterator[Fact]:
    old, new = locks(before), locks(after)
    if post.kind == "commit":
        yield Committed(author, KEY)
    if post.kind == "pack":
        yield from sealed(author, tuple(range(after.context.pieces)), new)
    yield from moved(before, after)
    yield from unlocked(old, new, lambda card: piece_at(after, card))


def locks(state: Commutative) -> Locks:
    """By card: the seats whose envelopes it is in."""
    if not state.packs:
        return (None,) * state.context.pieces
    closed = frozenset(pack.seat for pack in state.packs).difference(state.keys)
    taken_off: dict[int, set[int]] = {card: set() for card in range(state.context.pieces)}
    for step in state.unwrapped:
        taken_off[step.card].add(step.seat)
    return tuple(
        frozenset() if card in state.shown else closed - seats for card, seats in taken_off.items()
    )


def piece_at(state: Commutative, card: int) -> Piece | None:
    """What everybody can read; None if that is no piece: somebody has lied."""
    if card in state.shown:
        return state.shown[card].piece
    opened = {step.seat for step in state.unwrapped if step.card == card}
    keys = [key for seat, key in state.keys.items() if seat not in opened]
    left = state.wrapped.get(card, state.deck[card])
    return pieces_by_face(state.context.pieces).get(unpacked(left, keys))
