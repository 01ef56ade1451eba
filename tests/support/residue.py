"""A residue deal without a match around it, with keys of 512 bits, for any number of seats and any
piles.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from protocol.dealing import Post
from protocol.dealing.residue import RESIDUE
from protocol.dealing.residue.options import BREAKABLE_BITS
from protocol.dealing.residue.seat import ResidueSeat
from protocol.dealing.residue.stages import ResidueStage
from protocol.dealing.residue.state import ResidueState
from protocol.errors import ProtocolViolation, RemoteError
from protocol.games import Piece
from protocol.games.operations import EVERYBODY, Operation, Pile
from tests.support.verified import context

SMALL = {"bits": BREAKABLE_BITS}
Twist = Callable[[ResidueState, Post], Post]


@dataclass
class ResidueDeal:
    """A deal with all its private halves, and all entries (author, kind, body) so far."""

    state: ResidueState
    seats: list[ResidueSeat]
    at: int = 1
    entries: list[tuple[int, str, list[Any]]] = field(default_factory=list)
    states: list[ResidueState] = field(default_factory=list)

    @property
    def hands(self) -> list[tuple[Piece, ...]]:
        """Return the hand of every seat, as the seat reads it."""
        return [tuple(sorted(seat.hand)) for seat in self.seats]

    def duty(self, seat: int) -> Post | None:
        """Return the duty of a seat. The seat is asked twice and must give the same answer."""
        post = self.seats[seat].next_post(self.state)
        assert self.seats[seat].next_post(self.state) == post
        return post

    def run(self, until: ResidueStage | None = None) -> "ResidueDeal":
        """Let all seats post their duties until none is left, or the deal reaches the stage
        `until`.
        """
        while self.state.stage != until and any(self.step(seat) for seat in range(len(self.seats))):
            pass
        return self

    def step(self, seat: int) -> bool:
        """Let one seat post its duty."""
        post = self.duty(seat)
        if post is not None:
            self.post(seat, post)
        return post is not None

    def post(self, seat: int, post: Post) -> None:
        """Apply an entry of a seat, which must be its duty."""
        assert (seat, post.kind) in self.state.duties() and RESIDUE.entry_shapes[post.kind](
            post.body
        )
        self._move(RESIDUE.apply(self.state, seat, post.kind, post.body, self.at), seat, post)

    def lie(self, seat: int, post: Post) -> str:
        """Return the code for which the seat is named after this entry."""
        assert (seat, post.kind) in self.state.duties() and RESIDUE.entry_shapes[post.kind](
            post.body
        )
        try:
            RESIDUE.apply(self.state, seat, post.kind, post.body, self.at)
        except ProtocolViolation as lie:
            return str(lie.code)
        return "nothing"

    def want(self, *operations: Operation) -> "ResidueDeal":
        """Apply operations that the rules ask for without an action."""
        return self.act(EVERYBODY, *operations)

    def act(self, seat: int, *operations: Operation) -> "ResidueDeal":
        """Apply an action in which a seat, or nobody, asks for these operations, and all duties
        that follow.
        """
        self.begin(seat, *operations)
        return self.run()

    def begin(
        self, seat: int, *operations: Operation, parts: list[list[Any]] | None = None
    ) -> None:
        """Apply the action without the duties that follow."""
        if parts is None:
            half = self.seats[seat] if seat != EVERYBODY else None
            parts = [half.part(self.state, each) if half else [] for each in operations]
        after = RESIDUE.apply_operations(self.state, seat, operations, parts, self.at)
        self._move(after, seat, Post("move", [[], parts]))

    def refused(
        self, seat: int, *operations: Operation, parts: list[list[Any]] | None = None
    ) -> str:
        """Return the code for which such an entry is refused, or its author named."""
        try:
            self.begin(seat, *operations, parts=parts)
        except RemoteError as error:
            return str(error.code)
        return "nothing"

    def close(self, show: tuple[int, ...] | None = None) -> "ResidueDeal":
        """Show the rest of all hands, or of these."""
        self._move(RESIDUE.close(self.state, show, self.at), 0, Post("move", [[], []]))
        return self.run()

    def opened(self, card: int) -> Piece:
        """Decrypt a card with the secrets of all seats."""
        bits = [
            seat._secret.bit(z) << j
            for seat, row in zip(self.seats, self.state.deck[card], strict=True)
            for j, z in enumerate(row)
        ]
        piece = 0
        for bit in bits:
            piece ^= bit
        return piece

    def _move(self, state: Any, author: int, post: Post) -> None:
        self.states.append(self.state)
        self.state, self.at = state, self.at + 1
        self.entries.append((author, post.kind, post.body))


def begun(seats: int, piles: Sequence[Pile], seed: int = 1) -> ResidueDeal:
    """Make a deal without entries."""
    rng = Random(seed)
    made, _ = context(seats, piles, rng, SMALL)
    halves = [ResidueSeat(made, seat, Random(rng.random())) for seat in range(seats)]
    return ResidueDeal(RESIDUE.begin(made, 0), halves)


def residue_deal(seats: int, piles: Sequence[Pile], seed: int = 1) -> ResidueDeal:
    """Make a deal that is ready."""
    deal = begun(seats, piles, seed).run()
    assert deal.state.ready
    return deal
