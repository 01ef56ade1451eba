"""One commutative deal without a match around it: any number of seats and pieces."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from protocol.dealing import Post
from protocol.dealing.commutative import CommutativeDealing
from protocol.dealing.commutative.seat import CommutativeSeat
from protocol.dealing.commutative.state import Commutative
from protocol.games import Piece
from tests.support.verified import context

DEALING = CommutativeDealing()
Twist = Callable[[Commutative, Post], Post]


@dataclass
class CommutativeDeal:
    """A deal and all its private halves. `twists`: what a seat does to its own posts before they go out."""

    state: Commutative
    seats: list[CommutativeSeat]
    twists: dict[int, Twist] = field(default_factory=dict)
    at: int = 1  # the number of the next entry
    kinds: list[tuple[int, str]] = field(default_factory=list)

    @property
    def hands(self) -> list[tuple[Piece, ...]]:
        """What every seat says it holds."""
        return [seat.hand for seat in self.seats]

    def run(self, until: str = "") -> "CommutativeDeal":
        """Let everybody post until nobody has to, or the deal is in this stage."""
        while self.state.stage != until and any(self.step(seat) for seat in range(len(self.seats))):
            pass
        return self

    def step(self, seat: int) -> bool:
        """Let one seat post what it has to; asked twice, it must say the same."""
        post = self.seats[seat].respond(self.state)
        assert self.seats[seat].respond(self.state) == post
        if post is None:
            return False
        post = self.twists[seat](self.state, post) if seat in self.twists else post
        if post.kind == "protest":
            self.apply(lambda: DEALING.protest(self.state, seat, self.at))
        else:
            assert (seat, post.kind) in self.state.duties() and DEALING.kinds[post.kind](post.body)
            self.apply(lambda: DEALING.apply(self.state, seat, post.kind, post.body, self.at))
        self.kinds.append((seat, post.kind))
        return True

    def apply(self, transition: Callable[[], Any]) -> None:
        """One entry."""
        self.state = transition()
        self.at += 1

    def show(self, seat: int, piece: Piece, part: list[int] | None = None) -> None:
        """A seat shows a piece, as what its half says or as another card."""
        part = part or self.seats[seat].opening(self.state, piece)
        self.apply(lambda: DEALING.open(self.state, seat, piece, part, self.at))
        self.run()

    def exchange(self, seat: int, *slots: int) -> None:
        """A seat puts away these places of its hand."""
        part = self.seats[seat].drawing(self.state, len(slots))
        self.apply(lambda: DEALING.exchange(self.state, seat, slots, part, self.at))
        self.run()

    def draw(self, seat: int) -> None:
        """A seat draws."""
        part = self.seats[seat].drawing(self.state, 1)
        self.apply(lambda: DEALING.draw(self.state, seat, part, self.at))
        self.run()

    def turn_up(self, count: int) -> None:
        """Cards for everybody."""
        self.apply(lambda: DEALING.turn_up(self.state, count, self.at))
        self.run()

    def close(self) -> list[tuple[int, str]]:
        """Open all keys; who is named, and for what."""
        if self.state.stage not in ("open", "closed"):
            self.apply(lambda: DEALING.close(self.state, None, self.at))
        self.run()
        assert self.state.result is not None
        return [(fault.seat, str(fault.code)) for fault in self.state.result.faults]


def commutative_deal(
    seats: int = 2, pieces: int = 20, each: int = 5, seed: int = 1, twists: dict[int, Twist] | None = None
) -> CommutativeDeal:
    """A deal in which everybody has posted what it had to: ready, if nobody cheats."""
    rng = Random(seed)
    made, _ = context(seats, pieces, each, rng)
    halves = [CommutativeSeat(made, seat, rng) for seat in range(seats)]
    return CommutativeDeal(DEALING.begin(made, 0), halves, twists or {}).run()
