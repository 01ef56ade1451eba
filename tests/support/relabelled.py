"""Two equal runs of a match: the same people, acts and randomness, but other pieces in places that
nobody has seen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple, cast

from bots.registry import BOTS
from player.client.seat import Seat
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
    """Random source like another one, except that its first shuffle of each whole pile puts other
    pieces into their places.
    """

    def __init__(self, rng: Random, swap: Swap, piles: Sequence[range] = ()) -> None:
        """Wrap `rng`. Without `piles`, all pieces are one pile."""
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
    """State of the match after an entry."""

    match: Match
    deeds: tuple[Narration, ...]
    hands: tuple[Hand, ...]
    public: frozenset[Piece]  # pieces shown since the match began


class Recorded(Watched):
    """Match that records every moment."""

    def watch(self, seats: list[Seat], swap: Swap) -> None:
        """Start to record."""
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
                seat._half.next_post(match.deal)  # so that the half reads new entries
        hands = tuple(seat.hand if match.deal is not None else () for seat in self.seats)
        self.moments.append(Moment(match, narrate_entry(before, entry, match), hands, public))
        return record


class First(Seat):
    """First seat that shuffles, with other pieces."""

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
    """A match with its inputs."""

    # game, dealing, options of the game, number of seats
    setup: tuple[str, str, dict[str, int | str], int]
    offline: Offline
    # seat that posted, and its move or None
    acts: list[tuple[int, Action | None]] = field(default_factory=list)

    @property
    def moments(self) -> list[Moment]:
        """Return the moments after all entries."""
        return cast(Recorded, self.offline.live).moments

    def again(self, swap: Swap, until: int) -> "Played":
        """Repeat the match up to a moment with exchanged pieces."""
        other = begun(*self.setup, swap)
        for seat, action in self.acts:
            if len(other.moments) > until:
                break
            other.act(seat, action)
        return other

    def act(self, number: int, action: Action | None) -> None:
        """Let a seat post this move, or its duty."""
        seat, live = self.offline.seats[number], self.offline.live
        post = seat.respond(live.match) if action is None else seat.move(live.match, action)
        assert post is not None
        live.offer(seat.entry(live.log, post), number)
        self.acts.append((number, action))


def begun(game: str, dealing: str, options: dict[str, int | str], seats: int, swap: Swap) -> Played:
    """Make a match without entries. In layered dealing the table lays out the pieces, otherwise a
    seat does.
    """
    first = type("OneFirst", (First,), {"swap": {} if dealing == "layered" else swap})
    offline = make_offline(seats, 7, game, options, None, {0: first}, Recorded, dealing)
    for seat in offline.seats:
        # own random source, so that calls of other seats do not change it
        seat._rng = Random(seat.number)
    cast(Recorded, offline.live).watch(offline.seats, swap if dealing == "layered" else {})
    return Played((game, dealing, options, seats), offline)


def played(
    game: str, dealing: str, options: dict[str, int | str], seats: int, bot: str = "random"
) -> Played:
    """Play a whole match. Bots choose with their own random source."""
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
    """Exchange each of these pieces with another one of its pile, if the pile has two. The others
    stay.
    """
    swap = {piece: piece for pile in piles for piece in pile}
    for pile in piles:
        order = [piece for piece in pieces if piece in pile]
        rng.shuffle(order)
        swap |= dict(zip(order, [*order[1:], *order[:1]], strict=True))
    return swap
