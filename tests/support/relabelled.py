"""One match twice: the same people, acts and randomness, and the second time other pieces where
nobody has looked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple, cast

from bots.registry import BOTS
from player.seat.seat import Seat
from protocol.crypto.seeded_random import SeededRandom
from protocol.dealing import SeatHalf
from protocol.games import Action, Hand, Piece
from protocol.match.log import Entry, Record
from protocol.match.narration import narrate_entry
from protocol.match.state import Match
from protocol.view.view import Narration
from tests.support.knowledge import Watched
from tests.support.offline import Offline, make_offline

Swap = Mapping[Piece, Piece]


class Relabelling(Random):
    """Another's randomness, whose first shuffle of each whole pile comes out with other pieces in
    their places.
    """

    def __init__(self, rng: Random, swap: Swap, piles: Sequence[range] = ()) -> None:
        """Without `piles`, all pieces are one."""
        super().__init__(0)
        self._rng = rng
        self._swaps = [
            {at: swap[piece] - pile[0] for at, piece in enumerate(pile)} for pile in piles if swap
        ]
        self._swaps = self._swaps or [dict(swap)]

    def getrandbits(self, k: int) -> int:
        return self._rng.getrandbits(k)

    def random(self) -> float:
        return self._rng.random()

    def randbytes(self, n: int) -> bytes:
        return self._rng.randbytes(n)

    def seek(self, *place: Any) -> None:
        cast(SeededRandom, self._rng).seek(*place)

    def shuffle(self, x: Any) -> None:
        order = list(range(len(x)))
        self._rng.shuffle(order)
        swap = self._swaps.pop(0) if self._swaps and len(x) == len(self._swaps[0]) else {}
        x[:] = [x[swap.get(place, place)] for place in order]


class Moment(NamedTuple):
    """The match after an entry."""

    match: Match
    deeds: tuple[Narration, ...]
    hands: tuple[Hand, ...]
    public: frozenset[Piece]  # that has been shown since the match began


class Recorded(Watched):
    """Keeps every moment."""

    def watch(self, seats: list[Seat], swap: Swap) -> None:
        """From now on."""
        self.seats, self.moments = seats, list[Moment]()
        self._rng = cast(Any, Relabelling(self._rng, swap))

    def _append(self, entry: Entry, match: Match) -> Record:
        before = self.match
        record = super()._append(entry, match)
        public = self.moments[-1].public if self.moments else frozenset()
        if self.known is not None:
            public |= frozenset(self.known.public.values())
        for seat in self.seats:
            if match.deal is not None and match.deal.ready and seat._half is not None:
                seat._half.next_post(match.deal)  # which looks at what has come
        hands = tuple(seat.hand if match.deal is not None else () for seat in self.seats)
        self.moments.append(Moment(match, narrate_entry(before, entry, match), hands, public))
        return record


class First(Seat):
    """The seat that shuffles first, with other pieces."""

    swap: Swap = {}  # noqa: RUF012

    def _private_half(self, match: Match) -> SeatHalf[Any]:
        if self._half is None and self.swap and match.deal is not None:
            context = match.deal.context
            piles = [context.pile_cards(number) for number in range(len(context.piles))]
            rng, self.swap = Relabelling(self._rng, self.swap, piles), {}
            self._half = match.setup.dealing.seat_half(context, self.number, self._key, rng)
            self._half_of = match.deal_number
        return super()._private_half(match)


@dataclass
class Played:
    """A match, and what made it."""

    setup: tuple[str, str, dict[str, int | str], int]  # game, dealing, the game's options, seats
    offline: Offline
    # who posted, and its move if it was one
    acts: list[tuple[int, Action | None]] = field(default_factory=list)

    @property
    def moments(self) -> list[Moment]:
        """After every entry."""
        return cast(Recorded, self.offline.live).moments

    def again(self, swap: Swap, until: int) -> "Played":
        """The same up to this moment, with these pieces in the places of those."""
        other = begun(*self.setup, swap)
        for seat, action in self.acts:
            if len(other.moments) > until:
                break
            other.act(seat, action)
        return other

    def act(self, number: int, action: Action | None) -> None:
        """A seat posts this move, or what it has to."""
        seat, live = self.offline.seats[number], self.offline.live
        post = seat.respond(live.match) if action is None else seat.move(live.match, action)
        assert post is not None
        live.offer(seat.entry(live.log, post), number)
        self.acts.append((number, action))


def begun(game: str, dealing: str, options: dict[str, int | str], seats: int, swap: Swap) -> Played:
    """A match in which nothing has happened. Layered dealing has the table lay out the pieces, all
    others a seat.
    """
    first = type("OneFirst", (First,), {"swap": {} if dealing == "layered" else swap})
    offline = make_offline(seats, 7, game, options, None, {0: first}, Recorded, dealing)
    for seat in offline.seats:
        # one of its own: when others are asked for something changes nothing
        seat._rng = Random(seat.number)
    cast(Recorded, offline.live).watch(offline.seats, swap if dealing == "layered" else {})
    return Played((game, dealing, options, seats), offline)


def played(
    game: str, dealing: str, options: dict[str, int | str], seats: int, bot: str = "random"
) -> Played:
    """A whole match; bots choose by a randomness of their own."""
    match = begun(game, dealing, options, seats, {})
    live, choices = match.offline.live, Random(2)
    while not live.match.over:
        number = len(match.acts)
        for seat in match.offline.seats:
            if seat.choices(live.match) and not seat._only_move(live.match):
                match.act(seat.number, BOTS[bot](seat.view(live.match), choices))
                continue
            post = seat.respond(live.match)
            if post is not None:
                match.act(seat.number, tuple(post.body[0]) if post.kind == "move" else None)
        assert len(match.acts) > number
    return match


def swapped(pieces: Sequence[Piece], piles: Sequence[range], rng: Random) -> Swap:
    """Each of these pieces in the place of another one of its pile, if there are two, and all
    others where they are.
    """
    swap = {piece: piece for pile in piles for piece in pile}
    for pile in piles:
        order = [piece for piece in pieces if piece in pile]
        rng.shuffle(order)
        swap |= dict(zip(order, [*order[1:], *order[:1]], strict=True))
    return swap
