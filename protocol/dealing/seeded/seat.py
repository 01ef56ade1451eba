"""Private half of one seat in a seeded deal: its seed and the pieces that it has drawn."""

from collections.abc import Mapping
from random import Random

from protocol.crypto.seeded_random import SEED
from protocol.dealing import DealContext, Post
from protocol.dealing.seeded.deck import give_number, seed_commitment
from protocol.dealing.seeded.opening_audit import DeckReplay
from protocol.dealing.seeded.stages import SALT_SIZE, SeededStage
from protocol.dealing.seeded.state import DrawStep, SeededState
from protocol.games import Hand, Piece
from protocol.games.operations import Card, OpenCard, Operation
from protocol.schema import Fields


class SeededSeat:
    """Secrets of one seat for one deal; implements `protocol.dealing.SeatHalf`."""

    def __init__(self, context: DealContext, seat: int, rng: Random) -> None:
        self._context, self._seat = context, seat
        self._seed, self._salt = rng.randbytes(SEED), rng.randbytes(SALT_SIZE)
        self._replay: DeckReplay | None = None
        self._own: dict[Card, Piece] = {}  # pieces that this seat alone can read, by card
        self._faces: Mapping[Card, Piece] = {}

    @property
    def hand(self) -> Hand:
        """Pieces that this seat alone can read, in ascending order of their cards."""
        return tuple(self._own.values())

    @property
    def visible_cards(self) -> Mapping[Card, Piece]:
        """Pieces that this seat can read now, public cards included."""
        return {**self._faces, **self._own}

    def next_post(self, deal: SeededState) -> Post | None:
        """Return the entry that this seat must post, or None.

        Repeated calls return the same entry, because everything follows from the seed.
        """
        self._update_deck(deal)
        return (
            self._duty(deal) if any(duty.author == self._seat for duty in deal.duties()) else None
        )

    def part(self, deal: SeededState, operation: Operation) -> Fields:
        """Return the part for opening a card: the seat's epoch, at which it looked at the card.

        The claimed piece needs no proof; it is believed until the seeds are open.
        """
        if isinstance(operation, OpenCard) and operation.card not in deal.public_faces:
            return [deal.epochs[self._seat]]
        return []

    def _duty(self, deal: SeededState) -> Post:
        match deal.stage:
            case SeededStage.COMMIT:
                return Post(
                    "commit",
                    [seed_commitment(self._context.deal_id, self._seat, self._seed, self._salt)],
                )
            case SeededStage.GIVE:
                return Post(
                    "give",
                    [
                        give_number(
                            self._context.deal_id, self._seat, self._seed, deal.gives[-1].first
                        )
                    ],
                )
            case SeededStage.SHOW:
                return Post(
                    "show", [[self._own[card] for _, card in deal.claims_due_from(self._seat)]]
                )
            case _:
                return Post("open_seed", [self._seed, self._salt])

    def _update_deck(self, deal: SeededState) -> None:
        """Apply all steps that can be computed by now, and forget pieces that were hidden again."""
        self._replay = replay = self._replay or DeckReplay(deal, self._seat, self._seed)
        while replay.steps_done < len(deal.steps) and not self._waits_for_gives(
            deal, replay.steps_done
        ):
            replay.step(deal)
        self._faces = deal.public_faces
        own = {card: replay.deck.piece(card) for card in deal.hand_of(self._seat)}
        self._own = {card: piece for card, piece in own.items() if piece is not None}

    def _waits_for_gives(self, deal: SeededState, place: int) -> bool:
        """Check that the step at `place` is a draw of the round whose gives are incomplete."""
        step = deal.steps[place]
        newest = isinstance(step, DrawStep) and step.gives == len(deal.gives) - 1
        return newest and deal.stage is SeededStage.GIVE
