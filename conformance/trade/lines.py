"""Lines of a trade: payloads with numbers, lines that break, and what is no message of a line
(30.5).
"""

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.trade.environment import TradeEnvironment, TradeTalk
from protocol import wire
from protocol.codes import Code
from protocol.limits import MAX_LINE_PART, MAX_MESSAGE
from protocol.messages.lines import RUN

GROUP = CaseGroup("trade-lines")


def bytes_case(code: Code, *payloads: bytes) -> CaseBody:
    """Make a case: the kit sends these messages of a line before anybody has met."""

    async def run(arena: TradeEnvironment) -> None:
        talk = await arena.talk()
        for payload in payloads:
            await talk.line.send_bytes(payload)
        await arena.refused(talk, code)

    return run


WHOLE = wire.encode(["data", 1, 0, True, bytes(MAX_LINE_PART)])
for name, section, code, payloads in (
    ("part-with-a-gap", "30.5.2", Code.GAP, [wire.encode(["data", 2, 0, False, b"x"])]),
    (
        "part-of-nothing-with-more",
        "30.5.1",
        Code.BAD_MESSAGE,
        [wire.encode(["data", 1, 0, True, b""])],
    ),
    ("heard-of-what-was-never-sent", "30.5.2", Code.BAD_MESSAGE, [wire.encode(["heard", 1_000])]),
    (
        "part-that-confirms-what-was-never-sent",
        "30.5.2",
        Code.BAD_MESSAGE,
        [wire.encode(["data", 1, 1_000, False, b"x"])],
    ),
    (
        "payload-above-the-bound",
        "30.5.1",
        Code.BAD_MESSAGE,
        [WHOLE, wire.encode(["data", 2, 0, False, bytes(MAX_MESSAGE - MAX_LINE_PART + 1)])],
    ),
    (
        "part-with-a-field-too-many",
        "30.1.2",
        Code.BAD_MESSAGE,
        [wire.encode(["data", 1, 0, False, b"x", 0])],
    ),
    ("part-without-its-flag", "30.1.2", Code.BAD_MESSAGE, [wire.encode(["data", 1, 0, 0, b"x"])]),
    (
        "payload-that-is-none",
        "26.2.3",
        Code.BAD_MESSAGE,
        [wire.encode(["data", 1, 0, False, wire.encode("x")])],
    ),
    (
        "payload-that-is-no-encoding",
        "26.2.3",
        Code.BAD_ENCODING,
        [wire.encode(["data", 1, 0, False, b"\xc1"])],
    ),
):
    GROUP.add(name, section, str(code), bytes_case(code, *payloads))


@GROUP.case("30.1.3", str(Code.WRONG_MATCH))
async def ways_of_another_trade(arena: TradeEnvironment) -> None:
    talk = await arena.talk()
    await talk.ways(bytes(32))
    await arena.refused(talk, Code.WRONG_MATCH)


@GROUP.case("30.5.2", "clean")
async def part_twice(arena: TradeEnvironment) -> None:
    """A part that came already is ignored."""
    talk = await arena.talk()
    await talk.meet()
    meet = wire.encode([talk.salt, 0, "meet", wire.VERSION, talk.me.public, "Other", []])
    await talk.data(meet, number=1)
    await talk.hear("meet")
    await talk.hear("standing")


@GROUP.case("30.5.1", "clean")
async def payload_in_many_parts(arena: TradeEnvironment) -> None:
    talk = await arena.talk()
    meet = wire.encode([talk.salt, 0, "meet", wire.VERSION, talk.me.public, "Quentin", []])
    for at in range(len(meet)):
        await talk.data(meet[at : at + 1], more=at + 1 < len(meet))
    talk.number = 1
    await talk.hear("meet")
    await talk.hear("standing")


def carry_over(old: TradeTalk, new: TradeTalk) -> None:
    """Let a new line go on with the numbers of the line before."""
    new.salt, new.theirs, new.number = old.salt, old.theirs, old.number
    new.part, new.heard, new.parts = old.part, old.heard, old.parts
    new.offers, new.records, new.wanted, new.merge = old.offers, old.records, old.wanted, old.merge


@GROUP.case("30.5.2", "the same bytes")
async def line_cut_with_parts_that_are_not_confirmed(arena: TradeEnvironment) -> None:
    """Cut the line. Parts that the kit has not confirmed come again, under the same numbers."""
    talk = await arena.talk()
    talk.confirms = False
    await talk.meet()
    await talk.hear("meet")
    talk.line.cut()
    again = await arena.next_talk()
    carry_over(talk, again)
    again.heard = 0
    again.theirs = b""
    await again.hear("meet")
    await again.hear("standing")
    if again.parts[1] != talk.parts[1]:
        raise CaseFailed("the program sends other bytes under a number")


@GROUP.case("30.5.4", "clean")
async def run_anew(arena: TradeEnvironment) -> None:
    """The kit's program was started anew: both begin a new session."""
    talk = await arena.met()
    await talk.hear("standing")
    before = talk.theirs
    talk.line.cut()
    arena.run = arena.rng.randbytes(RUN)
    again = await arena.next_talk()
    await again.meet()
    await again.hear("meet")
    await again.hear("standing")
    if again.theirs == before:
        raise CaseFailed("the program goes on with a session of an earlier run")
