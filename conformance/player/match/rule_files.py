"""Games by rule files: files that the player has not, and others who lie about theirs, their decks
and their draws.
"""

from typing import Any

from conformance.case import Failed, Group
from conformance.mutations import flipped
from conformance.player.environment import Arena
from conformance.player.cheat_cases import plays_on
from conformance.player.forged_logs import instead_of_move
from protocol import wire
from protocol.codes import Code
from protocol.dealing import Post
from protocol.games.scripted.rule_file.built_in import shipped
from protocol.match.clock import Allowance
from protocol.match.terms import Terms, make_terms
from protocol.options import Chosen

GROUP = Group("scripts")
OTHERS = "a" * 40  # names a file that nobody has


def _terms(game: str, dealing: str, **options: str) -> Terms:
    deals = Chosen(dealing, (("leavers", "threshold"),) if dealing == "verified" else ())
    return make_terms(Chosen(game, tuple(sorted(options.items()))), deals, Allowance().options(), 2)


DUEL = _terms("element-duel", "verified", mode="open")
SEEDED = _terms("element-duel", "seeded", mode="hidden")
EIGHTS = _terms("crazy-eights", "verified")


@GROUP.case("33.1.3", "does not sit down")
async def file_that_the_player_has_not(arena: Arena) -> None:
    """The table plays by rules that nobody can look at, so nobody can have agreed to them."""
    arena.play(_terms("script", "verified", rules=OTHERS))
    await arena.start()
    await arena.end()
    if arena.heard("join"):
        raise Failed("the player sat down to play by a file that it does not know")


@GROUP.case("33.1.2", "table_accepted")
async def another_text_than_the_named_one(arena: Arena) -> None:
    """The table lets stand that the other seat posts rules by which it wins."""
    table = arena.play(DUEL)
    table.seat = 1
    text = shipped("element-duel").replace(
        "TARGET, ROW, HAND, DECK, MOST_DUELS = 7,", "TARGET, ROW, HAND, DECK, MOST_DUELS = 1,"
    )

    instead_of_move(table, 0, [["rules", text], []], lambda action: action[0] == "rules")
    await arena.start()
    await arena.expect_closed(Code.TABLE_ACCEPTED)


def _salted(body: list[Any]) -> Post:
    """Slots opened with another salt than was committed to."""
    action, parts = body
    if action[0] != "open":
        return Post("move", body)
    slot, salt, card = wire.decode(action[1])
    return Post("move", [["open", wire.encode([slot, flipped(salt), card]), *action[2:]], parts])


def _of_the_player(body: list[Any]) -> Post:
    """A card is shown as one that the player has."""
    return Post("show", [[0, *body[0][1:]]])


def _leaves(body: list[Any]) -> Post:
    """Gone before its first choice."""
    return Post("leave", [])


GROUP.add(
    "slot-of-another-opened-as-another",
    "34.3",
    "clean",
    plays_on(DUEL, 1, "move", _salted, Code.BAD_SLOT),
)
GROUP.add(
    "card-of-the-player-shown-by-another",
    "35.3.2",
    "clean",
    plays_on(SEEDED, 1, "show", _of_the_player, Code.BAD_OPENING),
)
GROUP.add("leave-of-the-other", "33.4.7", "clean", plays_on(EIGHTS, 1, "move", _leaves, Code.LEFT))
