"""The end of a hand: who misplayed out of sight, and who scores what."""

from operator import add

from protocol.codes import Code
from protocol.fast_replace import replace
from protocol.games import Hand, Misplay, Piece
from protocol.games.dominoes.scoring import Scoring
from protocol.games.dominoes.state import DominoesPhase, DominoesResult, DominoesState, PlayEvent
from protocol.games.dominoes.tiles import Tile, open_ends, pips

Hands = tuple[Hand, ...]
REASONS = {"pass": Code.FALSE_PASS, "draw": Code.FALSE_DRAW, "deny": Code.FALSE_DENIAL}


def misplays(
    set_: tuple[Tile, ...], state: DominoesState, dealt: Hands, drawn: Hands
) -> tuple[Misplay, ...]:
    """Every action of the hand that was false by what its seat held at that moment.

    `drawn` has one piece for each draw. It may be asked at any time in a hand, so a hand that broke
    off can be judged too.
    """
    held = [set(hand) for hand in dealt]
    stock = [iter(hand) for hand in drawn]
    played: set[Piece] = set()
    found = []
    for number, event in enumerate(state.events):
        # A tile that somebody else played without holding it cannot be played by its holder any
        # more.
        code = _misplay_code(set_, event, held[event.seat] - played)
        if code is not None:
            found.append(Misplay(event.seat, number, code))
        if event.name == "play" and event.piece is not None:
            played.add(event.piece)
        elif event.name == "draw":
            held[event.seat].add(next(stock[event.seat]))
    return tuple(found)


def _misplay_code(set_: tuple[Tile, ...], event: PlayEvent, held: set[Piece]) -> Code | None:
    """What was false about this action of a seat that held these tiles."""
    if event.name == "timeout":
        return None
    if event.name == "play":
        return None if event.piece in held else Code.NOT_HELD
    if event.name == "deny":
        return REASONS["deny"] if event.piece in held else None
    return (
        REASONS[event.name] if any(open_ends(set_[piece], event.ends) for piece in held) else None
    )


def remaining_hands(state: DominoesState, dealt: Hands, drawn: Hands) -> Hands:
    """What each seat has left, by index."""
    played = [
        {e.piece for e in state.events if e.name == "play" and e.seat == s}
        for s in range(len(dealt))
    ]
    return tuple(
        tuple(sorted({*first, *later} - gone))
        for first, later, gone in zip(dealt, drawn, played, strict=True)
    )


def totals(scoring: Scoring, state: DominoesState, events: int | None = None) -> tuple[int, ...]:
    """Points of each seat with what the first so many events of this hand (None: all) scored at
    once.

    Who has left keeps what it had before the hand, and its partner scores on for both.
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


def _finisher(scoring: Scoring, state: DominoesState) -> int | None:
    """Who has what the newest tile brings: the seat that laid it, or its partner if it has left the
    match since.
    """
    newest = state.events[-1] if state.events else None
    if newest is None or newest.name != "play":
        return None
    team = (newest.seat, *scoring.team(newest.seat))
    return next((seat for seat in team if seat in state.present), None)


def seat_at_target(scoring: Scoring, state: DominoesState) -> int | None:
    """The seat that came to the target with the newest tile, if that scored at once."""
    seat = _finisher(scoring, state)
    if seat is None or not state.events[-1].points:
        return None
    return seat if totals(scoring, state)[seat] >= scoring.target else None


def seat_without_tiles(scoring: Scoring, state: DominoesState) -> int | None:
    """The seat that has ended the hand with its last tile, if one has."""
    seat = _finisher(scoring, state)
    return seat if seat is not None and state.hidden[state.events[-1].seat] == 0 else None


def result(
    scoring: Scoring, state: DominoesState, left: tuple[int, ...], dealt: Hands
) -> DominoesResult:
    """Who won a hand without misplays, where `left` is each seat's pips. Seats that have left
    cannot win.
    """
    first = seat_at_target(scoring, state)
    if first is not None:
        return DominoesResult(first, 0, left, blocked=False, reached=True)
    empty = seat_without_tiles(scoring, state)
    if empty is not None:
        others = sum(left) - sum(left[seat] for seat in scoring.team(empty))
        return DominoesResult(empty, scoring.rounded(others), left, blocked=False)
    return _blocked(scoring, state, left, dealt)


def _blocked(
    scoring: Scoring, state: DominoesState, left: tuple[int, ...], dealt: Hands
) -> DominoesResult:
    """The team with the fewest pips wins what the others have more; a seat without a partner has
    twice its own.
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
    """The state after the hand, and its misplays. A hand with a misplay is void from there on:
    nobody scores more.
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
    phase = DominoesPhase.OVER if max(scores) >= scoring.target else DominoesPhase.DEAL
    return replace(
        state, phase=phase, scores=scores, to_act=None, result=replace(end, left=hands)
    ), false
