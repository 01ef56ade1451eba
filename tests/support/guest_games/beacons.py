"""Game "beacons": every seat has a small pack of its own, with two cards in the hand. Some cards
lie in the middle for all.

At its turn a seat plays a card, searches the rest of its pack (and puts the cards back in a secret
order), takes one of them, or looks at a card of the next seat. After three turns each, the middle
is revealed. The highest sum wins: the cards that a seat has played, and the middle for the seat
that has played most.
"""

from dataclasses import dataclass, field, replace

from protocol import schema
from protocol.codes import Code
from protocol.errors import Refused
from protocol.games import Act, Game, Over, Settle
from protocol.games.decks.deck_hand import DeckHand, PrivateHalf
from protocol.games.operations import Lay, LookAt, OpenCard, Pile, RevealCards, ShuffleCards

PACK, HELD, MIDDLE, TURNS = 4, 2, 2, 3


@dataclass(frozen=True)
class State:
    packs: tuple[tuple[int, ...], ...]  # by seat: cards neither in its hand nor played
    held: tuple[tuple[int, ...], ...]
    faces: dict[int, int] = field(default_factory=dict)  # face of each card that everybody knows
    # cards that another seat has looked at after their holder
    spied: frozenset[int] = frozenset()
    turns: int = 0
    laid: bool = False
    todo: tuple = ()  # operations that the rules ask for next
    out: frozenset[int] = frozenset()
    settled: bool = False


class Half(PrivateHalf[State]):
    """Private half without secrets, except for the faces that the seat sees."""

    def __init__(self, game, bound, seat, rng, brings):
        pass

    def hand(self, visible):
        return DeckHand(visible, {})

    def respond(self, state, held):
        return None


class Beacons(Game[State]):
    name = "beacons"

    def __init__(self, name, seats, options):
        self.seats = seats
        self.pieces = tuple(f"{seat}/{n}" for seat in range(seats) for n in range(PACK))
        self.pieces += tuple(f"middle/{n}" for n in range(MIDDLE))
        packs = tuple(Pile(PACK, owner=seat, loose=True) for seat in range(seats))
        self.lay = Lay((*packs, Pile(MIDDLE, loose=True)))
        self.middle = tuple(range(PACK * seats, PACK * seats + MIDDLE))
        self.required_operations = (
            self.lay,
            ShuffleCards((0, 1)),
            LookAt((0,), (0,)),
            RevealCards((0,)),
            OpenCard(0, 0),
        )

    def start(self, chance):
        packs = tuple(tuple(range(PACK * seat, PACK * (seat + 1))) for seat in range(self.seats))
        return State(tuple(pack[HELD:] for pack in packs), tuple(pack[:HELD] for pack in packs))

    def wants(self, state):
        if state.settled:
            return Over()
        if not state.laid:
            return self.lay
        if state.todo:
            return state.todo
        seat = self.turn(state)
        return Settle(()) if seat is None else Act((seat,))

    def turn(self, state):
        order = [seat for _ in range(TURNS) for seat in range(self.seats)]
        return next((seat for seat in order[state.turns :] if seat not in state.out), None)

    def after_deal(self, state, turned_up):
        if not state.laid:
            shuffled = [
                ShuffleCards((*pack, *held))
                for pack, held in zip(state.packs, state.held, strict=True)
            ]
            looks = [LookAt(held, (seat,)) for seat, held in enumerate(state.held)]
            return replace(state, laid=True, todo=(*shuffled, ShuffleCards(self.middle), *looks))
        asked = (
            card for each in state.todo if isinstance(each, RevealCards) for card in each.cards
        )
        return self.ending(
            replace(
                state, todo=(), faces={**state.faces, **dict(zip(asked, turned_up, strict=True))}
            )
        )

    def ending(self, state):
        done = self.turn(state) is None and self.middle[0] not in state.faces
        return replace(state, todo=(RevealCards(self.middle),)) if done and state.laid else state

    def parse(self, raw):
        play = schema.fields(lambda word: word == "play", schema.uint(999), schema.uint(999))
        card = schema.fields(lambda word: word in ("take", "spy", "show"), schema.uint(999))
        if raw != ["search"] and not play(raw) and not card(raw):
            raise Refused(Code.BAD_ACTION)
        return tuple(raw)

    def check(self, state, seat, action):
        match action:
            case ("play", card, piece) if card in state.held[seat] and card not in state.spied:
                if piece not in self.own(seat) or piece in state.faces.values():
                    raise Refused(Code.ILLEGAL_MOVE)
                return (OpenCard(card, piece),)
            case ("show", card) if card in state.held[seat] and card in state.spied:
                return ()
            case ("search",) if len(state.packs[seat]) > 1:
                pack = state.packs[seat]
                return LookAt(pack, (seat,)), ShuffleCards(pack, by=(seat,))
            case ("take", card) if card in state.packs[seat]:
                return (LookAt((card,), (seat,)),)
            case ("spy", card) if (
                card in state.held[(seat + 1) % self.seats] and card not in state.faces
            ):
                return (LookAt((card,), (seat,)),)
        raise Refused(Code.ILLEGAL_MOVE)

    def own(self, seat):
        return range(PACK * seat, PACK * (seat + 1))

    def legal(self, state, seat, hand):
        plays = [
            ("play", card, hand.visible[card]) for card in state.held[seat] if card in hand.visible
        ]
        cards = range(len(self.pieces))
        tried = [
            *plays,
            ("search",),
            *((word, card) for word in ("show", "take", "spy") for card in cards),
        ]
        return tuple(action for action in tried if self.is_legal(state, seat, action))

    def is_legal(self, state, seat, action):
        try:
            self.check(state, seat, action)
        except Refused:
            return False
        return True

    def apply(self, state, seat, action):
        held, packs = list(state.held), list(state.packs)
        match action:
            case ("play", card, piece):
                held[seat] = tuple(own for own in held[seat] if own != card)
                state = replace(state, faces={**state.faces, card: piece})
            case ("show", card):
                held[seat] = tuple(own for own in held[seat] if own != card)
                state = replace(state, todo=(RevealCards((card,)),))
            case ("take", card):
                held[seat] += (card,)
                packs[seat] = tuple(own for own in packs[seat] if own != card)
            case ("spy", card):
                state = replace(state, spied=state.spied | {card})
        return self.on(replace(state, held=tuple(held), packs=tuple(packs)), seat)

    def on(self, state, seat):
        turns = next(n for n in range(state.turns, TURNS * self.seats) if n % self.seats == seat)
        state = replace(state, turns=turns + 1)
        return state if state.todo else self.ending(state)

    def timeout(self, state, seat):
        return ("rest",)

    def forfeit(self, state, seat):
        state = replace(state, out=state.out | {seat})
        alone = len(state.out) == self.seats - 1
        return (
            replace(state, settled=True, todo=())
            if alone
            else self.ending(state)
            if not state.todo
            else state
        )

    def abandon(self, state):
        return replace(state, settled=True)

    def settle(self, state, dealt, drawn):
        assert not any(dealt) and not any(drawn), "loose cards are the rules' own affair"
        return replace(state, settled=True), ()

    def scores(self, state):
        played = [
            sum(n for n in state.faces.values() if n in self.own(seat))
            for seat in range(self.seats)
        ]
        return tuple(played)

    def winner(self, state):
        present = [seat for seat in range(self.seats) if seat not in state.out]
        return (
            max(present, key=self.scores(state).__getitem__) if state.settled and present else None
        )
