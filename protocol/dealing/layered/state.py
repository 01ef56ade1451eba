"""The public half of a layered deal as a frozen value: what the log has said so far, and what
follows from it.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from protocol.dealing import TABLE, DealContext, DealResult, Duty, NoLooseCards
from protocol.dealing.layered.stages import (
    DOING,
    ROUTE_ENDS,
    ROUTE_PROGRESS,
    STAGES,
    DutyHolder,
    LayeredStage,
)
from protocol.fast_replace import replace
from protocol.games import Hand, Piece
from protocol.limits import FREE_ROUNDS_PER_PIECE


@dataclass(frozen=True)
class Hop:
    """One leg of the route: a sealed list (stage SELECT) or array of slots (PREPARE)."""

    stage: LayeredStage
    sender: int
    receiver: int
    envelope: bytes
    at: int


@dataclass(frozen=True)
class DrawShare:
    """One seat's share of a draw; either envelope is empty where nobody needs it."""

    sender: int
    to_drawer: bytes
    to_next: bytes
    at: int


@dataclass(frozen=True)
class Draw:
    """One draw from the stock, as far as it has come."""

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
    """A piece that was shown: by whom, where it was, in which entry."""

    seat: int
    piece: Piece
    position: int  # in the table's order
    element: int  # of the final list, behind which it was
    at: int


@dataclass(frozen=True)
class SeatOpening:
    """What a seat opens at the end, as posted."""

    layer_keys: tuple[bytes, ...]
    hand: tuple[int, ...]
    r2: bytes
    slot_keys: tuple[bytes, ...]
    choices: tuple[tuple[int, bytes], ...]
    match_key: bytes
    at: int


@dataclass(frozen=True)
class TableOpening:
    """What the table opens at the end, as posted."""

    deck: tuple[tuple[Piece, bytes], ...]
    transfer_secret: bytes
    ephemeral_secret: bytes
    at: int


@dataclass(frozen=True)
class LayeredProtest:
    """Why everything is being opened early; `seat` is None when the selection did not come to an
    end.
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
    posted: frozenset[int] = frozenset()  # who has done an EVERYONE stage
    # pseudonyms, then after each seat's layer, last seat first
    element_lists: tuple[tuple[bytes, ...], ...] = ()
    list_entries: tuple[int, ...] = ()  # log numbers of those
    transfer_point: bytes = b""
    hops: tuple[Hop, ...] = ()
    stock: frozenset[int] = frozenset()
    stock_at: int = 0
    stock_author: int = 0
    commitments: tuple[tuple[bytes, bytes, int] | None, ...] = ()  # R1, b, log number
    stripped: tuple[bytes, ...] = ()  # the taken elements with the layers revealed so far taken off
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
        """How many seats take part."""
        return self.context.seat_count

    @property
    def is_stuck(self) -> bool:
        """Never: who leaves voids the deal."""
        return False

    @property
    def turned_up(self) -> Hand:
        """Nothing: this protocol turns nothing up."""
        return ()

    @property
    def ready(self) -> bool:
        """All hands are dealt and no draw or close is under way."""
        return self.stage is LayeredStage.READY

    @property
    def stock_size(self) -> int:
        """How many elements nobody takes in the selection."""
        return self.context.piece_count - self.seat_count * self.context.dealt_per_seat

    @cached_property
    def deal_id(self) -> bytes:
        """32 bytes that name this deal."""
        return self.context.deal_id

    @cached_property
    def taken(self) -> tuple[int, ...]:
        """The elements that left the stock, ascending; slots and layer keys are in this order."""
        return tuple(sorted(frozenset(range(self.context.piece_count)) - self.stock))

    @cached_property
    def taken_positions(self) -> tuple[int, ...]:
        """The position in the table's order of each taken element, once all layers are off."""
        where = {name: position for position, name in enumerate(self.element_lists[0])}
        return tuple(where[element] for element in self.stripped)

    @cached_property
    def stock_positions(self) -> tuple[int, ...]:
        """The positions not dealt at the start, ascending: the choices of a draw."""
        return tuple(
            sorted(frozenset(range(self.context.piece_count)) - frozenset(self.taken_positions))
        )

    def output_of(self, seat: int) -> tuple[bytes, ...]:
        """The list that a seat published; seat 0's is the final list."""
        return self.element_lists[self.seat_count - seat]

    def input_of(self, seat: int) -> tuple[bytes, ...]:
        """The list that a seat put its layer on."""
        return self.element_lists[self.seat_count - seat - 1]

    def route(self, stage: LayeredStage) -> tuple[Hop, ...]:
        """The hops of one stage, in order."""
        return tuple(hop for hop in self.hops if hop.stage is stage)

    def must_take(self, hop_number: int) -> bool:
        """Whether whoever makes this hop must have taken a piece (or filled a slot) if it still
        lacks one.
        """
        return hop_number >= self.seat_count * FREE_ROUNDS_PER_PIECE * self.context.dealt_per_seat

    @property
    def last_hop(self) -> int:
        """How many hops a stage can have when everybody keeps the rule above."""
        return self.seat_count * ((FREE_ROUNDS_PER_PIECE + 1) * self.context.dealt_per_seat + 1)

    def duties(self) -> tuple[Duty, ...]:
        """Who must post what now."""
        row = STAGES[self.stage]
        match row.duty_holder:
            case DutyHolder.TABLE:
                authors: list[int] = [TABLE]
            case DutyHolder.TURN:
                authors = [self.turn]
            case DutyHolder.EVERYONE:
                authors = [seat for seat in range(self.seat_count) if seat not in self.posted]
            case DutyHolder.NOBODY:
                authors = []
        return tuple(
            Duty(author, kind)
            for author in authors
            for kind in row.kinds
            if author == ROUTE_ENDS.get(kind, author)
        )

    def progress(self) -> tuple[str, int]:
        """What is being done, as a key of the catalogue, and how far it is in per cent."""
        doing, percent = DOING[self.stage]
        if self.stage in ROUTE_PROGRESS:
            expected = self.seat_count * (self.context.dealt_per_seat + 2)
            percent += (
                ROUTE_PROGRESS[self.stage] * min(len(self.route(self.stage)), expected) // expected
            )
        return doing, percent

    def enter_stage(self, stage: LayeredStage, at: int, **changes: Any) -> "LayeredState":
        """The state at the beginning of a stage."""
        return replace(self, stage=stage, duties_since=at, posted=frozenset(), **changes)
