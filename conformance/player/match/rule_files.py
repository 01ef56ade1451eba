"""Games by rule files: files that the player does not have, and other seats that lie about files,
decks and draws.
"""

from typing import Any

from conformance.case import CaseFailed, CaseGroup
from conformance.mutations import flip_bit
from conformance.player.cheat_cases import continue_case
from conformance.player.environment import PlayerEnvironment
from conformance.player.fake_table import TABLE_ID
from conformance.player.forged_logs import replace_move
from protocol import wire
from protocol.codes import Code
from protocol.dealing import Post
from protocol.games.scripted.rule_file.built_in import built_in_text
from protocol.games.scripted.rule_file.rule_set import sign_rule_set
from protocol.identity.keys import Identity
from protocol.match.clock import Allowance
from protocol.match.terms import Terms, make_terms
from protocol.options import Selection

GROUP = CaseGroup("scripts")
OTHERS = "a" * 40  # digest of a file that nobody has


def _terms(game: str, dealing: str, **options: str) -> Terms:
    deals = Selection(dealing, (("leavers", "threshold"),) if dealing == "verified" else ())
    return make_terms(
        Selection(game, tuple(sorted(options.items()))), deals, Allowance().options(), 2
    )


DUEL = _terms("element-duel", "verified", mode="open")
SEEDED = _terms("element-duel", "seeded", mode="hidden")
EIGHTS = _terms("crazy-eights", "verified")


@GROUP.case("33.1.3", "does not sit down")
async def file_that_the_player_has_not(arena: PlayerEnvironment) -> None:
    """The table plays by rules that nobody can read, so nobody can have agreed to them."""
    arena.play(_terms("script", "verified", rules=OTHERS))
    await arena.start()
    await arena.end()
    if arena.heard("join"):
        raise CaseFailed("the player sat down to play by a file that it does not know")


@GROUP.case("33.10", "does not sit down")
async def signed_file_of_a_stranger(arena: PlayerEnvironment) -> None:
    """The person has never heard of the author, so nothing of the file may run."""
    body = built_in_text("crazy-eights").replace('"crazy-eights"', '"evening"')
    stranger = sign_rule_set(Identity(b"\x51" * 32), "evening", body)
    await _offered(arena, stranger.digest, stranger.text.encode())


@GROUP.case("4.5.18", "does not sit down")
async def other_file_than_the_named_one(arena: PlayerEnvironment) -> None:
    await _offered(arena, OTHERS, built_in_text("crazy-eights").encode())


async def _offered(arena: PlayerEnvironment, rules: str, text: bytes) -> None:
    """Offer this text at a table that plays by the file `rules`."""
    table = arena.play(_terms("script", "verified", rules=rules))

    async def answer(connection: Any, table_id: str | None) -> None:
        await connection.say("rules", TABLE_ID, text)

    table.on["ask_rules"] = answer
    await arena.start()
    await arena.end()
    if arena.heard("join"):
        raise CaseFailed("the player sat down to play by a file of somebody unknown")


@GROUP.case("33.1.2", "table_accepted")
async def another_text_than_the_named_one(arena: PlayerEnvironment) -> None:
    """The table accepts rules from the other seat that let this seat win."""
    table = arena.play(DUEL)
    table.seat = 1
    text = built_in_text("element-duel").replace(
        "TARGET, ROW, HAND, DECK, MOST_DUELS = 7,", "TARGET, ROW, HAND, DECK, MOST_DUELS = 1,"
    )

    replace_move(table, 0, [["rules", text], []], lambda action: action[0] == "rules")
    await arena.start()
    await arena.expect_closed(Code.TABLE_ACCEPTED)


def _salted(body: list[Any]) -> Post:
    """Open slots with another salt than in the commitment."""
    action, parts = body
    if action[0] != "open":
        return Post("move", body)
    slot, salt, card = wire.decode(action[1])
    return Post("move", [["open", wire.encode([slot, flip_bit(salt), card]), *action[2:]], parts])


def _of_the_player(body: list[Any]) -> Post:
    """Show a card as one that the player has."""
    return Post("show", [[0, *body[0][1:]]])


def _leaves(body: list[Any]) -> Post:
    """Leave before the first choice."""
    return Post("leave", [])


GROUP.add(
    "slot-of-another-opened-as-another",
    "34.3",
    "clean",
    continue_case(DUEL, 1, "move", _salted, Code.BAD_SLOT),
)
GROUP.add(
    "card-of-the-player-shown-by-another",
    "35.3.2",
    "clean",
    continue_case(SEEDED, 1, "show", _of_the_player, Code.BAD_OPENING),
)
GROUP.add(
    "leave-of-the-other", "33.4.7", "clean", continue_case(EIGHTS, 1, "move", _leaves, Code.LEFT)
)
