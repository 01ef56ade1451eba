"""A verified deal without a match around it, for any number of seats and pieces."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from protocol.crypto.elgamal import combine_shares, share
from protocol.crypto.envelopes import new_key
from protocol.crypto.group import Point
from protocol.dealing import DealContext, Post
from protocol.dealing.card_state import piece_points
from protocol.dealing.verified import VERIFIED, fold
from protocol.dealing.verified.seat import VerifiedSeat
from protocol.dealing.verified.state import VerifiedState
from protocol.games import Piece
from protocol.games.operations import EVERYBODY, Look, Operation, Pile, PutAway, Reveal

DEALING = VERIFIED


@dataclass
class VerifiedDeal:
    """A deal with all its private halves, and all entries (author, kind, body) so far."""

    state: VerifiedState
    seats: list[VerifiedSeat]
    entries: list[tuple[int, str, list[Any]]] = field(default_factory=list)

    @property
    def at(self) -> int:
        """Number of the next entry."""
        return len(self.entries) + 1

    @property
    def hands(self) -> list[tuple[Piece, ...]]:
        """Return the hand of every seat, as the seat reads it."""
        return [tuple(sorted(seat.hand)) for seat in self.seats]

    def run(self, until: str = "") -> None:
        """Let all seats post their duties until none is left, or the deal reaches the stage
        `until`.
        """
        while self.state.stage != until and any(self.step(seat) for seat in range(len(self.seats))):
            pass

    def duty(self, seat: int) -> Post | None:
        """Return the duty of a seat. The seat is asked twice and must give the same answer."""
        post = self.seats[seat].next_post(self.state)
        assert self.seats[seat].next_post(self.state) == post
        return post

    def step(self, seat: int) -> bool:
        """Let one seat post its duty."""
        post = self.duty(seat)
        if post is not None:
            self.post(seat, post)
        return post is not None

    def post(self, seat: int, post: Post) -> None:
        """Apply an entry of a seat, which must be its duty."""
        assert (seat, post.kind) in self.state.duties()
        assert DEALING.entry_shapes[post.kind](post.body)
        self.state = DEALING.apply(self.state, seat, post.kind, post.body, self.at)
        self.entries.append((seat, post.kind, post.body))

    def operate(self, seat: int, *operations: Operation) -> None:
        """Apply an entry in which a seat, or nobody, asks for these operations."""
        acts = seat != EVERYBODY
        parts = [
            self.seats[seat].part(self.state, operation) if acts else [] for operation in operations
        ]
        self.state = DEALING.apply_operations(self.state, seat, operations, parts, self.at)
        self.entries.append((max(seat, 0), "move", parts))
        self.run()

    def draw(self, seat: int, pile: int = 0) -> None:
        """Draw a card from the stock for a seat."""
        self.operate(seat, Look(1, seat, pile))

    def show(self, seat: int, piece: Piece) -> None:
        """Let a seat open a piece of its hand."""
        self.operate(seat, Reveal(piece))

    def reshuffle(self, cards: Sequence[int]) -> None:
        """Put cards back into the stock."""
        self.state = fold.reshuffle_cards(self.state, cards, self.at)
        self.entries.append((0, "move", []))
        self.run()

    def turn_up(self, count: int) -> None:
        """Show the next cards of the stock to everybody."""
        self.operate(EVERYBODY, Look(count, EVERYBODY))

    def exchange(self, seat: int, *slots: int) -> None:
        """Let a seat put cards away and draw as many."""
        self.operate(seat, PutAway(slots), Look(len(slots), seat))

    def close(self, show: tuple[int, ...] | None = None) -> None:
        """Show the rest of all hands, or of these."""
        self.state = DEALING.close(self.state, show, self.at)
        self.entries.append((0, "move", []))
        self.run()

    def opened(self, card: int, keys: Sequence[int]) -> Piece | None:
        """Decrypt a card with the secret keys of these seats. Return None if the result is no
        piece.
        """
        e = self.state.deck[card]
        point = combine_shares(e, [share(self.seats[seat]._x, e) for seat in keys])
        return piece_of(point, self.state.context.piece_count)


def piece_of(point: Point, pieces: int) -> Piece | None:
    """Return the piece whose face is this point."""
    known = piece_points(pieces)
    return known.index(point) if point in known else None


def context(
    seats: int, piles: Sequence[Pile], rng: Random, options: dict | None = None
) -> tuple[DealContext, list]:
    """Make the context of a deal, and the match keys."""
    keys = [new_key(rng) for _ in range(seats)]
    public = tuple(key.public for key in keys)
    identities = tuple(rng.randbytes(32) for _ in range(seats))
    present = tuple(range(seats))
    made = DealContext(
        rng.randbytes(32),
        0,
        rng.randbytes(32),
        identities,
        public,
        present,
        tuple(piles),
        options or {},
    )
    return made, keys


def begin(
    seats: int, pieces: int, each: int, seed: int, options: dict | None = None
) -> VerifiedDeal:
    """Make a deal of one pile without entries."""
    return begin_piles(seats, [Pile(pieces, each)], seed, options)


def begin_piles(
    seats: int, piles: Sequence[Pile], seed: int, options: dict | None = None
) -> VerifiedDeal:
    """Make a deal without entries."""
    rng = Random(seed)
    made, keys = context(seats, piles, rng, options)
    halves = [VerifiedSeat(made, seat, key, rng) for seat, key in enumerate(keys)]
    return VerifiedDeal(DEALING.begin(made, 0), halves)


def verified_deal(
    seats: int, pieces: int, each: int, seed: int, options: dict | None = None
) -> VerifiedDeal:
    """Make a deal that is ready: every seat has its hand."""
    deal = begin(seats, pieces, each, seed, options)
    deal.run()
    assert deal.state.ready
    return deal
