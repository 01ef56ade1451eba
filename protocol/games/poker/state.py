"""What everybody at the table knows of a game of poker, and the table of its phases."""

from dataclasses import dataclass
from enum import StrEnum

from protocol.fast_replace import replace
from protocol.games import Hand
from protocol.games.poker.engine import (
    BettingStep,
    PokerHand,
    Shares,
    Stakes,
    pot_shares,
    replay_hand,
    split_pots,
)
from protocol.seats import with_seat


class PokerPhase(StrEnum):
    """Where a match stands."""

    DEAL = "deal"  # hole cards are to be dealt
    PLAY = "play"  # what is next, the hand itself says: `PokerState.decision`
    RESHUFFLE = "reshuffle"  # the stock is too small for the next exchange
    SETTLE = "settle"  # the hand is over
    REBUY = "rebuy"  # between hands: who has lost all may buy another stack
    OVER = "over"


RUNNING = (PokerPhase.PLAY, PokerPhase.RESHUFFLE)  # with a hand under way


class Decision(StrEnum):
    """What a running hand, or the next one, waits for."""

    BET = "bet"
    EXCHANGE = "exchange"
    SHOW = "show"
    BOARD = "board"
    REBUY = "rebuy"
    NOTHING = "nothing"


@dataclass(frozen=True)
class PokerResult:
    """How a hand ended."""

    gains: tuple[int, ...]  # by seat: what it won, less what it paid
    shown: tuple[tuple[int, Hand], ...]  # (seat, its cards), in the order they were shown
    board: Hand
    pots: tuple[Shares, ...] = ()  # the main pot first: (seat, what it won of it)
    uncalled: Shares = ()  # (seat, what came back to it because nobody called it)


@dataclass(frozen=True)
class PokerState:
    """The public state of one match; frozen. Seats are seats of the match, players are places in
    the hand.
    """

    stakes: Stakes
    phase: PokerPhase
    stacks: tuple[int, ...]  # chips of each seat before this hand
    button: int  # the seat that has it
    hand: int = 0  # hands begun
    # the seats in this hand, in the order of play: the button is the last
    players: tuple[int, ...] = ()
    steps: tuple[BettingStep, ...] = ()
    board: Hand = ()
    shown: tuple[tuple[int, Hand], ...] = ()  # (seat, its cards), in the order they were shown
    stock: int = 0  # cards in it
    put_away: int = 0  # cards that were exchanged
    out: frozenset[int] = frozenset()  # seats that have left
    # the seat that takes the pot because all others folded, mucked or left
    taker: int | None = None
    # the cards that are still to come cannot be opened any more: the pots are split
    broken_off: bool = False
    result: PokerResult | None = None  # of the hand before, or of this one once it is over
    away: frozenset[int] = frozenset()  # seats that sit out
    # seats that have sat out, or come back, since this hand was to be dealt
    moved: frozenset[int] = frozenset()
    bought: tuple[int, ...] = ()  # by seat: stacks that it has bought since the match began
    declined: frozenset[int] = frozenset()  # seats that had lost all, and did not buy
    # between hands: the seats that may still buy, the first of which is to say so
    waiting: tuple[int, ...] = ()
    # seats whose time ran out when they could bet no more: they keep their claim
    lapsed: tuple[int, ...] = ()
    # the seat that sat out on its own turn: what it chose may be on its way already
    choosing: int | None = None
    # the hands of those of them that have not shown cannot be opened: they have none
    unopened: bool = False

    @property
    def decision(self) -> Decision:
        """What the running hand, or the next one, waits for."""
        if self.waiting:
            return Decision.REBUY
        if self.taker is not None or self.broken_off or self.phase not in RUNNING:
            return Decision.NOTHING
        hand = self.engine
        if hand.actor_index is not None:
            return Decision.BET
        if hand.stand_patter_or_discarder_index is not None:
            return Decision.EXCHANGE
        if hand.showdown_index is not None:
            return Decision.SHOW
        return Decision.BOARD if hand.status else Decision.NOTHING

    @property
    def engine(self) -> PokerHand:
        """The running hand; not to be changed."""
        return replay_hand(
            self.stakes, tuple(self.stacks[seat] for seat in self.players), self.steps
        )

    @property
    def all_show(self) -> bool:
        """Whether no hand may be mucked, because somebody is all in and nobody can bet any more."""
        return self.decision is Decision.SHOW and bool(self.engine.all_in_status)

    @property
    def live(self) -> tuple[int, ...]:
        """The seats that can still win the running hand, in the order of play."""
        statuses = zip(self.players, self.engine.statuses, strict=True)
        claims = [
            seat
            for seat, status in statuses
            if status and (seat not in self.out or seat in self.lapsed)
        ]
        if not self.unopened:
            return tuple(claims)
        lost = [seat for seat in self.lapsed if seat in claims and seat not in dict(self.shown)]
        sure = tuple(seat for seat in claims if seat not in lost)
        return sure or tuple(lost[-1:])  # the last one had won when the one before it lapsed

    def is_all_in(self, seat: int) -> bool:
        """Whether all that is left to this seat in the running hand is to show."""
        over = self.taker is not None or self.broken_off or self.unopened
        if over or self.phase not in (*RUNNING, PokerPhase.SETTLE) or seat not in self.players:
            return False
        hand, player = self.engine, self.players.index(seat)
        return bool(hand.statuses[player]) and (hand.all_in_status or not hand.stacks[player])

    @property
    def claims(self) -> bool:
        """Whether it is the turn of a seat to show whose hand the others will open."""
        return self.decision is Decision.SHOW and self.to_act in self.lapsed and not self.unopened

    @property
    def hands_to_open(self) -> tuple[int, ...]:
        """The seats whose hands the others open now: all who could have shown have."""
        if self.taker is not None or self.broken_off or self.phase is not PokerPhase.SETTLE:
            return ()
        return tuple(self.players[player] for player in self.engine.showdown_indices)

    @property
    def to_act(self) -> int | None:
        """The seat that is to act, if any."""
        if self.waiting:
            return self.waiting[0]
        if self.phase is not PokerPhase.PLAY or self.taker is not None:
            return None
        hand = self.engine
        turns: tuple[int | None, ...] = (
            hand.actor_index,
            hand.stand_patter_or_discarder_index,
            hand.showdown_index,
        )
        return next((self.players[player] for player in turns if player is not None), None)

    @property
    def absent(self) -> bool:
        """Whether the seat to act has left, or sits out; who sits out shows what it holds all the
        same.
        """
        seat = self.to_act
        if self.decision is Decision.SHOW:
            return seat in self.out or seat in self.lapsed
        return seat in self.out or (seat in self.away and seat != self.choosing)

    @property
    def chips(self) -> tuple[int, ...]:
        """The chips of each seat now, without what lies in the pot."""
        if self.phase not in (*RUNNING, PokerPhase.SETTLE):
            return self.stacks
        hand = self.engine
        now = dict(zip(self.players, hand.stacks, strict=True))
        if self.taker is not None:
            now[self.taker] += hand.total_pot_amount
        for seat, chips in [share for pot in self.split for share in pot]:
            now[seat] += chips
        return tuple(now.get(seat, chips) for seat, chips in enumerate(self.stacks))

    @property
    def split(self) -> tuple[Shares, ...]:
        """How the pots of a hand that broke off are shared."""
        players = [self.players.index(seat) for seat in self.live] if self.broken_off else []
        return tuple(map(self._seated, split_pots(self.engine, players))) if self.broken_off else ()

    @property
    def pot(self) -> int:
        """Chips in the pot and in front of the players."""
        return sum(self.stacks) - sum(self.chips)

    def ended(self) -> PokerResult:
        """How the running hand, which is over, has ended."""
        taker = None if self.taker is None else self.players.index(self.taker)
        if self.broken_off:
            return PokerResult(
                self._gains(),
                self.shown,
                self.board,
                self.split,
                self._seated(self.engine.uncalled),
            )
        pots, uncalled = pot_shares(self.engine, taker)
        return PokerResult(
            self._gains(),
            self.shown,
            self.board,
            tuple(map(self._seated, pots)),
            self._seated(uncalled),
        )

    def _gains(self) -> tuple[int, ...]:
        return tuple(now - before for now, before in zip(self.chips, self.stacks, strict=True))

    def _seated(self, shares: Shares) -> Shares:
        return tuple((self.players[player], chips) for player, chips in shares)

    def seats_with_chips(self) -> tuple[int, ...]:
        """The seats that can be dealt to, ascending."""
        return tuple(
            seat for seat, chips in enumerate(self.stacks) if chips and seat not in self.out
        )

    def seats_without_chips(self, rebuys: int) -> tuple[int, ...]:
        """The seats that may buy another stack, if so many are allowed; ascending."""
        gone = self.out | self.declined | self.away
        return tuple(
            seat
            for seat, chips in enumerate(self.stacks)
            if not chips and seat not in gone and self.bought[seat] < rebuys
        )

    def after_rebuy(self, chips: int) -> "PokerState":
        """The state after the seat that may buy has bought so many chips; 0: it does not want to,
        now or later.
        """
        seat = self.waiting[0]
        if not chips:
            return replace(self, declined=self.declined | {seat})
        stacks = with_seat(self.stacks, seat, chips)
        return replace(
            self, stacks=stacks, bought=with_seat(self.bought, seat, self.bought[seat] + 1)
        )

    def without_hand(self) -> "PokerState":
        """The state without the hand that is over."""
        empty = replace(
            self, players=(), steps=(), board=(), shown=(), stock=0, put_away=0, lapsed=()
        )
        return replace(empty, taker=None, broken_off=False, choosing=None, unopened=False)

    def after_show(self, seat: int, cards: Hand) -> "PokerState":
        """The state after the hand of the next seat in the showdown was shown."""
        return replace(self, shown=(*self.shown, (seat, cards))).with_step("show", *cards)

    def postpone_show(self) -> "PokerState":
        """The state in which those show first whose time has not run out; the hands of the others
        are opened then.
        """
        if all(self.players[player] in self.lapsed for player in self.engine.showdown_indices):
            return replace(self, phase=PokerPhase.SETTLE)
        return self.with_step("wait")

    def resume_show(self) -> "PokerState":
        """The state in which a hand that waits for others to be opened is under way again."""
        return replace(self, phase=PokerPhase.PLAY) if self.hands_to_open else self

    def with_step(self, verb: str, *numbers: int) -> "PokerState":
        """The state after one more step of the hand."""
        return replace(self, steps=(*self.steps, (verb, *numbers)))
