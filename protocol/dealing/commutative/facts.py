"""Facts of a commutative deal; places are cards.

Until the keys are opened, a shown card counts as the piece that its holder claims.
"""

from collections.abc import Iterator

from protocol.dealing import Post
from protocol.dealing.card_state import pieces_by_point, transfer_facts
from protocol.dealing.commutative.opening_audit import remove_envelopes
from protocol.dealing.commutative.state import CommutativeState
from protocol.dealing.facts import KEY_PHRASE, Commitment, Fact, Locks, sealing_facts, unlock_facts
from protocol.games import Piece


def entry_facts(
    before: CommutativeState, author: int, post: Post, after: CommutativeState
) -> tuple[Fact, ...]:
    """Return the facts that an accepted entry has brought about."""
    return tuple(_facts(before, author, post, after))


def _facts(
    before: CommutativeState, author: int, post: Post, after: CommutativeState
) -> Iterator[Fact]:
    old, new = card_locks(before), card_locks(after)
    if post.kind == "commit":
        yield Commitment(author, KEY_PHRASE)
    if post.kind == "pack":
        yield from sealing_facts(author, tuple(range(after.context.piece_count)), new)
    yield from transfer_facts(before, after)
    yield from unlock_facts(old, new, lambda card: public_piece(after, card))


def card_locks(state: CommutativeState) -> Locks:
    """Return, by card, the seats whose envelopes are still on it."""
    if not state.packs:
        return (None,) * state.context.piece_count
    closed = frozenset(pack.seat for pack in state.packs).difference(state.keys)
    taken_off: dict[int, set[int]] = {card: set() for card in range(state.context.piece_count)}
    for step in state.unwrappings:
        taken_off[step.card].add(step.seat)
    return tuple(
        frozenset() if card in state.shown else closed - seats for card, seats in taken_off.items()
    )


def public_piece(state: CommutativeState, card: int) -> Piece | None:
    """Return the piece of a card that everybody can read; None if a lie has made it no piece."""
    if card in state.shown:
        return state.shown[card].piece
    opened = {step.seat for step in state.unwrappings if step.card == card}
    keys = [key for seat, key in state.keys.items() if seat not in opened]
    left = state.points.get(card, state.deck[card])
    return pieces_by_point(state.context.piece_count).get(remove_envelopes(left, keys))
