"""The match and the game: keys and nonces that do not fit, moves that the rules do not allow, lies
about a hand.
"""

from typing import Any

from conformance.case import Failed, Group
from conformance.table.environment import Arena
from conformance.table.fault_cases import (action, fault, field, found_later, leaves, out_of_turn, refused)
from conformance.table.kit_match import Player
from conformance.weak_keys import LOW_ORDER
from protocol.codes import Code
from protocol.games import Hand
from protocol.games.dominoes.rules import Dominoes
from protocol.games.dominoes.state import Phase
from protocol.games.dominoes.tiles import open_ends
from protocol.match.state import Match

GROUP = Group("game")
LONG: dict[str, Any] = {"options": [["hand", 4], ["target", 1]], "dealing": "verified"}
TRIES = 12  # matches until somebody scores
FIVES: dict[str, Any] = {"options": [["hand", 5], ["scoring", "fives"], ["target", 50]]}
PARTNERS: dict[str, Any] = {
    "seats": 4,
    "options": [["hand", 3], ["partners", "yes"], ["target", 1]],
}
SHARED: dict[str, Any] = PARTNERS | {
    "dealing": "verified",
    "deal_options": [["leavers", "threshold"], ["quorum", 2]],
}
DRAWING: dict[str, Any] = LONG | {"game": "draw-dominoes"}


def phase(player: Player) -> Any:
    return player.match.game.phase


def calling(player: Player) -> bool:
    return phase(player) is Phase.CALL


def playing(player: Player) -> bool:
    return phase(player) is Phase.PLAY


def denies(player: Player) -> bool:
    due = player.due()
    return due is not None and due.body[0] == ["deny"]


def has_called_tile(player: Player) -> bool:
    due = player.due()
    return calling(player) and due is not None and due.body[0][0] == "play"


def could_play(player: Player) -> bool:
    due = player.due()
    return playing(player) and due is not None and due.body[0][0] == "play"


def does_not_fit(match: Match, hand: Hand) -> int | None:
    """A domino of a hand that fits nowhere in the line."""
    game = match.setup.game
    assert isinstance(game, Dominoes)
    for piece in hand:
        if not open_ends(game.tiles[piece], match.game.ends):
            return piece
    return None


def holds_a_misfit(player: Player) -> bool:
    return playing(player) and does_not_fit(player.match, player.seat.hand) is not None


def misfit(player: Player, body: list[Any]) -> list[Any]:
    """A tile of one's own that does not fit, with the right opening."""
    piece = does_not_fit(player.match, player.seat.hand)
    assert piece is not None
    return [["play", piece, 0], player.seat.opening(player.match, piece)]


def laid(player: Player, body: list[Any]) -> list[Any]:
    """A tile that lies in the line."""
    piece = min(player.match.game.played)
    return [["play", piece, 0], [[0, bytes(32), bytes(64)]]]


def holds_another(player: Player) -> bool:
    return denies(player) and bool(player.seat.hand)


def own_tile(player: Player, body: list[Any]) -> list[Any]:
    """A tile of one's own."""
    piece = player.seat.hand[0]
    return [["play", piece, 0], player.seat.opening(player.match, piece)]


ILLEGAL = Code.ILLEGAL_MOVE
for name, section, code, body in (
    (
        "match-key-of-low-order",
        "6.6.1",
        Code.BAD_MATCH_KEY,
        fault("sit", 0, Code.BAD_MATCH_KEY, field(0, lambda key: LOW_ORDER["of-order-eight"])),
    ),
    (
        "match-key-of-zeros",
        "7.1.1",
        Code.BAD_MATCH_KEY,
        fault("sit", 1, Code.BAD_MATCH_KEY, field(0, lambda key: bytes(32))),
    ),
    (
        "match-key-that-is-not-canonical",
        "7.1.1",
        Code.BAD_MATCH_KEY,
        fault("sit", 0, Code.BAD_MATCH_KEY, field(0, lambda key: b"\xf6" + b"\xff" * 30 + b"\x7f")),
    ),
    (
        "nonce-that-was-not-committed-to",
        "6.6.1",
        Code.BAD_NONCE,
        fault("nonce", 0, Code.BAD_NONCE, field(0, lambda nonce: bytes(32))),
    ),
    (
        "nonce-too-short",
        "6.6",
        Code.BAD_ENTRY,
        refused("nonce", 0, Code.BAD_ENTRY, field(0, lambda nonce: nonce[1:])),
    ),
    ("move-out-of-turn", "6.7.1", Code.NOT_NOW, out_of_turn("move", 0, 1, "move", [["deny"], []])),
    (
        "move-that-the-game-does-not-know",
        "9.3.1",
        Code.BAD_ACTION,
        refused("move", None, Code.BAD_ACTION, action("win")),
    ),
    (
        "move-of-no-words",
        "9.3.1",
        Code.BAD_ACTION,
        refused("move", None, Code.BAD_ACTION, action()),
    ),
    (
        "move-of-a-tile-that-is-not-there",
        "9.3.1",
        Code.BAD_ACTION,
        refused("move", None, Code.BAD_ACTION, action("play", 28, 0)),
    ),
    (
        "move-to-a-third-end",
        "9.3.1",
        Code.BAD_ACTION,
        refused("move", None, Code.BAD_ACTION, action("play", 0, 2)),
    ),
    (
        "move-with-true-for-an-end",
        "2.2.4",
        Code.BAD_ACTION,
        refused("move", None, Code.BAD_ACTION, action("play", 0, False)),
    ),
    (
        "timeout-by-a-seat",
        "9.3.1",
        Code.BAD_ACTION,
        refused("move", None, Code.BAD_ACTION, action("timeout")),
    ),
    (
        "pass-while-tiles-are-called",
        "9.4.1",
        ILLEGAL,
        refused("move", None, ILLEGAL, action("pass"), calling),
    ),
    (
        "draw-in-the-block-game",
        "9.3",
        ILLEGAL,
        refused("move", None, ILLEGAL, action("draw"), playing, **LONG),
    ),
    (
        "pass-while-there-is-a-stock",
        "9.3",
        ILLEGAL,
        refused("move", None, ILLEGAL, action("pass"), playing, **DRAWING),
    ),
    (
        "denial-after-the-lead",
        "9.3",
        ILLEGAL,
        refused("move", None, ILLEGAL, action("deny"), playing, **LONG),
    ),
    (
        "denial-with-a-part",
        "6.8.2",
        Code.BAD_ENTRY,
        refused("move", None, Code.BAD_ENTRY, field(1, lambda parts: [[]]), denies),
    ),
    (
        "lead-with-another-tile-than-the-called",
        "9.4.1",
        ILLEGAL,
        refused("move", None, ILLEGAL, own_tile, holds_another, **LONG),
    ),
    (
        "tile-that-does-not-fit",
        "9.5.1",
        ILLEGAL,
        refused("move", None, ILLEGAL, misfit, holds_a_misfit, **LONG),
    ),
    (
        "tile-that-has-been-played",
        "9.3.1",
        Code.TILE_PLAYED,
        refused("move", None, Code.TILE_PLAYED, laid, playing, **LONG),
    ),
    (
        "false-denial",
        "9.6",
        Code.FALSE_DENIAL,
        found_later("move", None, Code.FALSE_DENIAL, action("deny"), has_called_tile),
    ),
    (
        "false-pass",
        "9.6",
        Code.FALSE_PASS,
        found_later("move", None, Code.FALSE_PASS, action("pass"), could_play, **LONG),
    ),
    (
        "false-draw",
        "9.6",
        Code.FALSE_DRAW,
        found_later(
            "move",
            None,
            Code.FALSE_DRAW,
            lambda player, body: [["draw"], [[]]],
            could_play,
            **DRAWING,
        ),
    ),
):
    GROUP.add(name, section, str(code), body)


for kind in ("sit", "nonce", "layer", "hop", "strip", "slot_hop", "move", "open_seat", "receipt"):
    GROUP.add(f"leave-instead-of-{kind.replace('_', '-')}", "6.6", str(Code.LEFT), leaves(kind))
for kind in ("key", "shuffle", "shares", "show"):
    GROUP.add(f"leave-instead-of-{kind}", "13.9.1", str(Code.LEFT), leaves(kind, **LONG))


# --- all-fives and partners ---


@GROUP.case("9.9.1", "clean")
async def all_fives_to_the_end(arena: Arena) -> None:
    """Points are scored in play: a table that counts otherwise refuses the scores, or goes on for
    too long.
    """
    play = await arena.play(**FIVES)
    await play.finish()


@GROUP.case("9.9.3", str(Code.NOT_NOW))
async def move_after_the_target_is_reached(arena: Arena) -> None:
    """The hand ends with the tile that brings a seat there: it is settled, and nobody plays on."""
    for _ in range(TRIES):
        play = await arena.play(
            **FIVES | {"options": [["hand", 7], ["scoring", "fives"], ["target", 5]]}
        )
        while not any(event.points for event in getattr(play.match.game, "events", ())):
            if not await play.step():
                break
        else:
            player = await play.reach("open_seat", 0)
            await player.refused(player.entry(kind="move", body=[["pass"], []]), Code.NOT_NOW)
            await play.finish()
            return
    raise Failed(f"nobody scored in {TRIES} matches")


@GROUP.case("9.10.1", str(Code.WRONG_SCORES))
async def receipt_that_gives_a_partner_nothing(arena: Arena) -> None:
    """Partners have one score, and both of them have it."""
    play = await arena.play(**PARTNERS)
    player = await play.reach("receipt")
    due = player.due()
    assert due is not None
    scores = due.body[0]
    await player.refused(player.entry(body=[[*scores[:2], 0, 0]]), Code.WRONG_SCORES)
    await play.finish()


@GROUP.case("9.10.4", str(Code.LEFT))
async def partner_who_leaves(arena: Arena) -> None:
    """Its partner plays on alone, for the team's score."""
    play = await arena.play(**SHARED)
    await play.reach("move")
    leaver = play.players[3]
    count = await play.stands(leaver, leaver.entry(kind="leave", body=[]))
    await play.go_on_without()
    play.names(3, count, Code.LEFT)
    if play.match.winner is None:
        raise Failed("nobody has won")


@GROUP.case("9.10.4", "the others have won")
async def both_of_a_team_who_leave(arena: Arena) -> None:
    play = await arena.play(**SHARED)
    await play.reach("move")
    for number in (1, 3):
        leaver = play.players[number]
        await play.stands(leaver, leaver.entry(kind="leave", body=[]))
    await play.reach("receipt")
    await play.go_on_without()
    if play.match.winners != (0, 2):
        raise Failed("those who are left have not won")
