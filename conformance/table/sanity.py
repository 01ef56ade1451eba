"""An honest match from the first message to the last: before all cases, and after them."""

from conformance.case import Case, Failed
from conformance.table.environment import Arena
from conformance.table.kit_match import (Onlooker, Play)
from protocol.audit.verdict import Verdict, audit
from protocol.match.log_file import (MAGIC, encode_record)


async def honest_matches(arena: Arena) -> None:
    """One of each dealing protocol; every seat and a spectator have the same log, and its audit is
    clean.
    """
    await honest_match(await arena.play(dealing="verified"))
    play = await arena.play(seats=3, dealing="layered")
    watcher = await watching(arena, play)
    await honest_match(play)
    await watcher.read(len(play.players[0].records))
    if watcher.records != play.players[0].records:
        raise Failed("a spectator was sent another log")


async def honest_match(play: Play) -> None:
    """Play on to the end."""
    await play.finish()
    records = play.players[0].records
    if (
        audit(MAGIC + b"".join(encode_record(*record) for record in records)).verdict
        is not Verdict.CLEAN
    ):
        raise Failed("the audit of an honest match is not clean")


async def watching(arena: Arena, play: Play) -> Onlooker:
    """A spectator who reads along from the beginning."""
    guest = await arena.guest()
    await guest.send("spectate", table_of(play))
    await guest.expect("match")
    watcher = Onlooker(guest)
    await watcher.ask()
    await watcher.read(len(play.players[0].records))
    return watcher


def table_of(play: Play) -> str:
    """The id of the table a match is played at."""
    return play.match.setup.table.id


async def well(arena: Arena) -> None:
    """The table still takes people in and answers them."""
    guest = await arena.guest()
    await guest.send("list")
    await guest.expect("tables")


SANITY = Case("honest-matches", "4.5", "clean", honest_matches, "sanity", alone=True)
