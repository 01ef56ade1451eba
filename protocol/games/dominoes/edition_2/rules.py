"""Rules of block and draw dominoes, scored by points or as all-fives, each seat for itself or two
against two (`scoring`).

In the first hand of a match the holder of the best lead tile leads. Tiles are called: doubles from
the highest down, then the rest by pips. Every seat in turn plays the called tile or denies holding
it. The winner of a hand leads the next one with any tile. After a tie or a void hand, the seat
after the last leader leads. The match ends at the target, or after the last hand that was agreed:
then whoever has the most points has won.

Actions: ("play", piece, end) with end 0 = left, 1 = right; ("draw",); ("pass",); ("deny",). Each
position has one encoding: only end 0 is legal on an empty line, and if both ends show the same
number.

A seat alone knows whether it could have played. `check` therefore accepts every pass, draw and
denial, and `settle` finds the false ones when the hands are shown.

If a seat's time runs out, its turn is skipped ("timeout"), which says nothing about its hand. A
skipped turn is no pass, so it never helps to block the line. A called tile that the seat did not
answer for may still be in its hand.

A seat that has left is skipped everywhere. Its tiles are out of play: like tiles of the stock, but
nobody can draw them.
"""

from collections.abc import Callable
from typing import Final

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
    Piece,
    Settle,
    Want,
)
from protocol.games.dominoes.edition_2 import settlement as end_of_hand
from protocol.games.dominoes.edition_2 import tiles
from protocol.games.dominoes.edition_2.scoring import PARTNERS, Scoring
from protocol.games.dominoes.edition_2.state import PHASES, DominoesPhase, DominoesState, PlayEvent
from protocol.games.operations import Lay, Look, Operation, Pile, Reveal
from protocol.options import BadOptions, Values

SUFFIX = "-dominoes"


class Dominoes(Game[DominoesState]):
    """Rules of one variant, for a number of seats and a set of options. The object itself has no
    state.
    """

    reserve: Final = 0  # for the view: the stock is drawn empty

    def __init__(self, seats: int, variant: str, hand: int, highest: int, scoring: Scoring) -> None:
        self.tiles: Final = tiles.tiles(highest)
        self.name = variant + SUFFIX
        self.seats = seats
        self.pieces = tuple(tiles.name(tile) for tile in self.tiles)
        self.draws: Final = variant == "draw"
        self.scoring: Final = scoring
        self.hand: Final = hand
        self.calls: Final = tiles.call_order(self.tiles)

    @classmethod
    def create(cls, name: str, seats: int, values: Values) -> "Dominoes":
        """Create the game from its public name and the values of all its options. Raises:
        BadOptions if the number of seats does not allow partners.
        """
        target, hand, highest, length = (
            int(values[option]) for option in ("target", "hand", "highest", "length")
        )
        fives, partners = values["scoring"] == "fives", values["partners"] == "yes"
        scoring = Scoring(target, fives, partners, length)
        if scoring.partners and seats != PARTNERS:
            raise BadOptions("unfit.partners", right=PARTNERS, seats=seats)
        return cls(seats, name.removesuffix(SUFFIX), hand, highest, scoring)

    def start(self, chance: JointRandomness | None = None) -> DominoesState:
        """Return the state before the first deal."""
        nothing = (0,) * self.seats
        return DominoesState(
            DominoesPhase.DEAL, hand=0, scores=nothing, hidden=nothing, stock=len(self.tiles)
        )

    def wants(self, state: DominoesState) -> Want:
        """Return the request for the next step of the match."""
        if state.to_act is not None:
            return Act((state.to_act,))
        if state.phase is DominoesPhase.DEAL:
            return Lay((Pile(len(self.tiles), self.hand),))
        return Settle() if state.phase is DominoesPhase.SETTLE else Over()

    def after_deal(self, state: DominoesState, turned_up: Hand = ()) -> DominoesState:
        """Return the state after a deal, with the leader of the new hand to act."""
        leader = state.leader
        if leader is not None:
            winner = state.result.winner if state.result else None
            leader = (
                winner
                if winner in state.present
                else state.after(leader if winner is None else winner)
            )
        return DominoesState(
            phase=DominoesPhase.CALL if leader is None else DominoesPhase.LEAD,
            hand=state.hand + 1,
            scores=state.scores,
            hidden=tuple(0 if seat in state.out else self.hand for seat in range(self.seats)),
            stock=len(self.tiles) - self.hand * len(state.present),
            to_act=state.present[0] if leader is None else leader,
            leader=leader,
            result=state.result,
            out=state.out,
        )

    def parse(self, raw: object) -> Action:
        """Convert decoded MessagePack to an action. Raises: `Refused(BAD_ACTION)` if `raw` is no
        action of this game.
        """
        if not self._shape(raw):
            raise Refused(Code.BAD_ACTION)
        assert isinstance(raw, list)
        return tuple(raw)

    def _shape(self, raw: object) -> bool:
        play = schema.fields(_exact_word("play"), schema.uint(len(self.tiles) - 1), schema.uint(1))
        bare = schema.fields(
            schema.either(_exact_word("draw"), _exact_word("pass"), _exact_word("deny"))
        )
        return play(raw) or bare(raw)

    def check(self, state: DominoesState, seat: int, action: Action) -> tuple[Operation, ...]:
        """Check that the action is legal by public knowledge, and return the operations that it
        needs. Raises: Refused if the action is illegal.
        """
        if state.to_act is None or seat != state.to_act:
            raise Refused(Code.NOT_YOUR_TURN)
        verb = action[0]
        if verb == "timeout" or (state.phase, verb) not in PHASES:
            raise Refused(Code.ILLEGAL_MOVE)
        if verb == "play":
            self._check_play(state, action[1], action[2])
            return (Reveal(action[1]),)
        # In the draw game a seat that cannot play draws while the stock lasts. It passes only after
        # that.
        may_draw = self.draws and state.stock > 0
        if (verb == "draw" and not may_draw) or (verb == "pass" and may_draw):
            raise Refused(Code.ILLEGAL_MOVE)
        return (Look(1, seat),) if verb == "draw" else ()

    def _check_play(self, state: DominoesState, piece: int, end: int) -> None:
        if piece in state.played:
            raise Refused(Code.TILE_PLAYED)
        if state.phase is DominoesPhase.CALL and piece != self.calls[state.denials]:
            raise Refused(Code.ILLEGAL_MOVE)
        if end not in tiles.open_ends(self.tiles[piece], state.ends):
            raise Refused(Code.ILLEGAL_MOVE)

    def legal(self, state: DominoesState, seat: int, hand: Hand) -> tuple[Action, ...]:
        """List the honest actions of this seat: plays by piece and end, or else the only action
        left (deny, draw or pass).
        """
        if state.to_act is None or seat != state.to_act:
            return ()
        if state.phase is DominoesPhase.CALL:
            called = self.calls[state.denials]
            return (("play", called, 0),) if called in hand else (("deny",),)
        plays = tuple(
            ("play", piece, end)
            for piece in sorted(set(hand) - state.played)
            for end in tiles.open_ends(self.tiles[piece], state.ends)
        )
        return plays or ((("draw",),) if self.draws and state.stock else (("pass",),))

    def apply(self, state: DominoesState, seat: int, action: Action) -> DominoesState:
        """Return the state after an action. The caller has checked the action, and its operations
        are done.
        """
        steps: dict[str, Callable[[DominoesState, PlayEvent], DominoesState]] = {
            "draw": self._draw,
            "pass": self._pass,
            "deny": self._deny,
            "timeout": self._skip,
        }
        if action[0] == "play":
            return self._play(state, seat, action[1], action[2])
        denied = self.calls[state.denials] if action[0] == "deny" else None
        event = PlayEvent(seat, action[0], state.ends, denied)
        return steps[event.name](replace(state, events=(*state.events, event)), event)

    def _play(self, state: DominoesState, seat: int, piece: Piece, end: int) -> DominoesState:
        line = tiles.lay(state.line, self.tiles[piece], end)
        event = PlayEvent(seat, "play", state.ends, piece, self.scoring.points_of(line))
        state = replace(
            state,
            events=(*state.events, event),
            line=line,
            hidden=_add_to_count(state.hidden, seat, -1),
            leader=seat if event.ends is None else state.leader,
        )
        over = (
            state.hidden[seat] == 0 or end_of_hand.seat_at_target(self.scoring, state) is not None
        )
        return self._next_turn(state, seat, over)

    def _draw(self, state: DominoesState, event: PlayEvent) -> DominoesState:
        return replace(
            state, hidden=_add_to_count(state.hidden, event.seat, 1), stock=state.stock - 1
        )

    def _pass(self, state: DominoesState, event: PlayEvent) -> DominoesState:
        return self._next_turn(state, event.seat, over=state.passes == len(state.present))

    def _deny(self, state: DominoesState, event: PlayEvent) -> DominoesState:
        return self._next_call(state, event.seat)

    def _skip(self, state: DominoesState, event: PlayEvent) -> DominoesState:
        if state.phase is DominoesPhase.CALL:
            return self._next_call(state, event.seat)
        return replace(state, to_act=state.after(event.seat))

    def _next_call(self, state: DominoesState, seat: int) -> DominoesState:
        """Continue calling tiles after this seat has denied, left or been skipped."""
        after = state.after(seat)
        called = state.denials + (after <= seat)
        silent = state.out | {event.seat for event in state.events if event.name == "timeout"}
        # If nobody lied, all denied tiles are in the stock or in hands of seats that did not
        # answer. Once there are too many denied tiles for this, or every tile has been called, the
        # hands are shown.
        most = min(state.stock + sum(state.hidden[seat] for seat in silent), len(self.calls) - 1)
        if called > most:
            return replace(state, phase=DominoesPhase.SETTLE, to_act=None, denials=called)
        return replace(state, to_act=after, denials=called)

    def _next_turn(self, state: DominoesState, seat: int, over: bool) -> DominoesState:
        if over:
            return replace(state, phase=DominoesPhase.SETTLE, to_act=None)
        return replace(state, phase=DominoesPhase.PLAY, to_act=state.after(seat))

    def timeout(self, state: DominoesState, seat: int) -> Action | None:
        """Skip the turn: the others do not know whether the seat could have played."""
        return ("timeout",)

    def forfeit(self, state: DominoesState, seat: int) -> DominoesState:
        """Return the state after a seat has left for good. Raises: `Refused(NOT_NOW)` if the seat
        has left already, or if the match is over.
        """
        if state.phase is DominoesPhase.OVER or seat not in state.present:
            raise Refused(Code.NOT_NOW)
        state = replace(state, out=state.out | {seat})
        if set(state.present) <= set(self.scoring.team(state.present[0])):
            return replace(state, phase=DominoesPhase.OVER, to_act=None)
        if seat != state.to_act:
            return state
        if state.phase is DominoesPhase.CALL:
            return self._next_call(state, seat)
        # If all others have passed already, the seat that leaves was the last one able to go on,
        # and the line is blocked.
        if state.passes == len(state.present):
            return replace(state, phase=DominoesPhase.SETTLE, to_act=None)
        return replace(state, to_act=state.after(seat))

    def abandon(self, state: DominoesState) -> DominoesState:
        """Void the hand without a score: tiles of seats that have left cannot be counted, and the
        rest of the stock cannot be drawn without them.
        """
        over = state.hand >= self.scoring.length
        phase = DominoesPhase.OVER if over else DominoesPhase.DEAL
        return replace(state, phase=phase, to_act=None, result=None)

    def settle(
        self, state: DominoesState, dealt: tuple[Hand, ...], drawn: tuple[Hand, ...]
    ) -> tuple[DominoesState, tuple[Misplay, ...]]:
        """Score the hand, and name every hidden misplay. `dealt` and `drawn` are the pieces that
        each seat was dealt and drew, in order.
        """
        return end_of_hand.settle(self.tiles, self.scoring, state, dealt, drawn)

    def scores(self, state: DominoesState) -> tuple[int, ...]:
        """Points of each seat in the hands that are settled."""
        return state.scores

    def winner(self, state: DominoesState) -> int | None:
        """Seat with the most points at the end, or the last one left. None: the match is going on,
        or several seats that are no partners have the most.
        """
        if state.phase is not DominoesPhase.OVER:
            return None
        most = max((state.scores[seat] for seat in state.present), default=0)
        best = [seat for seat in state.present if state.scores[seat] == most]
        alone = len({self.scoring.team(seat) for seat in best}) == 1
        return best[0] if alone else None

    def points_of_play(self, state: DominoesState, piece: Piece, end: int) -> int:
        """Points that a play scores at once, for the view."""
        return self.scoring.points_of(tiles.lay(state.line, self.tiles[piece], end))

    def totals(self, state: DominoesState) -> tuple[int, ...]:
        """Points of each seat, including points scored so far in the current hand."""
        return end_of_hand.totals(self.scoring, state)

    def team(self, state: DominoesState, seat: int) -> tuple[int, ...]:
        """Seats that win together with this one: itself and its partner, except seats that have
        left.
        """
        return tuple(member for member in self.scoring.team(seat) if member in state.present)


def _exact_word(word: str) -> schema.Shape:
    return lambda value: type(value) is str and value == word


def _add_to_count(counts: tuple[int, ...], seat: int, change: int) -> tuple[int, ...]:
    return tuple(count + change * (at == seat) for at, count in enumerate(counts))
