"""Where a match stands: its public state as a frozen value, and what is expected of whom. `fold.apply` moves it on."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from protocol.dealing import TABLE, DealState, Duty, Fault
from protocol.games import Act, Action
from protocol.match import clock
from protocol.match.clock import Clock, Due
from protocol.match.setup import Setup


class Stage(StrEnum):
    """Where a match stands."""

    SEATING = "seating"  # every seat posts its match key and commits to a nonce
    ROSTER = "roster"  # every seat opens its nonce, which makes the roster's words unpredictable
    DEALING = "dealing"  # the dealing protocol is at work
    PLAYING = "playing"  # a seat is to act
    RECEIPTS = "receipts"  # every seat signs the final score
    OVER = "over"


class Pending(NamedTuple):
    """An action that the rules are still to be given: its hidden piece may be on its way."""

    seat: int
    action: Action
    at: int  # the entry's log number


@dataclass(frozen=True)
class Match:
    """The public state of one match. Frozen: `apply` gives the next one."""

    setup: Setup
    match_id: bytes
    number: int = 1  # entries folded so far
    last: int = TABLE  # the author of the newest entry
    stage: Stage = Stage.SEATING
    began: int = 0  # log number of the entry since which the present duties stand, except while dealing
    keys: tuple[bytes | None, ...] = ()  # public match keys, by seat
    commitments: tuple[bytes, ...] = ()  # to the roster nonces, by seat
    nonces: tuple[bytes | None, ...] = ()
    game: Any = None  # the rules' own state
    deal: DealState | None = None
    deal_number: int = 0
    actions: tuple[int, ...] = ()  # the entries (log numbers) whose actions the rules were given since the deal began
    asked: bool = False  # whether the deal is at work on what the rules want, who must hear when it is done
    pending: Pending | None = None
    receipts: frozenset[int] = frozenset()
    gone: frozenset[int] = frozenset()  # seats that have left, when the others play on without them
    clock: Clock = clock.NONE
    faults: tuple[Fault, ...] = ()

    @property
    def over(self) -> bool:
        """Whether nothing more can happen."""
        return self.stage is Stage.OVER

    @property
    def since(self) -> int:
        """Log number of the entry since which the present duties stand."""
        return self.deal.began if self.stage is Stage.DEALING and self.deal else self.began

    @property
    def scores(self) -> tuple[int, ...]:
        """Points of each seat so far, as the rules count them."""
        if self.game is None:
            return (0,) * self.setup.seats
        return self.setup.game.scores(self.game)

    @property
    def winner(self) -> int | None:
        """The seat that won a match that was played to its end. Who withholds a receipt then takes it from nobody."""
        played_out = self.game is not None and self.deal is None
        return self.setup.game.winner(self.game) if self.over and played_out else None

    @property
    def present(self) -> frozenset[int]:
        """The seats that have not left."""
        return frozenset(range(self.setup.seats)) - self.gone

    @property
    def speaker(self) -> int | None:
        """Without a table: the one seat that may post now. Whoever posted last goes on, as long as it has a duty."""
        seats = [duty.author for duty in self.duties()]
        return self.last if self.last in seats else min(seats, default=None)

    def due(self, seat: int) -> Due | None:
        """What the table may post next about the time of this seat, and after what wait; None if it owes nothing."""
        if all(duty.author != seat for duty in self.duties()):
            return None
        return clock.due(self.clock, self.setup.allowance, seat, self.since, on_turn=self.stage is Stage.PLAYING)

    def duties(self) -> tuple[Duty, ...]:
        """Who must post what before the match can go on."""
        seats = sorted(self.present)
        match self.stage:
            case Stage.SEATING:
                return tuple(Duty(seat, "sit") for seat in seats if self.keys[seat] is None)
            case Stage.ROSTER:
                return tuple(Duty(seat, "nonce") for seat in seats if self.nonces[seat] is None)
            case Stage.DEALING:
                return self.deal.duties() if self.deal else ()
            case Stage.PLAYING:
                want = self.setup.game.wants(self.game)
                return tuple(Duty(seat, "move") for seat in want.seats) if isinstance(want, Act) else ()
            case Stage.RECEIPTS:
                return tuple(Duty(seat, "receipt") for seat in seats if seat not in self.receipts)
            case Stage.OVER:
                return ()
