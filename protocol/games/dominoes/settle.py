"""The end of a hand: who misplayed out of sight, and who scores what."""

from dataclasses import replace

from protocol.codes import Code
from protocol.games import Hand, Misplay, Piece
from protocol.games.dominoes.state import Event, Phase, Result, State
from protocol.games.dominoes.tiles import Tile, open_ends, pips

Hands = tuple[Hand, ...]
FALSE = {"pass": Code.FALSE_PASS, "draw": Code.FALSE_DRAW, "deny": Code.FALSE_DENIAL}


def misplays(set_: tuple[Tile, ...], state: State, dealt: Hands, drawn: Hands) -> tuple[Misplay, ...]:
    """Every action of the hand that was false by what its seat held at that moment.

    `drawn` has one piece for each draw. It may be asked at any time in a hand, so a hand that broke off can
    be judged too.
    """
    held = [set(hand) for hand in dealt]
    stock = [iter(hand) for hand in drawn]
    played: set[Piece] = set()
    found = []
    for number, event in enumerate(state.events):
        # A tile that somebody else played without holding it cannot be played by its holder any more.
        code = _false(set_, event, held[event.seat] - played)
        if code is not None:
            found.append(Misplay(event.seat, number, code))
        if event.name == "play" and event.piece is not None:
            played.add(event.piece)
        elif event.name == "draw":
            held[event.seat].add(next(stock[event.seat]))
    return tuple(found)


def _false(set_: tuple[Tile, ...], event: Event, held: set[Piece]) -> Code | None:
    """What was false about this action of a seat that held these tiles."""
    if event.name == "timeout":
        return None
    if event.name == "play":
        return None if event.piece in held else Code.NOT_HELD
    if event.name == "deny":
        return FALSE["deny"] if event.piece in held else None
    return FALSE[event.name] if any(open_ends(set_[piece], event.ends) for piece in held) else None


def rest(state: State, dealt: Hands, drawn: Hands) -> Hands:
    """What each seat has left, by index."""
    played = [{e.piece for e in state.events if e.name == "play" and e.seat == s} for s in range(len(dealt))]
    return tuple(
        tuple(sorted({*first, *later} - gone)) for first, later, gone in zip(dealt, drawn, played, strict=True)
    )


def result(state: State, left: tuple[int, ...]) -> Result:
    """Who won a hand without misplays, where `left` is each seat's pips. Seats that have left cannot win."""
    empty = went_out(state)
    fewest = min(left[seat] for seat in state.present)
    best = empty or tuple(seat for seat in state.present if left[seat] == fewest)
    if len(best) > 1:
        return Result(None, 0, left, not empty)
    return Result(best[0], sum(left) - 2 * left[best[0]], left, not empty)


def went_out(state: State) -> tuple[int, ...]:
    """The seat that has no tiles left, if there is one and it has not left the match since."""
    return tuple(seat for seat in state.present if state.hidden[seat] == 0)


def settle(
    set_: tuple[Tile, ...], target: int, state: State, dealt: Hands, drawn: Hands
) -> tuple[State, tuple[Misplay, ...]]:
    """The state after the hand, and its misplays. A hand with a misplay is void: nobody scores in it."""
    false = misplays(set_, state, dealt, drawn)
    hands = rest(state, dealt, drawn)
    left = tuple(pips(set_, hand) for hand in hands)
    end = Result(None, 0, left, not went_out(state), void=True) if false else result(state, left)
    scores = tuple(score + end.points * (seat == end.winner) for seat, score in enumerate(state.scores))
    phase = Phase.OVER if max(scores) >= target else Phase.DEAL
    return replace(state, phase=phase, scores=scores, to_act=None, result=replace(end, left=hands)), false
