"""Games with nothing hidden: whole matches, illegal moves, and other seats that leave (chapter
21).
"""

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.player.cheat_cases import continue_case, expect_completion, hang_up_case
from conformance.player.environment import PlayerEnvironment
from conformance.player.kit_match import KitMatch
from protocol.codes import Code
from protocol.dealing import Post
from protocol.match.clock import Allowance
from protocol.match.state import MatchStage
from protocol.match.terms import Terms, make_terms
from protocol.options import Selection

GROUP = CaseGroup("open-games")


def terms(game: str, **options: int | str) -> Terms:
    """Return the terms of a game without a deal."""
    return make_terms(
        Selection(game, tuple(sorted(options.items()))), Selection("none"), Allowance().options(), 2
    )


def whole(given: Terms) -> CaseBody:
    """Make a case: a match to its end."""

    async def run(arena: PlayerEnvironment) -> None:
        arena.play(given)
        await arena.start()
        await arena.expect_clean()

    return run


PAWNS = terms("hexapawn")
POPOUT = terms("connect-four", height=4, width=4, popout="yes")
for name, section, given in (
    ("matches", "21.3", terms("matches", misere="yes", n=9)),
    ("nim", "21.4", terms("nim", rows="2-3")),
    ("pawns", "21.5", PAWNS),
    ("pawns-on-a-wide-board", "21.5", terms("hexapawn", height=4, width=5)),
    ("four-in-line", "21.6", terms("connect-four", height=4, width=4)),
    ("popout", "21.7", POPOUT),
):
    GROUP.add(name, section, "clean", whole(given))

GROUP.add(
    "leave-on-the-turn",
    "21.2.4",
    "clean",
    continue_case(PAWNS, 1, "move", lambda body: Post("leave", []), Code.LEFT),
)


@GROUP.case("20.1.3", "clean")
async def turn_that_lapses(arena: PlayerEnvironment) -> None:
    """Another seat is silent until its time is over: it has left. The player has won, and signs the
    score.
    """
    table = arena.play(PAWNS)

    def say(room: KitMatch) -> None:
        (other,) = room.others
        other.silent = lambda match: match.stage is MatchStage.PLAYING
        while (
            room.match.stage is MatchStage.PLAYING
            and (due := room.match.next_clock_entry(1)) is not None
        ):
            room.post(Post(due.kind, [1, due.after]))

    table.before = say
    await arena.start()
    await expect_completion(arena, [(1, Code.LAPSED)])


MATCHES = terms("matches", n=9)
FOUR = terms("connect-four", height=4, width=4)
for name, section, given, body in (
    ("none-taken", "21.3.1", MATCHES, [["take", 0], []]),
    ("four-taken", "21.3.1", MATCHES, [["take", 4], []]),
    ("row-that-is-not-there", "21.4.1", terms("nim", rows="9-9"), [["take", 2, 1], []]),
    ("pawn-that-goes-two", "21.5.2", PAWNS, [["move", 6, 0], []]),
    ("pawn-of-the-other-seat", "21.5.2", PAWNS, [["move", 0, 3], []]),
    ("column-that-is-not-there", "21.6.1", FOUR, [["drop", 4], []]),
    ("pop-without-popout", "21.6.1", FOUR, [["pop", 0], []]),
    ("pop-of-no-stone", "21.7.1", POPOUT, [["pop", 0], []]),
    ("move-with-a-part", "20.1.2", FOUR, [["drop", 0], [[]]]),
):
    GROUP.add(
        f"table-that-lets-stand-{name}",
        section,
        str(Code.TABLE_ACCEPTED),
        hang_up_case(given, body),
    )


@GROUP.case("20.1.4", "clean")
async def leave_when_the_score_stands(arena: PlayerEnvironment) -> None:
    """Another seat leaves instead of signing the score: nobody loses anything."""
    table = arena.play(terms("matches", n=1))
    table.tamper = lambda author, post: Post("leave", []) if post.kind == "receipt" else post
    await arena.start()
    await arena.wait(lambda: table.over, "the match did not end")
    winner = table.room.match.winner
    if winner is None or [fault.code for fault in table.room.match.faults] != [Code.LEFT]:
        raise CaseFailed("the match did not end with its winner, and the leaver named")
