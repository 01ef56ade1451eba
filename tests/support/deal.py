"""A layered deal without a match around it, for any number of seats and pieces."""

from dataclasses import dataclass, field
from random import Random

from protocol.crypto.envelopes import new_key
from protocol.dealing import TABLE, DealContext, Fault
from protocol.dealing.layered import LAYERED
from protocol.dealing.layered.seat import LayeredSeat
from protocol.dealing.layered.state import LayeredState
from protocol.dealing.layered.table import LayeredTable
from protocol.games.operations import Look, Pile

DEALING = LAYERED


@dataclass
class DirectDeal:
    """A deal with all its private halves, and all entries (author, kind, body) so far."""

    state: LayeredState
    seats: list[LayeredSeat]
    table: LayeredTable
    entries: list[tuple[int, str, list]] = field(default_factory=list)

    def run(self) -> None:
        """Let all parties post their duties until none is left."""
        parties = [*enumerate(self.seats), (TABLE, self.table)]
        while sum(self.step(author, half) for author, half in parties):
            pass

    def step(self, author: int, half: LayeredSeat | LayeredTable) -> bool:
        """Let one party post its duty. The party is asked twice and must give the same answer."""
        post = half.next_post(self.state)
        assert half.next_post(self.state) == post
        if post is None:
            return False
        assert post.kind != "protest", "an honest deal"
        self.entries.append((author, post.kind, post.body))
        self.state = DEALING.apply(self.state, author, post.kind, post.body, len(self.entries))
        return True

    def draw(self, seat: int) -> None:
        """Draw a piece from the stock for a seat."""
        looks = Look(1, seat)
        part = self.seats[seat].part(self.state, looks)
        self.entries.append((seat, "move", [part]))
        self.state = DEALING.apply_operation(self.state, seat, looks, part, len(self.entries))
        self.run()

    def close(self) -> tuple[Fault, ...]:
        """Open all secrets. Return the faults."""
        self.state = DEALING.close(self.state, None, len(self.entries))
        self.run()
        assert self.state.result is not None
        return self.state.result.faults


def direct_deal(
    seats: int, pieces: int, each: int, seed: int, options: dict | None = None
) -> DirectDeal:
    """Make a deal that is ready: every seat has its hand."""
    rng = Random(seed)
    identities = tuple(rng.randbytes(32) for _ in range(seats))
    keys = [new_key(rng) for _ in range(seats)]
    public = tuple(key.public for key in keys)
    context = DealContext(
        rng.randbytes(32),
        0,
        rng.randbytes(32),
        identities,
        public,
        tuple(range(len(identities))),
        (Pile(pieces, each),),
        options or {},
    )
    halves = [LayeredSeat(context, seat, key, rng) for seat, key in enumerate(keys)]
    deal = DirectDeal(DEALING.begin(context, 0), halves, LayeredTable(context, rng))
    deal.run()
    assert deal.state.ready
    return deal
