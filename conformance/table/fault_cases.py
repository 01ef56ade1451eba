"""Cases in which a seat posts a wrong thing at one step of a match: refused, a fault at once, or
found later.
"""

from collections.abc import Callable
from typing import Any

from conformance.case import CaseBody, CaseFailed
from conformance.table.environment import TableEnvironment
from conformance.table.kit_match import KitMatch, SeatedPlayer, deep_copy
from protocol.codes import Code
from protocol.dealing import Post
from protocol.match.log import decode_entry

BodyChange = Callable[
    [SeatedPlayer, list[Any]], list[Any]
]  # another body for the entry that is due
MomentCheck = Callable[[SeatedPlayer], bool]
TRIES = 12  # matches until chance brings about what a case needs


async def reach_kind(
    arena: TableEnvironment, kind: str, author: int | None, when: MomentCheck | None, **terms: Any
) -> tuple[KitMatch, SeatedPlayer]:
    """A match in which a seat has an entry of this kind to post, at a moment that will do."""
    for _ in range(TRIES):
        play = await arena.play(**terms)
        try:
            return play, await play.reach(kind, author, when)
        except CaseFailed:
            if not play.over:
                raise
    raise CaseFailed(f"no occasion in {TRIES} matches")


def change_due_body(player: SeatedPlayer, change: BodyChange) -> Post:
    """The due entry with another body."""
    due = player.due()
    assert due is not None
    return Post(due.kind, change(player, deep_copy(due.body)))


def fault_case(
    kind: str,
    author: int | None,
    code: Code,
    change: BodyChange,
    when: MomentCheck | None = None,
    **terms: Any,
) -> CaseBody:
    """What it posts instead of its due entry of this kind stands, names it, and ends the match."""

    async def run(arena: TableEnvironment) -> None:
        play, player = await reach_kind(arena, kind, author, when, **terms)
        await play.convict(player, change_due_body(player, change), code)

    return run


def refusal_case(
    kind: str,
    author: int | None,
    code: Code,
    change: BodyChange,
    when: MomentCheck | None = None,
    **terms: Any,
) -> CaseBody:
    """What it posts instead of its due entry of this kind is refused; then the right one stands."""

    async def run(arena: TableEnvironment) -> None:
        play, player = await reach_kind(arena, kind, author, when, **terms)
        await player.refused(player.entry(body=change_due_body(player, change).body), code)
        await play.play(player)
        await play.end()

    return run


def late_discovery_case(
    kind: str,
    author: int | None,
    code: Code,
    change: BodyChange,
    when: MomentCheck | None = None,
    **terms: Any,
) -> CaseBody:
    """What it posts stands, and all goes on; later it is found, and named."""

    async def run(arena: TableEnvironment) -> None:
        play, player = await reach_kind(arena, kind, author, when, **terms)
        count = len(player.records)
        await player.post(player.entry(body=change_due_body(player, change).body))
        await play.read(count + 1)
        while await play.step():
            pass
        reader = player.reader
        assert reader is not None
        if [(fault_case.seat, fault_case.code) for fault_case in reader.faults] != [
            (player.number, code)
        ]:
            raise CaseFailed(f"the log does not show {code}")
        await play.is_over()

    return run


def out_of_turn_case(
    reached: str, author: int, poster: int, kind: str, body: list[Any], **terms: Any
) -> CaseBody:
    """When one seat has an entry to post, another one posts something for which it is not its
    time.
    """

    async def run(arena: TableEnvironment) -> None:
        play, _ = await reach_kind(arena, reached, author, None, **terms)
        other = play.players[poster]
        await other.refused(other.entry(kind=kind, body=body), Code.NOT_NOW)
        await play.go_on()

    return run


def change_field(place: int, change: Callable[[Any], Any]) -> BodyChange:
    """One field of the body changed."""
    return lambda player, body: [*body[:place], change(body[place]), *body[place + 1 :]]


def change_part_field(place: int, change: Callable[[Any], Any]) -> BodyChange:
    """One field of the part that goes with a move changed."""
    return change_field(
        1, lambda parts: [[*parts[0][:place], change(parts[0][place]), *parts[0][place + 1 :]]]
    )


def replace_action(*words: Any) -> BodyChange:
    """Another action, with no part."""
    return lambda player, body: [list(words), []]


def copy_previous(kind: str) -> BodyChange:
    """What the seat before posted, as one's own."""
    return lambda player, body: player.latest(kind)


def is_action(verb: str) -> MomentCheck:
    """The move that is due is this one."""

    def when(player: SeatedPlayer) -> bool:
        due = player.due()
        return due is not None and due.body[0][0] == verb

    return when


def is_after(kind: str) -> MomentCheck:
    """Another seat has posted this."""
    return lambda player: any(decode_entry(raw).kind == kind for raw, _ in player.records)


def leave_case(kind: str, author: int | None = None, **terms: Any) -> CaseBody:
    """A seat leaves instead of posting an entry of this kind: it is named, and the others go on if
    they can.
    """

    async def run(arena: TableEnvironment) -> None:
        play, player = await reach_kind(arena, kind, author, None, **terms)
        await play.convict(player, Post("leave", []), Code.LEFT)

    return run
