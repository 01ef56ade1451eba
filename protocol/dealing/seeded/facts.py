"""What the entries of a seeded deal do to who knows what; places are cards.

What a seat shows counts as the piece that it is said to be until the seeds are opened, here too.
"""

from collections.abc import Iterator

from protocol.dealing import Post
from protocol.dealing.facts import Committed, Fact, Locks, sealed, unlocked
from protocol.dealing.seeded.stages import Stage
from protocol.dealing.seeded.state import Hidden, Seeded
from protocol.games.operations import EVERYBODY, Card
from protocol.view.phrase import phrase

SEED = phrase("fact.what.seed")


def facts(before: Seeded, author: int, post: Post, after: Seeded) -> tuple[Fact, ...]:
    """What an entry that stands has brought about."""
    return tuple(_facts(before, author, post, after))


def _facts(before: Seeded, author: int, post: Post, after: Seeded) -> Iterator[Fact]:
    old, new = locks(before), locks(after)
    if post.kind == "commit":
        yield Committed(author, SEED)
    for step in after.steps[len(before.steps) :]:
        if isinstance(step, Hidden):
            yield from sealed(step.owner if step.alone else EVERYBODY, step.cards, new)
    yield from unlocked(old, new, after.faces.get)


def locks(state: Seeded) -> Locks:
    """By card: the seats whose numbers it still takes to know it."""
    on_their_way, missing = state.on_their_way, _missing(state)
    return tuple(
        _lock(state, card, missing if card in on_their_way else frozenset())
        for card in range(state.context.pieces)
    )


def _lock(state: Seeded, card: Card, missing: frozenset[int]) -> frozenset[int] | None:
    if card not in state.sealed:
        return None
    if card in state.faces:
        return frozenset()
    owner = state.owners[card]
    if card in state.hidden:
        return frozenset(state.context.present)
    return missing | {owner}


def _missing(state: Seeded) -> frozenset[int]:
    """Who still has to give."""
    return (
        frozenset(duty.author for duty in state.duties())
        if state.stage is Stage.GIVE
        else frozenset()
    )
