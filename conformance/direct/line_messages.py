"""Messages about further lines (chapter 30), to a program whose person may not want any."""

from conformance.case import CaseGroup
from conformance.direct.connection import DirectConnection
from conformance.direct.environment import DirectEnvironment, refusal_case
from protocol import wire
from protocol.codes import Code
from protocol.messages.lines import RUN, WaysMessage, encode_line

GROUP = CaseGroup("lines")
HOST_GROUP = CaseGroup("lines of a host")


def ways_message(about: bytes, run: bytes = bytes(RUN)) -> bytes:
    """Return a `ways` message without addresses."""
    return encode_line(WaysMessage(about, run, ()))


@GROUP.case("30.1.4", "clean")
async def ways_are_taken(arena: DirectEnvironment) -> None:
    """The kit sends `ways` repeatedly in the middle of a match."""
    line = await arena.begin()
    for kind in ("commit", "pack"):
        await arena.reach(line, kind)
        await line.send_bytes(ways_message(arena.side.log.match_id))
    await arena.finish(line)


@GROUP.case("30.2.2", "clean")
async def ways_come_first_on_a_new_line(arena: DirectEnvironment) -> None:
    line = await arena.begin()
    await arena.reach(line, "commit")
    await line.send_bytes(ways_message(arena.side.log.match_id))
    line.cut()
    line = await arena.line()
    await line.send_bytes(ways_message(arena.side.log.match_id))
    await arena.finish(line)


async def _of_another_match(arena: DirectEnvironment, line: DirectConnection) -> None:
    await line.send_bytes(ways_message(bytes(32)))


async def _of_another_shape(arena: DirectEnvironment, line: DirectConnection) -> None:
    await line.send_bytes(
        wire.encode(["ways", arena.side.log.match_id, bytes(RUN), [[bytes(5), 7501]]])
    )


GROUP.add(
    "ways-of-another-match",
    "30.1.3",
    str(Code.WRONG_MATCH),
    refusal_case(Code.WRONG_MATCH, _of_another_match),
)
GROUP.add(
    "ways-of-another-shape",
    "30.1.2",
    str(Code.BAD_MESSAGE),
    refusal_case(Code.BAD_MESSAGE, _of_another_shape),
)


@HOST_GROUP.case("30.1.4", str(Code.TAKEN_OVER))
async def the_newest_line_counts(arena: DirectEnvironment) -> None:
    """The kit has not named its run: a newer connection replaces the older one."""
    first = await arena.begin()
    await arena.reach(first, "commit")
    second = await arena.line()
    arena.side.post()
    await arena.give(second)
    await arena.expect_closed(first, [Code.TAKEN_OVER])
    await arena.finish(second)
