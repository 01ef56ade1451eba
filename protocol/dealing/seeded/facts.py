"""Facts of a seeded deal; places are cards.

Until the seeds are opened, a shown card counts as the piece that its owner claims.
"""

from collections.abc import Iterator

from protocol.dealing import Post
from protocol.dealing.facts import Commitment, Fact, Locks, sealing_facts, unlock_facts
from protocol.dealing.seeded.stages import SeededStage
from protocol.dealing.seeded.state import HideStep, SeededState
from protocol.games.operations import EVERYBODY, Card
from protocol.view.phrase import phrase

SEED_PHRASE = phrase("fact.what.seed")


def entry_facts(
    before: SeededState, author: int, post: Post, after: SeededState
) -> tuple[Fact, ...]:
    """Return the facts that an accepted entry has brought about."""
    return tuple(_facts(before, author, post, after))


def _facts(before: SeededState, author: int, post: Post, after: SeededState) -> Iterator[Fact]:
    old, new = card_locks(before), card_locks(after)
    if post.kind == "commit":
        yield Commitment(author, SEED_PHRASE)
    for step in after.steps[len(before.steps) :]:
        if isinstance(step, HideStep):
            yield from sealing_facts(
                step.owner if step.by_owner_alone else EVERYBODY, step.cards, new
            )
    yield from unlock_facts(old, new, after.public_faces.get)


def card_locks(state: SeededState) -> Locks:
    """Return, by card, the seats whose seeds or gives are still needed to compute its piece."""
    on_their_way, missing = state.undrawn_cards, _missing_gives(state)
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


def _missing_gives(state: SeededState) -> frozenset[int]:
    """Return the seats that still have to give."""
    return (
        frozenset(duty.author for duty in state.duties())
        if state.stage is SeededStage.GIVE
        else frozenset()
    )
