"""Cases in which a seat posts a wrong thing at one step of a match: refused, a fault at once, or
found later.
"""

from collections.abc import Callable
from typing import Any

from conformance.case import Body, Failed
from conformance.table.environment import Arena
from conformance.table.kit_match import (Play, Player, copied)
from protocol.codes import Code
from protocol.dealing import Post
from protocol.match.log import decode_entry

Change = Callable[[Player, list[Any]], list[Any]]  # another body for the entry that is due
When = Callable[[Player], bool]
TRIES = 12  # matches until chance brings about what a case needs


async def reach(
    arena: Arena, kind: str, author: int | None, when: When | None, **terms: Any
) -> tuple[Play, Player]:
    """A match in which a seat has an entry of this kind to post, at a moment that will do."""
    for _ in range(TRIES):
        play = await arena.play(**terms)
        try:
            return play, await play.reach(kind, author, when)
        except Failed:
            if not play.over:
                raise
    raise Failed(f"no occasion in {TRIES} matches")


def body_of(player: Player, change: Change) -> Post:
    """The due entry with another body."""
    due = player.due()
    assert due is not None
    return Post(due.kind, change(player, copied(due.body)))


def fault(
    kind: str,
    author: int | None,
    code: Code,
    change: Change,
    when: When | None = None,
    **terms: Any,
) -> Body:
    """What it posts instead of its due entry of this kind stands, names it, and ends the match."""

    async def run(arena: Arena) -> None:
        play, player = await reach(arena, kind, author, when, **terms)
        await play.convict(player, body_of(player, change), code)

    return run


def refused(
    kind: str,
    author: int | None,
    code: Code,
    change: Change,
    when: When | None = None,
    **terms: Any,
) -> Body:
    """What it posts instead of its due entry of this kind is refused; then the right one stands."""

    async def run(arena: Arena) -> None:
        play, player = await reach(arena, kind, author, when, **terms)
        await player.refused(player.entry(body=body_of(player, change).body), code)
        await play.play(player)
        await play.end()

    return run


def found_later(
    kind: str,
    author: int | None,
    code: Code,
    change: Change,
    when: When | None = None,
    **terms: Any,
) -> Body:
    """What it posts stands, and all goes on; later it is found, and named."""

    async def run(arena: Arena) -> None:
        play, player = await reach(arena, kind, author, when, **terms)
        count = len(player.records)
        await player.post(player.entry(body=body_of(player, change).body))
        await play.read(count + 1)
        while await play.step():
            pass
        reader = player.reader
        assert reader is not None
        if [(fault.seat, fault.code) for fault in reader.faults] != [(player.number, code)]:
            raise Failed(f"the log does not show {code}")
        await play.is_over()

    return run


def out_of_turn(
    reached: str, author: int, poster: int, kind: str, body: list[Any], **terms: Any
) -> Body:
    """When one seat has an entry to post, another one posts something for which it is not its
    time.
    """

    async def run(arena: Arena) -> None:
        play, _ = await reach(arena, reached, author, None, **terms)
        other = play.players[poster]
        await other.refused(other.entry(kind=kind, body=body), Code.NOT_NOW)
        await play.go_on()

    return run


def field(place: int, change: Callable[[Any], Any]) -> Change:
    """One field of the body changed."""
    return lambda player, body: [*body[:place], change(body[place]), *body[place + 1 :]]


def in_part(place: int, change: Callable[[Any], Any]) -> Change:
    """One field of the part that goes with a move changed."""
    return field(
        1, lambda parts: [[*parts[0][:place], change(parts[0][place]), *parts[0][place + 1 :]]]
    )


def action(*words: Any) -> Change:
    """Another action, with no part."""
    return lambda player, body: [list(words), []]


def of_the_other(kind: str) -> Change:
    """What the seat before posted, as one's own."""
    return lambda player, body: player.latest(kind)


def makes(verb: str) -> When:
    """The move that is due is this one."""

    def when(player: Player) -> bool:
        due = player.due()
        return due is not None and due.body[0][0] == verb

    return when


def after(kind: str) -> When:
    """Another seat has posted this."""
    return lambda player: any(decode_entry(raw).kind == kind for raw, _ in player.records)


def leaves(kind: str, author: int | None = None, **terms: Any) -> Body:
    """A seat leaves instead of posting an entry of this kind: it is named, and the others go on if
    they can.
    """

    async def run(arena: Arena) -> None:
        play, player = await reach(arena, kind, author, None, **terms)
        await play.convict(player, Post("leave", []), Code.LEFT)

    return run
