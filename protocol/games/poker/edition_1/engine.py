"""Replay of one hand of poker in pokerkit. Betting rules, pots, side pots, ties and the ranking of
hands are pokerkit's.

A hand is represented by its steps, so that the state of the game is a plain value. `replay_hand`
caches the hand after each sequence of steps, and computes a hand from the one before its last step.
Hole cards are unknown ("??") until their holder shows them; pokerkit can play with unknown cards.
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from pokerkit import (
    Automation,
    BetCollection,
    BettingStructure,
    Card,
    ChipsPushing,
    Deck,
    FixedLimitTexasHoldem,
    NoLimitTexasHoldem,
    Opening,
    StandardHighHand,
    State,
    Street,
)

from protocol.games.poker.cards import code
from protocol.games.poker.pots import Shares

# bets and raises on one street, after which the only raise is all in
MAX_RAISES = 40

UNKNOWN = "??"
# fold | call | raise, amount | exchange, number of cards | board, pieces | show, pieces | muck |
# wait
BettingStep = tuple[str, *tuple[int, ...]]

# Fixed limit: most bets and raises on one street, including the first bet (Robert's Rules).
HOLDEM_BETS = 4
DRAW_BETS = 5
# depth of the recursion over steps; must stay below Python's recursion limit
MAX_REPLAY_DEPTH = 100

_AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)


class PokerHand(State):
    """Hand whose board is dealt out before the showdown. pokerkit by itself makes all-in players
    show first.

    The class also records events that pokerkit handles without reporting: uncalled bets that are
    returned, and side pots that are won early.
    """

    # Player who begins the showdown. It is determined before the rest of the board is dealt.
    opened: int | None = None
    uncalled: Shares = ()  # chips returned because nobody called them
    side: tuple[Shares, ...] = ()  # side pots that were won before the others
    # If all others have folded: the part of the last player's bet that others had called. pokerkit
    # never collects these chips into a pot.
    matched: int = 0

    def collect_bets(self, *, commentary: str | None = None) -> BetCollection:
        """Collect bets as pokerkit does, and record the part of the highest bet that nobody
        called.
        """
        highest, second = max(self.bets), sorted(self.bets)[-2]
        alone = self.statuses.index(True) if sum(self.statuses) == 1 else None
        if alone is not None:
            others = max(bet for player, bet in enumerate(self.bets) if player != alone)
            self.matched = min(self.bets[alone], others)
            self._record_uncalled(alone, self.bets[alone] - self.matched)
        elif self.street is not None or self.ante_trimming_status:
            self._record_uncalled(self.bets.index(highest), highest - second)
        return super().collect_bets(commentary=commentary)

    def _record_uncalled(self, player: int, chips: int) -> None:
        if chips:
            self.uncalled = (*self.uncalled, (player, chips))

    def _begin_showdown(self) -> None:
        self.opened = self.opener_index if self.opened is None else self.opened
        if self.street is not self.streets[-1]:
            self._begin_dealing()
            return
        self.opener_index = self.opened
        super()._begin_showdown()


class Stakes(NamedTuple):
    """Stakes of a hand. A draw hand has antes, a hold'em hand has blinds."""

    draw: bool
    ante: int
    blind: int  # the big blind, which is also the smallest bet; the small blind is half of it
    # Fixed limit: bets and raises have the size of the smallest bet, in the second half of a hand
    # twice this size.
    fixed: bool = False


@lru_cache(maxsize=256)
def replay_hand(
    stakes: Stakes, stacks: tuple[int, ...], steps: tuple[BettingStep, ...]
) -> PokerHand:
    """Return the hand after these steps, with the hole cards of all players dealt. Callers must not
    change it, because the cache shares it.

    `stacks` are in the order of play: the player after the button first, the button last. Raises:
    ValueError if the rules do not allow a step.
    """
    if not steps:
        return _new_hand(stakes, stacks)
    # If the cache has dropped the earlier hands, recompute them from the front. This avoids deep
    # recursion.
    for end in range(MAX_REPLAY_DEPTH, len(steps), MAX_REPLAY_DEPTH):
        replay_hand(stakes, stacks, steps[:end])
    state = _copy_hand(replay_hand(stakes, stacks, steps[:-1]))
    _apply_step(state, steps[-1])
    _deal_face_down(state)
    return state


def _copy_hand(state: PokerHand) -> PokerHand:
    """Copy a hand so that the copy can change by itself: copy its lists, and the lists in these
    lists.
    """
    fresh = copy(state)
    for name, value in vars(state).items():
        if isinstance(value, list | deque | set):
            own = [inner.copy() if isinstance(inner, list | deque) else inner for inner in value]
            setattr(fresh, name, own if isinstance(value, list) else type(value)(own))
    # Clear pokerkit's own history: only operations of the last step are read, and each step would
    # copy all of it.
    fresh.operations = []
    return fresh


def _new_hand(stakes: Stakes, stacks: tuple[int, ...]) -> PokerHand:
    blinds = () if stakes.draw else (stakes.blind // 2, stakes.blind)
    streets = _draw_streets(stakes) if stakes.draw else _holdem_streets(stakes, blinds)
    limit = BettingStructure.NO_LIMIT
    if stakes.fixed:
        limit = BettingStructure.FIXED_LIMIT
        streets = _cap_raises(stakes, streets, len(stacks))
    hands = (StandardHighHand,)
    state = PokerHand(
        _AUTOMATIONS,
        Deck.STANDARD,
        hands,
        streets,
        limit,
        True,
        stakes.ante,
        blinds,
        0,
        stacks,
        len(stacks),
    )
    _deal_face_down(state)
    return state


def _draw_streets(stakes: Stakes) -> tuple[Street, ...]:
    after = stakes.blind * (1 + stakes.fixed)
    return (
        Street(False, (False,) * 5, 0, False, Opening.POSITION, stakes.blind, None),
        Street(False, (), 0, True, Opening.POSITION, after, None),
    )


def _holdem_streets(stakes: Stakes, blinds: tuple[int, ...]) -> tuple[Street, ...]:
    if stakes.fixed:
        return FixedLimitTexasHoldem(
            _AUTOMATIONS, True, stakes.ante, blinds, stakes.blind, 2 * stakes.blind
        ).streets
    return NoLimitTexasHoldem(_AUTOMATIONS, True, stakes.ante, blinds, stakes.blind).streets


def _cap_raises(stakes: Stakes, streets: tuple[Street, ...], players: int) -> tuple[Street, ...]:
    """Limit the number of bets and raises on each street, where the big blind counts as the first
    bet. Two players have no such limit.
    """
    most = DRAW_BETS if stakes.draw else HOLDEM_BETS
    counts = [most - (street is streets[0] and not stakes.draw) for street in streets]
    if players == 2:
        counts = [MAX_RAISES for _ in streets]
    return tuple(
        replace(street, max_completion_betting_or_raising_count=count)
        for street, count in zip(streets, counts, strict=True)
    )


def _deal_face_down(state: State) -> None:
    """Deal hole cards and burn cards face down: no player sees any of these cards."""
    while state.status and (state.can_deal_hole() or state.can_burn_card(UNKNOWN)):
        if state.can_burn_card(UNKNOWN):
            state.burn_card(UNKNOWN)
        else:
            state.deal_hole(UNKNOWN)


def _apply_step(state: PokerHand, step: BettingStep) -> None:
    verb, *numbers = step
    match verb:
        case "fold":
            state.fold()
        case "call":
            state.check_or_call()
        case "raise":
            state.complete_bet_or_raise_to(numbers[0])
        case "exchange":
            state.stand_pat_or_discard(UNKNOWN * numbers[0])
        case "board":
            state.deal_board(_parse_cards(state, numbers))
        case "show":
            state.show_or_muck_hole_cards(_parse_cards(state, numbers))
        case "wait":  # the other players show first
            state.showdown_indices.rotate(-1)
        case _:
            _take_uncontested(state)
            state.show_or_muck_hole_cards(False)


def _take_uncontested(state: PokerHand) -> None:
    """Settle side pots before a player mucks: the player takes those that nobody else can win any
    more.

    pokerkit has no rule for a pot that nobody claims. This function therefore takes such pots out
    of pokerkit's accounts, by adjusting `payoffs`: the chips that every player has won or lost.
    """
    player, pots = state.showdown_index, list(state.pots)
    own = sum(pot.unraked_amount for pot in pots if pot.player_indices == (player,))
    if player is None or not own:
        return
    rest = sum(pot.unraked_amount for pot in pots) - own
    paid = [-payoff for payoff in state.payoffs]
    # side pots lie above the contested pots, so find the level of payments up to which pots are
    # contested
    levels = range(max(paid) + 1)
    level = bisect_left(levels, rest, key=lambda level: sum(min(chips, level) for chips in paid))
    state.payoffs = [-min(chips, level) for chips in paid]
    state.stacks[player] += own
    state.side = (*state.side, ((player, own),))


def pot_shares(hand: PokerHand, taker: int | None) -> tuple[tuple[Shares, ...], Shares]:
    """Return the shares of the pots of a finished hand, the main pot first, and the chips that
    nobody called.

    `taker` is the last player left if all others left the table or mucked. pokerkit does not know
    about this case.
    """
    if taker is not None:
        called = max(bet for player, bet in enumerate(hand.bets) if player != taker)
        back = max(hand.bets[taker] - called, 0)
        pot = ((taker, hand.total_pot_amount - back),)
        return (pot, *hand.side), (*hand.uncalled, *(((taker, back),) if back else ()))
    pushed = [
        operation.amounts for operation in hand.operations if isinstance(operation, ChipsPushing)
    ]
    pots = [
        tuple((player, chips) for player, chips in enumerate(amounts) if chips)
        for amounts in pushed
    ]
    if hand.matched:
        (winner,) = {player for pot in pots for player, _ in pot}
        pots = [((winner, hand.matched + sum(chips for pot in pots for _, chips in pot)),)]
    return (*pots, *hand.side), hand.uncalled


def split_pots(hand: PokerHand, live: Sequence[int]) -> tuple[Shares, ...]:
    """Split each pot of a hand that breaks off between two streets. Players who could win the pot
    and are `live` get equal shares.

    Odd chips go one by one to the first of these players after the button. Therefore no live player
    gets less than it paid into the pots, and live players share the chips of players who folded or
    left.
    """
    pots = []
    for pot in hand.pots:
        players = [player for player in pot.player_indices if player in live] or list(
            pot.player_indices
        )
        each, odd = divmod(pot.unraked_amount, len(players))
        pots.append(tuple((player, each + (place < odd)) for place, player in enumerate(players)))
    return tuple(pots)


def raise_amounts(hand: PokerHand) -> range:
    """Amounts that the player to act may bet or raise to. After `MAX_RAISES` raises on a street only
    all-in is left.
    """
    low, high = (
        hand.min_completion_betting_or_raising_to_amount,
        hand.max_completion_betting_or_raising_to_amount,
    )
    if low is None or high is None:
        return range(0)
    return range(high if hand.completion_betting_or_raising_count >= MAX_RAISES else low, high + 1)


def _parse_cards(state: State, pieces: list[int]) -> tuple[Card, ...]:
    """Parse cards that become visible. In some dealings a false card is detected only later, so the
    same card may appear twice.
    """
    cards = tuple(Card.parse(code(tuple(pieces))))
    state.deck_cards.extend(card for card in cards if card not in state.deck_cards)
    return cards
