"""End of a hand: find the hidden misplays, and score the hand."""

from operator import add

from protocol.codes import Code
from protocol.fast_replace import replace
from protocol.games import Hand, Misplay, Piece
from protocol.games.dominoes.edition_2.scoring import Scoring
from protocol.games.dominoes.edition_2.state import (
    DominoesPhase,
    DominoesResult,
    DominoesState,
    PlayEvent,
)
from protocol.games.dominoes.edition_2.tiles import Tile, open_ends, pips

Hands = tuple[Hand, ...]
MISPLAY_CODES = {"pass": Code.FALSE_PASS, "draw": Code.FALSE_DRAW, "deny": Code.FALSE_DENIAL}


def misplays(
    set_: tuple[Tile, ...], state: DominoesState, dealt: Hands, drawn: Hands
) -> tuple[Misplay, ...]:
    """Find every action of the hand that was false, given the tiles in the seat's hand at that
    moment.

    `drawn` has one piece for each draw. The function works at any time in a hand, so that a hand
    that broke off can be judged too.
    """
    held = [set(hand) for hand in dealt]
    stock = [iter(hand) for hand in drawn]
    played: set[Piece] = set()
    found = []
    for number, event in enumerate(state.events):
        # If another seat has played a tile without holding it, the holder of this tile cannot play
        # it any more.
        code = _misplay_code(set_, event, held[event.seat] - played)
        if code is not None:
            found.append(Misplay(event.seat, number, code))
        if event.name == "play" and event.piece is not None:
            played.add(event.piece)
        elif event.name == "draw":
            held[event.seat].add(next(stock[event.seat]))
    return tuple(found)


def _misplay_code(set_: tuple[Tile, ...], event: PlayEvent, held: set[Piece]) -> Code | None:
    """Return the code of the misplay if `event` was false for a seat with the tiles `held`; None if
    it was true.
    """
    if event.name == "timeout":
        return None
    if event.name == "play":
        return None if event.piece in held else Code.NOT_HELD
    if event.name == "deny":
        return MISPLAY_CODES["deny"] if event.piece in held else None
    return (
        MISPLAY_CODES[event.name]
        if any(open_ends(set_[piece], event.ends) for piece in held)
        else None
    )


def remaining_hands(state: DominoesState, dealt: Hands, drawn: Hands) -> Hands:
    """Return the tiles that each seat has left, by index."""
    played = [
        {e.piece for e in state.events if e.name == "play" and e.seat == s}
        for s in range(len(dealt))
    ]
    return tuple(
        tuple(sorted({*first, *later} - gone))
        for first, later, gone in zip(dealt, drawn, played, strict=True)
    )


def totals(scoring: Scoring, state: DominoesState, events: int | None = None) -> tuple[int, ...]:
    """Points of each seat, including points scored at once by the first `events` events of this
    hand (None: by all).

    A seat that has left keeps its points from before the hand. Its partner continues to score for
    both.
    """
    if state.phase in (DominoesPhase.DEAL, DominoesPhase.OVER):
        return state.scores
    scored = state.events[:events]
    return tuple(
        score
        + sum(
            event.points
            for event in scored
            if seat in state.present and event.seat in scoring.team(seat)
        )
        for seat, score in enumerate(state.scores)
    )


def _newest_scorer(scoring: Scoring, state: DominoesState) -> int | None:
    """Seat that profits from the newest tile: the seat that laid it or, if this seat has left, its
    partner. None if the newest event is no play.
    """
    newest = state.events[-1] if state.events else None
    if newest is None or newest.name != "play":
        return None
    team = (newest.seat, *scoring.team(newest.seat))
    return next((seat for seat in team if seat in state.present), None)


def seat_at_target(scoring: Scoring, state: DominoesState) -> int | None:
    """Seat that reached the target with the newest tile, if this tile scored at once."""
    seat = _newest_scorer(scoring, state)
    if seat is None or not state.events[-1].points:
        return None
    return seat if totals(scoring, state)[seat] >= scoring.target else None


def seat_without_tiles(scoring: Scoring, state: DominoesState) -> int | None:
    """Seat that has ended the hand by playing its last tile; None if none has."""
    seat = _newest_scorer(scoring, state)
    return seat if seat is not None and state.hidden[state.events[-1].seat] == 0 else None


def result(
    scoring: Scoring, state: DominoesState, left: tuple[int, ...], dealt: Hands
) -> DominoesResult:
    """Find the winner of a hand without misplays. `left` has the pips that each seat has left.
    Seats that have left cannot win.
    """
    first = seat_at_target(scoring, state)
    if first is not None:
        return DominoesResult(first, 0, left, blocked=False, reached=True)
    empty = seat_without_tiles(scoring, state)
    if empty is not None:
        others = sum(left) - sum(left[seat] for seat in scoring.team(empty))
        return DominoesResult(empty, scoring.rounded(others), left, blocked=False)
    return _blocked_result(scoring, state, left, dealt)


def _blocked_result(
    scoring: Scoring, state: DominoesState, left: tuple[int, ...], dealt: Hands
) -> DominoesResult:
    """Result of a blocked hand: the team with the fewest pips wins the difference to the pips of
    the others. The pips of a seat whose partner has left count twice.
    """
    alone = {seat for seat in state.present for other in scoring.team(seat) if not dealt[other]}
    pips = [count * (1 + (seat in alone)) for seat, count in enumerate(left)]
    teams = {team: sum(pips[seat] for seat in team) for team in map(scoring.team, state.present)}
    fewest = min(teams.values())
    best = [team for team, own in teams.items() if own == fewest]
    if len(best) > 1:
        return DominoesResult(None, 0, left, blocked=True)
    lowest = min((seat for seat in best[0] if seat in state.present), key=lambda seat: left[seat])
    return DominoesResult(lowest, scoring.rounded(sum(pips) - 2 * fewest), left, blocked=True)


def settle(
    set_: tuple[Tile, ...], scoring: Scoring, state: DominoesState, dealt: Hands, drawn: Hands
) -> tuple[DominoesState, tuple[Misplay, ...]]:
    """Return the state after the hand, and its misplays. A hand with misplays is void from the
    first of them on: from there on nobody scores, and seats that misplayed score nothing in it.
    """
    false = misplays(set_, state, dealt, drawn)
    hands = remaining_hands(state, dealt, drawn)
    left = tuple(pips(set_, hand) for hand in hands)
    if false:
        end = DominoesResult(None, 0, left, seat_without_tiles(scoring, state) is None, void=True)
        before = totals(scoring, state, events=min(misplay.action for misplay in false))
        liars = {misplay.seat for misplay in false}
        scores = tuple(
            state.scores[seat] if seat in liars else score for seat, score in enumerate(before)
        )
    else:
        end, scores = result(scoring, state, left, dealt), totals(scoring, state)
    winners = () if end.winner is None else scoring.team(end.winner)
    won = [end.points * (seat in winners and seat in state.present) for seat in range(len(scores))]
    scores = tuple(map(add, scores, won))
    last = state.hand >= scoring.length
    over = last or max(scores) >= scoring.target
    return replace(
        state,
        phase=DominoesPhase.OVER if over else DominoesPhase.DEAL,
        scores=scores,
        to_act=None,
        result=replace(end, left=hands),
        # after the last hand nobody tells the rules any more which seats are out
        out=state.out.union(wrong.seat for wrong in false) if last else state.out,
    ), false
