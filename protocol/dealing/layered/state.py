"""Public half of a layered deal, as a frozen value computed from the log."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

from protocol.dealing import DealContext, DealResult, Duty, NoLooseCards
from protocol.dealing.layered.stages import (
    ROUTE_ENDS,
    ROUTE_PROGRESS,
    STAGES,
    LayeredStage,
)
from protocol.dealing.stages import stage_duties
from protocol.fast_replace import replace
from protocol.games import Hand, Piece
from protocol.limits import FREE_ROUNDS_PER_PIECE


@dataclass(frozen=True)
class Hop:
    """Leg of the route: a sealed list (stage SELECT) or a sealed array of slots (stage PREPARE)."""

    stage: LayeredStage
    sender: int
    receiver: int
    envelope: bytes
    at: int


@dataclass(frozen=True)
class DrawShare:
    """Contribution of one seat to a draw: sealed layer keys.

    An envelope is empty if no seat needs it.
    """

    sender: int
    to_drawer: bytes
    to_next: bytes
    at: int


@dataclass(frozen=True)
class Draw:
    """Draw from the stock, complete or under way."""

    number: int
    seat: int
    element: int  # index into the final list
    keys: tuple[DrawShare, ...] = ()
    query: bytes = b""
    query_at: int = 0
    reply: tuple[bytes, ...] = ()
    reply_at: int = 0


@dataclass(frozen=True)
class ShownPiece:
    """Piece that a seat has shown; `at` is the log number of the entry."""

    seat: int
    piece: Piece
    position: int  # in the table's order
    element: int  # element of the final list that hid the piece
    at: int


@dataclass(frozen=True)
class SeatOpening:
    """Secrets that a seat opens at the end, as posted."""

    layer_keys: tuple[bytes, ...]
    hand: tuple[int, ...]
    r2: bytes
    slot_keys: tuple[bytes, ...]
    choices: tuple[tuple[int, bytes], ...]
    match_key: bytes
    at: int


@dataclass(frozen=True)
class TableOpening:
    """Secrets that the table opens at the end, as posted."""

    deck: tuple[tuple[Piece, bytes], ...]
    transfer_secret: bytes
    ephemeral_secret: bytes
    at: int


@dataclass(frozen=True)
class LayeredProtest:
    """Reason for opening all secrets early; `seat` is None if the selection exceeded its number of
    hops.
    """

    seat: int | None
    at: int


@dataclass(frozen=True)
class LayeredState(NoLooseCards):
    """Public state of one deal; implements `protocol.dealing.DealState`."""

    context: DealContext
    duties_since: int
    stage: LayeredStage = LayeredStage.PSEUDONYMISE
    turn: int = 0
    posted: frozenset[int] = frozenset()  # seats that have done their duty of an EVERYONE stage
    # The pseudonyms, then the output of each seat; the last seat comes first.
    element_lists: tuple[tuple[bytes, ...], ...] = ()
    list_entries: tuple[int, ...] = ()  # log numbers of the entries with these lists
    transfer_point: bytes = b""
    hops: tuple[Hop, ...] = ()
    stock: frozenset[int] = frozenset()
    stock_at: int = 0
    stock_author: int = 0
    commitments: tuple[tuple[bytes, bytes, int] | None, ...] = ()  # (R1, b, log number) by seat
    stripped: tuple[bytes, ...] = ()  # the taken elements without the layers revealed so far
    slots: tuple[bytes, ...] = ()
    slots_at: int = 0
    slots_author: int = 0
    ephemeral: bytes = b""
    assigned: tuple[bytes, ...] = ()
    assigned_at: int = 0
    shown_pieces: tuple[ShownPiece, ...] = ()
    draws: tuple[Draw, ...] = ()
    openings: tuple[SeatOpening | None, ...] = ()
    table_opening: TableOpening | None = None
    protest: LayeredProtest | None = None
    result: DealResult | None = None

    @property
    def seat_count(self) -> int:
        return self.context.seat_count

    @property
    def is_stuck(self) -> bool:
        """False: a seat that leaves voids the deal, so no deal goes on without it."""
        return False

    @property
    def turned_up(self) -> Hand:
        """Empty: this protocol turns up no pieces."""
        return ()

    @property
    def ready(self) -> bool:
        """True if all hands are dealt and no draw or close is under way."""
        return self.stage is LayeredStage.READY

    @property
    def stock_size(self) -> int:
        """Number of elements that remain after the selection."""
        return self.context.piece_count - self.seat_count * self.context.dealt_per_seat

    @cached_property
    def deal_id(self) -> bytes:
        """Identifier of this deal, 32 bytes; see `DealContext.deal_id`."""
        return self.context.deal_id

    @cached_property
    def taken(self) -> tuple[int, ...]:
        """Elements that are not in the stock, ascending; slots and layer keys have the same
        order.
        """
        return tuple(sorted(frozenset(range(self.context.piece_count)) - self.stock))

    @cached_property
    def taken_positions(self) -> tuple[int, ...]:
        """Position in the table's order of each taken element; defined once all layers are
        removed.
        """
        where = {name: position for position, name in enumerate(self.element_lists[0])}
        return tuple(where[element] for element in self.stripped)

    @cached_property
    def stock_positions(self) -> tuple[int, ...]:
        """Positions that were not dealt at the start, ascending; a draw chooses among them."""
        return tuple(
            sorted(frozenset(range(self.context.piece_count)) - frozenset(self.taken_positions))
        )

    def output_of(self, seat: int) -> tuple[bytes, ...]:
        """Return the list that a seat published; seat 0's list is the final list."""
        return self.element_lists[self.seat_count - seat]

    def input_of(self, seat: int) -> tuple[bytes, ...]:
        """Return the list to which a seat added its layer."""
        return self.element_lists[self.seat_count - seat - 1]

    def route(self, stage: LayeredStage) -> tuple[Hop, ...]:
        """Return the hops of one stage, in order."""
        return tuple(hop for hop in self.hops if hop.stage is stage)

    def must_take(self, hop_number: int) -> bool:
        """Check that the author of this hop must take an element (or fill a slot) if it still lacks
        one.
        """
        return hop_number >= self.seat_count * FREE_ROUNDS_PER_PIECE * self.context.dealt_per_seat

    @property
    def last_hop(self) -> int:
        """Largest number of hops in a stage if every seat obeys `must_take`."""
        return self.seat_count * ((FREE_ROUNDS_PER_PIECE + 1) * self.context.dealt_per_seat + 1)

    def duties(self) -> tuple[Duty, ...]:
        """Return the entries that are due now."""
        waiting = (seat for seat in range(self.seat_count) if seat not in self.posted)
        return tuple(
            duty
            for duty in stage_duties(STAGES[self.stage], waiting, self.turn)
            if duty.author == ROUTE_ENDS.get(duty.kind, duty.author)
        )

    def progress(self) -> tuple[str, int]:
        """Return the present step, as a key of the catalogue, and its progress in per cent."""
        spec = STAGES[self.stage]
        percent = spec.percent
        if self.stage in ROUTE_PROGRESS:
            expected = self.seat_count * (self.context.dealt_per_seat + 2)
            percent += (
                ROUTE_PROGRESS[self.stage] * min(len(self.route(self.stage)), expected) // expected
            )
        return spec.progress_key, percent

    def enter_stage(self, stage: LayeredStage, at: int) -> Self:
        """Return the state at the beginning of `stage`."""
        return replace(self, stage=stage, duties_since=at, posted=frozenset())
