"""Dominoes as data: the line, tiles, and possible plays. A `protocol.games.game_view.GameView`."""

from protocol.games import Action, Hand, Piece
from protocol.games.dominoes.rules import Dominoes
from protocol.games.dominoes.scoring import PARTNERS
from protocol.games.dominoes.state import DominoesPhase, DominoesResult, DominoesState
from protocol.games.dominoes.tiles import index
from protocol.games.endings import most_points, reached_target
from protocol.view.board import DominoLine, Offer, PieceView, SeatStatus, SeatSummary
from protocol.view.phrase import Phrase, Pieces, SeatRef, phrase

WIN_KEYS = {  # by the way in which the hand ended, and the number of winners
    ("won", 1): "dominoes.won",
    ("won", 2): "dominoes.won.team",
    ("blocked", 1): "dominoes.blocked.won",
    ("blocked", 2): "dominoes.blocked.won.team",
    ("reached", 1): "dominoes.reached",
    ("reached", 2): "dominoes.reached.team",
}
# by the end: left, right, up, down
PLAY_KEYS = (
    "dominoes.played.left",
    "dominoes.played.right",
    "dominoes.played.up",
    "dominoes.played.down",
)
OFFER_KEYS = (
    "dominoes.offer.play.left",
    "dominoes.offer.play.right",
    "dominoes.offer.play.up",
    "dominoes.offer.play.down",
)


def piece(game: Dominoes, piece: Piece) -> PieceView:
    """Return a tile, its higher number first."""
    return PieceView(piece, game.tiles[piece])


def board(game: Dominoes, state: DominoesState) -> DominoLine:
    """Return the tiles on the table, the sum of the open ends if they score, and the teams."""
    scoring, layout = game.scoring, state.layout
    arms = layout.arms
    laid = (*layout.line, *layout.up, *layout.down)
    places = {index(*tile): place for place, tile in enumerate(laid)}
    plays = [
        places[event.piece]
        for event in state.events
        if event.name == "play" and event.piece is not None
    ]
    leader, newest = (plays[0], plays[-1]) if plays else (0, None)
    return DominoLine(
        state.hand,
        scoring.target,
        layout.line,
        leader,
        newest,
        None if layout.ends is None else tuple(end.number for end in layout.ends),
        state.stock if game.draws else None,
        count=layout.end_sum if scoring.fives else None,
        teams=tuple(map(scoring.team, range(PARTNERS // 2))) if scoring.partners else (),
        spinner=layout.spinner_place,
        arms=arms,
        reserve=game.reserve,
    )


def standings(game: Dominoes, state: DominoesState) -> tuple[SeatSummary, ...]:
    """Return score and number of tiles of each seat, and between hands the tiles left in them."""
    return tuple(
        SeatSummary(
            score,
            held,
            seat == state.to_act,
            SeatStatus.LEFT if seat in state.out else None,
            shown=_opened_tiles(game, state, seat),
        )
        for seat, (score, held) in enumerate(zip(game.totals(state), state.hidden, strict=True))
    )


def _opened_tiles(game: Dominoes, state: DominoesState, seat: int) -> tuple[PieceView, ...]:
    """Return the tiles that a seat had left in the hand that is over, until the next deal."""
    between = state.phase in (DominoesPhase.DEAL, DominoesPhase.OVER)
    if not between or state.result is None or not state.result.left:
        return ()
    return tuple(piece(game, tile) for tile in reversed(state.result.left[seat]))


def offers(game: Dominoes, state: DominoesState, seat: int, hand: Hand) -> tuple[Offer, ...]:
    """Make one offer for each legal action."""
    return tuple(
        offer(game, state, id, action) for id, action in enumerate(game.legal(state, seat, hand))
    )


def offer(game: Dominoes, state: DominoesState, id: int, action: Action) -> Offer:
    """Make the offer number `id` from a legal action."""
    verb = action[0]
    if verb != "play":
        return Offer(id, verb, action, _tileless_label(game, state, verb))
    tile, end, ends = action[1], action[2], state.layout.ends
    place = None if ends is None or len(set(ends)) == 1 else end
    points = game.points_of_play(state, tile, end)
    label = phrase(
        "dominoes.offer.play" if place is None else OFFER_KEYS[end],
        tile=Pieces((game.tiles[tile],)),
    )
    if points:
        label = phrase("dominoes.offer.scores", play=label, points=points)
    return Offer(id, verb, action, label, tile, place, points=points)


def _tileless_label(game: Dominoes, state: DominoesState, verb: str) -> Phrase:
    if verb == "deny":
        return phrase("dominoes.offer.deny", tile=_called_tile(game, state))
    return phrase("dominoes.offer.draw" if verb == "draw" else "dominoes.offer.pass")


def _called_tile(game: Dominoes, state: DominoesState) -> Pieces:
    return Pieces((game.tiles[game.calls[state.denials]],))


def hand_name(game: Dominoes, state: DominoesState, hand: Hand) -> None:
    """Return None: tiles form no combinations."""
    return


def narrate(game: Dominoes, state: DominoesState, seat: int, action: Action) -> Phrase:
    who, verb = SeatRef(seat), action[0]
    if verb == "deny":
        return phrase("dominoes.denied", who=who, tile=_called_tile(game, state))
    if verb == "timeout":
        return phrase("dominoes.skipped", who=who)
    if verb != "play":
        return phrase("dominoes.drew" if verb == "draw" else "dominoes.passed", who=who)
    key = "dominoes.led" if state.ends is None else PLAY_KEYS[action[2]]
    return phrase(key, who=who, tile=Pieces((game.tiles[action[1]],)))


def news(game: Dominoes, before: DominoesState | None, after: DominoesState) -> tuple[Phrase, ...]:
    """Say the points that the newest tile has scored at once."""
    if before is None or len(after.events) <= len(before.events):
        return ()
    newest = after.events[-1]
    return (
        (phrase("dominoes.scored", who=SeatRef(newest.seat), points=newest.points),)
        if newest.points
        else ()
    )


def result(
    game: Dominoes, state: DominoesState, before: DominoesState | None = None
) -> tuple[Phrase, ...]:
    """Describe how the last hand ended. Nothing if it had already ended in `before`."""
    if state.result is None or (before is not None and state.result is before.result):
        return ()
    left = tuple(
        _remaining_hand_phrase(game, state.result, seat)
        for seat in range(game.seats)
        if state.result.left
    )
    return (
        _ending_phrase(game, state, state.result),
        *([phrase("dominoes.left", hands=left)] if left else []),
    )


def _ending_phrase(game: Dominoes, state: DominoesState, result: DominoesResult) -> Phrase:
    if result.void:
        return phrase("dominoes.void.fives" if game.scoring.fives else "dominoes.void")
    if result.unled:
        return phrase("dominoes.unled")
    if result.winner is None:
        return phrase("dominoes.blocked.tie" if result.blocked else "dominoes.tie")
    # a winner that has left since the hand is still named
    winners = game.team(state, result.winner) or (result.winner,)
    if result.reached:
        return phrase(
            WIN_KEYS["reached", len(winners)], who=SeatRef(*winners), target=game.scoring.target
        )
    how = "blocked" if result.blocked else "won"
    return phrase(WIN_KEYS[how, len(winners)], who=SeatRef(*winners), points=result.points)


def _remaining_hand_phrase(game: Dominoes, result: DominoesResult, seat: int) -> Phrase:
    """Describe the tiles that a seat had left, so that everybody can check the points."""
    if not result.left[seat]:
        return phrase("dominoes.left.nothing", who=SeatRef(seat))
    tiles = Pieces(tuple(game.tiles[tile] for tile in reversed(result.left[seat])))
    pips = phrase("dominoes.pips", count=result.pips[seat])
    return phrase("dominoes.left.tiles", who=SeatRef(seat), tiles=tiles, pips=pips)


def prompt(game: Dominoes, state: DominoesState, seat: int, offers: tuple[Offer, ...]) -> Phrase:
    """Say whether a tile fits, and what else can be done."""
    kinds = {offer.kind for offer in offers}
    if state.phase is DominoesPhase.CALL:
        key = "dominoes.prompt.call" if "play" in kinds else "dominoes.prompt.deny"
        return phrase(key, tile=_called_tile(game, state))
    if "play" in kinds:
        tiles = {offer.piece for offer in offers if offer.kind == "play"}
        every = len(tiles) == state.hidden[seat]
        return phrase("dominoes.prompt.any" if every else "dominoes.prompt")
    return phrase("dominoes.prompt.draw" if "draw" in kinds else "dominoes.prompt.pass")


def unfit(
    game: Dominoes, state: DominoesState, seat: int, offers: tuple[Offer, ...]
) -> Phrase | None:
    """Name the open ends, or the tile that begins; None where any tile can."""
    if state.phase is DominoesPhase.CALL:
        return phrase("dominoes.unfit.call", tile=_called_tile(game, state))
    if state.layout.ends is None:
        return None
    numbers = sorted({end.number for end in state.layout.ends})
    if len(numbers) == 2:
        named: Phrase | str = phrase("match.pair", one=numbers[0], other=numbers[1])
    else:
        named = ", ".join(map(str, numbers))
    return phrase("dominoes.unfit", count=len(numbers), numbers=named)


def ending(game: Dominoes, state: DominoesState) -> Phrase | None:
    """Say who has reached the target, or has the most points after the last hand; None if the
    others left.
    """
    totals = game.totals(state)
    winner = game.winner(state)
    winners = () if winner is None else game.team(state, winner)
    compared = [totals[seat] for seat in _compared_seats(game)]
    if winner is not None and totals[winner] >= game.scoring.target:
        return reached_target(winners, compared, game.scoring.target)
    if state.hand < game.scoring.length:
        return None
    return most_points(winners, compared, phrase("ending.hands", count=state.hand))


def _compared_seats(game: Dominoes) -> list[int]:
    """Return one seat of each team."""
    return sorted({min(game.scoring.team(seat)) for seat in range(game.seats)})
