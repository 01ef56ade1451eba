"""The public state of a match as a frozen value, with the duties of all seats. `fold.apply`
computes the next state.
"""

from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from protocol.dealing import TABLE, DealContext, DealState, Duty, Fault
from protocol.games import Act, Action, Hand, Want
from protocol.games.operations import Lay
from protocol.limits import FULL_LOG, MAX_HAND_ACTIONS, MAX_MATCH_DEALS
from protocol.match import clock
from protocol.match.clock import Clock, ClockDue
from protocol.match.setup import Setup
from protocol.seats import with_seat


class MatchStage(StrEnum):
    """Stages of a match."""

    SEATING = "seating"  # every seat posts its match key and commits to a nonce
    ROSTER = "roster"  # every seat opens its nonce, which makes the roster words unpredictable
    DEALING = "dealing"  # the dealing protocol is at work
    PLAYING = "playing"  # a seat has to act
    RECEIPTS = "receipts"  # every seat signs the final score
    OVER = "over"


class SimultaneousPlay(NamedTuple):
    """Simultaneous play: several seats may act at any moment. Tuples are by seat and contain log
    numbers.
    """

    # newest action of the seat, or the entry that allowed the seat to act; its next action must
    # have seen this
    newest_actions: tuple[int, ...]
    # start of the wait for the seat; None: the seat may act, but need not
    waited_since: tuple[int | None, ...]
    ended_at: int | None = None  # the entry that ended simultaneous play

    def record_action(self, seat: int, at: int) -> "SimultaneousPlay":
        """Return the state after an action of this seat in entry `at`."""
        if self.waited_since[seat] is None:
            since = self.waited_since
        else:
            since = with_seat(self.waited_since, seat, at)
        return SimultaneousPlay(with_seat(self.newest_actions, seat, at), since, self.ended_at)


class PendingAction(NamedTuple):
    """An action that the rules have not been given yet, because its hidden piece may still need to
    be opened.
    """

    seat: int
    action: Action
    at: int  # log number of the entry
    turned_pieces: Hand = ()  # pieces that the action has turned up from the seat's own deck


@dataclass(frozen=True)
class Match:
    """The public state of one match. Frozen: `apply` returns the next state."""

    setup: Setup
    match_id: bytes
    next_number: int = 1  # number of entries folded so far
    log_bytes: int = 0  # bytes of these entries without the first
    last_author: int = TABLE  # author of the newest entry
    stage: MatchStage = MatchStage.SEATING
    # log number of the entry that created the present duties; not valid while dealing
    duties_since: int = 0
    keys: tuple[bytes | None, ...] = ()  # public match keys, by seat
    commitments: tuple[bytes, ...] = ()  # to the roster nonces, by seat
    nonces: tuple[bytes | None, ...] = ()
    game: object = None  # the rules' own state, which only the rules and their views look into
    deal: DealState | None = None
    deal_number: int = 0
    closed_deal: DealState | None = None  # the deal that the newest entry ended, in its last state
    abandoned_deals: int = 0  # deals that could not go on because too many seats had left
    # log numbers of the actions that the rules were given since the deal began
    action_entries: tuple[int, ...] = ()
    # the deal is at work on a request of the rules, and the rules must be given the result
    deal_requested: bool = False
    pending_action: PendingAction | None = None
    # the newest period of simultaneous play in this deal
    simultaneous: SimultaneousPlay | None = None
    # by seat: actions that others overtook, and that had no effect
    late_counts: tuple[int, ...] = ()
    receipts: frozenset[int] = frozenset()
    gone: frozenset[int] = frozenset()  # seats that have left while the others play on
    clock: Clock = clock.NO_CLOCK
    faults: tuple[Fault, ...] = ()
    ended_at: int | None = None  # log number of the entry by which the table ended the match

    @property
    def over(self) -> bool:
        """The match has ended."""
        return self.stage is MatchStage.OVER

    @property
    def is_log_full(self) -> bool:
        """The log has no room for the entries that the present deal still needs.

        The match is over then, without a winner.
        """
        if self.deal is None:
            ahead = 0
        else:
            ahead = self.setup.dealing.pending_log_bytes(self.deal)
        return ahead > 0 and self.log_bytes + ahead > FULL_LOG

    @property
    def is_too_long(self) -> bool:
        """The rules have taken more actions or deals than any game needs, so they never end.

        The match is over then, without a winner.
        """
        return len(self.action_entries) > MAX_HAND_ACTIONS or self.deal_number >= MAX_MATCH_DEALS

    @property
    def active_simultaneous(self) -> SimultaneousPlay | None:
        """The present simultaneous play; None while seats take turns."""
        free = self.simultaneous
        if self.stage is MatchStage.PLAYING and free is not None and free.ended_at is None:
            return free
        return None

    def simultaneous_under(self, want: Want, at: int) -> SimultaneousPlay | None:
        """Return the simultaneous play if the rules want `want` from entry `at` on."""
        free = self.simultaneous
        seats = self.setup.seats
        if not (isinstance(want, Act) and want.simultaneous):
            if free is None or free.ended_at is not None:
                return free
            return free._replace(ended_at=at)
        if free is None or free.ended_at is not None:
            free = SimultaneousPlay((at,) * seats, (None,) * seats)
        # waits start anew after a deal, because nobody can act while a deal is at work
        anew = self.stage is not MatchStage.PLAYING
        since = [at if anew or old is None else old for old in free.waited_since]
        return free._replace(
            waited_since=tuple(
                old if seat in want.awaited_seats else None for seat, old in enumerate(since)
            )
        )

    def may_post(self, author: int, kind: str) -> bool:
        """Check that this author may post an entry of this kind now, as a duty or in simultaneous
        play.
        """
        if self.active_simultaneous is None or kind != "move":
            return Duty(author, kind) in self.duties()
        want = self.setup.game.wants(self.game)
        return isinstance(want, Act) and author in want.seats

    def sit_kind(self, seat: int) -> str | None:
        """Return the kind that this seat may post now, "sit_out" or "sit_in", or None.

        The seat needs no turn for either, and nobody waits for it.
        """
        if self.stage not in (MatchStage.DEALING, MatchStage.PLAYING) or seat not in self.present:
            return None
        if not self.setup.has_table:
            return None
        out = self.setup.game.sit_out_choice(self.game, seat)
        if out is None:
            return None
        if out:
            return "sit_out"
        return "sit_in"

    def required_seen(self, author: int) -> int:
        """Return the log number of the entry that the author's next entry must have seen."""
        if self.active_simultaneous is None:
            return self.duty_since(author)
        return self.active_simultaneous.newest_actions[author]

    def duty_since(self, author: int) -> int:
        """Return the log number of the entry that created the author's duty, or that allowed the
        author to act.
        """
        if self.stage is MatchStage.DEALING and self.deal:
            return self.deal.duties_since
        free = self.active_simultaneous
        since = self.duties_since if free is None else free.waited_since[author]
        return self.required_seen(author) if since is None else since

    def is_overtaken(self, author: int, action: Action, seen: int) -> bool:
        """Check that a refused action only came too late: others have overtaken it in simultaneous
        play.

        `seen` is the newest entry that the author had seen. The author must have seen its own
        newest action. It must not have seen all later actions of others, nor the end of
        simultaneous play. So no seat is late more often than others have acted.
        """
        free = self.simultaneous
        if free is None or author == TABLE or seen < free.newest_actions[author]:
            return False
        if free.ended_at is not None and seen >= free.ended_at:
            return False
        count = bisect_right(self.action_entries, seen)
        rules = self.setup.game
        return count < len(self.action_entries) and rules.was_overtaken(
            self.game, author, action, count
        )

    def deal_context(self, wanted: Lay) -> DealContext:
        """Return the values that the deal wanted by the rules is bound to."""
        if wanted.seats is None:
            seats = self.present
        else:
            seats = self.present.intersection(wanted.seats)
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
        """Points of each seat so far, according to the rules."""
        if self.game is None:
            return (0,) * self.setup.seats
        return self.setup.game.scores(self.game)

    @property
    def receipt(self) -> list[Any]:
        """Body of a receipt for the present points."""
        return [[score if score >= 0 else [-score] for score in self.scores]]

    @property
    def winner(self) -> int | None:
        """The seat that won a match played to its end.

        A missing receipt of another seat does not change the winner.
        """
        first = self._rules_winner
        won = self.winners
        return first if first in won else next(iter(won), None)

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that have won, ascending: the winner and its team. Empty as long as nobody has
        won.

        If several seats leave at once, the rules are told only about those that decide the match.
        The others of these seats have not won either.
        """
        first = self._rules_winner
        if first is None:
            return ()
        team = self.setup.game.team(self.game, first)
        return tuple(seat for seat in team if seat not in self.gone)

    @property
    def _rules_winner(self) -> int | None:
        """The winner according to the rules, even if this seat has left."""
        played_out = self.game is not None and self.deal is None and self.ended_at is None
        if self.over and played_out:
            return self.setup.game.winner(self.game)
        return None

    @property
    def present(self) -> frozenset[int]:
        """The seats that have not left."""
        return frozenset(range(self.setup.seats)) - self.gone

    @property
    def next_author(self) -> int | None:
        """The one seat that may post now in a match without a table.

        The author of the newest entry goes on as long as it has a duty.
        """
        seats = [duty.author for duty in self.duties()]
        if self.last_author in seats:
            return self.last_author
        return min(seats, default=None)

    def next_clock_entry(self, seat: int) -> ClockDue | None:
        """Return the next clock entry about this seat, with its wait; None if the seat has no
        duty.
        """
        if all(duty.author != seat for duty in self.duties()):
            return None
        since = self.duty_since(seat)
        allowance = self.setup.allowance
        if self.stage is MatchStage.DEALING:
            allowance = clock.step_allowance(self.clock, allowance, seat, since)
        return clock.next_clock_entry(
            self.clock, allowance, seat, since, on_turn=self.waits_for_move
        )

    def slow_due_after(self, seat: int) -> int | None:
        """Return the wait in milliseconds after which the table may declare this seat's step slow.

        None if the table may not declare this.
        """
        if self.stage is not MatchStage.DEALING or all(
            duty.author != seat for duty in self.duties()
        ):
            return None
        return clock.slow_due_after(self.clock, self.setup.allowance, seat, self.duty_since(seat))

    def deadline(self, seat: int) -> int:
        """Return the wait in milliseconds at which the seat's time ends, without an extension."""
        return clock.deadline(
            self.clock,
            self.setup.allowance,
            seat,
            self.duty_since(seat),
            on_turn=self.waits_for_move,
        )

    @property
    def waits_for_move(self) -> bool:
        """The match waits for a turn of people, and not for a step of programs."""
        if self.stage is MatchStage.PLAYING:
            want = self.setup.game.wants(self.game)
        else:
            want = None
        return isinstance(want, Act) and not want.automatic

    def duties(self) -> tuple[Duty, ...]:
        """Return the entries that seats or the table must post before the match can go on."""
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
                if isinstance(want, Act):
                    return tuple(Duty(seat, "move") for seat in want.awaited_seats)
                return ()
            case MatchStage.RECEIPTS:
                return tuple(Duty(seat, "receipt") for seat in seats if seat not in self.receipts)
            case MatchStage.OVER:
                return ()
