"""A match without a table, for guests and inviters: invalid entries, forks, parcels, and broken
lines.
"""

from collections.abc import Callable

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.direct.connection import DirectConnection
from conformance.direct.environment import DirectEnvironment, refusal_case
from conformance.direct.kit_player import INVITER, KitPlayer
from conformance.mutations import IDENTITY
from protocol.codes import Code
from protocol.dealing import Post
from protocol.match.log import Record
from protocol.messages.parcel import EntriesParcel

GROUP = CaseGroup("peer")
LieMaker = Callable[[KitPlayer], Record]


def lie_case(kind: str, lie: LieMaker) -> CaseBody:
    """Make a case: instead of its entry of this kind the kit sends one that proves its fault; the
    program posts nothing more.
    """

    async def run(arena: DirectEnvironment) -> None:
        line = await arena.begin()
        await arena.reach(line, kind)
        await arena.give(line, lie(arena.side))
        await arena.expect_stopped(line)

    return run


def due_post(side: KitPlayer) -> Post:
    """Return the post that the kit must make."""
    post = side.due()
    assert post is not None
    return post


def _stale(side: KitPlayer) -> Record:
    """An entry whose author has seen only the last entry but one."""
    number = side.log.next_number - 2
    return side.entry(due_post(side), seen=(number, side.log.chain_hashes[number]))


def _twice(side: KitPlayer) -> Record:
    """A pack with the same card twice."""
    cards = due_post(side).body[0]
    return side.entry(Post("pack", [cards[:32] * 2 + cards[64:]]))


LIES: dict[str, tuple[str, str, LieMaker]] = {
    "entry-that-has-not-seen-the-newest": ("17.2.1", "commit", _stale),
    "entry-of-another-kind-than-is-due": (
        "17.2.4",
        "commit",
        lambda side: side.entry(Post("receipt", [[0, 0]])),
    ),
    "entry-of-the-tables-kind": (
        "17.2.3",
        "commit",
        lambda side: side.entry(Post("lapse", [1 - side.own, 10**9])),
    ),
    "entry-with-another-sequence": (
        "6.3.3",
        "commit",
        lambda side: side.entry(due_post(side), sequence=9),
    ),
    "kind-of-another-dealing": (
        "17.2.4",
        "commit",
        lambda side: side.entry(Post("shares", [bytes(32), bytes(64)])),
    ),
    "pack-with-the-identity": (
        "16.3.4",
        "pack",
        lambda side: side.entry(Post("pack", [IDENTITY * 28])),
    ),
    "pack-with-a-card-twice": ("16.3.1", "pack", _twice),
    "leave": ("6.6", "pack", lambda side: side.entry(Post("leave", []))),
}
for name, (section, kind, lie) in LIES.items():
    GROUP.add(name, section, "stops", lie_case(kind, lie))


@GROUP.case("17.3", "stops")
async def entry_out_of_turn(arena: DirectEnvironment) -> None:
    """The kit protests in the program's turn. Everybody may protest, but not now."""
    line = await arena.begin()
    side = arena.side
    await arena.reach(line, "pack" if side.own == INVITER else "unwrap")
    side.add(side.entry(due_post(side)))
    await arena.give(line, side.entry(Post("protest", [side.log.next_number - 1])))
    await arena.expect_stopped(line)


@GROUP.case("19.3.2", "stops")
async def fork(arena: DirectEnvironment) -> None:
    """The kit sends another entry for a number that the program already has, under a valid head."""
    line = await arena.begin()
    side = arena.side
    await arena.reach(line, "commit")
    number = side.log.next_number
    other = side.entry(Post("leave", []))
    side.add(side.entry(due_post(side)))
    await arena.give(line)
    # The program answers first.
    while side.reader is not None and side.reader.match.next_author != side.own:
        await arena.take(line)
    await line.send(EntriesParcel(side.log.match_id, number, (other,)))
    side.post()
    await arena.give(line)
    await arena.expect_stopped(line)


async def _of_another_match(arena: DirectEnvironment, line: DirectConnection) -> None:
    record = arena.side.entry(due_post(arena.side))
    await line.send(EntriesParcel(bytes(32), arena.side.log.next_number, (record,)))


async def _with_a_gap(arena: DirectEnvironment, line: DirectConnection) -> None:
    record = arena.side.entry(due_post(arena.side))
    await line.send(
        EntriesParcel(arena.side.log.match_id, arena.side.log.next_number + 1, (record,))
    )


async def _with_a_bad_head(arena: DirectEnvironment, line: DirectConnection) -> None:
    record = arena.side.entry(due_post(arena.side))
    await line.send(
        EntriesParcel(
            arena.side.log.match_id, arena.side.log.next_number, (record._replace(head=bytes(64)),)
        )
    )


async def _that_is_none(arena: DirectEnvironment, line: DirectConnection) -> None:
    await line.send_bytes(b"\x91\xa5hello")


for name, section, code, send in (
    ("parcel-of-another-match", "19.3.1", Code.WRONG_MATCH, _of_another_match),
    ("parcel-with-a-gap", "19.3.1", Code.GAP, _with_a_gap),
    ("parcel-with-a-bad-head", "19.3.1", Code.BAD_SIGNATURE, _with_a_bad_head),
):
    GROUP.add(name, section, str(code), refusal_case(code, send))


@GROUP.case("19.1", str(Code.BAD_MESSAGE))
async def parcel_that_is_none(arena: DirectEnvironment) -> None:
    line = await arena.begin()
    await arena.reach(line, "commit")
    await _that_is_none(arena, line)
    await arena.expect_closed(line, [Code.BAD_MESSAGE])


@GROUP.case("19.3.4", "clean")
async def entries_twice_and_from_the_beginning(arena: DirectEnvironment) -> None:
    """The kit sends entries that the program already has; the program ignores them."""
    line = await arena.begin()
    await arena.reach(line, "pack")
    await line.send(arena.side.since(0))
    await line.send(arena.side.since(len(arena.side.records) - 1))
    await arena.finish(line)


@GROUP.case("19.5.3", "from number 0")
async def gap_that_we_have(arena: DirectEnvironment) -> None:
    """The kit reports missing entries: on the next connection the program sends all of them."""
    line = await arena.begin()
    await arena.reach(line, "pack")
    await line.close(Code.GAP)
    line = await arena.line()
    parcel = await arena.receive(line)
    if not isinstance(parcel, EntriesParcel) or parcel.first != 0:
        raise CaseFailed("the program does not send what we lack")
    arena.side.take(parcel)
    await arena.finish(line)


def reconnect_case(kind: str, kill: bool) -> CaseBody:
    """Make a case: when the kit has an entry of this kind to post, the line breaks, or the program
    is killed. The match goes on with the same bytes.
    """

    async def run(arena: DirectEnvironment) -> None:
        line = await arena.begin()
        await arena.reach(line, kind)
        line.cut()
        await arena.finish(await (arena.restart() if kill else arena.line()))

    return run


for kind in ("commit", "pack", "unwrap", "move", "open_key", "receipt"):
    GROUP.add(
        f"line-cut-before-{kind.replace('_', '-')}", "19.5.3", "clean", reconnect_case(kind, False)
    )
for kind in ("commit", "pack", "unwrap", "open_key"):
    GROUP.add(
        f"program-killed-before-{kind.replace('_', '-')}",
        "19.3.5",
        "the same bytes",
        reconnect_case(kind, True),
    )


async def honest_match(arena: DirectEnvironment) -> None:
    """Play a match from the invitation to the close record."""
    await arena.finish(await arena.begin())
