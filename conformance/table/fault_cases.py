"""Makers of cases in which a seat posts something wrong at one step: the post is refused, a fault
at once, or a fault found later.
"""

from collections.abc import Callable
from typing import Any

from conformance.case import CaseBody, CaseFailed
from conformance.table.environment import TableEnvironment
from conformance.table.kit_match import KitMatch, SeatedPlayer, deep_copy
from protocol.codes import Code
from protocol.dealing import Post
from protocol.match.log import decode_entry

BodyChange = Callable[[SeatedPlayer, list[Any]], list[Any]]  # changes the body of the due entry
MomentCheck = Callable[[SeatedPlayer], bool]
TRIES = 12  # matches to play until chance gives what a case needs


async def reach_kind(
    arena: TableEnvironment, kind: str, author: int | None, when: MomentCheck | None, **terms: Any
) -> tuple[KitMatch, SeatedPlayer]:
    """Play until a seat has an entry of this kind to post, at a moment that fits."""
    for _ in range(TRIES):
        play = await arena.play(**terms)
        try:
            return play, await play.reach(kind, author, when)
        except CaseFailed:
            if not play.over:
                raise
    raise CaseFailed(f"no occasion in {TRIES} matches")


def change_due_body(player: SeatedPlayer, change: BodyChange) -> Post:
    """Return the due entry with a changed body."""
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
    """Make a case: the changed entry of this kind is accepted, convicts its author, and ends the
    match.
    """

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
    """Make a case: the changed entry of this kind is refused, and then the correct one is
    accepted.
    """

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
    """Make a case: the changed entry is accepted, the match goes on, and the fault is found and
    named later.
    """

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
    """Make a case: while one seat has an entry to post, another seat posts something out of
    turn.
    """

    async def run(arena: TableEnvironment) -> None:
        play, _ = await reach_kind(arena, reached, author, None, **terms)
        other = play.players[poster]
        await other.refused(other.entry(kind=kind, body=body), Code.NOT_NOW)
        await play.go_on()

    return run


def change_field(place: int, change: Callable[[Any], Any]) -> BodyChange:
    """Return a change of one field of the body."""
    return lambda player, body: [*body[:place], change(body[place]), *body[place + 1 :]]


def change_part_field(place: int, change: Callable[[Any], Any]) -> BodyChange:
    """Return a change of one field in the part that belongs to a move."""
    return change_field(
        1, lambda parts: [[*parts[0][:place], change(parts[0][place]), *parts[0][place + 1 :]]]
    )


def replace_action(*words: Any) -> BodyChange:
    """Return a change to another action, without a part."""
    return lambda player, body: [list(words), []]


def copy_previous(kind: str) -> BodyChange:
    """Return a change to a copy of the previous seat's entry."""
    return lambda player, body: player.latest(kind)


def is_action(verb: str) -> MomentCheck:
    """Return a check that the due move is this action."""

    def when(player: SeatedPlayer) -> bool:
        due = player.due()
        return due is not None and due.body[0][0] == verb

    return when


def is_after(kind: str) -> MomentCheck:
    """Return a check that another seat has posted an entry of this kind."""
    return lambda player: any(decode_entry(raw).kind == kind for raw, _ in player.records)


def leave_case(kind: str, author: int | None = None, **terms: Any) -> CaseBody:
    """Make a case: a seat leaves instead of posting an entry of this kind. The log names this seat,
    and the others go on if the dealing allows it.
    """

    async def run(arena: TableEnvironment) -> None:
        play, player = await reach_kind(arena, kind, author, None, **terms)
        await play.convict(player, Post("leave", []), Code.LEFT)

    return run
