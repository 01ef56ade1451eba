"""Commutative dealing in which another seat lies and the table passes the lie on (chapter 16)."""

from collections.abc import Callable
from typing import Any

from conformance.case import CaseFailed, CaseGroup
from conformance.mutations import (
    IDENTITY,
    NO_POINT,
    NO_SCALAR,
    alias_point,
    flip_bit,
    repeat_block,
    replace_block,
    replace_point,
)
from conformance.player.cheat_cases import BodyChange, late_discovery_case, stop_case
from conformance.player.environment import PlayerEnvironment
from conformance.player.fake_table import short_terms
from protocol.codes import Code
from protocol.crypto.group import encode
from protocol.dealing.card_state import piece_points
from protocol.match.terms import make_terms
from protocol.options import Selection

GROUP = CaseGroup("commutative", dealing="commutative")
TERMS = short_terms("commutative")
DRAWS = make_terms(
    Selection("draw-dominoes", (("hand", 3), ("target", 8))),
    Selection("commutative"),
    short_terms().clock,
    2,
)
POINT = 32


def _all_others(cards: bytes) -> bytes:
    """Replace every card by another point, all different."""
    return b"".join(replace_point(cards[at : at + POINT]) for at in range(0, len(cards), POINT))


def _one_more(hands: list[list[int]]) -> list[list[int]]:
    """Give a card of the stock to the second seat."""
    return [
        hands[0],
        [*hands[1], next(card for card in range(28) if card not in hands[0] + hands[1])],
    ]


def _with(change: Callable[[Any], Any]) -> BodyChange:
    """Return a change of the first field of the body."""
    return lambda table, body: [change(body[0]), *body[1:]]


change: Callable[[Any], Any]
for name, section, kind, code, seat, change in (
    ("pack-with-the-identity", "16.3.4", "pack", Code.BAD_POINT, 1, replace_block(IDENTITY)),
    ("pack-with-what-is-no-point", "16.3.4", "pack", Code.BAD_POINT, 1, replace_block(NO_POINT)),
    ("pack-under-a-second-encoding", "13.2.2", "pack", Code.BAD_POINT, 1, alias_point),
    ("pack-with-a-card-twice", "16.3.1", "pack", Code.BAD_LIST, 1, repeat_block(POINT)),
    ("pack-one-card-short", "16.3.1", "pack", Code.BAD_LIST, 1, lambda cards: cards[POINT:]),
    (
        "pack-in-no-envelopes",
        "16.3.1",
        "pack",
        Code.BAD_LIST,
        1,
        lambda cards: encode(piece_points(28)),
    ),
    (
        "choice-of-the-same-hand-twice",
        "16.3.2",
        "choose",
        Code.NOT_IN_STOCK,
        0,
        lambda hands: [hands[0]] * 2,
    ),
    ("choice-of-a-card-too-many", "16.3.2", "choose", Code.NOT_IN_STOCK, 0, _one_more),
    (
        "card-unwrapped-to-the-identity",
        "16.3.4",
        "unwrap",
        Code.BAD_POINT,
        0,
        replace_block(IDENTITY),
    ),
    ("card-not-unwrapped", "16.3.3", "unwrap", Code.BAD_LIST, 0, lambda cards: cards[POINT:]),
    ("key-opened-that-is-another", "16.5.1", "open_key", Code.BAD_KEY_OPENING, 0, flip_bit),
    (
        "key-opened-that-is-no-scalar",
        "16.5.1",
        "open_key",
        Code.BAD_SCALAR,
        0,
        lambda key: NO_SCALAR,
    ),
):
    GROUP.add(name, section, str(code), stop_case(TERMS, 1 - seat, kind, _with(change), code, seat))

for name, kind, code in (
    ("pack-of-cards-that-are-none", "pack", Code.BAD_PACK),
    ("hand-unwrapped-to-other-cards", "unwrap", Code.BAD_UNWRAP),
):
    body = late_discovery_case(TERMS, 1, kind, _with(_all_others), "protest", code)
    GROUP.add(name, "16.3.5", "protest", body)


@GROUP.case("16.2.1", "clean")
async def drawing_until_there_is_nothing_left(arena: PlayerEnvironment) -> None:
    """Several hands with draws: every seat unwraps for every other, and every deal has new keys."""
    table = arena.play(DRAWS)
    await arena.start()
    await arena.expect_clean()
    keys = [entry.body[0] for entry in table.posts("open_key")]
    if len(set(keys)) < len(keys):
        raise CaseFailed("the player used one key for two deals")
