"""Block and draw dominoes; by points or all-fives, each for itself or two against two (`scoring`).

The first hand of a match is led by the holder of the best lead tile: tiles are called, doubles from
the highest down and then the rest by pips, and every seat in turn plays the called tile or denies
holding it. The winner of a hand leads the next with any tile; after a tie (or a void hand) the seat
after the last leader does.

Actions: ("play", piece, end) with end 0 = left, 1 = right; ("draw",); ("pass",); ("deny",). Each
position has one encoding: on an empty line, and where both ends show the same number, only end 0 is
legal. Whether a seat could have played is known to it alone: `check` lets every pass, draw and
denial stand, and `settle` finds the false ones when the hands are shown.

A seat whose time is over says nothing of its hand: its turn is skipped ("timeout"). That is no
pass, so it never helps to block the line; a called tile that it did not answer for may still be its
own.

A seat that has left is skipped everywhere, and its tiles stay out of play: they are nobody's, as if
in the stock, but cannot be drawn.
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
    Hand,
    Misplay,
    Over,
    Piece,
    Settle,
    Want,
)
from protocol.games.dominoes import settlement as end_of_hand
from protocol.games.dominoes import tiles
from protocol.games.dominoes.scoring import PARTNERS, Scoring
from protocol.games.dominoes.state import PHASES, DominoesPhase, DominoesState, PlayEvent
from protocol.games.operations import Lay, Look, Operation, Pile, Reveal
from protocol.options import BadOptions, Values

SUFFIX = "-dominoes"


class Dominoes:
    """The rules of `Game` for one variant, number of seats and set of options. Holds no state."""

    required_operations: tuple[Lay | Operation, ...] = ()

    def __init__(self, seats: int, variant: str, hand: int, highest: int, scoring: Scoring) -> None:
        """Seats and options as the row allows them."""
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
        """The game from its public name and the values of all its options. Raises: Unfit."""
        target, hand, highest = (int(values[option]) for option in ("target", "hand", "highest"))
        scoring = Scoring(target, values["scoring"] == "fives", values["partners"] == "yes")
        if scoring.partners and seats != PARTNERS:
            raise BadOptions("unfit.partners", right=PARTNERS, seats=seats)
        return cls(seats, name.removesuffix(SUFFIX), hand, highest, scoring)

    def start(self, chance: JointRandomness | None = None) -> DominoesState:
        """The state before the first deal."""
        nothing = (0,) * self.seats
        return DominoesState(
            DominoesPhase.DEAL, hand=0, scores=nothing, hidden=nothing, stock=len(self.tiles)
        )

    def wants(self, state: DominoesState) -> Want:
        """What must happen next."""
        if state.to_act is not None:
            return Act((state.to_act,))
        if state.phase is DominoesPhase.DEAL:
            return Lay((Pile(len(self.tiles), self.hand),))
        return Settle() if state.phase is DominoesPhase.SETTLE else Over()

    def after_deal(self, state: DominoesState, turned_up: Hand = ()) -> DominoesState:
        """The state after the pieces have reached the seats."""
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
        """An action from decoded MessagePack; raises `Refused(BAD_ACTION)` for anything else."""
        if not self._shape(raw):
            raise Refused(Code.BAD_ACTION)
        assert isinstance(raw, list)
        return tuple(raw)

    def _shape(self, raw: object) -> bool:
        play = schema.fields(_word("play"), schema.uint(len(self.tiles) - 1), schema.uint(1))
        bare = schema.fields(schema.either(_word("draw"), _word("pass"), _word("deny")))
        return play(raw) or bare(raw)

    def check(self, state: DominoesState, seat: int, action: Action) -> tuple[Operation, ...]:
        """Whether the action is legal as far as everybody can see (raises `Refused`), and what it
        asks of the deal.
        """
        if state.to_act is None or seat != state.to_act:
            raise Refused(Code.NOT_YOUR_TURN)
        verb = action[0]
        if verb == "timeout" or (state.phase, verb) not in PHASES:
            raise Refused(Code.ILLEGAL_MOVE)
        if verb == "play":
            self._check_play(state, action[1], action[2])
            return (Reveal(action[1]),)
        # In the draw game a seat that cannot play draws while there is a stock, and passes after
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
        """What this seat may honestly do: plays by piece and end, or else the one thing left to
        it.
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
        """The state after a checked action (whose operations are done)."""
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
            hidden=_add(state.hidden, seat, -1),
            leader=seat if event.ends is None else state.leader,
        )
        over = (
            state.hidden[seat] == 0 or end_of_hand.seat_at_target(self.scoring, state) is not None
        )
        return self._next(state, seat, over)

    def _draw(self, state: DominoesState, event: PlayEvent) -> DominoesState:
        return replace(state, hidden=_add(state.hidden, event.seat, 1), stock=state.stock - 1)

    def _pass(self, state: DominoesState, event: PlayEvent) -> DominoesState:
        return self._next(state, event.seat, over=state.passes == len(state.present))

    def _deny(self, state: DominoesState, event: PlayEvent) -> DominoesState:
        return self._pass_on_call(state, event.seat)

    def _skip(self, state: DominoesState, event: PlayEvent) -> DominoesState:
        if state.phase is DominoesPhase.CALL:
            return self._pass_on_call(state, event.seat)
        return replace(state, to_act=state.after(event.seat))

    def _pass_on_call(self, state: DominoesState, seat: int) -> DominoesState:
        """Go on calling after this seat, which has denied, left or been skipped."""
        after = state.after(seat)
        called = state.denials + (after <= seat)
        silent = state.out | {event.seat for event in state.events if event.name == "timeout"}
        # All denied tiles lie in the stock or are of those who did not answer, or somebody lied:
        # once they cannot, or every tile has been called, the hands are shown.
        most = min(state.stock + sum(state.hidden[seat] for seat in silent), len(self.calls) - 1)
        if called > most:
            return replace(state, phase=DominoesPhase.SETTLE, to_act=None, denials=called)
        return replace(state, to_act=after, denials=called)

    def _next(self, state: DominoesState, seat: int, over: bool) -> DominoesState:
        if over:
            return replace(state, phase=DominoesPhase.SETTLE, to_act=None)
        return replace(state, phase=DominoesPhase.PLAY, to_act=state.after(seat))

    def timeout(self, state: DominoesState, seat: int) -> Action | None:
        """The turn is skipped: whether the seat could have played is not known."""
        return ("timeout",)

    def forfeit(self, state: DominoesState, seat: int) -> DominoesState:
        """The state after a seat has left for good; raises `Refused(NOT_NOW)` if it had before, or
        all is over.
        """
        if state.phase is DominoesPhase.OVER or seat not in state.present:
            raise Refused(Code.NOT_NOW)
        state = replace(state, out=state.out | {seat})
        if set(state.present) <= set(self.scoring.team(state.present[0])):
            return replace(state, phase=DominoesPhase.OVER, to_act=None)
        if seat != state.to_act:
            return state
        if state.phase is DominoesPhase.CALL:
            return self._pass_on_call(state, seat)
        # All others may have passed already: then the leaver was the last who could have gone on.
        if state.passes == len(state.present):
            return replace(state, phase=DominoesPhase.SETTLE, to_act=None)
        return replace(state, to_act=state.after(seat))

    def abandon(self, state: DominoesState) -> DominoesState:
        """Nobody scores: what those who left hold cannot be counted, nor drawn around."""
        return replace(state, phase=DominoesPhase.DEAL, to_act=None, result=None)

    def settle(
        self, state: DominoesState, dealt: tuple[Hand, ...], drawn: tuple[Hand, ...]
    ) -> tuple[DominoesState, tuple[Misplay, ...]]:
        """Score the hand from what each seat was dealt and drew (in order), and name every hidden
        misplay.
        """
        return end_of_hand.settle(self.tiles, self.scoring, state, dealt, drawn)

    def scores(self, state: DominoesState) -> tuple[int, ...]:
        """Points of each seat in the hands that are settled."""
        return state.scores

    def winner(self, state: DominoesState) -> int | None:
        """The seat that has reached the target or is the last one left; None while there is
        none.
        """
        if state.phase is not DominoesPhase.OVER:
            return None
        return max(state.present, key=lambda seat: state.scores[seat])

    def totals(self, state: DominoesState) -> tuple[int, ...]:
        """Points of each seat, with what it has scored in this hand."""
        return end_of_hand.totals(self.scoring, state)

    def team(self, state: DominoesState, seat: int) -> tuple[int, ...]:
        """The seats that win with this one: its partner too, if it is still there."""
        return tuple(member for member in self.scoring.team(seat) if member in state.present)


def _word(word: str) -> schema.Shape:
    return lambda value: type(value) is str and value == word


def _add(counts: tuple[int, ...], seat: int, change: int) -> tuple[int, ...]:
    return tuple(count + change * (at == seat) for at, count in enumerate(counts))
