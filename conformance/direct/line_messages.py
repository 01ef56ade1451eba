"""What is said about further lines (chapter 30), to a program whose person may not want any."""

from conformance.case import Group
from conformance.direct.environment import (Arena, refused)
from conformance.direct.connection import Line
from protocol import wire
from protocol.codes import Code
from protocol.messages.lines import RUN, Ways, encode_line

GROUP, HOSTS = Group("lines"), Group("lines of a host")


def ways(about: bytes, run: bytes = bytes(RUN)) -> bytes:
    """We have no address to name."""
    return encode_line(Ways(about, run, ()))


@GROUP.case("30.1.4", "clean")
async def ways_are_taken(arena: Arena) -> None:
    """Again and again, in the middle of a match."""
    line = await arena.begin()
    for kind in ("commit", "pack"):
        await arena.reach(line, kind)
        await line.send_bytes(ways(arena.side.log.match_id))
    await arena.finish(line)


@GROUP.case("30.2.2", "clean")
async def ways_come_first_on_a_new_line(arena: Arena) -> None:
    line = await arena.begin()
    await arena.reach(line, "commit")
    await line.send_bytes(ways(arena.side.log.match_id))
    line.cut()
    line = await arena.line()
    await line.send_bytes(ways(arena.side.log.match_id))
    await arena.finish(line)


async def _of_another_match(arena: Arena, line: Line) -> None:
    await line.send_bytes(ways(bytes(32)))


async def _of_another_shape(arena: Arena, line: Line) -> None:
    await line.send_bytes(
        wire.encode(["ways", arena.side.log.match_id, bytes(RUN), [[bytes(5), 7501]]])
    )


GROUP.add(
    "ways-of-another-match",
    "30.1.3",
    str(Code.WRONG_MATCH),
    refused(Code.WRONG_MATCH, _of_another_match),
)
GROUP.add(
    "ways-of-another-shape",
    "30.1.2",
    str(Code.BAD_MESSAGE),
    refused(Code.BAD_MESSAGE, _of_another_shape),
)


@HOSTS.case("30.1.4", str(Code.TAKEN_OVER))
async def the_newest_line_counts(arena: Arena) -> None:
    """We have not said which run we are: whoever calls again is there instead."""
    first = await arena.begin()
    await arena.reach(first, "commit")
    second = await arena.line()
    arena.side.post()
    await arena.give(second)
    await arena.expect_closed(first, [Code.TAKEN_OVER])
    await arena.finish(second)
