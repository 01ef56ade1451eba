"""Game for tests of private decks, without a deal: each seat in turn shows its first hidden
slot.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random

from protocol.codes import Code
from protocol.crypto.joint_randomness import JointRandomness
from protocol.errors import Refused
from protocol.games import Act, Action, Game, Hand, MatchBinding, Over, Piece, Want
from protocol.games.decks import Mode
from protocol.games.decks.deck_hand import DeckHand, Loadout, PrivateHalf
from protocol.games.decks.match_decks import (
    ACTIONS,
    DeckPhase,
    DeckTerms,
    MatchDecks,
    apply,
    close,
    forfeit,
    new_decks,
    parse,
    show,
)
from protocol.games.decks.own_deck import OwnDeck
from protocol.games.decks.slot_commitments import opening_bytes
from protocol.games.decks.slot_opening import SlotOpening
from protocol.games.operations import Card, Operation
from protocol.games.spec import GameSpec
from protocol.options import Option, Selection, Values
from tests.support.decks import PROXIES, allows

SHOWN = 2  # cards for each seat to show


@dataclass(frozen=True)
class State:
    """State of the game. The number of shown cards determines the turn."""

    decks: MatchDecks | None = None
    shown: int = 0
    out: frozenset[int] = frozenset()


class Showing(Game[State]):
    """Rules: seat 0 wins, unless it is out."""

    seats = 2

    def __init__(self, name: str, seats: int, options: Values) -> None:
        self.name = name
        self.terms = DeckTerms(
            Mode(options["mode"]), allows, None if options["cards"] == "owned" else PROXIES
        )

    def start(self, chance: JointRandomness) -> State:
        return State()

    def bind(self, state: State, binding: MatchBinding) -> State:
        return replace(state, decks=new_decks(binding))

    def wants(self, state: State) -> Want:
        assert state.decks is not None
        if state.decks.seats_due:
            return Act(state.decks.seats_due, simultaneous=True, automatic=True)
        return Over() if state.decks.phase is DeckPhase.DONE else Act((state.shown % 2,))

    def parse(self, raw: object) -> Action:
        assert isinstance(raw, list) and raw
        return parse(raw) if raw[0] in ACTIONS else tuple(raw)

    def check(self, state: State, seat: int, action: Action) -> tuple[Operation, ...]:
        want = self.wants(state)
        if not isinstance(want, Act) or seat not in want.seats:
            raise Refused(Code.NOT_YOUR_TURN)
        self.apply(state, seat, action)
        return ()

    def legal(self, state: State, seat: int, hand: Hand) -> tuple[Action, ...]:
        assert isinstance(hand, DeckHand) and state.decks is not None
        if state.decks.seats_due or state.decks.phase is not DeckPhase.PLAY:
            return ()
        unseen = state.decks.unopened(seat)
        return (("show", opening_bytes(hand.openings[unseen[0]])) if unseen else ("pass",),)

    def apply(self, state: State, seat: int, action: Action) -> State:
        assert state.decks is not None
        if action[0] in ACTIONS:
            return replace(state, decks=apply(state.decks, seat, action, self.terms))
        decks = show(state.decks, seat, action[1:], self.terms)
        shown = state.shown + 1
        return replace(
            state, shown=shown, decks=close(decks, self.terms) if shown == 2 * SHOWN else decks
        )

    def forfeit(self, state: State, seat: int) -> State:
        assert state.decks is not None
        decks = forfeit(state.decks, seat, self.terms)
        return replace(state, out=state.out | {seat}, decks=close(decks, self.terms))

    def scores(self, state: State) -> tuple[int, ...]:
        return (0, 0)

    def winner(self, state: State) -> int | None:
        assert state.decks is not None
        if state.decks.declined is not None or state.decks.phase is not DeckPhase.DONE:
            return None
        return min({0, 1} - state.out, default=None)


class Half(PrivateHalf[State]):
    """Private half of a seat."""

    def __init__(
        self, game: Showing, bound: MatchBinding, seat: int, rng: Random, brings: Loadout
    ) -> None:
        self._game, self.deck = game, OwnDeck(bound, seat, rng, brings.cards, brings.ownership)
        self._openings: Mapping[Piece, SlotOpening] = {}

    def hand(self, visible: Mapping[Card, Piece]) -> DeckHand:
        return DeckHand(visible, self._openings)

    def respond(self, state: State, held: DeckHand) -> Action | None:
        assert state.decks is not None
        self._openings = self.deck.openings(state.decks)
        return self.deck.respond(state.decks, self._game.terms)


ROW = GameSpec(
    name="showing",
    about="shows cards",
    edition="1",
    seats=(2, 2),
    options=(
        Option(name="mode", help_key="m", default="closing", choices=("open", "closing", "hidden")),
        Option(name="cards", help_key="c", default="proxies", choices=("proxies", "owned")),
    ),
    dealing=Selection("none"),
    rules="tests.support.showing:Showing",
    private_half="tests.support.showing:Half",
    view="protocol.games.generic_view",
)
