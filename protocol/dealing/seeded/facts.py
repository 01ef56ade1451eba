"""What the entries of a seeded deal do to who knows what; places are cards.

What a seat shows counts as the piece that it is said to be until the seeds are opened, here too.
"""

from collections.abc import Iterator

from protocol.dealing import Post
from protocol.dealing.facts import Commitment, Fact, Locks, sealing_facts, unlock_facts
from protocol.dealing.seeded.stages import SeededStage
from protocol.dealing.seeded.state import HideStep, SeededState
from protocol.games.operations import EVERYBODY, Card
from protocol.view.phrase import phrase

SEED = phrase("fact.what.seed")


def facts(before: SeededState, author: int, post: Post, after: SeededState) -> tuple[Fact, ...]:
    """What an entry that stands has brought about."""
    return tuple(_facts(before, author, post, after))


def _facts(before: SeededState, author: int, post: Post, after: SeededState) -> Iterator[Fact]:
    old, new = card_locks(before), card_locks(after)
    if post.kind == "commit":
        yield Commitment(author, SEED)
    for step in after.steps[len(before.steps) :]:
        if isinstance(step, HideStep):
            yield from sealing_facts(
                step.owner if step.by_owner_alone else EVERYBODY, step.cards, new
            )
    yield from unlock_facts(old, new, after.public_faces.get)


def card_locks(state: SeededState) -> Locks:
    """By card: the seats whose numbers it still takes to know it."""
    on_their_way, missing = state.undrawn_cards, _missing(state)
    return tuple(
        _lock(state, card, missing if card in on_their_way else frozenset())
        for card in range(state.context.piece_count)
    )


def _lock(state: SeededState, card: Card, missing: frozenset[int]) -> frozenset[int] | None:
    if card not in state.sealed:
        return None
    if card in state.public_faces:
        return frozenset()
    owner = state.owners[card]
    if card in state.hidden:
        return frozenset(state.context.present)
    return missing | {owner}


def _missing(state: SeededState) -> frozenset[int]:
    """Who still has to give."""
    return (
        frozenset(duty.author for duty in state.duties())
        if state.stage is SeededStage.GIVE
        else frozenset()
    )
