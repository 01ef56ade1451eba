"""Where a match stands: its public state as a frozen value, and what is expected of whom.
`fold.apply` moves it on.
"""

from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from protocol.dealing import TABLE, DealContext, DealState, Duty, Fault
from protocol.games import Act, Action, Hand, IndependentGame, SitOutGame, TeamGame, Want
from protocol.games.operations import Lay
from protocol.limits import FULL_LOG
from protocol.match import clock
from protocol.match.clock import Clock, ClockDue
from protocol.match.setup import Setup
from protocol.seats import with_seat


class MatchStage(StrEnum):
    """Where a match stands."""

    SEATING = "seating"  # every seat posts its match key and commits to a nonce
    ROSTER = "roster"  # every seat opens its nonce, which makes the roster's words unpredictable
    DEALING = "dealing"  # the dealing protocol is at work
    PLAYING = "playing"  # a seat is to act
    RECEIPTS = "receipts"  # every seat signs the final score
    OVER = "over"


class SimultaneousPlay(NamedTuple):
    """Seats that act independently. Tuples are by seat and hold log numbers of entries."""

    # its own newest action, or what let it act: its next action must have seen this
    newest_actions: tuple[int, ...]
    waited_since: tuple[
        int | None, ...
    ]  # since when it is waited for; None: it may act, and need not
    ended_at: int | None = None  # what made an end of it

    def record_action(self, seat: int, at: int) -> "SimultaneousPlay":
        """After an action of this seat, in entry `at`."""
        since = (
            self.waited_since
            if self.waited_since[seat] is None
            else with_seat(self.waited_since, seat, at)
        )
        return SimultaneousPlay(with_seat(self.newest_actions, seat, at), since, self.ended_at)


class PendingAction(NamedTuple):
    """An action that the rules are still to be given: its hidden piece may be on its way."""

    seat: int
    action: Action
    at: int  # the entry's log number
    turned_pieces: Hand = ()  # what it has turned up of its seat's own deck


@dataclass(frozen=True)
class Match:
    """The public state of one match. Frozen: `apply` gives the next one."""

    setup: Setup
    match_id: bytes
    next_number: int = 1  # entries folded so far
    log_bytes: int = 0  # bytes of these entries but the first
    last_author: int = TABLE  # the author of the newest entry
    stage: MatchStage = MatchStage.SEATING
    # log number of the entry since which the present duties stand, except while dealing
    duties_since: int = 0
    keys: tuple[bytes | None, ...] = ()  # public match keys, by seat
    commitments: tuple[bytes, ...] = ()  # to the roster nonces, by seat
    nonces: tuple[bytes | None, ...] = ()
    game: Any = None  # the rules' own state
    deal: DealState | None = None
    deal_number: int = 0
    closed_deal: DealState | None = (
        None  # the deal that the newest entry ended, as it was at its end
    )
    abandoned_deals: int = 0  # deals that could not go on, when too many had left
    # the entries (log numbers) whose actions the rules were given since the deal began
    action_entries: tuple[int, ...] = ()
    # whether the deal is at work on what the rules want, who must hear when it is done
    deal_requested: bool = False
    pending_action: PendingAction | None = None
    # of this deal, the newest time at which seats acted independently
    simultaneous: SimultaneousPlay | None = None
    # by seat: its actions that were overtaken by others, and had no effect
    late_counts: tuple[int, ...] = ()
    receipts: frozenset[int] = frozenset()
    gone: frozenset[int] = frozenset()  # seats that have left, when the others play on without them
    clock: Clock = clock.NO_CLOCK
    faults: tuple[Fault, ...] = ()

    @property
    def over(self) -> bool:
        """Whether nothing more can happen."""
        return self.stage is MatchStage.OVER

    @property
    def is_log_full(self) -> bool:
        """Whether the log has no room for what the deal is at work on: the match is over then,
        without a winner.
        """
        ahead = 0 if self.deal is None else self.setup.dealing.pending_log_bytes(self.deal)
        return ahead > 0 and self.log_bytes + ahead > FULL_LOG

    @property
    def active_simultaneous(self) -> SimultaneousPlay | None:
        """How seats act independently now; None while they do not."""
        free = self.simultaneous
        return (
            free
            if self.stage is MatchStage.PLAYING and free is not None and free.ended_at is None
            else None
        )

    def simultaneous_under(self, want: Want, at: int) -> SimultaneousPlay | None:
        """How seats act independently if this is what the rules want from entry `at` on."""
        free, seats = self.simultaneous, self.setup.seats
        if not (isinstance(want, Act) and want.simultaneous):
            return free if free is None or free.ended_at is not None else free._replace(ended_at=at)
        if free is None or free.ended_at is not None:
            free = SimultaneousPlay((at,) * seats, (None,) * seats)
        anew = self.stage is not MatchStage.PLAYING  # while a deal is at work nobody can act
        since = [at if anew or old is None else old for old in free.waited_since]
        return free._replace(
            waited_since=tuple(
                old if seat in want.awaited_seats else None for seat, old in enumerate(since)
            )
        )

    def may_post(self, author: int, kind: str) -> bool:
        """Whether this author may post an entry of this kind now: it is its duty, or it acts
        independently.
        """
        if self.active_simultaneous is None or kind != "move":
            return Duty(author, kind) in self.duties()
        want = self.setup.game.wants(self.game)
        return isinstance(want, Act) and author in want.seats

    def sit_kind(self, seat: int) -> str | None:
        """Which of "sit_out" and "sit_in" this seat may post now, if any: it needs no turn, and
        nobody waits for it.
        """
        rules = self.setup.game
        if self.stage not in (MatchStage.DEALING, MatchStage.PLAYING) or seat not in self.present:
            return None
        if not self.setup.has_table or not isinstance(rules, SitOutGame):
            return None
        out = rules.sit_out_choice(self.game, seat)
        return None if out is None else "sit_out" if out else "sit_in"

    def required_seen(self, author: int) -> int:
        """Log number of the entry that what this author may post now must have seen."""
        return (
            self.duty_since(author)
            if self.active_simultaneous is None
            else self.active_simultaneous.newest_actions[author]
        )

    def duty_since(self, author: int) -> int:
        """Log number of the entry since which this author's present duty stands, or since which it
        may act.
        """
        if self.stage is MatchStage.DEALING and self.deal:
            return self.deal.duties_since
        free = self.active_simultaneous
        since = self.duties_since if free is None else free.waited_since[author]
        return self.required_seen(author) if since is None else since

    def is_overtaken(self, author: int, action: Action, seen: int) -> bool:
        """Whether an action that is refused came too late: its author, with this entry as its
        newest, acts independently, or had not seen the end of that.

        It must have seen its author's own newest, and not all that others have done since: so
        nobody is late more often than others have acted.
        """
        free = self.simultaneous
        if free is None or author == TABLE or seen < free.newest_actions[author]:
            return False
        if free.ended_at is not None and seen >= free.ended_at:
            return False
        count, rules = bisect_right(self.action_entries, seen), self.setup.game
        # each acts once, and nobody is faster than anybody
        if not isinstance(rules, IndependentGame):
            return False
        return count < len(self.action_entries) and rules.was_overtaken(
            self.game, author, action, count
        )

    def deal_context(self, wanted: Lay) -> DealContext:
        """What the next deal is bound to, if it is this one."""
        seats = self.present if wanted.seats is None else self.present.intersection(wanted.seats)
        return DealContext(
            self.match_id,
            self.deal_number,
            self.setup.table.key,
            tuple(person.identity for person in self.setup.people),
            tuple(key for key in self.keys if key is not None),
            tuple(sorted(seats)),
            wanted.piles,
            dict(self.setup.terms.dealing.options),
        )

    @property
    def scores(self) -> tuple[int, ...]:
        """Points of each seat so far, as the rules count them."""
        if self.game is None:
            return (0,) * self.setup.seats
        return self.setup.game.scores(self.game)

    @property
    def receipt(self) -> list[Any]:
        """The body of a receipt of these points."""
        return [[score if score >= 0 else [-score] for score in self.scores]]

    @property
    def winner(self) -> int | None:
        """The seat that won a match that was played to its end. Who withholds a receipt then takes
        it from nobody.
        """
        first, won = self._rules_winner, self.winners
        return first if first in won else next(iter(won), None)

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that have won: the winner and who plays with it, ascending; none as long as
        there is no winner.

        Of several who go at once, the rules hear of no more than decide the match: the others have
        not won either.
        """
        first = self._rules_winner
        if first is None:
            return ()
        rules: object = self.setup.game
        team = rules.team(self.game, first) if isinstance(rules, TeamGame) else (first,)
        return tuple(seat for seat in team if seat not in self.gone)

    @property
    def _rules_winner(self) -> int | None:
        """The winner by the rules' word."""
        played_out = self.game is not None and self.deal is None
        return self.setup.game.winner(self.game) if self.over and played_out else None

    @property
    def present(self) -> frozenset[int]:
        """The seats that have not left."""
        return frozenset(range(self.setup.seats)) - self.gone

    @property
    def next_author(self) -> int | None:
        """Without a table: the one seat that may post now. Whoever posted last goes on, as long as
        it has a duty.
        """
        seats = [duty.author for duty in self.duties()]
        return self.last_author if self.last_author in seats else min(seats, default=None)

    def next_clock_entry(self, seat: int) -> ClockDue | None:
        """What the table may post next about the time of this seat, and after what wait; None if it
        owes nothing.
        """
        if all(duty.author != seat for duty in self.duties()):
            return None
        since, allowance = self.duty_since(seat), self.setup.allowance
        if self.stage is MatchStage.DEALING:
            allowance = clock.step_allowance(self.clock, allowance, seat, since)
        return clock.next_clock_entry(
            self.clock, allowance, seat, since, on_turn=self.waits_for_move
        )

    def slow_due_after(self, seat: int) -> int | None:
        """After how many milliseconds the table may say that this seat's step of the deal is slow;
        None: it may not.
        """
        if self.stage is not MatchStage.DEALING or all(
            duty.author != seat for duty in self.duties()
        ):
            return None
        return clock.slow_due_after(self.clock, self.setup.allowance, seat, self.duty_since(seat))

    def deadline(self, seat: int) -> int:
        """After how many milliseconds the time of a seat that owes something ends, unless it is
        extended.
        """
        return clock.deadline(
            self.clock,
            self.setup.allowance,
            seat,
            self.duty_since(seat),
            on_turn=self.waits_for_move,
        )

    @property
    def waits_for_move(self) -> bool:
        """Whether people are waited for, who take turns, and not programs, who take steps."""
        want = self.setup.game.wants(self.game) if self.stage is MatchStage.PLAYING else None
        return isinstance(want, Act) and not want.automatic

    def duties(self) -> tuple[Duty, ...]:
        """Who must post what before the match can go on."""
        seats = sorted(self.present)
        match self.stage:
            case MatchStage.SEATING:
                return tuple(Duty(seat, "sit") for seat in seats if self.keys[seat] is None)
            case MatchStage.ROSTER:
                return tuple(Duty(seat, "nonce") for seat in seats if self.nonces[seat] is None)
            case MatchStage.DEALING:
                return self.deal.duties() if self.deal else ()
            case MatchStage.PLAYING:
                want = self.setup.game.wants(self.game)
                return (
                    tuple(Duty(seat, "move") for seat in want.awaited_seats)
                    if isinstance(want, Act)
                    else ()
                )
            case MatchStage.RECEIPTS:
                return tuple(Duty(seat, "receipt") for seat in seats if seat not in self.receipts)
            case MatchStage.OVER:
                return ()
