"""An honest match from the first message to the last, before and after all cases."""

from conformance.case import SANITY_GROUP, Case, CaseFailed
from conformance.table.environment import TableEnvironment
from conformance.table.kit_match import KitMatch, LogFollower
from protocol.audit.verdict import Verdict, audit
from protocol.match.log_file import MAGIC, encode_record


async def honest_matches(arena: TableEnvironment) -> None:
    """Play a match with each dealing protocol. Check that all seats and a spectator have the same
    log, and that its audit is clean.
    """
    scope = arena.site.scope
    if scope.admits("block-dominoes", "verified"):
        await honest_match(await arena.play(dealing="verified"))
    if scope.admits("block-dominoes", "layered"):
        play = await arena.play(seats=3, dealing="layered")
    else:
        play = await arena.play()
    watcher = await start_spectator(arena, play)
    await honest_match(play)
    await watcher.read(len(play.players[0].records))
    if watcher.records != play.players[0].records:
        raise CaseFailed("a spectator was sent another log")


async def honest_match(play: KitMatch) -> None:
    """Play a match to the end."""
    await play.finish()
    records = play.players[0].records
    if (
        audit(MAGIC + b"".join(encode_record(*record) for record in records)).verdict
        is not Verdict.CLEAN
    ):
        raise CaseFailed("the audit of an honest match is not clean")


async def start_spectator(arena: TableEnvironment, play: KitMatch) -> LogFollower:
    """Return a spectator that reads the log from the beginning."""
    guest = await arena.guest()
    await guest.send("spectate", match_table_id(play))
    await guest.expect("match")
    watcher = LogFollower(guest)
    await watcher.ask()
    await watcher.read(len(play.players[0].records))
    return watcher


def match_table_id(play: KitMatch) -> str:
    """Return the id of the match's table."""
    return play.match.setup.table.id


async def check_health(arena: TableEnvironment) -> None:
    """Check that the table still admits and answers players."""
    guest = await arena.guest()
    await guest.send("list")
    await guest.expect("tables")


SANITY = Case("honest-matches", "4.5", "clean", honest_matches, SANITY_GROUP, alone=True)
