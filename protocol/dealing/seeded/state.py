"""Public half of a seeded deal, as a frozen value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Self

from protocol.dealing import DealContext, DealResult, Duty
from protocol.dealing.seeded.stages import STAGES, SeededStage
from protocol.dealing.stages import stage_duties
from protocol.fast_replace import replace
from protocol.games import Hand, Piece
from protocol.games.operations import Card


class HideStep(NamedTuple):
    """Cards of one owner are hidden as one heap; with `by_owner_alone` they are only permuted."""

    owner: int
    cards: tuple[Card, ...]  # ascending
    epoch: int  # number of earlier steps that hid cards of this owner
    by_owner_alone: bool


class DrawStep(NamedTuple):
    """A hidden card gets its piece."""

    owner: int
    card: Card
    number: int  # number of the draw in the deal, from 0
    epoch: int
    gives: int  # index in `SeededState.gives` of the round for this draw


class ShowStep(NamedTuple):
    """The owner of a card has to show it; `SeededState.claims` has the claimed piece."""

    owner: int
    card: Card


Step = HideStep | DrawStep | ShowStep


class GiveRound(NamedTuple):
    """Gives of the other seats for all draws that one entry requests."""

    at: int  # log number of the requesting entry
    first: int  # number of the first of these draws
    drawers: frozenset[int]
    # By seat: its give, and the log number of the entry with that give.
    given: Mapping[int, tuple[bytes, int]]


class Claim(NamedTuple):
    """Piece that an owner claims for a card, and the log number of the claiming entry.

    Only the opened seeds show whether the claim is true.
    """

    piece: Piece
    at: int


@dataclass(frozen=True)
class SeededState:
    """Public state of one deal; implements `protocol.dealing.DealState`."""

    context: DealContext
    duties_since: int
    stage: SeededStage = SeededStage.COMMIT
    posted: frozenset[int] = frozenset()  # seats that have done their duty of the present stage
    departed: frozenset[int] = frozenset()  # seats that have left
    commitments: Mapping[int, bytes] = field(default_factory=dict)  # commitments to seeds, by seat
    steps: tuple[Step, ...] = ()  # all hides, draws and shows, in order
    gives: tuple[GiveRound, ...] = ()
    claims: Mapping[int, Claim] = field(default_factory=dict)  # by index in `steps`
    draws: int = 0
    # By owner: number of steps that hid cards of this owner.
    epochs: Mapping[int, int] = field(default_factory=dict)
    hidden: frozenset[Card] = frozenset()  # cards that not even their owner can read
    # By card that has to be, or is, shown to everybody: index in `steps`.
    shown: Mapping[Card, int] = field(default_factory=dict)
    # By card that was ever hidden: the owner's epoch before the last hiding.
    sealed: Mapping[Card, int] = field(default_factory=dict)
    seeds: Mapping[int, bytes] = field(default_factory=dict)  # opened seeds, by seat
    is_stuck: bool = False
    result: DealResult | None = None

    @property
    def ready(self) -> bool:
        """True if no operation is under way."""
        return self.stage is SeededStage.READY

    @property
    def present(self) -> tuple[int, ...]:
        """Seats that take part in the deal and have not left, ascending."""
        return tuple(seat for seat in self.context.present if seat not in self.departed)

    @property
    def owners(self) -> Mapping[Card, int]:
        """Owner's seat of each card."""
        return self.context.loose_owners

    @cached_property
    def public_faces(self) -> Mapping[Card, Piece]:
        """Pieces that are public now, including cards that were never hidden."""
        clear = {card: card for card in range(self.context.piece_count) if card not in self.sealed}
        return clear | {
            card: self.claims[place].piece
            for card, place in self.shown.items()
            if place in self.claims
        }

    @property
    def turned_up(self) -> Hand:
        """Empty: all cards are loose, and loose cards are in `public_faces`."""
        return ()

    def cards_of(self, owner: int) -> tuple[Card, ...]:
        """Return the cards of a seat, ascending."""
        return tuple(card for card, seat in self.owners.items() if seat == owner)

    @property
    def undrawn_cards(self) -> frozenset[Card]:
        """Cards whose draw only waits for gives."""
        if self.stage is not SeededStage.GIVE:
            return frozenset()
        newest = len(self.gives) - 1
        return frozenset(
            step.card for step in self.steps if isinstance(step, DrawStep) and step.gives == newest
        )

    def hand_of(self, seat: int) -> tuple[Card, ...]:
        """Return the cards that only `seat` can read, ascending, including cards whose draw waits
        for gives.
        """
        return tuple(
            card
            for card in self.cards_of(seat)
            if card not in self.hidden and card not in self.public_faces
        )

    def claims_due_from(self, owner: int) -> tuple[tuple[int, Card], ...]:
        """Return (index in `steps`, card) for each card that `owner` still has to show, in
        order.
        """
        due = ((place, card) for card, place in self.shown.items() if place not in self.claims)
        return tuple(sorted((place, card) for place, card in due if self.owners[card] == owner))

    def duties(self) -> tuple[Duty, ...]:
        """Return the entries that are due now."""
        waiting = (seat for seat in self.present if seat not in self.posted)
        return stage_duties(STAGES[self.stage], waiting, is_concerned=self._is_concerned)

    def _is_concerned(self, seat: int) -> bool:
        """Check that a seat has to give because another seat draws, or to show cards of its own."""
        if self.stage is SeededStage.SHOW:
            return bool(self.claims_due_from(seat))
        newest = self.gives[-1] if self.gives else None
        return (
            newest is not None
            and seat not in newest.given
            and bool(newest.drawers - self.departed - {seat})
        )

    def progress(self) -> tuple[str, int]:
        """Return the present step, as a key of the catalogue, and its progress in per cent."""
        row = STAGES[self.stage]
        return row.progress_key, row.percent

    def enter_stage(self, stage: SeededStage, at: int) -> Self:
        """Return the state at the beginning of `stage`."""
        return replace(self, stage=stage, duties_since=at, posted=frozenset())
