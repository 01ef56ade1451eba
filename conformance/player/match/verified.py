"""Verified dealing in which another seat lies, and the table passes it on (chapter 13)."""

from collections.abc import Callable
from typing import Any

from conformance.case import Body, Failed, Group
from conformance.changes import flipped, other_point
from conformance.player.arena import Arena
from conformance.player.fake_table import short
from conformance.player.lies import number_of, twist
from conformance.player.room import Room
from protocol.codes import Code
from protocol.crypto.group import random_scalar
from protocol.crypto.sealed import seal
from protocol.dealing import Fault, Post
from protocol.options import Chosen

GROUP = Group("verified")
Change = Callable[[list[Any]], list[Any]]


def _stopped(kind: str, change: Change, code: Code, seat: int = 0) -> Body:
    """Seat 1 (or 0, if the player is seat 1) lies; the player sees it, and posts nothing more."""

    async def run(arena: Arena) -> None:
        table = arena.play(short("verified"))
        table.seat, liar = seat, 1 - seat
        twist(table, liar, kind, change)
        await arena.start()
        await arena.wait(lambda: table.over, "the match did not end")
        number = number_of(table, liar, kind)
        if table.room.match.faults != (Fault(liar, number, code),):
            raise Failed("the match ended otherwise than by the fault")
        await arena.expect_stopped(number)

    return run


LIES: dict[str, tuple[str, Change, Code, int]] = {
    "key-that-is-the-identity": ("13.7.1", lambda body: [bytes(32), *body[1:]], Code.BAD_POINT, 0),
    "key-that-nobody-knows": ("13.7.1", lambda body: [other_point(body[0]), *body[1:]], Code.BAD_PROOF, 0),
    "key-shared-without-need": ("13.9.2", lambda body: [*body[:2], [body[0]], []], Code.BAD_KEY_SHARE, 0),
    "shuffle-without-proof": ("13.5.7", lambda body: [body[0], bytes(len(body[1]))], Code.BAD_PROOF, 1),
    "shuffle-with-a-bit-of-its-proof": ("13.5.7", lambda body: [body[0], flipped(body[1], 40)], Code.BAD_PROOF, 1),
    "shuffle-with-another-face": (
        "13.5",
        lambda body: [body[0][:32] + other_point(body[0][32:64]) + body[0][64:], body[1]],
        Code.BAD_PROOF,
        1,
    ),
    "shuffle-with-a-card-twice": ("13.5.6", lambda body: [body[0][:64] + body[0][:-64], body[1]], Code.BAD_PROOF, 1),
    "shuffle-of-a-smaller-deck": ("13.7.2", lambda body: [body[0][:-64], body[1]], Code.BAD_POINT, 0),
    "share-that-is-another": ("13.7.3", lambda body: [other_point(body[0]), body[1]], Code.BAD_PROOF, 0),
    "shares-exchanged": ("13.7.3", lambda body: [body[0][32:] + body[0][:32], body[1]], Code.BAD_PROOF, 0),
    "share-that-is-the-identity": ("13.7.3", lambda body: [bytes(32) + body[0][32:], body[1]], Code.BAD_POINT, 0),
    "share-with-a-bit-of-its-proof": ("13.7.3", lambda body: [body[0], flipped(body[1], -1)], Code.BAD_PROOF, 0),
}
KINDS = {"key": "key", "shuffle": "shuffle", "share": "shares", "shares": "shares"}
for name, (section, change, code, seat) in LIES.items():
    GROUP.add(name, section, str(code), _stopped(KINDS[name.split("-")[0]], change, code, seat))


@GROUP.case("13.8.2", "bad_proof")
async def card_shown_without_proof(arena: Arena) -> None:
    """Another seat plays a piece with a proof of nothing."""
    table = arena.play(short("verified")._replace(game=Chosen("block-dominoes", (("hand", 4), ("target", 500)))))

    def tamper(author: int, post: Post) -> Post:
        action, parts = post.body if post.kind == "move" else ([], [])
        return Post("move", [action, [[*parts[0][:2], bytes(64)]]]) if parts else post

    table.tamper = tamper
    await arena.start()
    await arena.wait(lambda: table.over, "the match did not end")
    number = len(table.room.records) - 1
    if table.room.match.faults != (Fault(1, number, Code.BAD_PROOF),):
        raise Failed("the match ended otherwise than by the fault")
    await arena.expect_stopped(number)


@GROUP.case("13.9.4", "confirm")
async def key_share_that_does_not_fit(arena: Arena) -> None:
    """The player says that the share of a key it was sent is wrong; it is answered, and the match goes on."""
    table = arena.play(short("verified", 3, leavers="threshold", quorum=2))

    def tamper(author: int, post: Post) -> Post:
        deal = table.room.match.deal
        if (author, post.kind) != (1, "key") or deal is None:
            return post
        pair = deal.context.pair_key(table.room.others[0].key, 1, 0)
        wrong = random_scalar(table.rng).encoded
        sealed = seal(pair, table.rng, wrong, "key share", deal.context.deal_id, padded_to=32)
        return Post("key", [*post.body[:3], [sealed, *post.body[3][1:]]])

    table.tamper = tamper
    await arena.start()
    if await arena.expect_post("confirm") != [[1]]:
        raise Failed("the player did not say whose share is wrong")
    await arena.expect_clean()


@GROUP.case("13.9.7", "stand_in")
async def seat_that_leaves(arena: Arena) -> None:
    """The player stands in for a seat that has left, and plays on."""
    table = arena.play(short("verified", 3, leavers="threshold", quorum=2))

    def leave(room: Room) -> None:
        deal = room.match.deal
        if deal is not None and deal.ready and 2 in room.match.present:
            last = room.others[1]
            room.offer(last.entry(room.log, Post("leave", [])), 2)
            room.others = room.others[:1]
            while room.step():
                """The seat that is left goes on."""

    table.before = leave
    await arena.start()
    await arena.expect_post("stand_in")
    await arena.wait(lambda: table.over, "the match did not end")
    if [fault.code for fault in table.room.match.faults] != [Code.LEFT] or not table.posts("receipt"):
        raise Failed("the match did not go on to its end")
    await arena.expect_closed(None)
