"""Betting in one hand of poker (docs/protocol, 18.9 and 18.10). The rules are fairdeal's own.

A hand is a frozen value; each step returns the hand after it. It knows chips, turns and cards that
were shown, but no hidden card. A *player* is a place in the order of play: the first player after
the button is 0. The caller checks steps with `may_fold`, `raise_amounts` and `stage` before.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from protocol.fast_replace import replace
from protocol.games import Hand
from protocol.games.poker.phases import HandFacts
from protocol.games.poker.pots import Pot, Shares, make_pots, split_pot
from protocol.games.poker.ranking import value
from protocol.limits import MAX_POKER_RAISES
from protocol.seats import with_seat

# Fixed limit: most bets and raises on one street, including the first bet (Robert's Rules).
HOLDEM_BETS = 4
DRAW_BETS = 5
# cards turned up after each street of hold'em, by the number of the street
BOARD_CARDS = (3, 1, 1)


class Limit(StrEnum):
    """Limit of bets and raises."""

    NONE = "none"
    POT = "pot"
    FIXED = "fixed"


class Stakes(NamedTuple):
    """Stakes of a hand, and the rules that go with its variant and options."""

    draw: bool  # a draw hand has antes and one exchange, a hold'em hand has blinds and a board
    ante: int
    blind: int  # the big blind, which is also the smallest bet
    small: int = 0  # the small blind
    limit: Limit = Limit.NONE
    free_folds: bool = False  # players may fold when they could check
    own: int = 0  # number of own cards that count in a hand, exactly; 0: any number

    @property
    def fixed(self) -> bool:
        """Check whether bets and raises have one size."""
        return self.limit is Limit.FIXED


class Stage(StrEnum):
    """Stage of a hand: what it waits for."""

    BET = "bet"
    EXCHANGE = "exchange"
    BOARD = "board"
    SHOW = "show"
    OVER = "over"


class Blinds(NamedTuple):
    """Players who post the blinds. None: nobody does."""

    small: int | None = None
    big: int | None = None


@dataclass(frozen=True)
class BettingHand:
    """A hand after some steps. Lists of chips are by player."""

    stakes: Stakes
    stacks: tuple[int, ...]  # chips that are not bet
    bets: tuple[int, ...]  # chips bet on this street
    paid: tuple[int, ...]  # chips in the pots, from antes and earlier streets
    live: tuple[bool, ...]  # has not folded or mucked
    opener: int  # the player who is first to bet on the first street
    stage: Stage = Stage.BET
    street: int = 0
    queue: tuple[int, ...] = ()  # players who still have to bet, exchange or show, in order
    acted: frozenset[int] = frozenset()  # players who have bet, called or checked on this street
    level: int = 0  # bet that a full call matches
    rise: int = 0  # last full bet or raise of this street, the least amount of a raise
    full: int = 0  # fixed limit: bet to which the next full raise is added
    raises: int = 0  # bets and raises of this street
    # Player who begins the showdown: the last to bet or raise on the last street with betting, or
    # the first to act on it.
    shower: int = 0
    board: Hand = ()
    exchanges: int = 0  # number of players who have exchanged cards or stood pat
    contenders: tuple[int, ...] = ()  # players who were live when the betting ended
    all_in: bool = False  # nobody can bet any more
    shown: tuple[tuple[int, Hand], ...] = ()  # (player, its cards), in the order of showing
    mucked: tuple[int, ...] = ()  # players who mucked, in order
    uncalled: Shares = ()  # chips returned because nobody called them

    # --- questions ---

    @property
    def players(self) -> range:
        return range(len(self.stacks))

    @property
    def actor(self) -> int | None:
        """Player who is to bet, exchange or show; None if cards are wanted or the hand is over."""
        return self.queue[0] if self.queue else None

    @property
    def total(self) -> int:
        """Chips in all pots and on this street."""
        return sum(self.bets) + sum(self.paid)

    @property
    def board_count(self) -> int:
        """Number of cards to turn up next; 0 if none."""
        return BOARD_CARDS[self.street - 1] if self.stage is Stage.BOARD else 0

    @property
    def bet_size(self) -> int:
        """Smallest bet of this street. With fixed limit it doubles in the second half of a hand."""
        late = self.street >= (1 if self.stakes.draw else 2)
        return self.stakes.blind * (2 if self.stakes.fixed and late else 1)

    @property
    def all_show(self) -> bool:
        """Check whether nobody may muck: in a showdown with a player who is all in."""
        return self.stage is Stage.SHOW and any(
            not self.stacks[player] for player in self.contenders
        )

    def only_shows(self, player: int) -> bool:
        """Check whether a player has nothing left to do in this hand but to show its cards."""
        return self.live[player] and (not self.stacks[player] or self.all_in or self.all_show)

    def price(self, player: int) -> int:
        """Chips that a call costs a player; 0 if it may check.

        Nobody pays more than its stack, nor more than another player could have called.
        """
        owed = min(self.level, self._reach_of_others(player)) - self.bets[player]
        return max(0, min(owed, self.stacks[player]))

    def may_fold(self) -> bool:
        """Check whether the actor may fold."""
        return self.actor is not None and (self.stakes.free_folds or self.price(self.actor) > 0)

    def raise_amounts(self) -> range:
        """Amounts that the actor may bet or raise to on this street, empty if it may not."""
        player = self.actor
        if player is None or self.stage is not Stage.BET or not self._may_raise(player):
            return range(0)
        most = self.bets[player] + self.stacks[player]
        if self.stakes.fixed:
            amount = min(self.full + self.bet_size, most)
            return range(amount, amount + 1)
        least, high = min(self.level + self.rise, most), most
        if self.stakes.limit is Limit.POT:
            called = self.total + self.level - self.bets[player]
            high = min(most, max(least, self.level + called))
        if self.raises >= MAX_POKER_RAISES:
            return range(most, most + 1) if high == most else range(0)
        return range(least, high + 1)

    def _may_raise(self, player: int) -> bool:
        """Check whether a player may bet or raise at all.

        It needs chips beyond a call, and another player who could call more. If it has acted on
        this street, it must face at least a full raise since then; with fixed limit, half of one.
        """
        if self.bets[player] + self.stacks[player] <= self.level:
            return False
        if self._reach_of_others(player) <= self.level:
            return False
        if self.stakes.fixed and self.raises >= self._most_raises:
            return False
        faced = self.level - self.bets[player]
        if self.stakes.fixed:
            return player not in self.acted or 2 * faced >= self.bet_size
        return player not in self.acted or faced >= self.rise

    @property
    def _most_raises(self) -> int:
        if len(self.stacks) == 2:
            return MAX_POKER_RAISES
        return DRAW_BETS if self.stakes.draw else HOLDEM_BETS

    def _reach_of_others(self, player: int) -> int:
        """Largest bet on this street that any other live player can still make or has made."""
        return max(
            (
                self.bets[other] + self.stacks[other]
                for other in self.players
                if other != player and self.live[other]
            ),
            default=0,
        )

    @property
    def pots(self) -> tuple[Pot, ...]:
        """Pots of the collected chips, the main pot first. They are fixed when the betting ends."""
        live = tuple(player for player in self.players if self.live[player])
        return make_pots(self.paid, self.contenders or live) if any(self.paid) else ()

    def claimants(self, pot: Pot) -> tuple[int, ...]:
        """Players who can still win this pot. If all have mucked, the last who did."""
        live = tuple(player for player in pot.players if self.live[player])
        if live or not self.mucked:
            return live or pot.players
        last = [player for player in self.mucked if player in pot.players]
        return (last[-1],) if last else pot.players

    @property
    def facts(self) -> HandFacts:
        """Facts of this hand that views show."""
        betting = self.stage is Stage.BET and self.actor is not None
        return HandFacts(
            live=self.live,
            stacks=self.stacks,
            bets=self.bets,
            pots=self.pots,
            actor=self.actor if betting else None,
            price=self.price(self.queue[0]) if betting else 0,
            can_fold=betting and self.may_fold(),
            least_bet=self.bet_size,
            exchanged=self.exchanges > 0,
        )

    # --- steps ---

    def fold(self) -> "BettingHand":
        """Return the hand after the actor has folded."""
        return self._without_actor(live=with_seat(self.live, self.queue[0], False))._go_on()

    def call(self) -> "BettingHand":
        """Return the hand after the actor has called, or checked if a call costs nothing."""
        player = self.queue[0]
        paying = self._bet(player, self.price(player))
        return paying._without_actor(acted=self.acted | {player})._go_on()

    def raise_to(self, amount: int) -> "BettingHand":
        """Return the hand after the actor has bet or raised to `amount` on this street."""
        player = self.queue[0]
        raised = self._bet(player, amount - self.bets[player])
        others = [*range(player + 1, len(self.stacks)), *range(player)]
        queue = tuple(other for other in others if self.live[other] and self.stacks[other])
        raised = replace(
            raised,
            queue=queue,
            acted=self.acted | {player},
            level=amount,
            shower=player,
        )
        if not self.stakes.fixed:
            rise = max(self.rise, amount - self.level)
            return replace(raised, rise=rise, raises=self.raises + 1)._go_on()
        if 2 * (amount - self.full) >= self.bet_size:  # half a bet counts as a whole one
            raised = replace(raised, full=amount, raises=self.raises + 1)
        return raised._go_on()

    def exchange(self) -> "BettingHand":
        """Return the hand after the actor has exchanged cards or stood pat."""
        after = self._without_actor(exchanges=self.exchanges + 1)
        return after if after.queue else after._open_street()

    def turn_up(self, cards: Hand) -> "BettingHand":
        """Return the hand with more cards on the board."""
        return replace(self, board=(*self.board, *cards))._open_street()

    def show(self, cards: Hand) -> "BettingHand":
        """Return the hand after the actor has shown its cards."""
        shown = (*self.shown, (self.queue[0], cards))
        return self._without_actor(shown=shown)._after_show()

    def muck(self) -> "BettingHand":
        """Return the hand after the actor has mucked its cards in the showdown."""
        player = self.queue[0]
        live = with_seat(self.live, player, False)
        return self._without_actor(live=live, mucked=(*self.mucked, player))._after_show()

    def wait(self) -> "BettingHand":
        """Let the other players show before the actor."""
        return replace(self, queue=(*self.queue[1:], self.queue[0]))

    def collect(self, staying: Collection[int] | None = None) -> "BettingHand":
        """Move the bets of this street into the pots. The part of the largest bet that nobody has
        matched goes back, but only to a player in `staying` (None: to any).
        """
        second, largest = sorted(self.bets)[-2:]
        player = self.bets.index(largest)
        collected = self
        if largest > second and (staying is None or player in staying):
            collected = replace(
                self._bet(player, second - largest),
                uncalled=(*self.uncalled, (player, largest - second)),
            )
        paid = tuple(map(sum, zip(collected.paid, collected.bets, strict=True)))
        return replace(collected, paid=paid, bets=(0,) * len(paid))

    # --- shares ---

    def pot_shares(self) -> tuple[Shares, ...]:
        """Shares of each pot of a hand that is over: the best hand shown wins; equal ones share."""
        values = {player: self._value(cards) for player, cards in self.shown}
        shares = []
        for pot in self.pots:
            winners = self.claimants(pot)
            if len(winners) > 1:
                best = max(values[player] for player in winners)
                winners = tuple(player for player in winners if values[player] == best)
            shares.append(split_pot(pot.chips, winners))
        return tuple(shares)

    def shares_of_last(self, player: int) -> tuple[Shares, ...]:
        """Shares if one player is left with a claim: it has all pots but those that only players
        who have mucked could win. Its bets are collected.
        """
        lost = []
        for pot in self.pots:
            claimants = self.claimants(pot)
            if player not in claimants and not any(self.live[other] for other in claimants):
                lost.append(((claimants[0], pot.chips),))
        rest = self.total - sum(chips for share in lost for _, chips in share)
        return (((player, rest),), *lost)

    def broken_shares(self, staying: tuple[int, ...]) -> tuple[Shares, ...]:
        """Shares if the hand breaks off: each pot goes in equal parts to its players in `staying`,
        or to all of its players if none of them is.
        """
        return tuple(
            split_pot(
                pot.chips,
                tuple(player for player in self.claimants(pot) if player in staying)
                or self.claimants(pot),
            )
            for pot in self.pots
        )

    def _value(self, cards: Hand) -> tuple[object, ...]:
        return value(cards, self.board, self.stakes.own)

    # --- the course of a hand ---

    def _bet(self, player: int, chips: int) -> "BettingHand":
        return replace(
            self,
            stacks=with_seat(self.stacks, player, self.stacks[player] - chips),
            bets=with_seat(self.bets, player, self.bets[player] + chips),
        )

    def _without_actor(self, **changes: object) -> "BettingHand":
        return replace(self, queue=self.queue[1:], **changes)  # type: ignore[arg-type]

    def _after_show(self) -> "BettingHand":
        return self if self.queue else replace(self, stage=Stage.OVER)

    def _order(self) -> tuple[int, ...]:
        """Players in the order in which they bet on this street."""
        first = self.opener if self.street == 0 else 0
        return (*range(first, len(self.stacks)), *range(first))

    def _open_betting(self) -> "BettingHand":
        """Begin the betting of a street. `level` and the blinds are set."""
        queue = tuple(
            player for player in self._order() if self.live[player] and self.stacks[player]
        )
        opened = replace(self, stage=Stage.BET, queue=queue)._skip()
        if opened.queue:
            first = next(player for player in self._order() if self.live[player])
            opened = replace(opened, shower=first)
        return opened._go_on()

    def _skip(self) -> "BettingHand":
        """Pass over players who have nothing to pay, if nobody else could bet more."""
        hand = self
        while hand.queue:
            player = hand.queue[0]
            if hand.price(player) or hand._reach_of_others(player) > hand.level:
                return hand
            hand = hand._without_actor()
        return hand

    def _go_on(self) -> "BettingHand":
        """Continue after a bet: with the next player, the next street, the showdown or the end."""
        if sum(self.live) > 1:
            hand = self._skip()
            if hand.queue:
                return hand
        hand = replace(self, queue=()).collect()
        if sum(hand.live) == 1:
            return replace(hand, stage=Stage.OVER)
        able = sum(live and chips > 0 for live, chips in zip(hand.live, hand.stacks, strict=True))
        hand = replace(hand, all_in=able < 2)
        if hand.street == (1 if hand.stakes.draw else len(BOARD_CARDS)):
            return hand._open_showdown()
        if not hand.stakes.draw:
            return replace(hand, stage=Stage.BOARD, street=hand.street + 1)
        live = tuple(player for player in hand.players if hand.live[player])
        return replace(hand, stage=Stage.EXCHANGE, street=hand.street + 1, queue=live)

    def _open_street(self) -> "BettingHand":
        """Begin the betting of a later street."""
        return replace(
            self,
            acted=frozenset(),
            level=0,
            rise=self.bet_size,
            full=0,
            raises=0,
        )._open_betting()

    def _open_showdown(self) -> "BettingHand":
        order = (*range(self.shower, len(self.stacks)), *range(self.shower))
        live = tuple(player for player in order if self.live[player])
        return replace(self, stage=Stage.SHOW, queue=live, contenders=tuple(sorted(live)))


def begin_hand(stakes: Stakes, stacks: tuple[int, ...], blinds: Blinds) -> BettingHand:
    """Begin a hand: antes, then blinds, then the first betting."""
    count = len(stacks)
    opener = 0 if blinds.big is None else (blinds.big + 1) % count
    nothing = (0,) * count
    hand = BettingHand(
        stakes=stakes,
        stacks=stacks,
        bets=nothing,
        paid=nothing,
        live=(True,) * count,
        opener=opener,
        shower=opener,
    )
    for player in range(count):
        hand = hand._bet(player, min(stakes.ante, stacks[player]))
    hand = hand.collect()
    for poster, chips in ((blinds.small, stakes.small), (blinds.big, stakes.blind)):
        if poster is not None:
            hand = hand._bet(poster, min(chips, hand.stacks[poster]))
    # A big blind counts as a full bet, even if its player has fewer chips.
    level = 0 if blinds.big is None else stakes.blind
    return replace(
        hand, level=level, full=level, rise=stakes.blind, raises=int(blinds.big is not None)
    )._open_betting()
