"""Public state of a game of poker in edition 1."""

from dataclasses import dataclass

from protocol.fast_replace import replace
from protocol.games import Hand
from protocol.games.poker.edition_1.engine import (
    BettingStep,
    PokerHand,
    Stakes,
    pot_shares,
    raise_amounts,
    replay_hand,
    split_pots,
)
from protocol.games.poker.phases import (
    HAND_PHASES,
    Decision,
    HandFacts,
    PokerPhase,
    PokerResult,
)
from protocol.games.poker.pots import Pot, Shares
from protocol.seats import with_seat


@dataclass(frozen=True)
class PokerState:
    """Public state of a match; frozen. A *seat* is a seat of the match, a *player* is a place in
    the hand.
    """

    stakes: Stakes
    phase: PokerPhase
    stacks: tuple[int, ...]  # chips of each seat before this hand
    button: int  # the seat with the button
    hand: int = 0  # number of hands begun
    # Seats in this hand, in the order of play; the button is last.
    players: tuple[int, ...] = ()
    steps: tuple[BettingStep, ...] = ()
    board: Hand = ()
    shown: tuple[tuple[int, Hand], ...] = ()  # (seat, its cards), in the order of showing
    stock: int = 0  # number of cards in the stock
    put_away: int = 0  # number of cards that were exchanged
    out: frozenset[int] = frozenset()  # seats that have left
    # Seat that takes the pot because all others folded, mucked or left.
    taker: int | None = None
    # The remaining cards cannot be opened any more, so the pots are split.
    broken_off: bool = False
    # result of the previous hand, or of this hand once it is over
    result: PokerResult | None = None
    away: frozenset[int] = frozenset()  # seats that sit out
    # Seats that have sat out or come back since this hand was to be dealt.
    moved: frozenset[int] = frozenset()
    bought: tuple[int, ...] = ()  # by seat: number of stacks bought since the start of the match
    declined: frozenset[int] = frozenset()  # seats that lost all chips and did not buy
    # Between hands: seats that may still buy a stack. The first of them decides next.
    waiting: tuple[int, ...] = ()
    # Seats whose time ran out while they were all in. They keep their claim to the pots.
    lapsed: tuple[int, ...] = ()
    # Seat that chose to sit out during its own turn. Its action may be on the way already, so its
    # turn is not skipped.
    choosing: int | None = None
    # The hands of `lapsed` seats cannot be opened. Those that have not shown lose their claim.
    unopened: bool = False

    @property
    def decision(self) -> Decision:
        """Decision that the running hand, or the next one, waits for."""
        if self.waiting:
            return Decision.REBUY
        if self.taker is not None or self.broken_off or self.phase not in HAND_PHASES:
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
        """The running hand in pokerkit. Callers must not change it."""
        return replay_hand(
            self.stakes, tuple(self.stacks[seat] for seat in self.players), self.steps
        )

    @property
    def facts(self) -> HandFacts:
        """Facts of the running hand that views show."""
        hand = self.engine
        return HandFacts(
            live=tuple(hand.statuses),
            stacks=tuple(hand.stacks),
            bets=tuple(hand.bets),
            pots=tuple(Pot(pot.amount, pot.player_indices) for pot in hand.pots if pot.amount),
            actor=hand.actor_index,
            price=hand.checking_or_calling_amount or 0,
            can_fold=bool(hand.can_fold()),
            least_bet=self.stakes.blind
            if hand.street is None
            else hand.street.min_completion_betting_or_raising_amount,
            exchanged=any(step[0] == "exchange" for step in self.steps),
        )

    @property
    def blind_seats(self) -> tuple[int | None, int | None]:
        """The library posts the blinds; this state does not say for whom."""
        return None, None

    @property
    def own_cards(self) -> int:
        return 0

    @property
    def pot_limit(self) -> bool:
        return False

    @property
    def small_blind(self) -> int:
        """The small blind: half of the big one."""
        return self.stakes.blind // 2

    @property
    def raise_amounts(self) -> range:
        """Amounts that the seat to act may bet or raise to."""
        return raise_amounts(self.engine)

    @property
    def all_show(self) -> bool:
        """Check whether no hand may be mucked, because a player is all in and nobody can bet any
        more.
        """
        return self.decision is Decision.SHOW and bool(self.engine.all_in_status)

    @property
    def live(self) -> tuple[int, ...]:
        """Seats that can still win the running hand, in the order of play."""
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
        # If every claim is lost, the seat that lapsed last wins: no other seat was left by then.
        return sure or tuple(lost[-1:])

    def is_all_in(self, seat: int) -> bool:
        """Check whether this seat has nothing left to do in the running hand but to show."""
        over = self.taker is not None or self.broken_off or self.unopened
        if over or self.phase not in (*HAND_PHASES, PokerPhase.SETTLE) or seat not in self.players:
            return False
        hand, player = self.engine, self.players.index(seat)
        return bool(hand.statuses[player]) and (hand.all_in_status or not hand.stacks[player])

    @property
    def claims(self) -> bool:
        """Check whether the seat whose turn it is to show has lapsed, so that the others will open
        its hand.
        """
        return self.decision is Decision.SHOW and self.to_act in self.lapsed and not self.unopened

    @property
    def hands_to_open(self) -> tuple[int, ...]:
        """Seats whose hands the others open now, after all seats that could show have shown."""
        if self.taker is not None or self.broken_off or self.phase is not PokerPhase.SETTLE:
            return ()
        return tuple(self.players[player] for player in self.engine.showdown_indices)

    @property
    def to_act(self) -> int | None:
        """Seat that is to act, if any."""
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
        """Check whether the seat to act has left or sits out. A seat that sits out still shows its
        hand at the showdown.
        """
        seat = self.to_act
        if self.decision is Decision.SHOW:
            return seat in self.out or seat in self.lapsed
        return seat in self.out or (seat in self.away and seat != self.choosing)

    @property
    def chips(self) -> tuple[int, ...]:
        """Chips of each seat now, without the chips in the pot."""
        if self.phase not in (*HAND_PHASES, PokerPhase.SETTLE):
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
        """Shares of the pots of a hand that broke off."""
        players = [self.players.index(seat) for seat in self.live] if self.broken_off else []
        return (
            tuple(map(self._by_seat, split_pots(self.engine, players))) if self.broken_off else ()
        )

    @property
    def pot(self) -> int:
        """Chips in the pot and bet on this street."""
        return sum(self.stacks) - sum(self.chips)

    def ended(self) -> PokerResult:
        """Return the result of the running hand, which is over."""
        taker = None if self.taker is None else self.players.index(self.taker)
        if self.broken_off:
            return PokerResult(
                self._gains(),
                self.shown,
                self.board,
                self.split,
                self._by_seat(self.engine.uncalled),
            )
        pots, uncalled = pot_shares(self.engine, taker)
        return PokerResult(
            self._gains(),
            self.shown,
            self.board,
            tuple(map(self._by_seat, pots)),
            self._by_seat(uncalled),
        )

    def _gains(self) -> tuple[int, ...]:
        return tuple(now - before for now, before in zip(self.chips, self.stacks, strict=True))

    def _by_seat(self, shares: Shares) -> Shares:
        return tuple((self.players[player], chips) for player, chips in shares)

    def seats_with_chips(self) -> tuple[int, ...]:
        """List the seats that can be dealt to, in ascending order."""
        return tuple(
            seat for seat, chips in enumerate(self.stacks) if chips and seat not in self.out
        )

    def seats_without_chips(self, rebuys: int) -> tuple[int, ...]:
        """List the seats that may buy another stack, in ascending order. A seat may buy at most
        `rebuys` stacks in a match.
        """
        gone = self.out | self.declined | self.away
        return tuple(
            seat
            for seat, chips in enumerate(self.stacks)
            if not chips and seat not in gone and self.bought[seat] < rebuys
        )

    def after_rebuy(self, chips: int) -> "PokerState":
        """Return the state after the first waiting seat has bought `chips`. With 0 the seat
        declines, now and for later.
        """
        seat = self.waiting[0]
        if not chips:
            return replace(self, declined=self.declined | {seat})
        stacks = with_seat(self.stacks, seat, chips)
        return replace(
            self, stacks=stacks, bought=with_seat(self.bought, seat, self.bought[seat] + 1)
        )

    def without_hand(self) -> "PokerState":
        """Return the state without the hand that is over."""
        empty = replace(
            self, players=(), steps=(), board=(), shown=(), stock=0, put_away=0, lapsed=()
        )
        return replace(empty, taker=None, broken_off=False, choosing=None, unopened=False)

    def after_show(self, seat: int, cards: Hand) -> "PokerState":
        """Return the state after the next seat in the showdown has shown its hand."""
        return replace(self, shown=(*self.shown, (seat, cards))).with_step("show", *cards)

    def postpone_show(self) -> "PokerState":
        """Let the other seats show before a lapsed seat. If only lapsed seats are left, begin the
        settlement, in which their hands are opened.
        """
        if all(self.players[player] in self.lapsed for player in self.engine.showdown_indices):
            return replace(self, phase=PokerPhase.SETTLE)
        return self.with_step("wait")

    def resume_show(self) -> "PokerState":
        """Resume a showdown that waits for hands to be opened."""
        return replace(self, phase=PokerPhase.PLAY) if self.hands_to_open else self

    def with_step(self, verb: str, *numbers: int) -> "PokerState":
        """Return the state after one more step of the hand."""
        return replace(self, steps=(*self.steps, (verb, *numbers)))
