"""The match and the game: keys and nonces that do not fit, illegal moves, and lies about a hand."""

from typing import Any

from conformance.case import CaseFailed, CaseGroup
from conformance.table.environment import TableEnvironment
from conformance.table.fault_cases import (
    change_field,
    fault_case,
    late_discovery_case,
    leave_case,
    out_of_turn_case,
    reach_kind,
    refusal_case,
    replace_action,
)
from conformance.table.kit_match import SeatedPlayer
from conformance.weak_keys import LOW_ORDER
from protocol.codes import Code
from protocol.games import Hand
from protocol.games.dominoes.layout import UP, open_ends
from protocol.games.dominoes.rules import Dominoes
from protocol.games.dominoes.state import DominoesPhase, DominoesState
from protocol.limits import MAX_DOMINO_TARGET
from protocol.match.state import Match

GROUP = CaseGroup("game", game="block-dominoes")
LONG: dict[str, Any] = {"options": [["hand", 4], ["target", 1]], "dealing": "verified"}
LAST: dict[str, Any] = {"options": [["hand", 4], ["length", 1], ["target", MAX_DOMINO_TARGET]]}
TRIES = 12  # matches to play until somebody scores
FIVES: dict[str, Any] = {
    "options": [["hand", 5], ["scoring", "fives"], ["spinner", "no"], ["target", 50]]
}
PARTNERS: dict[str, Any] = {
    "seats": 4,
    "options": [["hand", 3], ["partners", "yes"], ["target", 1]],
}
SHARED: dict[str, Any] = PARTNERS | {
    "dealing": "verified",
    "deal_options": [["leavers", "threshold"], ["quorum", 2]],
}
# with hands of ten a spinner often has arms; a hand ends the match, whoever wins it
SPINNER: dict[str, Any] = {
    "options": [["hand", 10], ["length", 1], ["spinner", "yes"], ["target", MAX_DOMINO_TARGET]]
}
RESERVE: dict[str, Any] = {
    "game": "draw-dominoes",
    "options": [["hand", 13], ["length", 1], ["reserve", 2], ["target", MAX_DOMINO_TARGET]],
    "dealing": "verified",
}
DRAWING: dict[str, Any] = LONG | {"game": "draw-dominoes"}


def _dominoes(match: Match) -> DominoesState:
    """Return the state of the game."""
    assert isinstance(match.game, DominoesState)
    return match.game


def phase(player: SeatedPlayer) -> DominoesPhase:
    return _dominoes(player.match).phase


def calling(player: SeatedPlayer) -> bool:
    return phase(player) is DominoesPhase.CALL


def playing(player: SeatedPlayer) -> bool:
    return phase(player) is DominoesPhase.PLAY


def denies(player: SeatedPlayer) -> bool:
    due = player.due()
    return due is not None and due.body[0] == ["deny"]


def has_called_tile(player: SeatedPlayer) -> bool:
    due = player.due()
    return calling(player) and due is not None and due.body[0][0] == "play"


def could_play(player: SeatedPlayer) -> bool:
    due = player.due()
    return playing(player) and due is not None and due.body[0][0] == "play"


def does_not_fit(match: Match, hand: Hand) -> int | None:
    """Return a domino of a hand that fits nowhere in the line."""
    game = match.setup.game
    assert isinstance(game, Dominoes)
    for piece in hand:
        if not open_ends(game.tiles[piece], _dominoes(match).ends):
            return piece
    return None


def holds_a_misfit(player: SeatedPlayer) -> bool:
    return playing(player) and does_not_fit(player.match, player.seat.hand) is not None


def misfit(player: SeatedPlayer, body: list[Any]) -> list[Any]:
    """Return a move with an own tile that does not fit, correctly opened."""
    piece = does_not_fit(player.match, player.seat.hand)
    assert piece is not None
    return [["play", piece, 0], player.seat.opening(player.match, piece)]


def laid(player: SeatedPlayer, body: list[Any]) -> list[Any]:
    """Return a move with a tile that is already in the line."""
    piece = min(_dominoes(player.match).played)
    return [["play", piece, 0], [[0, bytes(32), bytes(64)]]]


def may_use_short_side(player: SeatedPlayer) -> int | None:
    """Return an own tile that fits at the upper short side of the spinner, and nowhere in the
    line.
    """
    game = player.match.setup.game
    assert isinstance(game, Dominoes)
    ends = _dominoes(player.match).ends
    for piece in set(player.seat.hand) - _dominoes(player.match).played:
        if open_ends(game.tiles[piece], ends)[:1] == (UP,):
            return piece
    return None


def fits_short_side_alone(player: SeatedPlayer) -> bool:
    return playing(player) and could_play(player) and may_use_short_side(player) is not None


def fits_closed_spinner(player: SeatedPlayer) -> int | None:
    """Return an own tile with the number of the spinner, of which one long side has no tile."""
    game = player.match.setup.game
    assert isinstance(game, Dominoes)
    ends = [end for end in _dominoes(player.match).ends or () if end.opens]
    for piece in set(player.seat.hand) - _dominoes(player.match).played:
        if any(end.number in game.tiles[piece] for end in ends):
            return piece
    return None


def has_closed_spinner(player: SeatedPlayer) -> bool:
    return playing(player) and fits_closed_spinner(player) is not None


def at_short_side(player: SeatedPlayer, body: list[Any]) -> list[Any]:
    """Return a play at the upper short side of the spinner, correctly opened."""
    piece = fits_closed_spinner(player)
    assert piece is not None
    return [["play", piece, UP], player.seat.opening(player.match, piece)]


def may_not_draw(player: SeatedPlayer) -> bool:
    due = player.due()
    return playing(player) and due is not None and due.body[0] == ["pass"]


def holds_another(player: SeatedPlayer) -> bool:
    return denies(player) and bool(player.seat.hand)


def own_tile(player: SeatedPlayer, body: list[Any]) -> list[Any]:
    """Return a move with one of the seat's own tiles."""
    piece = player.seat.hand[0]
    return [["play", piece, 0], player.seat.opening(player.match, piece)]


ILLEGAL = Code.ILLEGAL_MOVE
for name, section, code, body in (
    (
        "match-key-of-low-order",
        "6.6.1",
        Code.BAD_MATCH_KEY,
        fault_case(
            "sit", 0, Code.BAD_MATCH_KEY, change_field(0, lambda key: LOW_ORDER["of-order-eight"])
        ),
    ),
    (
        "match-key-of-zeros",
        "7.1.1",
        Code.BAD_MATCH_KEY,
        fault_case("sit", 1, Code.BAD_MATCH_KEY, change_field(0, lambda key: bytes(32))),
    ),
    (
        "match-key-that-is-not-canonical",
        "7.1.1",
        Code.BAD_MATCH_KEY,
        fault_case(
            "sit",
            0,
            Code.BAD_MATCH_KEY,
            change_field(0, lambda key: b"\xf6" + b"\xff" * 30 + b"\x7f"),
        ),
    ),
    (
        "nonce-that-was-not-committed-to",
        "6.6.1",
        Code.BAD_NONCE,
        fault_case("nonce", 0, Code.BAD_NONCE, change_field(0, lambda nonce: bytes(32))),
    ),
    (
        "nonce-too-short",
        "6.6",
        Code.BAD_ENTRY,
        refusal_case("nonce", 0, Code.BAD_ENTRY, change_field(0, lambda nonce: nonce[1:])),
    ),
    (
        "move-out-of-turn",
        "6.7.1",
        Code.NOT_NOW,
        out_of_turn_case("move", 0, 1, "move", [["deny"], []]),
    ),
    (
        "move-that-the-game-does-not-know",
        "9.3.1",
        Code.BAD_ACTION,
        refusal_case("move", None, Code.BAD_ACTION, replace_action("win")),
    ),
    (
        "move-of-no-words",
        "9.3.1",
        Code.BAD_ACTION,
        refusal_case("move", None, Code.BAD_ACTION, replace_action()),
    ),
    (
        "move-of-a-tile-that-is-not-there",
        "9.3.1",
        Code.BAD_ACTION,
        refusal_case("move", None, Code.BAD_ACTION, replace_action("play", 28, 0)),
    ),
    (
        "move-to-a-fifth-end",
        "9.3.1",
        Code.BAD_ACTION,
        refusal_case("move", None, Code.BAD_ACTION, replace_action("play", 0, 4)),
    ),
    (
        "move-with-true-for-an-end",
        "2.2.4",
        Code.BAD_ACTION,
        refusal_case("move", None, Code.BAD_ACTION, replace_action("play", 0, False)),
    ),
    (
        "timeout-by-a-seat",
        "9.3.1",
        Code.BAD_ACTION,
        refusal_case("move", None, Code.BAD_ACTION, replace_action("timeout")),
    ),
    (
        "pass-while-tiles-are-called",
        "9.4.1",
        ILLEGAL,
        refusal_case("move", None, ILLEGAL, replace_action("pass"), calling),
    ),
    (
        "draw-in-the-block-game",
        "9.3",
        ILLEGAL,
        refusal_case("move", None, ILLEGAL, replace_action("draw"), playing, **LONG),
    ),
    (
        "pass-while-there-is-a-stock",
        "9.3",
        ILLEGAL,
        refusal_case("move", None, ILLEGAL, replace_action("pass"), playing, **DRAWING),
    ),
    (
        "denial-after-the-lead",
        "9.3",
        ILLEGAL,
        refusal_case("move", None, ILLEGAL, replace_action("deny"), playing, **LONG),
    ),
    (
        "denial-with-a-part",
        "6.8.2",
        Code.BAD_ENTRY,
        refusal_case("move", None, Code.BAD_ENTRY, change_field(1, lambda parts: [[]]), denies),
    ),
    (
        "lead-with-another-tile-than-the-called",
        "9.4.1",
        ILLEGAL,
        refusal_case("move", None, ILLEGAL, own_tile, holds_another, **LONG),
    ),
    (
        "tile-that-does-not-fit",
        "9.5.1",
        ILLEGAL,
        refusal_case("move", None, ILLEGAL, misfit, holds_a_misfit, **LONG),
    ),
    (
        "tile-that-has-been-played",
        "9.3.1",
        Code.TILE_PLAYED,
        refusal_case("move", None, Code.TILE_PLAYED, laid, playing, **LONG),
    ),
    (
        "false-denial",
        "9.6",
        Code.FALSE_DENIAL,
        late_discovery_case(
            "move", None, Code.FALSE_DENIAL, replace_action("deny"), has_called_tile
        ),
    ),
    (
        "false-pass",
        "9.6",
        Code.FALSE_PASS,
        late_discovery_case(
            "move", None, Code.FALSE_PASS, replace_action("pass"), could_play, **LONG
        ),
    ),
    (
        "false-draw",
        "9.6",
        Code.FALSE_DRAW,
        late_discovery_case(
            "move",
            None,
            Code.FALSE_DRAW,
            lambda player, body: [["draw"], [[]]],
            could_play,
            **DRAWING,
        ),
    ),
    (
        "short-side-of-a-closed-spinner",
        "9.5.4",
        ILLEGAL,
        refusal_case("move", None, ILLEGAL, at_short_side, has_closed_spinner, **SPINNER),
    ),
    (
        "draw-of-the-reserve",
        "9.3.1",
        ILLEGAL,
        refusal_case(
            "move", None, ILLEGAL, lambda player, body: [["draw"], [[]]], may_not_draw, **RESERVE
        ),
    ),
):
    GROUP.add(name, section, str(code), body)


for kind in ("sit", "nonce", "layer", "hop", "strip", "slot_hop", "move", "open_seat", "receipt"):
    GROUP.add(f"leave-instead-of-{kind.replace('_', '-')}", "6.6", str(Code.LEFT), leave_case(kind))
for kind in ("key", "shuffle", "shares", "show"):
    GROUP.add(f"leave-instead-of-{kind}", "13.9.1", str(Code.LEFT), leave_case(kind, **LONG))


# --- the last hand ---


@GROUP.case("6.10", "most points win")
async def hand_that_is_the_last(arena: TableEnvironment) -> None:
    """A single hand was agreed, and no hand reaches the target: a table that deals another goes on
    too long.
    """
    play = await arena.play(**LAST)
    await play.finish()
    best = [seat for seat in (0, 1) if play.match.scores[seat] == max(play.match.scores)]
    if play.match.deal_number != 1:
        raise CaseFailed(f"the match had {play.match.deal_number} hands instead of one")
    if play.match.winner != (best[0] if len(best) == 1 else None):
        raise CaseFailed("another seat has won than the one with the most points")


# --- spinner, all-fives and partners ---


@GROUP.case("9.5.4", "clean")
async def tile_at_a_short_side_of_the_spinner(arena: TableEnvironment) -> None:
    """A seat plays where only a short side fits: a table without a spinner refuses the play."""
    play, player = await reach_kind(arena, "move", None, fits_short_side_alone, **SPINNER)
    await play.play(player)
    await play.finish()


@GROUP.case("9.9.1", "clean")
async def all_fives_to_the_end(arena: TableEnvironment) -> None:
    """The game has points in play: a table with another count refuses the scores, or plays on too
    long.
    """
    play = await arena.play(**FIVES)
    await play.finish()


@GROUP.case("9.9.3", str(Code.NOT_NOW))
async def move_after_the_target_is_reached(arena: TableEnvironment) -> None:
    """The hand ends with the tile that brings a seat to the target; nobody plays on."""
    for _ in range(TRIES):
        play = await arena.play(
            options=[["hand", 7], ["scoring", "fives"], ["spinner", "no"], ["target", 5]]
        )
        while not any(event.points for event in getattr(play.match.game, "events", ())):
            if not await play.step():
                break
        else:
            player = await play.reach("open_seat", 0)
            await player.refused(player.entry(kind="move", body=[["pass"], []]), Code.NOT_NOW)
            await play.finish()
            return
    raise CaseFailed(f"nobody scored in {TRIES} matches")


@GROUP.case("9.10.1", str(Code.WRONG_SCORES))
async def receipt_that_gives_a_partner_nothing(arena: TableEnvironment) -> None:
    """Partners have a common score, and a receipt gives it to both."""
    play = await arena.play(**PARTNERS)
    player = await play.reach("receipt")
    due = player.due()
    assert due is not None
    scores = due.body[0]
    await player.refused(player.entry(body=[[*scores[:2], 0, 0]]), Code.WRONG_SCORES)
    await play.finish()


@GROUP.case("9.10.4", str(Code.LEFT))
async def partner_who_leaves(arena: TableEnvironment) -> None:
    """The partner plays on alone, for the team's score."""
    play = await arena.play(**SHARED)
    await play.reach("move")
    leaver = play.players[3]
    count = await play.stands(leaver, leaver.entry(kind="leave", body=[]))
    await play.go_on_without()
    play.names(3, count, Code.LEFT)
    if play.match.winner is None:
        raise CaseFailed("nobody has won")


@GROUP.case("9.10.4", "the others have won")
async def both_of_a_team_who_leave(arena: TableEnvironment) -> None:
    play = await arena.play(**SHARED)
    await play.reach("move")
    for number in (1, 3):
        leaver = play.players[number]
        await play.stands(leaver, leaver.entry(kind="leave", body=[]))
    await play.reach("receipt")
    await play.go_on_without()
    if play.match.winners != (0, 2):
        raise CaseFailed("those who are left have not won")
