"""Poker: whole matches, illegal moves, and other seats that leave or are away (chapter 18)."""

from typing import Any

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.player.cheat_cases import (
    continue_case,
    expect_completion,
    hang_up_case,
    late_discovery_case,
)
from conformance.player.environment import PlayerEnvironment
from conformance.player.fake_table import FakeTable
from conformance.player.kit_match import KitMatch
from protocol.codes import Code
from protocol.dealing import Post
from protocol.games.poker.state import PokerState
from protocol.match.clock import Allowance
from protocol.match.state import Match, MatchStage
from protocol.match.terms import Terms, make_terms
from protocol.options import Selection

GROUP = CaseGroup("poker")
THRESHOLD = ("verified", (("leavers", "threshold"),))


def terms(
    game: str = "texas-holdem",
    dealing: tuple[str, Any] = ("commutative", ()),
    seats: int = 2,
    **options: int | str,
) -> Terms:
    """Return terms for one hand with 20 chips for each seat, or as the options say."""
    chosen = sorted({"ante": 1, "hands": 1, "stack": 20, **options}.items())
    return make_terms(
        Selection(game, tuple(chosen)), Selection(*dealing), Allowance().options(), seats
    )


def add(name: str, section: str, expects: str, body: CaseBody) -> None:
    """Add a case to this group."""
    GROUP.add(name, section, expects, body)


def whole(*arguments: Any, **given: Any) -> CaseBody:
    """Make a case: a match to its end."""

    async def run(arena: PlayerEnvironment) -> None:
        arena.play(terms(*arguments, **given))
        await arena.start()
        await arena.expect_clean()

    return run


DRAW = "five-card-draw"
for name, body in (
    ("holdem-dealt-commutatively", whole()),
    ("holdem-all-in-with-the-antes", whole(ante=20)),
    ("holdem-for-three-with-proofs", whole(dealing=THRESHOLD, seats=3)),
    ("draw-dealt-commutatively", whole(DRAW)),
    ("draw-with-proofs", whole(DRAW, dealing=THRESHOLD)),
):
    add(name, "18.4", "clean", body)
for name, section, body in (
    ("holdem-with-fixed-limit", "18.9", whole(limit="fixed", hands=3)),
    ("draw-with-fixed-limit", "18.9", whole(DRAW, limit="fixed", hands=2)),
    ("holdem-with-pot-limit", "18.10.5", whole(limit="pot", hands=2)),
    ("omaha-dealt-commutatively", "18.12.1", whole("omaha", hands=2)),
    (
        "holdem-with-dead-button-and-own-small-blind",
        "18.3.2",
        whole(seats=3, button="dead", blind=6, small=1, folds="free", hands=4),
    ),
    (
        "blinds-that-rise",
        "18.3.5",
        whole(levels=1, hands=3, stack=200, limit="fixed"),
    ),  # so that no seat runs out of chips earlier
    # two seats lose, and the table's seat buys chips
    ("stacks-that-are-bought", "18.3.6", whole(seats=3, stack=2, ante=2, rebuys=1, hands=4)),
):
    add(name, section, "clean", body)


# In draw poker the other seat has a move whatever the player does: the player has nothing to pay,
# and cannot fold before.
for name, section, action in (
    ("raise-of-more-than-one-has", "18.4.1", ["raise", 21]),
    ("show-before-the-showdown", "18.5", ["show", 0, 1, 2, 3, 4]),
    ("muck-before-the-showdown", "18.5", ["muck"]),
    ("exchange-while-bets-are-made", "18.5", ["exchange"]),
    ("move-that-poker-does-not-know", "18.5.1", ["bet", 4]),
):
    add(name, section, str(Code.TABLE_ACCEPTED), hang_up_case(terms(DRAW), [action, []]))


def _state(match: Match) -> PokerState:
    """Return the state of the game."""
    assert isinstance(match.game, PokerState)
    return match.game


def _other_cards(table: FakeTable, body: list[Any]) -> list[Any]:
    """Show cards that are neither in the seat's hand nor on the board."""
    if body[0][0] != "show":
        return body
    known = {*body[0][1:], *_state(table.room.match).board}
    return [["show", *[piece for piece in range(52) if piece not in known][:2]], body[1]]


add(
    "show-of-other-cards",
    "18.5.3",
    str(Code.BAD_OPENING),
    late_discovery_case(terms(ante=20), 1, "move", _other_cards, "open_key", Code.BAD_OPENING),
)
add(
    "player-who-leaves-in-a-hand",
    "18.7.1",
    "clean",
    continue_case(
        terms(dealing=THRESHOLD, seats=3), 2, "move", lambda body: Post("leave", []), Code.LEFT
    ),
)


async def _away(arena: PlayerEnvironment) -> None:
    """Another seat never acts: the table waits, says that the seat is away, and folds or mucks for
    it.
    """
    table = arena.play(terms())

    def say(room: KitMatch) -> None:
        for seat in room.others:
            seat.silent = lambda match: match.stage is MatchStage.PLAYING
        if room.match.over:
            due = None
        else:
            due = room.match.next_clock_entry(1)
        while due is not None and room.match.stage is MatchStage.PLAYING:
            room.post(Post(due.kind, [1, due.after]))
            while room.step():
                """What comes after a turn that lapsed."""
            if room.match.over:
                due = None
            else:
                due = room.match.next_clock_entry(1)

    table.before = say
    await arena.start()
    await arena.wait(lambda: table.over, "the match did not end")
    if any(fault.seat == 0 for fault in table.room.match.faults):
        raise CaseFailed("the player is named although another seat was away")
    await arena.end(len(arena.connections) - 1)


async def _not_shown(arena: PlayerEnvironment) -> None:
    """All seats are all in, and one does not show: the player and the third seat open this hand."""
    table = arena.play(terms(dealing=THRESHOLD, seats=3, ante=20))

    def shows(match: Match) -> bool:
        return match.stage is MatchStage.PLAYING and _state(match).to_act == 2

    def say(room: KitMatch) -> None:
        room.others[1].silent = shows
        while not room.match.over and shows(room.match):
            due = room.match.next_clock_entry(2)
            assert due is not None
            room.post(Post(due.kind, [2, due.after]))
        while room.step():
            """The others go on."""

    table.before = say
    await arena.start()
    await arena.expect_post("stand_in")
    await expect_completion(arena, [])


add("hand-of-another-that-is-not-shown", "18.7.6", "stand_in", _not_shown)
add("bets-of-another-that-are-not-made", "18.7.4", "goes on, or says goodbye", _away)
