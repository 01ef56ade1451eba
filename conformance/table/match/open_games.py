"""Games with nothing hidden: invalid terms, illegal moves, and the winner after a seat has left."""

from collections.abc import Sequence
from typing import Any

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.table.environment import TableEnvironment
from conformance.table.fault_cases import (
    change_field,
    leave_case,
    reach_kind,
    refusal_case,
    replace_action,
)
from conformance.table.kit_match import KitMatch, SeatedPlayer
from conformance.table.lobby.lobby import bad_table
from conformance.table.match.clock import clock, heard
from protocol.codes import Code
from protocol.dealing import Post
from protocol.games import Action
from protocol.limits import MAX_POPOUT_MOVES

GROUP = CaseGroup("open-games")
BAD_OPTIONS = Code.BAD_OPTIONS
BAD_ACTION = Code.BAD_ACTION
ILLEGAL = Code.ILLEGAL_MOVE


def terms(game: str, **options: int | str) -> dict[str, Any]:
    """Return the terms of a game without a deal."""
    return {
        "game": game,
        "options": [list(pair) for pair in sorted(options.items())],
        "dealing": "none",
    }


MATCHES = terms("matches", n=5)
NIM = terms("nim", rows="1-3")
PAWNS = terms("hexapawn")
FOUR = terms("connect-four", height=4, width=4)
POPOUT = terms("connect-four", height=4, width=4, popout="yes")

for name, section, wrong in (
    ("dominoes-that-are-not-dealt", "20.1.1", {"dealing": "none"}),
    ("pawns-that-are-dealt", "20.1.1", PAWNS | {"dealing": "verified"}),
    ("pawns-that-are-dealt-in-layers", "20.1.1", PAWNS | {"dealing": "layered"}),
    ("no-deal-with-an-option", "20.1", PAWNS | {"deal_options": [["leavers", "threshold"]]}),
    ("pawns-for-three", "21.1.1", PAWNS | {"seats": 3}),
    ("board-of-more-than-64-bits", "21.1", terms("connect-four", height=9, width=7)),
    ("popout-perhaps", "21.1", terms("connect-four", popout="perhaps")),
    ("board-of-one-column", "21.1", terms("hexapawn", width=1)),
    ("no-matches", "21.1", terms("matches", n=0)),
    ("rows-with-a-gap", "21.1", terms("nim", rows="1--3")),
    ("row-with-a-leading-zero", "21.1", terms("nim", rows="1-03")),
    ("row-with-nothing-in-it", "21.1", terms("nim", rows="1-0")),
    ("row-that-is-too-long", "21.1", terms("nim", rows="1-21")),
    ("rows-one-too-many", "21.1", terms("nim", rows="1-1-1-1-1-1-1-1-1-1-1")),
    ("rows-that-are-no-text", "21.1", terms("nim", rows=0)),
):
    GROUP.add(f"table-with-{name}", section, str(BAD_OPTIONS), bad_table(**wrong))


def whole(given: dict[str, Any], moves: Sequence[Action], winner: int | None) -> CaseBody:
    """Make a case: the seats make these moves, whoever begins, and the match ends. `winner` 0 is
    the seat that began, 1 the other.
    """

    async def run(arena: TableEnvironment) -> None:
        play = await arena.play(**given)
        first = (await play.reach("move")).number
        for number, move in enumerate(moves):
            player = play.players[(first + number) % 2]
            if play.match.stage != "playing" or player.due() is None:
                raise CaseFailed(
                    f"the game is over after {number} moves, or it is another seat's turn"
                )
            post = player.seat.move(play.match, move)
            await play.stands(player, player.entry(body=post.body))
        if play.match.stage == "playing":
            raise CaseFailed("the game goes on after its end")
        await play.finish()
        if play.match.winner != (None if winner is None else (first + winner) % 2):
            raise CaseFailed("another has won than the rules say")

    return run


def drops(*columns: int) -> list[Action]:
    return [("drop", column) for column in columns]


def popout(text: str) -> list[Action]:
    """Read moves: a digit for the column where a stone falls, from 1; one is taken out after a p."""
    pairs = zip(" " + text, text, strict=False)
    return [
        ("pop" if before == "p" else "drop", int(mark) - 1) for before, mark in pairs if mark != "p"
    ]


DRAW = (0, 1, 0, 1, 1, 0, 1, 0, 2, 3, 2, 3, 3, 2, 3, 2)
for name, section, body in (
    ("matches-to-the-last", "21.3.2", whole(MATCHES, [("take", 3), ("take", 2)], 1)),
    (
        "matches-misere",
        "21.3.2",
        whole(terms("matches", misere="yes", n=5), [("take", 3), ("take", 2)], 0),
    ),
    ("nim-to-the-last", "21.4.2", whole(NIM, [("take", 1, 3), ("take", 0, 1)], 1)),
    (
        "nim-misere",
        "21.4.2",
        whole(terms("nim", misere="yes", rows=2), [("take", 0, 1), ("take", 0, 1)], 0),
    ),
    ("four-in-a-column", "21.6.2", whole(FOUR, drops(0, 1, 0, 1, 0, 1, 0), 0)),
    ("four-in-a-row", "21.6.2", whole(FOUR, drops(0, 0, 1, 1, 2, 2, 3), 0)),
    ("four-in-a-diagonal", "21.6.2", whole(FOUR, drops(0, 1, 1, 2, 2, 3, 2, 3, 3, 0, 3), 0)),
    ("full-board", "21.6.2", whole(FOUR, drops(*DRAW), None)),
    ("pop-that-makes-four", "21.7.2", whole(POPOUT, popout("322132124443p4"), 0)),
    ("pop-that-makes-four-for-the-other", "21.7.2", whole(POPOUT, popout("1244342p2"), 0)),
    ("pop-that-makes-four-for-both", "21.7.2", whole(POPOUT, popout("4334422113p4"), 0)),
    (
        "popout-without-a-line",
        "21.7.3",
        whole(POPOUT, popout("12p1p2" * (MAX_POPOUT_MOVES // 4)), None),
    ),
):
    GROUP.add(name, section, "clean", body)


@GROUP.case("21.6.2", "clean")
async def stones_atop_a_column_and_below_in_the_next(arena: TableEnvironment) -> None:
    """The top of one column and the foot of the next are neighbours in a machine word, but not in a
    line.
    """
    play = await arena.play(**FOUR)
    first = (await play.reach("move")).number
    for number, move in enumerate(drops(1, 0, 1, 0, 0, 2, 0)):
        player = play.players[(first + number) % 2]
        await play.stands(player, player.entry(body=player.seat.move(play.match, move).body))
    if play.match.stage != "playing":
        raise CaseFailed("the game is over although nobody has four in line")
    await play.end()


@GROUP.case("21.5.3", "clean")
async def pawn_across(arena: TableEnvironment) -> None:
    """The first pawn on the last row wins: with rows of 2, the first capture."""
    play = await arena.play(**terms("hexapawn", height=2))
    player = await play.reach("move")
    move = player.match.setup.game.legal(player.match.game, player.number, ())[0]
    await play.stands(player, player.entry(body=player.seat.move(play.match, move).body))
    await play.finish()
    if play.match.winner != player.number:
        raise CaseFailed("who is across has not won")


for name, section, code, change, given in (
    ("move-with-a-part", "20.1.2", Code.BAD_ENTRY, change_field(1, lambda parts: [[]]), PAWNS),
    ("move-of-another-game", "21.2.2", BAD_ACTION, replace_action("drop", 0), PAWNS),
    ("pass", "21.2.2", BAD_ACTION, replace_action("pass"), FOUR),
    ("none-taken", "21.3.1", ILLEGAL, replace_action("take", 0), MATCHES),
    ("four-taken", "21.3.1", BAD_ACTION, replace_action("take", 4), MATCHES),
    ("none-taken-from-a-row", "21.4.1", ILLEGAL, replace_action("take", 1, 0), NIM),
    ("more-taken-than-are-left", "21.4.1", ILLEGAL, replace_action("take", 0, 2), NIM),
    ("row-that-is-not-there", "21.4.1", BAD_ACTION, replace_action("take", 2, 1), NIM),
    ("column-that-is-not-there", "21.6.1", BAD_ACTION, replace_action("drop", 4), FOUR),
    ("pop-without-popout", "21.6.1", BAD_ACTION, replace_action("pop", 0), FOUR),
    ("pop-of-no-stone", "21.7.1", ILLEGAL, replace_action("pop", 0), POPOUT),
    ("pop-of-no-column", "21.7.1", BAD_ACTION, replace_action("pop", 4), POPOUT),
    ("cell-that-is-not-there", "21.5.2", BAD_ACTION, replace_action("move", 6, 9), PAWNS),
    (
        "pawn-of-the-other-seat",
        "21.5.2",
        ILLEGAL,
        lambda player, body: [["move", *((6, 3) if player.number == 0 else (0, 3))], []],
        PAWNS,
    ),
    ("pawn-that-stays", "21.5.2", ILLEGAL, replace_action("move", 4, 4), PAWNS),
    (
        "pawn-that-takes-nothing",
        "21.5.2",
        ILLEGAL,
        lambda player, body: [["move", *((0, 4) if player.number == 0 else (6, 4))], []],
        PAWNS,
    ),
    (
        "pawn-that-goes-two",
        "21.5.2",
        ILLEGAL,
        lambda player, body: [["move", *((0, 6) if player.number == 0 else (6, 0))], []],
        PAWNS,
    ),
):
    GROUP.add(name, section, str(code), refusal_case("move", None, code, change, **given))


@GROUP.case("21.6.1", str(ILLEGAL))
async def column_that_is_full(arena: TableEnvironment) -> None:
    play = await arena.play(**FOUR)
    for _ in range(4):
        await play.play(await play.reach("move"))  # always the first column
    player = await play.reach("move")
    await player.refused(player.entry(body=[["drop", 0], []]), ILLEGAL)
    await play.go_on()


@GROUP.case("21.7.1", str(ILLEGAL))
async def pop_of_the_other_seats_stone(arena: TableEnvironment) -> None:
    play = await arena.play(**POPOUT)
    await play.play(await play.reach("move"))  # into the first column
    player = await play.reach("move")
    await player.refused(player.entry(body=[["pop", 0], []]), ILLEGAL)
    await play.go_on()


@GROUP.case("21.2.1", str(Code.NOT_NOW))
async def move_out_of_turn(arena: TableEnvironment) -> None:
    play, player = await reach_kind(arena, "move", None, None, **PAWNS)
    other = play.players[1 - player.number]
    await other.refused(other.entry(kind="move", body=[["move", 0, 3], []]), Code.NOT_NOW)
    await play.go_on()


@GROUP.case("20.1.2", str(Code.NOT_NOW))
async def protest_where_nothing_is_dealt(arena: TableEnvironment) -> None:
    play, player = await reach_kind(arena, "move", None, None, **PAWNS)
    await player.refused(player.entry(kind="protest", body=[3]), Code.NOT_NOW)
    await play.go_on()


# --- who goes has lost ---


def won_by_the_other(play: KitMatch, loser: SeatedPlayer) -> None:
    """Check that the scores name the other seat as winner."""
    match = play.match
    if match.winner != 1 - loser.number or match.scores[1 - loser.number] != 1:
        raise CaseFailed("the one who stays has not won")


def leaver(on_turn: bool) -> CaseBody:
    """Make a case: a seat leaves, on its turn or not; it is named, and the other has won."""

    async def run(arena: TableEnvironment) -> None:
        play, player = await reach_kind(arena, "move", None, None, **FOUR)
        gone = player if on_turn else play.players[1 - player.number]
        await play.convict(gone, Post("leave", []), Code.LEFT)
        won_by_the_other(play, gone)

    return run


GROUP.add("leave-on-the-turn", "21.2.4", str(Code.LEFT), leaver(True))
GROUP.add("leave-on-the-other-s-turn", "21.2.4", str(Code.LEFT), leaver(False))
GROUP.add("leave-before-the-game", "20.1.3", str(Code.LEFT), leave_case("nonce", 1, **PAWNS))


@GROUP.case("20.1.4", str(Code.LEFT))
async def leave_when_the_score_stands(arena: TableEnvironment) -> None:
    """The loser leaves without signing: the winner keeps the match."""
    play = await arena.play(**terms("matches", n=1))
    player = await play.reach("move")
    await play.play(player)
    loser = play.players[1 - player.number]
    count = await play.stands(loser, loser.entry(kind="leave", body=[]))
    play.names(loser.number, count, Code.LEFT)
    won_by_the_other(play, loser)
    await play.is_over()


@GROUP.case("20.1.3", str(Code.LAPSED))
async def turn_that_lapses(arena: TableEnvironment) -> None:
    """Nobody moves for a silent seat: its first lapse counts as leaving."""
    play = await arena.play(**PAWNS, clock=clock(turn=2))
    silent = await play.reach("move")
    if await heard(play, "lapse", play.posted_at) != {silent.number}:
        raise CaseFailed("the clock runs for another seat than the one to act")
    play.names(silent.number, len(silent.records) - 1, Code.LAPSED)
    await play.go_on_without()
    won_by_the_other(play, silent)
