"""Simultaneous play in Ligretto: a round to its end, entries that no table may accept, and seats
that leave.
"""

from conformance.case import CaseFailed, CaseGroup
from conformance.player.cheat_cases import continue_case, hang_up_case
from conformance.player.environment import PlayerEnvironment
from protocol.codes import Code
from protocol.dealing import Post
from protocol.match.clock import Allowance
from protocol.match.terms import make_terms
from protocol.options import Selection

GROUP = CaseGroup("ligretto")
GAME = Selection("ligretto", (("rounds", 1),))
ROUND = make_terms(GAME, Selection("verified"), Allowance().options(), 2)
BLITZ = make_terms(
    Selection("ligretto", (("blitz", "yes"), ("rounds", 1))),
    Selection("verified"),
    Allowance().options(),
    2,
)
SHARED = make_terms(
    GAME, Selection("verified", (("leavers", "threshold"),)), Allowance().options(), 2
)


@GROUP.case("23.8.4", "clean")
async def round_to_its_end(arena: PlayerEnvironment) -> None:
    """The player acts whenever it can, and signs the score."""
    table = arena.play(ROUND)
    await arena.start()
    await arena.expect_clean()
    if not any(entry.author == table.seat for entry in table.posts("move")):
        raise CaseFailed("the player has not acted")


@GROUP.case("23.10.5", "clean")
async def round_of_dutch_blitz_to_its_end(arena: PlayerEnvironment) -> None:
    """The player acts by the rules of Dutch Blitz, and signs the score."""
    table = arena.play(BLITZ)
    await arena.start()
    await arena.expect_clean()
    if not any(entry.author == table.seat for entry in table.posts("move")):
        raise CaseFailed("the player has not acted")


GROUP.add(
    "leave-of-the-other",
    "23.7.4",
    "clean",
    continue_case(SHARED, 1, "move", lambda body: Post("leave", []), Code.LEFT),
)


for name, section, body in (
    ("rest", "23.4.1", [["rest"], []]),
    ("lay-on-a-pile-that-is-not-there", "20.2.3", [["lay", 0, 7], []]),
    ("flip-that-turns-nothing-up", "23.4.4", [["flip"], []]),
):
    GROUP.add(
        f"table-that-lets-stand-{name}",
        section,
        str(Code.TABLE_ACCEPTED),
        hang_up_case(ROUND, body),
    )

GROUP.add(
    "table-that-lets-stand-a-card-on-its-own-post-pile",
    "23.10.4",
    str(Code.TABLE_ACCEPTED),
    hang_up_case(BLITZ, [["post", 0, 0], []]),
)
