"""Makers of cases with a wrong entry, of the table or of another seat: the player stops, or plays
on.
"""

from collections.abc import Callable
from typing import Any

from conformance.case import CaseBody, CaseFailed
from conformance.player.environment import PlayerEnvironment
from conformance.player.fake_table import FakeTable
from conformance.player.forged_logs import change_body, entry_number, replace_move
from protocol.codes import Code
from protocol.dealing import Fault, Post
from protocol.match.terms import Terms

BodyChange = Callable[[FakeTable, list[Any]], list[Any]]


def stop_case(
    terms: Terms, author: int, kind: str, change: BodyChange, code: Code, seat: int = 0
) -> CaseBody:
    """Make a case: an obvious fault ends the match; the player posts nothing after it."""

    async def run(arena: PlayerEnvironment) -> None:
        table = arena.play(terms)
        table.seat = seat
        change_body(table, author, kind, lambda body: change(table, body))
        await arena.start()
        await arena.wait(lambda: table.over, "the match did not end")
        number = entry_number(table, author, kind)
        if table.room.match.faults != (Fault(author, number, code),):
            raise CaseFailed("the match ended otherwise than by the fault")
        await arena.expect_stopped(number)

    return run


def hang_up_case(terms: Terms, body: list[Any]) -> CaseBody:
    """Make a case: instead of seat 1's first move the table shows an illegal one; the player hangs
    up.
    """

    async def run(arena: PlayerEnvironment) -> None:
        replace_move(arena.play(terms), 1, body)
        await arena.start()
        await arena.expect_closed(Code.TABLE_ACCEPTED)

    return run


def late_discovery_case(
    terms: Terms, author: int, kind: str, change: BodyChange, opens: str, code: Code | None = None
) -> CaseBody:
    """Make a case: the fault can be proved only after all is opened. Then the player names the
    author, and signs no score.

    `opens` is the kind of entry with which the player must open its own secrets.
    """

    async def run(arena: PlayerEnvironment) -> None:
        table = arena.play(terms)
        change_body(table, author, kind, lambda body: change(table, body), always=True)
        await arena.start()
        await arena.wait(lambda: table.over, "the match did not end")
        fault = table.room.match.faults[0]
        if fault.seat != author or code not in (None, fault.code):
            raise CaseFailed("somebody else was named, or for something else")
        if not table.posts(opens) or table.posts("receipt"):
            raise CaseFailed(
                "the player did not open what it had, or signed the score of a false deal"
            )
        await arena.expect_stopped(len(table.room.records) - 1)

    return run


def continue_case(
    terms: Terms, out: int, kind: str, change: Callable[[list[Any]], Post], code: Code
) -> CaseBody:
    """Make a case: seat `out` posts something else than its first entry of this kind, and is out;
    the player plays to the end.
    """

    async def run(arena: PlayerEnvironment) -> None:
        table = arena.play(terms)

        def tamper(author: int, post: Post) -> Post:
            if (author, post.kind) == (out, kind):
                return change(post.body)
            return post

        table.tamper = tamper
        await arena.start()
        await expect_completion(arena, [(out, code)])

    return run


async def expect_completion(arena: PlayerEnvironment, named: list[tuple[int, Code]]) -> None:
    """Check that the match ended, and that the player named these seats with these codes, signed
    the score, and sent a close record.
    """
    table = arena.table
    await arena.wait(lambda: table.over, "the match did not end")
    if [(fault.seat, fault.code) for fault in table.room.match.faults] != named:
        raise CaseFailed("others are named than those who were wrong")
    if not table.posts("receipt"):
        raise CaseFailed("the player did not play on to the end")
    await arena.expect_closed(None, number=len(arena.connections) - 1)
