"""A seeded deal without a match around it: any number of seats, each with a loose pile."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from protocol.dealing import Post
from protocol.dealing.seeded import SEEDED
from protocol.dealing.seeded.seat import SeededSeat
from protocol.dealing.seeded.state import SeededState
from protocol.games.operations import (
    EVERYBODY,
    LookAt,
    OpenCard,
    Operation,
    Pile,
    RevealCards,
    ShuffleCards,
)
from tests.support.verified import context

DEALING = SEEDED
Twist = Callable[[SeededState, Post], Post]


@dataclass
class SeededDeal:
    """A deal with all its private halves. `twists` change the posts of a seat before they are
    applied.
    """

    state: SeededState
    seats: list[SeededSeat]
    twists: dict[int, Twist] = field(default_factory=dict)
    at: int = 1  # number of the next entry
    states: list[SeededState] = field(default_factory=list)
    entries: list[tuple[int, str, list[Any]]] = field(default_factory=list)

    def run(self, until: str = "") -> "SeededDeal":
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
        if post is None or seat in self.state.departed:
            return False
        post = self.twists[seat](self.state, post) if seat in self.twists else post
        assert (seat, post.kind) in self.state.duties() and DEALING.entry_shapes[post.kind](
            post.body
        )
        self.entries.append((seat, *post))
        self.apply(DEALING.apply(self.state, seat, post.kind, post.body, self.at))
        return True

    def apply(self, state: Any) -> None:
        """Apply one entry."""
        self.states.append(self.state)
        self.state = state
        self.at += 1
        for half in self.seats:
            half.next_post(state)

    def want(self, *operations: Operation, by: int = EVERYBODY, until: str = "") -> "SeededDeal":
        """Apply an entry that asks for these operations, by the rules or as an action of a seat."""
        half = None if by == EVERYBODY else self.seats[by]
        parts = [half.part(self.state, each) if half else [] for each in operations]
        self.apply(DEALING.apply_operations(self.state, by, operations, parts, self.at))
        return self.run(until)

    def hide(self, *cards: int, by: tuple[int, ...] | None = None) -> "SeededDeal":
        """Hide these cards again."""
        return self.want(ShuffleCards(cards, by))

    def draw(self, seat: int, *cards: int) -> list[int]:
        """Let a seat look at its own cards. Return their pieces."""
        self.want(LookAt(cards, (seat,)))
        return [self.seats[seat].visible_cards[card] for card in cards]

    def reveal(self, *cards: int) -> list[int]:
        """Reveal these cards to everybody. Return their pieces."""
        self.want(RevealCards(cards))
        return [self.state.public_faces[card] for card in cards]

    def open(self, seat: int, card: int, piece: int | None = None) -> None:
        """Let a seat show a card, with its true piece or another one."""
        self.want(
            OpenCard(card, self.seats[seat].visible_cards[card] if piece is None else piece),
            by=seat,
        )

    def leave(self, seat: int) -> "SeededDeal":
        """Let a seat leave."""
        self.apply(DEALING.leave(self.state, seat, self.at))
        return self.run()

    def close(self) -> list[tuple[int, str]]:
        """Open all seeds. Return the seats that are named for a fault, with the codes."""
        self.apply(DEALING.close(self.state, (), self.at))
        self.run()
        assert self.state.result is not None
        return [(fault.seat, str(fault.code)) for fault in self.state.result.faults]


def seeded_deal(
    seats: int = 2, size: int = 10, seed: int = 1, twists: dict[int, Twist] | None = None
) -> SeededDeal:
    """Make a deal in which all seats have committed to their seeds. Every pile is in its original
    order.
    """
    rng = Random(seed)
    made, _ = context(seats, [Pile(size, owner=seat, loose=True) for seat in range(seats)], rng)
    halves = [SeededSeat(made, seat, rng) for seat in range(seats)]
    return SeededDeal(DEALING.begin(made, 0), halves, twists or {}).run()
