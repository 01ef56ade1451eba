"""Game "draws": every seat has its own pile and draws a hand from it. In turn, a seat shows a card,
or puts its hand back and draws again. Once all have shown enough or have no cards, the last cards
are shown. The highest cards score.
"""

from dataclasses import dataclass, replace

from protocol import schema
from protocol.codes import Code
from protocol.errors import Refused
from protocol.games import Act, Game, Over, Settle
from protocol.games.operations import Lay, LookAt, OpenCard, Pile, RevealCards, ShuffleCards

PILE, HAND, TURNS = 8, 3, 2


@dataclass(frozen=True)
class State:
    hands: tuple[tuple[int, ...], ...] = ()  # by seat: cards; () while they are in their piles
    turns: int = 0
    points: tuple[int, ...] = ()
    stage: str = "lay"  # stage: lay, hide, play, back, show, settle or over
    back: int = 0  # seat that draws again
    out: frozenset[int] = frozenset()


class Draws(Game[State]):
    name = "draws"

    def __init__(self, name, seats, options):
        self.seats = seats
        self.pieces = tuple(f"{seat}/{number}" for seat in range(seats) for number in range(PILE))
        self.piles = tuple(Pile(PILE, owner=seat, loose=True) for seat in range(seats))
        self.required_operations = (
            Lay(self.piles),
            ShuffleCards((0,)),
            LookAt((0,), (0,)),
            RevealCards((0,)),
            OpenCard(0, 0),
        )

    def start(self, chance):
        hands = tuple(tuple(range(seat * PILE, seat * PILE + HAND)) for seat in range(self.seats))
        return State(hands, points=(0,) * self.seats)

    def pile(self, seat):
        return tuple(range(seat * PILE, (seat + 1) * PILE))

    def able(self, state):
        return [seat for seat in range(self.seats) if seat not in state.out]

    def wants(self, state):
        match state.stage:
            case "lay":
                return Lay(self.piles)
            case "hide":
                hide = [ShuffleCards(self.pile(seat)) for seat in self.able(state)]
                return (*hide, *(LookAt(state.hands[seat], (seat,)) for seat in self.able(state)))
            case "play":
                return Act((self.turn(state),))
            case "back":
                hand = state.hands[state.back]
                return ShuffleCards(self.unseen(state, state.back)), LookAt(hand, (state.back,))
            case "show":
                return (RevealCards(tuple(state.hands[seat][-1] for seat in self.able(state))),)
            case "settle":
                return Settle(())
        return Over()

    def unseen(self, state, seat):
        return tuple(
            card for card in self.pile(seat) if card not in range(seat * PILE, state.hands[seat][0])
        )

    def turn(self, state):
        able = self.able(state)
        return able[state.turns % len(able)]

    def after_deal(self, state, turned_up):
        if state.stage == "show":
            for piece in turned_up:
                state = self.scored(state, piece // PILE, piece)
            return replace(state, stage="settle")
        return replace(state, stage="hide") if state.stage == "lay" else self.playing(state)

    def scored(self, state, seat, piece):
        points = tuple(
            old + (seat == other) * (piece % PILE) for other, old in enumerate(state.points)
        )
        return replace(state, points=points)

    def parse(self, raw):
        if raw != ["again"] and not schema.fields(
            lambda word: word == "show", schema.uint(), schema.uint()
        )(raw):
            raise Refused(Code.BAD_ACTION)
        return tuple(raw)

    def check(self, state, seat, action):
        if state.stage != "play" or seat != self.turn(state):
            raise Refused(Code.NOT_YOUR_TURN)
        if action == ("again",):
            return ()
        if action[1] != state.hands[seat][0] or action[2] // PILE != seat:
            raise Refused(Code.ILLEGAL_MOVE)
        return (OpenCard(action[1], action[2]),)

    def legal(self, state, seat, hand):
        if state.stage != "play" or seat != self.turn(state):
            return ()
        return (("show", state.hands[seat][0], hand[0]), ("again",))

    def apply(self, state, seat, action):
        if action == ("again",):
            state = replace(state, stage="back", back=seat)
        else:
            rest = tuple(
                hand[1:] if seat == other else hand for other, hand in enumerate(state.hands)
            )
            state = self.scored(replace(state, hands=rest), seat, action[2])
        state = replace(state, turns=state.turns + 1)
        return state if state.stage == "back" else self.playing(state)

    def playing(self, state):
        last = state.turns >= TURNS * len(self.able(state)) or min(map(len, state.hands)) == 1
        return replace(state, stage="show" if last else "play")

    def forfeit(self, state, seat):
        state = replace(state, out=state.out | {seat})
        alone = len(self.able(state)) < 2
        return (
            replace(state, stage="settle" if state.stage not in ("lay", "over") else "over")
            if alone
            else state
        )

    def settle(self, state, dealt, drawn):
        assert not any(dealt) and not any(drawn), "nothing of a loose pile is dealt or drawn"
        return replace(state, stage="over"), ()

    def scores(self, state):
        return state.points

    def winner(self, state):
        able = self.able(state)
        return max(able, key=state.points.__getitem__) if able else None


class Restless(Draws):
    """Game in which all piles are hidden again and again before the hands are drawn, without an
    action of a seat.
    """

    def wants(self, state):
        return (
            (ShuffleCards(self.pile(0)),)
            if state.stage == "hide" and state.turns < 1000
            else super().wants(state)
        )

    def after_deal(self, state, turned_up):
        if state.stage == "hide" and state.turns < 1000:
            return replace(state, turns=state.turns + 1)
        return super().after_deal(
            replace(state, turns=0) if state.stage == "hide" else state, turned_up
        )


class Greedy(Draws):
    """Rules with an error: they ask for a card that does not exist."""

    def wants(self, state):
        return (RevealCards((10_000,)),) if state.stage == "show" else super().wants(state)
