"""A commutative deal without a match around it, for any number of seats and pieces."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from protocol.dealing import Post
from protocol.dealing.commutative import COMMUTATIVE
from protocol.dealing.commutative.seat import CommutativeSeat
from protocol.dealing.commutative.state import CommutativeState
from protocol.games import Piece
from protocol.games.operations import EVERYBODY, Look, Operation, Pile, PutAway, Reveal
from tests.support.verified import context

DEALING = COMMUTATIVE
Twist = Callable[[CommutativeState, Post], Post]


@dataclass
class CommutativeDeal:
    """A deal with all its private halves. `twists` change the posts of a seat before they are
    applied.
    """

    state: CommutativeState
    seats: list[CommutativeSeat]
    twists: dict[int, Twist] = field(default_factory=dict)
    at: int = 1  # number of the next entry
    kinds: list[tuple[int, str]] = field(default_factory=list)

    @property
    def hands(self) -> list[tuple[Piece, ...]]:
        """Return the hand of every seat, as the seat reads it."""
        return [seat.hand for seat in self.seats]

    def run(self, until: str = "") -> "CommutativeDeal":
        """Let all seats post their duties until none is left, or the deal reaches the stage
        `until`.
        """
        while self.state.stage != until and any(self.step(seat) for seat in range(len(self.seats))):
            pass
        return self

    def step(self, seat: int) -> bool:
        """Let a seat post its duty. The seat is asked twice and must give the same answer."""
        post = self.seats[seat].next_post(self.state)
        assert self.seats[seat].next_post(self.state) == post
        if post is None:
            return False
        post = self.twists[seat](self.state, post) if seat in self.twists else post
        if post.kind == "protest":
            self.apply(lambda: DEALING.protest(self.state, seat, self.at))
        else:
            assert (seat, post.kind) in self.state.duties() and DEALING.entry_shapes[post.kind](
                post.body
            )
            self.apply(lambda: DEALING.apply(self.state, seat, post.kind, post.body, self.at))
        self.kinds.append((seat, post.kind))
        return True

    def apply(self, transition: Callable[[], Any]) -> None:
        """Apply one entry."""
        self.state = transition()
        self.at += 1

    def operate(
        self, seat: int, *operations: Operation, parts: list[list[int]] | None = None
    ) -> None:
        """Apply an entry in which a seat, or nobody, asks for these operations, with these parts or
        those of its private half.
        """
        if parts is None:
            half = self.seats[seat]
            parts = [
                half.part(self.state, each) if seat != EVERYBODY else [] for each in operations
            ]
        self.apply(lambda: DEALING.apply_operations(self.state, seat, operations, parts, self.at))
        self.run()

    def show(self, seat: int, piece: Piece, part: list[int] | None = None) -> None:
        """Let a seat show a piece, with the part of its private half or with another one."""
        self.operate(seat, Reveal(piece), parts=[part] if part else None)

    def exchange(self, seat: int, *slots: int) -> None:
        """Let a seat exchange the cards at these places of its hand."""
        self.operate(seat, PutAway(slots), Look(len(slots), seat))

    def draw(self, seat: int, pile: int = 0) -> None:
        """Let a seat draw a card."""
        self.operate(seat, Look(1, seat, pile))

    def turn_up(self, count: int) -> None:
        """Turn up cards for everybody."""
        self.operate(EVERYBODY, Look(count, EVERYBODY))

    def close(self) -> list[tuple[int, str]]:
        """Open all keys. Return the seats that are named for a fault, with the codes."""
        if self.state.stage not in ("open", "closed"):
            self.apply(lambda: DEALING.close(self.state, None, self.at))
        self.run()
        assert self.state.result is not None
        return [(fault.seat, str(fault.code)) for fault in self.state.result.faults]


def commutative_deal(
    seats: int = 2,
    pieces: int = 20,
    each: int = 5,
    seed: int = 1,
    twists: dict[int, Twist] | None = None,
) -> CommutativeDeal:
    """Make a deal in which all duties are posted. It is ready if nobody cheats."""
    return commutative_piles(seats, [Pile(pieces, each)], seed, twists)


def commutative_piles(
    seats: int, piles: Sequence[Pile], seed: int = 1, twists: dict[int, Twist] | None = None
) -> CommutativeDeal:
    """Make such a deal with these piles."""
    rng = Random(seed)
    made, _ = context(seats, piles, rng)
    halves = [CommutativeSeat(made, seat, rng) for seat in range(seats)]
    return CommutativeDeal(DEALING.begin(made, 0), halves, twists or {}).run()
