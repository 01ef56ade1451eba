"""Rules of Texas hold'em, Omaha and five-card draw, for play money (docs/protocol, chapter 18).

A match is a number of hands, and seats keep their chips from one hand to the next. `betting` has
the bets and pots of a hand, `ranking` compares hands, and `button` places button and blinds. This
module adds the path of the hidden cards and the turns that result from it. The joint randomness of
the seats draws the first button. A hand that is folded, or mucked at the end, is never shown.
"""

from collections.abc import Callable

from protocol import schema
from protocol.codes import Code
from protocol.crypto.joint_randomness import JointRandomness
from protocol.errors import Refused
from protocol.fast_replace import replace
from protocol.games import (
    Act,
    Action,
    Game,
    Hand,
    Misplay,
    Over,
    Settle,
    Want,
)
from protocol.games.operations import (
    EVERYBODY,
    Lay,
    Look,
    Operation,
    Pile,
    PutAway,
    Reveal,
    Shuffle,
)
from protocol.games.poker.betting import BettingHand, Blinds, Limit, Stage, Stakes, begin_hand
from protocol.games.poker.button import (
    ButtonRule,
    first_places,
    next_places,
    play_order,
)
from protocol.games.poker.cards import CARDS
from protocol.games.poker.phases import HAND_PHASES, Decision, PokerPhase
from protocol.games.poker.ranking import can_win
from protocol.games.poker.state import PokerState
from protocol.limits import MAX_POKER_REBUYS, MAX_POKER_SEATS, MAX_POKER_STACK
from protocol.options import Values

HOLDEM, DRAW, OMAHA = "texas-holdem", "five-card-draw", "omaha"
HOLE_CARDS = {HOLDEM: 2, DRAW: 5, OMAHA: 4}  # number of hidden cards per seat
OWN_CARDS = {OMAHA: 2}  # number of hidden cards that count in a hand, exactly


class Poker(Game[PokerState]):
    """Rules of one variant, for a number of seats and a set of options. The object itself has no
    state.
    """

    can_sit_out = True

    def __init__(self, name: str, seats: int, values: Values) -> None:
        self.name, self.seats = name, seats
        self.hands, self.stack = int(values["hands"]), int(values["stack"])
        self.levels, self.rebuys = int(values["levels"]), int(values["rebuys"])
        self.pieces = CARDS
        self.hole = HOLE_CARDS[name]
        self.own_small = int(values.get("small", 0))  # 0: half of the big blind
        self.button_rule = ButtonRule(str(values.get("button", ButtonRule.MOVING)))
        self.stakes = self._with_small(
            Stakes(
                draw=name == DRAW,
                ante=int(values["ante"]),
                blind=int(values["blind"]),
                limit=Limit(str(values["limit"])),
                free_folds=values["folds"] == "free",
                own=OWN_CARDS.get(name, 0),
            ),
            0,
        )
        exchange = (PutAway((0,)), Look(self.hole, 0))
        short = 2 * self.hole * seats > len(CARDS)
        board = (Look(3, EVERYBODY),)
        self.required_operations: tuple[Lay | Operation, ...] = (
            board if name != DRAW else (*exchange, Shuffle()) if short else exchange
        )

    def start(self, chance: JointRandomness) -> PokerState:
        """Give all seats the same chips, and the button to a random seat."""
        stacks, bought = (self.stack,) * self.seats, (0,) * self.seats
        before = first_places(chance.uniform_below(self.seats))
        return self._next_hand(
            PokerState(self.stakes, PokerPhase.DEAL, stacks, before, before, bought=bought)
        )

    def wants(self, state: PokerState) -> Want:
        """Return the request for the next step of the match."""
        match state.phase:
            case PokerPhase.DEAL:
                return Lay((Pile(len(CARDS), self.hole),), state.players)
            case PokerPhase.RESHUFFLE:
                return (Shuffle(),)
            case PokerPhase.SETTLE:
                return Settle(show=state.hands_to_open)
            case PokerPhase.OVER:
                return Over()
        seat = state.to_act
        if seat is None:
            return (Look(state.running.board_count, EVERYBODY),)
        return Act((seat,), automatic=state.decision is Decision.SHOW)

    def after_deal(self, state: PokerState, turned_up: Hand) -> PokerState:
        """Return the state after cards were dealt, turned up or shuffled back into the stock."""
        if state.phase is PokerPhase.DEAL:
            stock = len(CARDS) - self.hole * len(state.players)
            return self._act_for_absent(
                replace(
                    state,
                    phase=PokerPhase.PLAY,
                    hand=state.hand + 1,
                    stock=stock,
                    result=None,
                    betting=_begin_betting(state),
                )
            )
        if state.phase is PokerPhase.RESHUFFLE:
            return self._act_for_absent(
                replace(
                    state, phase=PokerPhase.PLAY, stock=state.stock + state.put_away, put_away=0
                )
            )
        new = turned_up[len(state.board) :]
        return self._act_for_absent(
            replace(
                state,
                betting=state.running.turn_up(new),
                board=turned_up,
                stock=state.stock - len(new),
            )
        )

    def parse(self, raw: object) -> Action:
        """Convert decoded MessagePack to an action. Raises: `Refused(BAD_ACTION)` if `raw` is no
        action of this game.
        """
        if type(raw) is not list or not raw or type(raw[0]) is not str or raw[0] not in ACTIONS:
            raise Refused(Code.BAD_ACTION)
        if not ACTIONS[raw[0]](raw[1:]):
            raise Refused(Code.BAD_ACTION)
        return tuple(raw)

    def check(self, state: PokerState, seat: int, action: Action) -> tuple[Operation, ...]:
        """Check that the action is legal, and return the operations that it needs. Raises: Refused
        if the action is illegal.
        """
        if seat != state.to_act:
            raise Refused(Code.NOT_YOUR_TURN)
        verb, *numbers = action
        if VERBS.get(verb) is not state.decision or not self._is_legal(state, verb, numbers):
            raise Refused(Code.ILLEGAL_MOVE)
        if verb == "show":
            return tuple(Reveal(piece) for piece in numbers)
        exchanged = verb == "exchange" and numbers
        return (PutAway(tuple(numbers)), Look(len(numbers), seat)) if exchanged else ()

    def _is_legal(self, state: PokerState, verb: str, numbers: list[int]) -> bool:
        match verb:
            case "fold":
                return state.running.may_fold()
            case "raise":
                return numbers[0] in state.raise_amounts
            case "exchange":
                ascending = numbers == sorted(set(numbers)) and all(
                    slot < self.hole for slot in numbers
                )
                return ascending and len(numbers) <= state.stock
            case "show":
                return len(set(numbers)) == len(numbers) == self.hole
            case "muck":
                return not state.all_show
        return True

    def legal(self, state: PokerState, seat: int, hand: Hand) -> tuple[Action, ...]:
        """List all actions of this seat, depending on the decision: fold, call and every raise;
        every exchange; show, or muck a beaten hand; rebuy or decline.
        """
        if seat != state.to_act:
            return ()
        match state.decision:
            case Decision.BET:
                fold: tuple[Action, ...] = (("fold",),) if state.running.may_fold() else ()
                return (*fold, ("call",), *(("raise", amount) for amount in state.raise_amounts))
            case Decision.EXCHANGE:
                choices = (
                    tuple(slot for slot in range(self.hole) if mask >> slot & 1)
                    for mask in range(1 << self.hole)
                )
                return tuple(("exchange", *slots) for slots in choices if len(slots) <= state.stock)
            case Decision.REBUY:
                return (("decline",), ("rebuy",))
        show = ("show", *hand)
        if state.all_show or can_win(hand, state.board, state.shown, self.stakes.own):
            return (show,)
        return (("muck",),) if seat in state.away else (show, ("muck",))

    def apply(self, state: PokerState, seat: int, action: Action) -> PokerState:
        """Return the state after an action that the caller has checked."""
        verb, *numbers = action
        state = replace(state, choosing=None)
        if verb in ("rebuy", "decline"):
            return self._between_hands(state.after_rebuy(self.stack if verb == "rebuy" else 0))
        if verb == "exchange":
            count = len(numbers)
            state = replace(state, stock=state.stock - count, put_away=state.put_away + count)
        if verb == "show":
            return self._act_for_absent(state.after_show(seat, tuple(numbers)))
        betting = _step(state.running, verb, *numbers)
        return self._act_for_absent(replace(state, betting=betting))

    def timeout(self, state: PokerState, seat: int) -> Action | None:
        """Choose for an absent seat: check if this costs nothing, otherwise fold; exchange no
        cards; muck; decline to rebuy.
        """
        return self._absent_action(state)

    def forfeit(self, state: PokerState, seat: int) -> PokerState:
        """Return the state after a seat has left. It folds at its next turn, and keeps the chips in
        its stack.
        """
        if seat in state.out or state.phase is PokerPhase.OVER:
            raise Refused(Code.NOT_NOW)
        lapsed = tuple(other for other in state.lapsed if other != seat)
        state = replace(state, out=state.out | {seat}, lapsed=lapsed)
        if state.phase is PokerPhase.REBUY:
            return self._between_hands(state)
        if state.phase is PokerPhase.DEAL:
            return self._seat_players(state)
        return (
            self._act_for_absent(state.resume_show())
            if state.phase in HAND_PHASES or state.hands_to_open
            else state
        )

    def keep_claim(self, state: PokerState, seat: int, left: bool) -> PokerState | None:
        """Return the state after the time of an all-in seat has run out: the others open its hand
        at the end. None if the seat has no such claim.
        """
        if not state.is_all_in(seat) or not (left or state.all_show):
            return None
        state = replace(
            state, lapsed=(*state.lapsed, seat), out=state.out | {seat} if left else state.out
        )
        return self._act_for_absent(state.resume_show())

    def drop_claims(self, state: PokerState) -> PokerState:
        """Muck the hands of lapsed seats because they cannot be opened, as silent seats do by the
        rules.
        """
        return (
            self._act_for_absent(replace(state.resume_show(), unopened=True))
            if state.lapsed
            else state
        )

    def sit_out_choice(self, state: PokerState, seat: int) -> bool | None:
        """Choice between sitting out and coming back. A seat may change once per hand."""
        may_buy = seat in state.away - state.declined and state.bought[seat] < self.rebuys
        plays = state.stacks[seat] > 0 or seat in state.waiting or may_buy
        return (
            None
            if seat in state.moved or not plays or state.phase is PokerPhase.OVER
            else seat not in state.away
        )

    def sit_out(self, state: PokerState, seat: int, out: bool) -> PokerState:
        """Return the state in which `seat` sits out, or no longer sits out."""
        away = state.away | {seat} if out else state.away - {seat}
        choosing = seat if seat == state.to_act else state.choosing
        return replace(state, away=away, moved=state.moved | {seat}, choosing=choosing)

    def abandon(self, state: PokerState) -> PokerState:
        """Split the pots among the seats that can still win. A seat that has folded or left keeps
        its stack.
        """
        over = self.drop_claims(state)
        over = (
            over
            if over.phase is PokerPhase.SETTLE
            else replace(over, phase=PokerPhase.SETTLE, broken_off=True)
        )
        return self.settle(over, (), ())[0]

    def settle(
        self, state: PokerState, dealt: tuple[Hand, ...], drawn: tuple[Hand, ...]
    ) -> tuple[PokerState, tuple[Misplay, ...]]:
        """Pay out the pots; misplays are impossible. For lapsed seats the hands that the others
        have opened count as shown.
        """
        for seat in state.hands_to_open:
            state = state.after_show(seat, (*dealt[seat], *drawn[seat]))
        over = replace(state, phase=PokerPhase.REBUY, stacks=state.chips, result=state.ended())
        return self._between_hands(over.without_hand()), ()

    def scores(self, state: PokerState) -> tuple[int, ...]:
        """Chips of each seat."""
        return state.chips

    def winner(self, state: PokerState) -> int | None:
        """Seat with the most chips at the end. None: the match is going on, or several seats have
        the most.
        """
        if state.phase is not PokerPhase.OVER:
            return None
        able = state.seats_with_chips()
        most = max((state.stacks[seat] for seat in able), default=0)
        best = [seat for seat in able if state.stacks[seat] == most]
        return best[0] if len(best) == 1 else None

    def _between_hands(self, state: PokerState) -> PokerState:
        """Begin the pause between hands. Seats that have lost everything may first buy another
        stack, one seat after the other, if the match can then go on for them.
        """
        broke = state.seats_without_chips(self.rebuys) if state.hand < self.hands else ()
        if broke and len(broke) + len(state.seats_with_chips()) > 1:
            return replace(state, waiting=broke)
        return self._next_hand(state)

    def _next_hand(self, state: PokerState) -> PokerState:
        """Prepare the next hand: move the button (not for the first hand), and include every seat
        that has chips.
        """
        state = replace(state, waiting=(), moved=frozenset())
        if len(state.seats_with_chips()) < 2 or state.hand >= self.hands:
            return replace(state, phase=PokerPhase.OVER)
        stakes = self.stakes_of(state.hand + 1)
        before = state.places if state.hand else state.before
        return self._seat_players(
            replace(state, phase=PokerPhase.DEAL, stakes=stakes, before=before)
        )

    def _seat_players(self, state: PokerState) -> PokerState:
        """Find the players of the next hand, and the places of button and blinds."""
        able = state.seats_with_chips()
        if len(able) < 2:
            return replace(state, phase=PokerPhase.OVER, players=able)
        blinds = not state.stakes.draw
        places = next_places(able, state.before, self.button_rule, blinds=blinds)
        return replace(state, places=places, players=play_order(able, places.button))

    def stakes_of(self, hand: int) -> Stakes:
        """Stakes of hand number `hand`, from 1. They double with each level while they are at most
        `stack`.
        """
        ante, blind = self.stakes.ante, self.stakes.blind
        doubled = (self.stack // max(ante, blind)).bit_length() - 1
        doubled = min((hand - 1) // self.levels, doubled) if self.levels else 0
        stakes = self.stakes._replace(ante=ante << doubled, blind=blind << doubled)
        return self._with_small(stakes, doubled)

    def _with_small(self, stakes: Stakes, doubled: int) -> Stakes:
        """Return the stakes with their small blind, after the stakes have doubled so often."""
        if stakes.draw:
            return stakes
        return stakes._replace(small=self.own_small << doubled or stakes.blind // 2)

    def _act_for_absent(self, state: PokerState) -> PokerState:
        """Act for seats that have left or sit out, until another seat is to act, cards are wanted,
        or the hand is over.
        """
        state = _award_last(state)
        while state.absent:
            if state.claims:
                state = state.postpone_show()
                continue
            (verb,) = self._absent_action(state)
            state = _award_last(replace(state, betting=_step(state.running, verb)))
        if state.decision is Decision.NOTHING:
            return replace(state, phase=PokerPhase.SETTLE)
        short = state.decision is Decision.EXCHANGE and state.stock < self.hole and state.put_away
        return replace(state, phase=PokerPhase.RESHUFFLE) if short else state

    def _absent_action(self, state: PokerState) -> Action:
        match state.decision:
            case Decision.BET:
                return ("fold",) if _price(state.running) else ("call",)
            case Decision.EXCHANGE:
                return ("exchange",)
            case Decision.REBUY:
                return ("decline",)
        return ("muck",)


def _award_last(state: PokerState) -> PokerState:
    """Give all pots to the last seat that has not folded, mucked or left."""
    live = state.live
    last = state.taker is None and state.running.stage is not Stage.OVER and len(live) == 1
    return replace(state, taker=live[0]) if last else state


def _begin_betting(state: PokerState) -> BettingHand:
    """Begin the hand of the players that cards are dealt to."""
    players, places = state.players, state.places
    blinds = Blinds(_player_at(players, places.small), _player_at(players, places.big))
    return begin_hand(state.stakes, tuple(state.stacks[seat] for seat in players), blinds)


def _price(hand: BettingHand) -> int:
    """Chips that a call costs the player to act."""
    return 0 if hand.actor is None else hand.price(hand.actor)


def _player_at(players: tuple[int, ...], seat: int | None) -> int | None:
    return players.index(seat) if seat in players else None


def _step(hand: BettingHand, verb: str, *numbers: int) -> BettingHand:
    """Return the hand after a step that is no show. An exchange names places, which are of no
    importance for the betting.
    """
    match verb:
        case "fold":
            return hand.fold()
        case "call":
            return hand.call()
        case "raise":
            return hand.raise_to(numbers[0])
        case "exchange":
            return hand.exchange()
    return hand.muck()


VERBS: dict[str, Decision] = {
    "fold": Decision.BET,
    "call": Decision.BET,  # call or check
    "raise": Decision.BET,  # raise or bet to this amount
    # Places of the cards in the hand, in ascending order. An empty list means standing pat.
    "exchange": Decision.EXCHANGE,
    "show": Decision.SHOW,  # shows all hole cards
    "muck": Decision.SHOW,
    "rebuy": Decision.REBUY,
    "decline": Decision.REBUY,
}
_PIECES = schema.many(schema.uint(len(CARDS) - 1), 0, 5)
ACTIONS: dict[str, Callable[[object], bool]] = {
    "fold": schema.fields(),
    "call": schema.fields(),
    "raise": schema.fields(schema.uint(MAX_POKER_STACK * MAX_POKER_SEATS * (1 + MAX_POKER_REBUYS))),
    "exchange": _PIECES,
    "show": _PIECES,
    "muck": schema.fields(),
    "rebuy": schema.fields(),
    "decline": schema.fields(),
}
