"""The public half of a seeded deal as a frozen value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from protocol.dealing import DealContext, DealResult, Duty
from protocol.dealing.seeded.stages import STAGES, DutyHolder, SeededStage
from protocol.fast_replace import replace
from protocol.games import Hand, Piece
from protocol.games.operations import Card


class HideStep(NamedTuple):
    """Cards of one owner are hidden anew, as one heap; or, if it does that `alone`, put in another
    order.
    """

    owner: int
    cards: tuple[Card, ...]  # ascending
    epoch: int  # so many times cards of this owner were hidden before
    by_owner_alone: bool


class DrawStep(NamedTuple):
    """A card that was hidden gets its piece."""

    owner: int
    card: Card
    number: int  # of all draws of the deal, from 0
    epoch: int
    gives: int  # the place in `SeededState.gives` of what goes into it


class ShowStep(NamedTuple):
    """Everybody is to see a card, which its owner knows: what it is, `SeededState.claims` says."""

    owner: int
    card: Card


Step = HideStep | DrawStep | ShowStep


class GiveRound(NamedTuple):
    """What others add to draws that were asked for by one entry."""

    at: int  # the log number of that entry
    first: int  # the number of the first of the draws
    drawers: frozenset[int]
    # by seat: its bytes, and the log number of the entry they stand in
    given: Mapping[int, tuple[bytes, int]]


class Claim(NamedTuple):
    """What an owner says that a card is, in which entry; whether it is, only the opened seeds
    tell.
    """

    piece: Piece
    at: int


@dataclass(frozen=True)
class SeededState:
    """Public state of one deal; implements `protocol.dealing.DealState`."""

    context: DealContext
    duties_since: int
    stage: SeededStage = SeededStage.COMMIT
    posted: frozenset[int] = frozenset()  # who has done the present stage
    departed: frozenset[int] = frozenset()  # seats that have left
    commitments: Mapping[int, bytes] = field(default_factory=dict)  # by seat
    steps: tuple[Step, ...] = ()  # all that has been done with cards, in order
    gives: tuple[GiveRound, ...] = ()
    claims: Mapping[int, Claim] = field(default_factory=dict)  # by the place in `steps`
    draws: int = 0
    # by owner: how often cards of it were hidden
    epochs: Mapping[int, int] = field(default_factory=dict)
    hidden: frozenset[Card] = frozenset()  # cards that even their owner does not know
    # cards that everybody knows: the place in `steps`
    shown: Mapping[Card, int] = field(default_factory=dict)
    # by card that was ever hidden: the epoch that ended then
    sealed: Mapping[Card, int] = field(default_factory=dict)
    seeds: Mapping[int, bytes] = field(default_factory=dict)  # opened, by seat
    is_stuck: bool = False
    result: DealResult | None = None

    @property
    def ready(self) -> bool:
        """Nothing is under way."""
        return self.stage is SeededStage.READY

    @property
    def present(self) -> tuple[int, ...]:
        """The seats that were dealt to and have not left since, ascending."""
        return tuple(seat for seat in self.context.present if seat not in self.departed)

    @property
    def owners(self) -> Mapping[Card, int]:
        """Whose card each is."""
        return self.context.loose_owners

    @cached_property
    def public_faces(self) -> Mapping[Card, Piece]:
        """The pieces that everybody knows now; also of cards that were never hidden."""
        clear = {card: card for card in range(self.context.piece_count) if card not in self.sealed}
        return clear | {
            card: self.claims[place].piece
            for card, place in self.shown.items()
            if place in self.claims
        }

    @property
    def turned_up(self) -> Hand:
        """Nothing is turned up but what is asked for by its card."""
        return ()

    def cards_of(self, owner: int) -> tuple[Card, ...]:
        """The cards of a seat, ascending."""
        return tuple(card for card, seat in self.owners.items() if seat == owner)

    @property
    def undrawn_cards(self) -> frozenset[Card]:
        """Cards that are drawn as soon as all have given."""
        if self.stage is not SeededStage.GIVE:
            return frozenset()
        newest = len(self.gives) - 1
        return frozenset(
            step.card for step in self.steps if isinstance(step, DrawStep) and step.gives == newest
        )

    def hand_of(self, seat: int) -> tuple[Card, ...]:
        """The cards that a seat knows and the others do not, ascending; those on their way to it
        too.
        """
        return tuple(
            card
            for card in self.cards_of(seat)
            if card not in self.hidden and card not in self.public_faces
        )

    def claims_due_from(self, owner: int) -> tuple[tuple[int, Card], ...]:
        """(place in `steps`, card) for each card of which a seat still has to say what it is, by
        place.
        """
        due = ((place, card) for card, place in self.shown.items() if place not in self.claims)
        return tuple(sorted((place, card) for place, card in due if self.owners[card] == owner))

    def duties(self) -> tuple[Duty, ...]:
        """Who must post what now."""
        row = STAGES[self.stage]
        waiting = (
            seat
            for seat in self.present
            if seat not in self.posted and self._is_concerned(row.duty_holder, seat)
        )
        return tuple(Duty(seat, row.kind) for seat in waiting)

    def _is_concerned(self, who: DutyHolder, seat: int) -> bool:
        match who:
            case DutyHolder.EVERYONE:
                return True
            case DutyHolder.GIVERS:
                newest = self.gives[-1] if self.gives else None
                return (
                    newest is not None
                    and seat not in newest.given
                    and bool(newest.drawers - self.departed - {seat})
                )
            case DutyHolder.OWNERS:
                return bool(self.claims_due_from(seat))
            case DutyHolder.NOBODY:
                return False

    def progress(self) -> tuple[str, int]:
        """What is being done, as a key of the catalogue, and how far it is in per cent."""
        row = STAGES[self.stage]
        return row.progress_key, row.percent

    def enter_stage(self, stage: SeededStage, at: int, **changes: Any) -> "SeededState":
        """The state at the beginning of a stage."""
        return replace(self, stage=stage, duties_since=at, posted=frozenset(), **changes)
