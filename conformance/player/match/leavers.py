"""Seats that leave or lie while the others can go on: the player stands in for them (13.9)."""

from collections.abc import Callable
from typing import Any

from conformance.case import CaseFailed, CaseGroup
from conformance.mutations import flip_bit
from conformance.player.cheat_cases import continue_case, expect_completion
from conformance.player.environment import PlayerEnvironment
from conformance.player.fake_table import short_terms
from conformance.player.kit_match import KitMatch
from protocol.codes import Code
from protocol.crypto.envelopes import seal
from protocol.crypto.group import random_scalar
from protocol.dealing import Post

GROUP = CaseGroup("leavers")
THREE = short_terms("verified", 3, leavers="threshold", quorum=2)
FOUR = short_terms("verified", 4, leavers="threshold", quorum=2)


def _leaves(body: list[Any]) -> Post:
    return Post("leave", [])


def _lies(kind: str, change: Callable[[list[Any]], list[Any]]) -> Callable[[list[Any]], Post]:
    return lambda body: Post(kind, change(body))


for kind in ("key", "confirm", "shuffle", "shares", "move"):
    GROUP.add(
        f"leave-instead-of-{kind}",
        "13.9.6",
        "clean",
        continue_case(THREE, 2, kind, _leaves, Code.LEFT),
    )
for name, kind, code, change in (
    ("key-shared-with-nobody", "key", Code.BAD_KEY_SHARE, lambda body: [*body[:3], []]),
    (
        "shuffle-with-a-false-proof",
        "shuffle",
        Code.BAD_PROOF,
        lambda body: [body[0], flip_bit(body[1], 40)],
    ),
    (
        "shares-with-a-false-proof",
        "shares",
        Code.BAD_PROOF,
        lambda body: [body[0], flip_bit(body[1], -1)],
    ),
):
    GROUP.add(
        f"{name}-while-the-others-go-on",
        "6.7.2",
        "clean",
        continue_case(THREE, 1, kind, _lies(kind, change), code),
    )


@GROUP.case("13.9.6", "clean")
async def keys_after_a_deal_that_was_dropped(arena: PlayerEnvironment) -> None:
    """The next deal has another key: no key of the previous deal is used again."""
    table = arena.play(THREE)
    table.tamper = lambda author, post: (
        Post("leave", []) if (author, post.kind) == (2, "confirm") else post
    )
    await arena.start()
    await expect_completion(arena, [(2, Code.LEFT)])
    keys = [entry.body[0] for entry in table.posts("key")]
    if len(keys) < 2 or len(set(keys)) < len(keys):
        raise CaseFailed("the player used one key for two deals")


@GROUP.case("13.9.5", "answer")
async def share_of_the_player_that_is_doubted(arena: PlayerEnvironment) -> None:
    """Another seat says, falsely, that the player's share does not fit: the player opens this
    share, which fits.
    """
    table = arena.play(THREE)
    table.tamper = lambda author, post: (
        Post("confirm", [[0]]) if (author, post.kind) == (1, "confirm") else post
    )
    await arena.start()
    if len((await arena.expect_post("answer"))[0]) != 1:
        raise CaseFailed("the player opened other shares than the one in question")
    await arena.expect_clean()


@GROUP.case("13.9.7", "stand_in")
async def lie_of_another_that_stands_in(arena: PlayerEnvironment) -> None:
    """One seat has left, and a second seat stands in with a false proof: the player stands in for
    both.
    """
    table = arena.play(FOUR)

    def tamper(author: int, post: Post) -> Post:
        if (author, post.kind) == (3, "shares"):
            return Post("leave", [])
        if (author, post.kind) == (2, "stand_in"):
            return Post("stand_in", [post.body[0], flip_bit(post.body[1])])
        return post

    table.tamper = tamper
    await arena.start()
    await expect_completion(arena, [(3, Code.LEFT), (2, Code.BAD_PROOF)])


@GROUP.case("13.9.4", "confirm")
async def key_share_that_does_not_fit(arena: PlayerEnvironment) -> None:
    """The player says that it received a wrong share of a key; the sender answers, and the match
    goes on.
    """
    table = arena.play(THREE)

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
        raise CaseFailed("the player did not say whose share is wrong")
    await arena.expect_clean()


@GROUP.case("13.9.7", "stand_in")
async def seat_that_leaves(arena: PlayerEnvironment) -> None:
    """The player stands in for a seat that has left, and plays on."""
    table = arena.play(THREE)

    def leave(room: KitMatch) -> None:
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
    if [fault.code for fault in table.room.match.faults] != [Code.LEFT] or not table.posts(
        "receipt"
    ):
        raise CaseFailed("the match did not go on to its end")
    await arena.expect_closed(None)
