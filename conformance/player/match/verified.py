"""Verified dealing in which another seat lies and the table passes the lie on (chapter 13)."""

from collections.abc import Callable
from typing import Any

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.mutations import flip_bit, replace_point
from conformance.player.cheat_cases import stop_case
from conformance.player.environment import PlayerEnvironment
from conformance.player.fake_table import short_terms
from protocol.codes import Code
from protocol.dealing import Fault, Post
from protocol.options import Selection

GROUP = CaseGroup("verified", dealing="verified")
Change = Callable[[list[Any]], list[Any]]


def _stopped(kind: str, change: Change, code: Code, seat: int = 0) -> CaseBody:
    """Make a case: seat 1 lies, or seat 0 if the player is seat 1. The player sees the lie, and
    posts nothing more.
    """
    return stop_case(
        short_terms("verified"), 1 - seat, kind, lambda table, body: change(body), code, seat
    )


LIES: dict[str, tuple[str, Change, Code, int]] = {
    "key-that-is-the-identity": ("13.7.1", lambda body: [bytes(32), *body[1:]], Code.BAD_POINT, 0),
    "key-that-nobody-knows": (
        "13.7.1",
        lambda body: [replace_point(body[0]), *body[1:]],
        Code.BAD_PROOF,
        0,
    ),
    "key-shared-without-need": (
        "13.9.2",
        lambda body: [*body[:2], [body[0]], []],
        Code.BAD_KEY_SHARE,
        0,
    ),
    "shuffle-without-proof": (
        "13.5.7",
        lambda body: [body[0], bytes(len(body[1]))],
        Code.BAD_PROOF,
        1,
    ),
    "shuffle-with-a-bit-of-its-proof": (
        "13.5.7",
        lambda body: [body[0], flip_bit(body[1], 40)],
        Code.BAD_PROOF,
        1,
    ),
    "shuffle-with-another-face": (
        "13.5",
        lambda body: [body[0][:32] + replace_point(body[0][32:64]) + body[0][64:], body[1]],
        Code.BAD_PROOF,
        1,
    ),
    "shuffle-with-a-card-twice": (
        "13.5.6",
        lambda body: [body[0][:64] + body[0][:-64], body[1]],
        Code.BAD_PROOF,
        1,
    ),
    "shuffle-of-a-smaller-deck": (
        "13.7.2",
        lambda body: [body[0][:-64], body[1]],
        Code.BAD_POINT,
        0,
    ),
    "share-that-is-another": (
        "13.7.3",
        lambda body: [replace_point(body[0]), body[1]],
        Code.BAD_PROOF,
        0,
    ),
    "shares-exchanged": (
        "13.7.3",
        lambda body: [body[0][32:] + body[0][:32], body[1]],
        Code.BAD_PROOF,
        0,
    ),
    "share-that-is-the-identity": (
        "13.7.3",
        lambda body: [bytes(32) + body[0][32:], body[1]],
        Code.BAD_POINT,
        0,
    ),
    "share-with-a-bit-of-its-proof": (
        "13.7.3",
        lambda body: [body[0], flip_bit(body[1], -1)],
        Code.BAD_PROOF,
        0,
    ),
}
KINDS = {"key": "key", "shuffle": "shuffle", "share": "shares", "shares": "shares"}
for name, (section, change, code, seat) in LIES.items():
    GROUP.add(name, section, str(code), _stopped(KINDS[name.split("-")[0]], change, code, seat))


@GROUP.case("13.8.2", "bad_proof")
async def card_shown_without_proof(arena: PlayerEnvironment) -> None:
    """Another seat plays a piece with a proof that proves nothing."""
    table = arena.play(
        short_terms("verified")._replace(
            game=Selection("block-dominoes", (("hand", 4), ("target", 500)))
        )
    )

    def tamper(author: int, post: Post) -> Post:
        action, parts = post.body if post.kind == "move" else ([], [])
        if parts:
            return Post("move", [action, [[*parts[0][:2], bytes(64)]]])
        return post

    table.tamper = tamper
    await arena.start()
    await arena.wait(lambda: table.over, "the match did not end")
    number = len(table.room.records) - 1
    if table.room.match.faults != (Fault(1, number, Code.BAD_PROOF),):
        raise CaseFailed("the match ended otherwise than by the fault")
    await arena.expect_stopped(number)
